// Module tiny_luts: a logic gate network, without state and without a clock
//
// - model tiny
// - LUTs of the target intel; tiny_luts_cells.v says what they do, for simulators
// - written in the style lut; the style gates has operators in place of LUTs, which people read more easily
//
// Input ports (of each word, the lowest bit is the least significant):
//   - x[7:0]               2 words of 4 bits
//     - x[3:0]             length
//     - x[7:4]             width
//
// Output ports:
//   - class_index[0:0]     class
//
// Probes (internal buses that passes keep):
//   - count_0[1:0]
//   - count_1[1:0]
//
// Wire c3_k17_l42 is the gate of chain 17 in layer 42; the chain belongs to class 3.
//   chains 0 to 2: class 0
//   chains 3 to 5: class 1
// Wire x12_gt63 is 1 where word 12 of the port x is above 63.
// Argmax: of equal counts, the lowest class wins.

`default_nettype none

module tiny_luts (
    input  wire [7:0] x,
    output wire [0:0] class_index
);

  // comparators
  wire x0_gt3, x0_gt7, x0_gt15, x1_gt3, x1_gt7, x1_gt15;
  assign x0_gt3 = x[3:0] > 4'd3;
  assign x0_gt7 = x[3:0] > 4'd7;
  assign x0_gt15 = 1'b0;
  assign x1_gt3 = x[7:4] > 4'd3;
  assign x1_gt7 = x[7:4] > 4'd7;
  assign x1_gt15 = 1'b0;

  // layer 1
  wire c0_k0_l1, c0_k1_l1, c0_k2_l1, c1_k3_l1, c1_k4_l1, c1_k5_l1;
  MISTRAL_ALUT2 #(.LUT(4'h8)) c0_k0_l1_i (.A(x0_gt3), .B(x0_gt7), .Q(c0_k0_l1));
  MISTRAL_ALUT2 #(.LUT(4'he)) c0_k1_l1_i (.A(x0_gt7), .B(x0_gt15), .Q(c0_k1_l1));
  assign c0_k2_l1 = x0_gt15;
  MISTRAL_ALUT2 #(.LUT(4'h6)) c1_k3_l1_i (.A(x1_gt3), .B(x1_gt7), .Q(c1_k3_l1));
  assign c1_k4_l1 = 1'b0;
  MISTRAL_ALUT2 #(.LUT(4'h5)) c1_k5_l1_i (.A(x0_gt3), .B(1'b0), .Q(c1_k5_l1));

  // layer 2
  wire c0_k0_l2, c0_k1_l2, c0_k2_l2, c1_k3_l2, c1_k4_l2, c1_k5_l2;
  assign c0_k0_l2 = c0_k0_l1;
  MISTRAL_ALUT2 #(.LUT(4'h7)) c0_k1_l2_i (.A(c0_k1_l1), .B(x1_gt3), .Q(c0_k1_l2));
  MISTRAL_ALUT2 #(.LUT(4'h2)) c0_k2_l2_i (.A(c0_k2_l1), .B(x1_gt7), .Q(c0_k2_l2));
  MISTRAL_ALUT2 #(.LUT(4'h9)) c1_k3_l2_i (.A(c1_k3_l1), .B(x1_gt15), .Q(c1_k3_l2));
  assign c1_k4_l2 = 1'b1;
  MISTRAL_ALUT2 #(.LUT(4'hd)) c1_k5_l2_i (.A(c1_k5_l1), .B(x0_gt7), .Q(c1_k5_l2));

  // popcounts
  wire [1:0] count_0;
  wire [1:0] count_1;
  tiny_luts_popcount #(.WIDTH(3), .BITS(2)) count_0_n0_i (
      .bits({c0_k2_l2, c0_k1_l2, c0_k0_l2}),
      .count(count_0));
  tiny_luts_popcount #(.WIDTH(3), .BITS(2)) count_1_n0_i (
      .bits({c1_k5_l2, c1_k4_l2, c1_k3_l2}),
      .count(count_1));

  // argmax
  tiny_luts_argmax #(.CLASSES(2), .BITS(2), .INDEX(1)) class_index_n0_i (
      .counts({count_1, count_0}),
      .index(class_index));

  // what nothing reads
  wire unused_0 = &{1'b0, c1_k4_l1};
endmodule

// count is the number of ones among bits
// verilator lint_off DECLFILENAME
module tiny_luts_popcount #(
    parameter WIDTH = 2,  // at least 2
    parameter BITS = 2    // enough for WIDTH
) (
    input  wire [WIDTH-1:0] bits,
    output wire [BITS-1:0] count
);
  function [BITS-1:0] ones;
    input [WIDTH-1:0] word;
    integer i;
    begin
      ones = {BITS{1'b0}};
      for (i = 0; i < WIDTH; i = i + 1) ones = ones + {{(BITS - 1) {1'b0}}, word[i]};
    end
  endfunction

  assign count = ones(bits);
endmodule
// verilator lint_on DECLFILENAME

// index is the class of the largest count, class 0 in the lowest bits; the lowest of equals
// verilator lint_off DECLFILENAME
module tiny_luts_argmax #(
    parameter CLASSES = 2,  // at least 2
    parameter BITS = 1,     // of a count
    parameter INDEX = 1     // bits of the index, enough for CLASSES - 1
) (
    input  wire [CLASSES*BITS-1:0] counts,
    output wire [INDEX-1:0] index
);
  function [INDEX-1:0] largest;
    input [CLASSES*BITS-1:0] words;
    integer i;
    reg [BITS-1:0] best;
    begin
      best = words[BITS-1:0];
      largest = {INDEX{1'b0}};
      for (i = 1; i < CLASSES; i = i + 1)
        if (words[i*BITS+:BITS] > best) begin
          best = words[i*BITS+:BITS];
          largest = i[INDEX-1:0];
        end
    end
  endfunction

  assign index = largest(counts);
endmodule
// verilator lint_on DECLFILENAME

`default_nettype wire
