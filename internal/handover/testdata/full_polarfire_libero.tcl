# Project of the module random
# Version word of the build: 1ea5ed01
# ialgn's tests do not run the vendor's tool.
# Usage: libero SCRIPT:random_libero.tcl "SCRIPT_ARGS:DIE PACKAGE SPEED", such as MPF100T FCVG484 -1
lassign $argv die package speed
new_project -location {./random_libero} -name {random} -family PolarFire -hdl VERILOG -die $die -package $package -speed $speed
import_files -hdl_source {./random.v}
build_design_hierarchy
set_root -module {random::work}
import_files -sdc {./random.sdc}
organize_tool_files -tool {SYNTHESIZE} -file {./random_libero/constraint/random.sdc} -module {random::work} -input_type {constraint}
organize_tool_files -tool {PLACEROUTE} -file {./random_libero/constraint/random.sdc} -module {random::work} -input_type {constraint}
organize_tool_files -tool {VERIFYTIMING} -file {./random_libero/constraint/random.sdc} -module {random::work} -input_type {constraint}
#
# Pins are the board's. To be completed, for each bit of a vector:
# set_io -port_name {x[0]} -pin_name pin -fixed true
# set_io -port_name {class_index[0]} -pin_name pin -fixed true
# The lines belong in a file for import_files -io_pdc.
run_tool -name {SYNTHESIZE}
run_tool -name {PLACEROUTE}
run_tool -name {VERIFYTIMING}
save_project
