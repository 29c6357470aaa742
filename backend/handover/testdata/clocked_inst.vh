// Instantiation template of the module clocked_
// Version word of the build: 1ea5ed01
// To be copied into a module, or included there.
localparam [31:0] clocked__VERSION = 32'h1ea5ed01;
wire clk;  // input, clock, rising edge
wire rst;  // input, synchronous reset of in_valid and out_valid, active high
wire ce;  // input, 0 freezes all state
wire in_valid;  // input, the inputs are a sample
wire out_valid;  // output, the outputs are those of a sample, 2 enabled clocks after it
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
