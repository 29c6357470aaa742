// Instantiation template of the module random
// Version word of the build: 1ea5ed01
// To be copied into a module, or included there.
localparam [31:0] random_VERSION = 32'h1ea5ed01;
// The classes:
// verilator lint_off UNUSEDPARAM
localparam [2:0] random_CLASS_normal = 3'd0;  // class normal
localparam [2:0] random_CLASS_worn_out = 3'd1;  // class worn out
localparam [2:0] random_CLASS_2 = 3'd2;  // class
localparam [2:0] random_CLASS_NORMAL_3 = 3'd3;  // class NORMAL
localparam [2:0] random_CLASS_d_j_vu = 3'd4;  // class _d?j?__vu_
localparam [2:0] random_CLASS_normal_3_5 = 3'd5;  // class normal_3
// verilator lint_on UNUSEDPARAM
wire [47:0] x;  // input, 6 words of 8 bits, the first lowest: feature 0 to feature 5
wire [1:0] class_index;  // output, 2 bits: class

random random_i (
    .x(x),
    .class_index(class_index)
);
