# Has Vivado place and route a netlist of primitives, and make its bitstream. It writes NAME.bit, its
# reports as NAME.*.rpt, and NAME.report.json, in the form of nextpnr's report.
#
# The arguments: NAME, the netlist, its top module, the part, the clock's period in ns, clock or
# wires, which is what to place for, and the pins (.xdc) if there are any.

lassign $argv name netlist top part period aim pins

read_verilog $netlist
if {$pins ne ""} {
    read_xdc $pins
}
synth_design -top $top -part $part

set clock [lindex [get_ports -quiet {clk aclk}] 0]
if {$clock ne ""} {
    create_clock -name $clock -period $period [get_ports $clock]
}

# A port without a pin or a voltage is placed all the same.
foreach check {NSTD-1 UCIO-1} {
    set_property SEVERITY Warning [get_drc_checks $check]
}

opt_design
if {$aim eq "wires"} {
    place_design -no_timing_driven
} else {
    place_design
}
route_design

report_utilization -file $name.utilization.rpt
report_timing_summary -file $name.timing.rpt
write_bitstream -force $name.bit

proc quoted {text} {
    return "\"[string map [list \\ \\\\ \" \\\"] $text]\""
}

proc cells {pattern} {
    return [llength [get_cells -hierarchical -quiet -filter "REF_NAME =~ $pattern"]]
}

proc utilization {part} {
    set has [get_parts $part]
    set blocks [expr {[cells RAMB36*] + ([cells RAMB18*] + 1) / 2}]
    set kinds {}
    foreach {kind used property} [list \
        LUT [cells LUT*] LUT_ELEMENTS \
        FF [cells FD*] FLIPFLOPS \
        CARRY4 [cells CARRY4*] SLICES \
        RAMB36 $blocks BLOCK_RAMS \
        IOB [llength [get_ports]] AVAILABLE_IOBS] {
        lappend kinds "[quoted $kind]: {\"used\": $used, \"available\": [get_property $property $has]}"
    }
    return "{[join $kinds {, }]}"
}

# A path has the delays of its nets together, in a step after them.
proc critical {path ns from to} {
    set steps {}
    foreach net [get_nets -of_objects $path] {
        lappend steps "{\"delay\": 0, \"net\": [quoted $net]}"
    }
    lappend steps "{\"delay\": $ns}"
    return "{\"from\": [quoted $from], \"to\": [quoted $to], \"path\": \[[join $steps {, }]\]}"
}

# Adds the longest path that the options name to paths. Nothing says what is outside of pins, so that such a path has a
# delay and no slack.
proc longest {from to args} {
    global paths
    set path [lindex [get_timing_paths -setup -max_paths 1 {*}$args] 0]
    if {$path ne ""} {
        lappend paths [critical $path [get_property DATAPATH_DELAY $path] $from $to]
    }
}

set fmax ""
set paths {}
if {$clock ne ""} {
    set path [lindex [get_timing_paths -setup -max_paths 1 -group $clock] 0]
    if {$path ne ""} {
        set ns [expr {$period - [get_property SLACK $path]}]
        set fmax "[quoted $clock]: {\"achieved\": [expr {1000.0 / $ns}], \"constraint\": [expr {1000.0 / $period}]}"
        lappend paths [critical $path $ns "posedge $clock" "posedge $clock"]
    }
    longest "<async>" "posedge $clock" -from [all_inputs] -to [all_registers -data_pins]
    longest "posedge $clock" "<async>" -from [all_registers -clock_pins] -to [all_outputs]
} else {
    longest "<async>" "<async>"
}

set file [open $name.report.json w]
puts $file "{\"fmax\": {$fmax}, \"utilization\": [utilization $part], \"critical_paths\": \[[join $paths {, }]\]}"
close $file
