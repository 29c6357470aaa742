`default_nettype none

module @MODULE@ (
    input  wire clk,
    input  wire rst,
    input  wire in_valid,
    output wire in_ready,
    input  wire [@WORD@:0] in_data,
    input  wire in_last,
@DROP@    output reg out_valid,
    input  wire out_ready,
    output reg [@INDEX@:0] class_index,
    output wire error
);
