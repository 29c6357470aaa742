# Project of the module clocked_
# Version word of the build: 1ea5ed01
# ialgn's tests do not run the vendor's tool.
# Usage: sh clocked__pr.sh, with yosys and CologneChip's p_r
set -e
yosys -q -p 'read_verilog clocked_.v; synth_gatemate -top clocked_ -vlog clocked__gatemate.v'
#
# Pins are the board's. To be completed, for each bit of a vector:
# Net "clk" Loc = "pin";
# Net "rst" Loc = "pin";
# Net "ce" Loc = "pin";
# Net "in_valid" Loc = "pin";
# Net "out_valid" Loc = "pin";
# Net "x[0]" Loc = "pin";
# Net "X" Loc = "pin";
# Net "signal[0]" Loc = "pin";
# Net "class_index" Loc = "pin";
# The lines belong in a file for the option -ccf of p_r.
p_r -i clocked__gatemate.v -o clocked_ +uCIO
