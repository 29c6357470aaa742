# Timing constraints of the module clocked_
# Version word of the build: 1ea5ed01
create_clock -name clk -period 7.501 [get_ports clk]
#
# Pins are the board's. To be completed, for each bit of a vector:
# set_property -dict {PACKAGE_PIN pin IOSTANDARD LVCMOS33} [get_ports {clk}]
# set_property -dict {PACKAGE_PIN pin IOSTANDARD LVCMOS33} [get_ports {rst}]
# set_property -dict {PACKAGE_PIN pin IOSTANDARD LVCMOS33} [get_ports {ce}]
# set_property -dict {PACKAGE_PIN pin IOSTANDARD LVCMOS33} [get_ports {in_valid}]
# set_property -dict {PACKAGE_PIN pin IOSTANDARD LVCMOS33} [get_ports {out_valid}]
# set_property -dict {PACKAGE_PIN pin IOSTANDARD LVCMOS33} [get_ports {x[0]}]
# set_property -dict {PACKAGE_PIN pin IOSTANDARD LVCMOS33} [get_ports {X}]
# set_property -dict {PACKAGE_PIN pin IOSTANDARD LVCMOS33} [get_ports {signal[0]}]
# set_property -dict {PACKAGE_PIN pin IOSTANDARD LVCMOS33} [get_ports {class_index}]
