# Project of the module random
# Version word of the build: 1ea5ed01
# ialgn's tests do not run the vendor's tool.
# Usage: sh random_pr.sh, with yosys and CologneChip's p_r
set -e
yosys -q -p 'read_verilog random.v; synth_gatemate -top random -vlog random_gatemate.v'
#
# Pins are the board's. To be completed, for each bit of a vector:
# Net "x[0]" Loc = "pin";
# Net "class_index[0]" Loc = "pin";
# The lines belong in a file for the option -ccf of p_r.
p_r -i random_gatemate.v -o random +uCIO
