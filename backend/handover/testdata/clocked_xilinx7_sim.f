// Sources for simulation, the testbench last, of the module clocked_
// Version word of the build: 1ea5ed01
// Names are relative to the folder of this file, as with verilator -F.
clocked__cells.v
clocked_.v
clocked__tb.v
