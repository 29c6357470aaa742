# Project of the module clocked_
# Version word of the build: 1ea5ed01
# ialgn's tests do not run the vendor's tool.
# Usage: libero SCRIPT:clocked__libero.tcl "SCRIPT_ARGS:DIE PACKAGE SPEED", such as MPF100T FCVG484 -1
lassign $argv die package speed
new_project -location {./clocked__libero} -name {clocked_} -family PolarFire -hdl VERILOG -die $die -package $package -speed $speed
import_files -hdl_source {./clocked_.v}
build_design_hierarchy
set_root -module {clocked_::work}
import_files -sdc {./clocked_.sdc}
organize_tool_files -tool {SYNTHESIZE} -file {./clocked__libero/constraint/clocked_.sdc} -module {clocked_::work} -input_type {constraint}
organize_tool_files -tool {PLACEROUTE} -file {./clocked__libero/constraint/clocked_.sdc} -module {clocked_::work} -input_type {constraint}
organize_tool_files -tool {VERIFYTIMING} -file {./clocked__libero/constraint/clocked_.sdc} -module {clocked_::work} -input_type {constraint}
#
# Pins are the board's. To be completed, for each bit of a vector:
# set_io -port_name {clk} -pin_name pin -fixed true
# set_io -port_name {rst} -pin_name pin -fixed true
# set_io -port_name {ce} -pin_name pin -fixed true
# set_io -port_name {in_valid} -pin_name pin -fixed true
# set_io -port_name {out_valid} -pin_name pin -fixed true
# set_io -port_name {x[0]} -pin_name pin -fixed true
# set_io -port_name {X} -pin_name pin -fixed true
# set_io -port_name {signal[0]} -pin_name pin -fixed true
# set_io -port_name {class_index} -pin_name pin -fixed true
# The lines belong in a file for import_files -io_pdc.
run_tool -name {SYNTHESIZE}
run_tool -name {PLACEROUTE}
run_tool -name {VERIFYTIMING}
save_project
