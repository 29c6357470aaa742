// Two nodes at 3 x 4 positions of an image of 2 x 3 pixels with two thresholds each, padded by a 0 on each side: bit j of
// the pixel at row r and column c is x[(r * 3 + c) * 2 + j]. The third row of positions is left out of the pooling.
module top(input [11:0] x, output [3:0] h);
    // bit 1 of the patch's upper left pixel XOR bit 0 of its lower right pixel
    wire a00 = x[0];
    wire a01 = x[2];
    wire a02 = x[4];
    wire a03 = 1'b0;
    wire a10 = x[6];
    wire a11 = x[1] ^ x[8];
    wire a12 = x[3] ^ x[10];
    wire a13 = x[5];
    // bit 1 of the lower right pixel AND NOT bit 0 of the upper left one
    wire b00 = x[1];
    wire b01 = x[3];
    wire b02 = x[5];
    wire b03 = 1'b0;
    wire b10 = x[7];
    wire b11 = x[9] & ~x[0];
    wire b12 = x[11] & ~x[2];
    wire b13 = 1'b0;
    assign h[0] = a00 | a01 | a10 | a11;
    assign h[1] = a02 | a03 | a12 | a13;
    assign h[2] = b00 | b01 | b10 | b11;
    assign h[3] = b02 | b03 | b12 | b13;
endmodule
