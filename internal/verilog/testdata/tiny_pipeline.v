// Module tiny_pipeline: a logic gate network, pipelined
//
// - model tiny
//
// Stages of registers: 4. A sample goes in and a result comes out in every clock.
//   - clk        clock, rising edge
//   - rst        synchronous, active high, whatever ce is: forgets the samples that are on their way;
//                data registers have no reset, for nothing reads them where there is no sample
//   - ce         clock enable: 0 freezes all state
//   - in_valid   there is a sample at the input ports
//   - out_valid  there is a result at the output ports: of the sample 4 enabled clocks ago
// Register NAME_s2 holds, in stage 2, what NAME was before; NAME_7_s2, bit 7 of the bus NAME.
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
//     - in stage 3
//   - count_1[1:0]
//     - in stage 3
//
// Wire c3_k17_l42 is the gate of chain 17 in layer 42; the chain belongs to class 3.
//   chains 0 to 2: class 0
//   chains 3 to 5: class 1
// Wire x12_gt63 is 1 where word 12 of the port x is above 63.
// Register c3_k17_l42_s2 holds c3_k17_l42 in pipeline stage 2, x_5_s1 holds x[5] in stage 1.
// Argmax: of equal counts, the lowest class wins.

`default_nettype none

module tiny_pipeline (
    input  wire clk,
    input  wire rst,
    input  wire ce,
    input  wire in_valid,
    input  wire [7:0] x,
    output wire out_valid,
    output wire [0:0] class_index
);

  // valid[i]: there is a sample in stage i + 1
  reg [3:0] valid;

  // registers of stage 1
  wire x0_gt3_s1, x0_gt7_s1, x0_gt15_s1, x1_gt3_s1, x1_gt7_s1, x1_gt15_s1;

  // registers of stage 2
  wire c0_k0_l1_s2, x0_gt15_s2, c0_k1_l1_s2, x1_gt3_s2, c0_k2_l1_s2, x1_gt7_s2, c1_k3_l1_s2;
  wire x1_gt15_s2, c1_k4_l1_s2, x0_gt3_s2, c1_k5_l1_s2, x0_gt7_s2;

  // registers of stage 3
  wire c0_k0_l2_s3, c0_k1_l2_s3, c0_k2_l2_s3, c1_k3_l2_s3, c1_k4_l2_s3, c1_k5_l2_s3;

  // registers of stage 4
  wire count_0_0_s4, count_0_1_s4, count_1_0_s4, count_1_1_s4;

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
  assign c0_k0_l1 = x0_gt3_s1 & x0_gt7_s1;
  assign c0_k1_l1 = x0_gt7_s1 | x0_gt15_s1;
  assign c0_k2_l1 = x0_gt15_s1;
  assign c1_k3_l1 = x1_gt3_s1 ^ x1_gt7_s1;
  assign c1_k4_l1 = 1'b0;
  assign c1_k5_l1 = ~x0_gt3_s1;

  // layer 2
  wire c0_k0_l2, c0_k1_l2, c0_k2_l2, c1_k3_l2, c1_k4_l2, c1_k5_l2;
  assign c0_k0_l2 = c0_k0_l1_s2;
  assign c0_k1_l2 = ~(c0_k1_l1_s2 & x1_gt3_s2);
  assign c0_k2_l2 = c0_k2_l1_s2 & ~x1_gt7_s2;
  assign c1_k3_l2 = ~(c1_k3_l1_s2 ^ x1_gt15_s2);
  assign c1_k4_l2 = 1'b1;
  assign c1_k5_l2 = ~c1_k5_l1_s2 | x0_gt7_s2;

  // popcounts
  wire [1:0] count_0;
  wire [1:0] count_1;
  tiny_pipeline_popcount #(.WIDTH(3), .BITS(2)) count_0_n0_i (
      .bits({c0_k2_l2_s3, c0_k1_l2_s3, c0_k0_l2_s3}),
      .count(count_0));
  tiny_pipeline_popcount #(.WIDTH(3), .BITS(2)) count_1_n0_i (
      .bits({c1_k5_l2_s3, c1_k4_l2_s3, c1_k3_l2_s3}),
      .count(count_1));

  // argmax
  tiny_pipeline_argmax #(.CLASSES(2), .BITS(2), .INDEX(1)) class_index_n0_i (
      .counts({count_1_1_s4, count_1_0_s4, count_0_1_s4, count_0_0_s4}),
      .index(class_index));

  // samples
  always @(posedge clk)
    if (rst) valid <= {4{1'b0}};
    else if (ce) valid <= {valid[2:0], in_valid};

  assign out_valid = valid[3];

  // data
  // stage 1
  tiny_pipeline_register #(.WIDTH(3)) x0_s1_i (.clk(clk), .ce(ce), .d({x0_gt15, x0_gt7, x0_gt3}),
      .q({x0_gt15_s1, x0_gt7_s1, x0_gt3_s1}));
  tiny_pipeline_register #(.WIDTH(3)) x1_s1_i (.clk(clk), .ce(ce), .d({x1_gt15, x1_gt7, x1_gt3}),
      .q({x1_gt15_s1, x1_gt7_s1, x1_gt3_s1}));
  // stage 2
  tiny_pipeline_register #(.WIDTH(3)) c0_s2_i (.clk(clk), .ce(ce), .d({c0_k2_l1, c0_k1_l1,
      c0_k0_l1}), .q({c0_k2_l1_s2, c0_k1_l1_s2, c0_k0_l1_s2}));
  tiny_pipeline_register #(.WIDTH(3)) x0_s2_i (.clk(clk), .ce(ce), .d({x0_gt7_s1, x0_gt3_s1,
      x0_gt15_s1}), .q({x0_gt7_s2, x0_gt3_s2, x0_gt15_s2}));
  tiny_pipeline_register #(.WIDTH(3)) x1_s2_i (.clk(clk), .ce(ce), .d({x1_gt15_s1, x1_gt7_s1,
      x1_gt3_s1}), .q({x1_gt15_s2, x1_gt7_s2, x1_gt3_s2}));
  tiny_pipeline_register #(.WIDTH(3)) c1_s2_i (.clk(clk), .ce(ce), .d({c1_k5_l1, c1_k4_l1,
      c1_k3_l1}), .q({c1_k5_l1_s2, c1_k4_l1_s2, c1_k3_l1_s2}));
  // stage 3
  tiny_pipeline_register #(.WIDTH(3)) c0_s3_i (.clk(clk), .ce(ce), .d({c0_k2_l2, c0_k1_l2,
      c0_k0_l2}), .q({c0_k2_l2_s3, c0_k1_l2_s3, c0_k0_l2_s3}));
  tiny_pipeline_register #(.WIDTH(3)) c1_s3_i (.clk(clk), .ce(ce), .d({c1_k5_l2, c1_k4_l2,
      c1_k3_l2}), .q({c1_k5_l2_s3, c1_k4_l2_s3, c1_k3_l2_s3}));
  // stage 4
  tiny_pipeline_register #(.WIDTH(2)) count_0_s4_i (.clk(clk), .ce(ce), .d({count_0[1],
      count_0[0]}), .q({count_0_1_s4, count_0_0_s4}));
  tiny_pipeline_register #(.WIDTH(2)) count_1_s4_i (.clk(clk), .ce(ce), .d({count_1[1],
      count_1[0]}), .q({count_1_1_s4, count_1_0_s4}));

  // what nothing reads
  wire unused_0 = &{1'b0, x0_gt15_s2, c1_k4_l1_s2, x0_gt3_s2};
endmodule

// count is the number of ones among bits
// verilator lint_off DECLFILENAME
module tiny_pipeline_popcount #(
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
module tiny_pipeline_argmax #(
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

// q is d as it was at the last edge of clk at which ce was 1
// verilator lint_off DECLFILENAME
module tiny_pipeline_register #(
    parameter WIDTH = 1
) (
    input  wire clk,
    input  wire ce,
    input  wire [WIDTH-1:0] d,
    output reg  [WIDTH-1:0] q
);
  always @(posedge clk) if (ce) q <= d;
endmodule
// verilator lint_on DECLFILENAME

`default_nettype wire
