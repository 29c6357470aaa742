package handover

import (
	"fmt"
	"io"
	"strings"

	"ialgn/internal/target"
	"ialgn/internal/verilog"
	"ialgn/netlist"
)

// projects holds the suffix of the project file, and the function that writes it, for each form.
var projects = map[target.Project]struct {
	suffix string
	write  func(p project)
}{
	target.Quartus: {"_quartus.tcl", project.quartus},
	target.Libero:  {"_libero.tcl", project.libero},
	target.Efinity: {"_efinity.xml", project.efinity},
	target.PeppeR:  {"_pr.sh", project.pepper},
}

// project is a project file that is being built.
type project struct {
	*file
	name    string   // name of the top module
	sources []string // Verilog files
	timing  string   // file of timing constraints; empty for none
	ports   []Port
}

// WriteProject writes the file with which the tool of the target's vendor makes a project of the module. The files were
// written by the documents of the tools, and not tried with the tools.
func WriteProject(w io.Writer, n *netlist.Netlist, opt Options) error {
	d, err := newDesign(n, opt)
	if err != nil {
		return err
	}
	form, ok := projects[d.Target.Project]
	if !ok {
		return fmt.Errorf("handover: the target %s has no form of a project", d.Target)
	}
	p := project{file: &file{comment: "#"}, name: d.module, sources: d.list(d.models()), ports: d.ports}
	if d.MHz != 0 {
		p.timing = d.module + d.Target.Constraints.Suffix
	}
	if d.Target.Project != target.Efinity { // XML begins with its declaration
		d.title(p.file, "Project")
		p.note("ialgn's tests do not run the vendor's tool.")
	}
	form.write(p)
	return p.writeTo(w)
}

// models reports whether the vendor's tool must be given the models of the primitives. Quartus has other primitives
// than yosys.
func (d *design) models() bool {
	return d.Style == verilog.LUTs && (d.Target.Modelled || d.Target.Project == target.Quartus)
}

func (p project) quartus() {
	p.note("Usage: quartus_sh -t %s_quartus.tcl PART, with a part such as 5CEBA4F23C7", p.name)
	p.line("package require ::quartus::project")
	p.line("package require ::quartus::flow")
	p.line("project_new %s -overwrite", p.name)
	p.assign("FAMILY", `"Cyclone V"`)
	p.assign("DEVICE", "[lindex $quartus(args) 0]")
	p.assign("TOP_LEVEL_ENTITY", p.name)
	for _, name := range p.sources {
		p.assign("VERILOG_FILE", name)
	}
	if p.timing != "" {
		p.assign("SDC_FILE", p.timing)
	}
	p.pins(func(port, bit string) { p.note("set_location_assignment PIN_pin -to {%s%s}", port, bit) })
	p.line("execute_flow -compile")
	p.line("project_close")
}

func (p project) assign(name, value string) { p.line("set_global_assignment -name %s %s", name, value) }

func (p project) libero() {
	p.note("Usage: libero SCRIPT:%s_libero.tcl \"SCRIPT_ARGS:DIE PACKAGE SPEED\", such as MPF100T FCVG484 -1", p.name)
	p.line("lassign $argv die package speed")
	p.line("new_project -location {./%[1]s_libero} -name {%[1]s} -family PolarFire -hdl VERILOG -die $die "+
		"-package $package -speed $speed", p.name)
	for _, name := range p.sources {
		p.line("import_files -hdl_source {./%s}", name)
	}
	p.line("build_design_hierarchy")
	p.line("set_root -module {%s::work}", p.name)
	if p.timing != "" {
		p.line("import_files -sdc {./%s}", p.timing)
		for _, tool := range []string{"SYNTHESIZE", "PLACEROUTE", "VERIFYTIMING"} {
			p.line("organize_tool_files -tool {%s} -file {./%s_libero/constraint/%s} -module {%s::work} "+
				"-input_type {constraint}", tool, p.name, p.timing, p.name)
		}
	}
	p.pins(func(port, bit string) { p.note("set_io -port_name {%s%s} -pin_name pin -fixed true", port, bit) })
	p.note("The lines belong in a file for import_files -io_pdc.")
	for _, tool := range []string{"SYNTHESIZE", "PLACEROUTE", "VERIFYTIMING"} {
		p.line("run_tool -name {%s}", tool)
	}
	p.line("save_project")
}

func (p project) efinity() {
	p.line(`<?xml version="1.0" encoding="UTF-8"?>`)
	p.line("<!-- Project of the module %s for Efinity. Replace the device, and add the pins in Efinity's editor of "+
		"interfaces. ialgn's tests do not run Efinity. -->", p.name)
	p.line(`<efx:project xmlns:efx="http://www.efinixinc.com/enf_proj" name="%s" description="">`, p.name)
	p.line(`  <efx:device_info>`)
	p.line(`    <efx:family name="Trion"/>`)
	p.line(`    <efx:device name="T20F256"/>`)
	p.line(`    <efx:timing_model name="C4"/>`)
	p.line(`  </efx:device_info>`)
	p.line(`  <efx:design_info def_veri_version="verilog_2k" def_vhdl_version="vhdl_2008">`)
	p.line(`    <efx:top_module name="%s"/>`, p.name)
	for _, name := range p.sources {
		p.line(`    <efx:design_file name="%s" version="default" library="default"/>`, name)
	}
	p.line(`  </efx:design_info>`)
	if p.timing != "" {
		p.line(`  <efx:constraint_info>`)
		p.line(`    <efx:sdc_file name="%s"/>`, p.timing)
		p.line(`  </efx:constraint_info>`)
	}
	p.line(`</efx:project>`)
}

func (p project) pepper() {
	p.note("Usage: sh %s_pr.sh, with yosys and CologneChip's p_r", p.name)
	p.line("set -e")
	p.line("yosys -q -p 'read_verilog %[2]s; synth_gatemate -top %[1]s -vlog %[1]s_gatemate.v'", p.name,
		strings.Join(p.sources, " "))
	p.pins(func(port, bit string) { p.note("Net \"%s%s\" Loc = \"pin\";", port, bit) })
	p.note("The lines belong in a file for the option -ccf of p_r.")
	p.line("p_r -i %[1]s_gatemate.v -o %[1]s +uCIO", p.name)
}

// pins writes a comment for each port, with the pin of the port's first bit as an example.
func (p project) pins(write func(port, bit string)) {
	c := constraints{file: p.file, ports: p.ports}
	c.pins(func(port Port, bit string) { write(port.Name, bit) })
}
