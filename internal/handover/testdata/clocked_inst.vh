// Instantiation template of the module clocked_
// Version word of the build: 1ea5ed01
// To be copied into a module, or included there.
localparam [31:0] clocked__VERSION = 32'h1ea5ed01;
// The classes:
// verilator lint_off UNUSEDPARAM
localparam [2:0] clocked__CLASS_normal = 3'd0;  // class normal
localparam [2:0] clocked__CLASS_worn_out = 3'd1;  // class worn out
localparam [2:0] clocked__CLASS_2 = 3'd2;  // class
localparam [2:0] clocked__CLASS_NORMAL_3 = 3'd3;  // class NORMAL
localparam [2:0] clocked__CLASS_d_j_vu = 3'd4;  // class _d?j?__vu_
localparam [2:0] clocked__CLASS_normal_3_5 = 3'd5;  // class normal_3
// verilator lint_on UNUSEDPARAM
wire clk;  // input, clock, rising edge
wire rst;  // input, synchronous reset of the valid bits, active high
wire ce;  // input, 0 freezes all state
wire in_valid;  // input, there is a sample at the inputs
wire out_valid;  // output, in_valid of 2 enabled clocks before, as the outputs are of the inputs
wire [3:0] x;  // input, 4 bits
wire [0:0] X;  // input, 1 bit: another?port
wire [1:0] signal;  // input, 2 bits
wire [0:0] class_index;  // output, 1 bit: class

clocked_ clocked__i (
    .clk(clk),
    .rst(rst),
    .ce(ce),
    .in_valid(in_valid),
    .out_valid(out_valid),
    .x(x),
    .X(X),
    .signal(signal),
    .class_index(class_index)
);
