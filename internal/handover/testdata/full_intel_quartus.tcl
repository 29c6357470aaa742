# Project of the module random
# Version word of the build: 1ea5ed01
# ialgn's tests do not run the vendor's tool.
# Usage: quartus_sh -t random_quartus.tcl PART, with a part such as 5CEBA4F23C7
package require ::quartus::project
package require ::quartus::flow
project_new random -overwrite
set_global_assignment -name FAMILY "Cyclone V"
set_global_assignment -name DEVICE [lindex $quartus(args) 0]
set_global_assignment -name TOP_LEVEL_ENTITY random
set_global_assignment -name VERILOG_FILE random_cells.v
set_global_assignment -name VERILOG_FILE random.v
set_global_assignment -name SDC_FILE random.sdc
#
# Pins are the board's. To be completed, for each bit of a vector:
# set_location_assignment PIN_pin -to {x[0]}
# set_location_assignment PIN_pin -to {class_index[0]}
execute_flow -compile
project_close
