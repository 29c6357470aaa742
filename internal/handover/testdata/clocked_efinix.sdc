# Timing constraints of the module clocked_
# Version word of the build: 1ea5ed01
create_clock -name clk -period 7.501 [get_ports clk]
