# Stands in for Vivado: it knows the commands by name, prints them, and answers as a routed design
# with a critical path of 8 ns under a clock of 10.
proc unknown {command args} { error "Vivado has no command $command" }
foreach command {
    read_verilog read_xdc synth_design create_clock opt_design route_design
    report_utilization report_timing_summary set_property
} {
    proc $command args "puts \"$command \$args\""
}
proc place_design args {
    puts "place_design $args"
    if {[info exists ::env(FULL)]} {
        error "ERROR: \[Place 30-640\] Place Check : This design requires more LUT cells"
    }
}
proc write_bitstream args {
    puts "write_bitstream $args"
    close [open [lindex $args end] w]
}
proc get_drc_checks check { return $check }
proc get_parts part { return $part }
proc get_ports args {
    if {$args eq "-quiet {clk aclk}" && [info exists ::env(NO_CLOCK)]} {
        return ""
    }
    if {$args eq "-quiet {clk aclk}" || $args eq "clk"} {
        return clk
    }
    return {clk {x[0]} {x[1]} y}
}
proc get_cells args {
    if {[lrange $args 0 2] ne "-hierarchical -quiet -filter"} {
        error "get_cells $args"
    }
    foreach {type n} {LUT6 3 LUT2 2 FDRE 7 CARRY4 1 RAMB36E1 2 RAMB18E1 3 IBUF 3} {
        if {[string match [lindex $args 3 2] $type]} {
            lappend cells {*}[lrepeat $n cell]
        }
    }
    return $cells
}
proc all_inputs {} { return inputs }
proc all_outputs {} { return outputs }
proc all_registers pins { return registers$pins }
proc get_timing_paths args {
    puts "get_timing_paths $args"
    if {$args eq "-setup -max_paths 1 -group clk" && [info exists ::env(ONE_STAGE)]} {
        return ""
    }
    return path
}
proc get_nets args { return {{a[0]} {\b"c}} }
proc get_property {property object} {
    return [dict get {
        SLACK 2.000 DATAPATH_DELAY 6.500
        LUT_ELEMENTS 20800 FLIPFLOPS 41600 SLICES 5200 BLOCK_RAMS 50 AVAILABLE_IOBS 106
    } $property]
}
set argv [lassign $argv script]
source $script
