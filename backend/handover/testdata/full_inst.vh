// Instantiation template of the module random
// Version word of the build: 1ea5ed01
// To be copied into a module, or included there.
localparam [31:0] random_VERSION = 32'h1ea5ed01;
wire [47:0] x;  // input, 6 words of 8 bits, the first lowest: feature 0 to feature 5
wire [1:0] class_index;  // output, 2 bits: class

random random_i (
    .x(x),
    .class_index(class_index)
);
