module @MODULE@ #(
    parameter WORD = 1,  // bits of a word
    parameter WORDS = 1,  // words of a sample
    parameter BEAT = 1,  // words of a clock, 1 to WORDS
    parameter [WORD*WORDS-1:0] READ = {WORD * WORDS{1'b1}}  // which bits are kept, others are 0
) (
    input  wire clk,
    input  wire rst,
    input  wire in_valid,
    output wire in_ready,
    input  wire [BEAT*WORD-1:0] in_data,
    input  wire in_last,
    input  wire drop,  // the packet so far is void, an error; not in a clock with in_valid
    output wire [WORD*WORDS-1:0] sample,
    output wire sample_valid,
    input  wire sample_taken,  // in this clock; no beat is taken before
    output wire error  // since the reset, some packet was shorter or longer than a sample
);
@BITSBELOW@
  localparam PACKET = (WORDS + BEAT - 1) / BEAT;  // beats of a sample
  localparam COUNT = bits_below(PACKET);
  localparam LOW = COUNT / 2;  // the count is decoded in two halves
  localparam LOWS = PACKET < (1 << LOW) ? PACKET : (1 << LOW);
  localparam HIGHS = (PACKET + (1 << LOW) - 1) >> LOW;
  localparam [31:0] LAST = PACKET - 1;
  localparam [31:0] ONE = 1;

  reg [COUNT-1:0] beat;  // beats of this packet so far, if it is not too long
  reg skip;  // the packet is too long: its rest is dropped
  reg full;
  reg failed;

  assign in_ready = ~full;
  assign sample_valid = full;
  assign error = failed;

  wire take = in_valid & ~full;
  wire whole = beat == LAST[COUNT-1:0];  // with this beat

  always @(posedge clk)
    if (rst) begin
      beat <= {COUNT{1'b0}};
      skip <= 1'b0;
      full <= 1'b0;
      failed <= 1'b0;
    end else begin
      if (sample_taken) full <= 1'b0;
      if (take) begin
        beat <= in_last ? {COUNT{1'b0}} : beat + ONE[COUNT-1:0];
        skip <= ~in_last & (skip | whole);
        if (in_last & whole & ~skip) full <= 1'b1;
        if ((in_last ^ whole) & ~skip) failed <= 1'b1;
      end
      if (drop) begin
        beat   <= {COUNT{1'b0}};
        skip   <= 1'b0;
        failed <= 1'b1;
      end
    end

  wire [LOWS-1:0] is_low;
  wire [HIGHS-1:0] is_high;
  wire [PACKET-1:0] load;  // the words of this beat
  wire unused_bits = &{1'b0, load, in_data};  // of words that nothing reads

  // Loops are nested: verilator unrolls no longer ones than of 1024 rounds.
  genvar h, i, k;
  generate
    for (i = 0; i < LOWS; i = i + 1) begin : lows
      localparam [31:0] I = i;
      assign is_low[i] = beat[LOW-1:0] == I[LOW-1:0];
    end
    for (h = 0; h < HIGHS; h = h + 1) begin : highs
      localparam [31:0] H = h;
      assign is_high[h] = beat[COUNT-1:LOW] == H[COUNT-LOW-1:0];
      for (i = 0; i < LOWS; i = i + 1) begin : beats
        if ((h << LOW) + i < PACKET) begin : one
          assign load[(h<<LOW)+i] = take & is_low[i] & is_high[h];
        end
      end
    end
    for (h = 0; h < WORDS; h = h + 64) begin : groups
      for (i = h; i < WORDS && i < h + 64; i = i + 1) begin : words
        for (k = 0; k < WORD; k = k + 1) begin : bits
          if (READ[i*WORD+k]) begin : kept
            reg value;
            always @(posedge clk) if (load[i/BEAT]) value <= in_data[i%BEAT*WORD+k];
            assign sample[i*WORD+k] = value;
          end else begin : dropped
            assign sample[i*WORD+k] = 1'b0;
          end
        end
      end
    end
  endgenerate
endmodule
