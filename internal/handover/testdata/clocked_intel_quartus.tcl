# Project of the module clocked_
# Version word of the build: 1ea5ed01
# ialgn's tests do not run the vendor's tool.
# Usage: quartus_sh -t clocked__quartus.tcl PART, with a part such as 5CEBA4F23C7
package require ::quartus::project
package require ::quartus::flow
project_new clocked_ -overwrite
set_global_assignment -name FAMILY "Cyclone V"
set_global_assignment -name DEVICE [lindex $quartus(args) 0]
set_global_assignment -name TOP_LEVEL_ENTITY clocked_
set_global_assignment -name VERILOG_FILE clocked__cells.v
set_global_assignment -name VERILOG_FILE clocked_.v
set_global_assignment -name SDC_FILE clocked_.sdc
#
# Pins are the board's. To be completed, for each bit of a vector:
# set_location_assignment PIN_pin -to {clk}
# set_location_assignment PIN_pin -to {rst}
# set_location_assignment PIN_pin -to {ce}
# set_location_assignment PIN_pin -to {in_valid}
# set_location_assignment PIN_pin -to {out_valid}
# set_location_assignment PIN_pin -to {x[0]}
# set_location_assignment PIN_pin -to {X}
# set_location_assignment PIN_pin -to {signal[0]}
# set_location_assignment PIN_pin -to {class_index}
execute_flow -compile
project_close
