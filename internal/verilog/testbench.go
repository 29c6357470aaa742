package verilog

import (
	_ "embed" // templates
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"ialgn/netlist"
)

// maxShown is the number of mismatches that the testbench prints.
const maxShown = 20

// WriteTestbench writes a self-checking testbench, the module NAME_tb, for the module
// that [Write] makes of n with the same options. It reads vectors as [WriteVectors]
// writes them from the file NAME_vectors.txt or +vectors=FILE, all of them or
// +count=N, and compares each output port and, unless NO_PROBES is defined, each
// probe. The last line that it prints is
//
//	PASS: N vectors
//
// or else begins with FAIL; Verilog-2001 has no exit status, so that line is the
// result. It returns the same errors as Write.
//
// The vectors of a pipeline are those of the netlist without its registers. The testbench
// gives them in order, with gaps in which the inputs are unknown, stalls, and resets that
// lose what is on its way, which it then gives anew; the first reset is the first thing of
// all, before which no register has a value, and the second comes as soon as the pipeline is
// full. Gaps, stalls and further resets are drawn by chance, the same in every run. It checks
// out_valid in every clock, and every output and probe wherever there is a sample, so that
// nothing unknown may reach one, and nothing may move in a stall. With +count=N, it holds the
// last inputs in the end.
//
// Of a module of which only a part is left, [Options.Compare] names what is to be compared; the
// vectors stay the same. What is wanted is in the testbench for others to read, as
// [WantedBit] says.
func WriteTestbench(w io.Writer, n *netlist.Netlist, opt Options) error {
	d, err := newDesign(w, n, opt)
	if err != nil {
		return err
	}
	if err := d.checkCompare(opt.Compare); err != nil {
		return err
	}
	t := testbench{d, opt.Compare, opt.Tell}
	t.title(opt.Header)
	if d.clock == nil {
		t.fill(testbenchHead+plainTestbench, t.holes())
	} else {
		t.fill(testbenchHead+clockedTestbench, t.clockedHoles())
	}
	return d.flush()
}

// The testbench: what all have first, then that of a module without or with a clock.
var (
	//go:embed templates/testbench_head.v
	testbenchHead string
	//go:embed templates/testbench.v
	plainTestbench string
	//go:embed templates/clocked_testbench.v
	clockedTestbench string
)

// hole is where a template leaves something out, by name.
var hole = regexp.MustCompile(`@[A-Z]+@`)

// fill writes a template, at each hole what the function of its name writes.
func (t testbench) fill(template string, holes map[string]func()) {
	from := 0
	for _, at := range hole.FindAllStringIndex(template, -1) {
		t.text(template[from:at[0]])
		holes[strings.Trim(template[at[0]:at[1]], "@")]()
		from = at[1]
	}
	t.text(template[from:])
}

// put returns a function that writes a value as it is.
func (t testbench) put(value any) func() { return func() { t.text(fmt.Sprint(value)) } }

// holes returns what the templates of a module without a clock leave out.
func (t testbench) holes() map[string]func() {
	return map[string]func(){
		"MODULE":  t.put(t.module),
		"FILES":   t.put(t.files()),
		"PORTS":   t.ports,
		"CLOCK":   func() {},
		"FIELD":   t.put(t.widestField() - 1),
		"DUT":     t.dut,
		"READ":    t.readPorts,
		"BIT":     t.bitDeclaration,
		"COMPARE": func() { t.compareAll(func(p netlist.Port, signal string) { t.compareSignal(signal, p, 0) }) },
		"FIELDS":  t.put(t.fields()),
		"TELL":    t.put(t.telling()),
	}
}

// testbench is a testbench that is being written.
type testbench struct {
	*design
	compare []string // names of the outputs and probes that are compared; empty: all
	tell    int      // after so many vectors it says how many there were; 0: it does not
}

// telling returns the statement after the count of vectors went up, which says how far it is. What
// is written to a pipe would else stay in the simulator.
func (t testbench) telling() string {
	if t.tell == 0 {
		return ""
	}
	return fmt.Sprintf(`
        if (tb_sample %% %d == 0) begin
          $display("at %%0d", tb_sample);
          $fflush;
        end`, t.tell)
}

// checkCompare refuses names that are no output port and no probe.
func (d *design) checkCompare(names []string) error {
	all := slices.Concat(d.groups[outputs].ports, d.groups[probes].ports)
	for _, name := range names {
		if !slices.ContainsFunc(all, func(p netlist.Port) bool { return p.Name == name }) {
			return fmt.Errorf("verilog: testbench: there is no output port or probe %q to compare, give one of the netlist's",
				name)
		}
	}
	return nil
}

// Indices of the groups of named buses.
const (
	inputs = iota
	outputs
	probes
)

func (t testbench) printf(format string, args ...any) { t.text(fmt.Sprintf(format, args...)) }

// title writes the first lines of the comment at the top.
func (t testbench) title(lines []string) {
	t.comment("Module %s_tb: checks the module %s against vectors", t.module, t.module)
	if len(lines) > 0 {
		t.comment("")
	}
	for _, s := range lines {
		t.comment("- %s", netlist.Printable(s))
	}
}

// files returns the files to compile, as in a shell.
func (t testbench) files() string {
	files := t.module + "_tb.v " + t.module + ".v"
	if t.family != nil {
		files += " " + t.module + "_cells.v"
	}
	return files
}

// ports writes the declarations of the inputs, the outputs and what is wanted of outputs and probes.
func (t testbench) ports() {
	for i, g := range t.groups {
		if len(g.ports) > 0 {
			t.printf("  // %ss\n", g.what)
		}
		for _, p := range g.ports {
			high := len(p.Nets) - 1
			switch i {
			case inputs:
				t.printf("  reg  [%d:0] %s;\n", high, p.Name)
				if high >= fieldBits {
					t.printf("  reg  [%d:0] tb_next_%s;\n", high, p.Name)
				}
			case outputs:
				t.printf("  wire [%d:0] %s;\n", high, p.Name)
				fallthrough
			default:
				t.printf("  reg  [%d:0] tb_want_%s%s;\n", high, p.Name, t.depth())
			}
		}
	}
}

// widestField returns the bits of the widest number in a vector.
func (t testbench) widestField() int {
	widest := 1
	for _, g := range t.groups {
		for _, p := range g.ports {
			widest = max(widest, min(len(p.Nets), fieldBits))
		}
	}
	return widest
}

// dut writes the instance under test.
func (t testbench) dut() {
	line := t.start("  " + t.module + " dut (")
	comma := ""
	if t.clock != nil {
		line = append(line, ".clk(clk), .rst(rst), .ce(ce), .in_valid(in_valid), .out_valid(out_valid)"...)
		comma = ", "
	}
	for _, g := range t.groups[:probes] {
		for _, p := range g.ports {
			line = fmt.Appendf(line, "%s.%s(%s)", comma, p.Name, p.Name)
			comma = ", "
		}
	}
	t.end(append(line, ");"...))
}

// readPorts writes the statements that read a vector.
func (t testbench) readPorts() {
	for i, g := range t.groups {
		for _, p := range g.ports {
			switch {
			case i != inputs:
				t.readSignal(t.want(p, 0), len(p.Nets))
			case len(p.Nets) > fieldBits:
				t.readSignal("tb_next_"+p.Name, len(p.Nets))
				t.printf("      %s = tb_next_%s; // at once: each change is simulated\n", p.Name, p.Name)
			default:
				t.readSignal(p.Name, len(p.Nets))
			}
		}
	}
}

// readSignal writes the statements that read a signal of the given width.
func (t testbench) readSignal(name string, width int) {
	for low := (width - 1) / fieldBits * fieldBits; low >= 0; low -= fieldBits {
		high := min(low+fieldBits, width) - 1
		t.printf("      tb_next;\n      %s[%d:%d] = tb_field[%d:0];\n", name, high, low, high-low)
	}
}

// fields returns the number of numbers in a vector.
func (t testbench) fields() int {
	n := 0
	for _, g := range t.groups {
		for _, p := range g.ports {
			n += (len(p.Nets) + fieldBits - 1) / fieldBits
		}
	}
	return n
}

// bitDeclaration writes the variable of the loop over the bits of wide ports, if there are any.
func (t testbench) bitDeclaration() {
	if t.wide() {
		t.text("    integer tb_bit;\n")
	}
}

// compareAll writes comparisons of all outputs and, unless NO_PROBES is defined, of all probes,
// as far as they are to be compared.
func (t testbench) compareAll(compare func(p netlist.Port, signal string)) {
	compared := func(p netlist.Port) bool { return len(t.compare) == 0 || slices.Contains(t.compare, p.Name) }
	for _, p := range t.groups[outputs].ports {
		if compared(p) {
			compare(p, p.Name)
		}
	}
	if slices.ContainsFunc(t.groups[probes].ports, compared) {
		t.text("`ifndef NO_PROBES\n")
		for _, p := range t.groups[probes].ports {
			if compared(p) {
				compare(p, "dut."+p.Name)
			}
		}
		t.text("`endif\n")
	}
}

// wideSignal is the width above which a mismatch is shown by its lowest wrong bit.
const wideSignal = 64

func (t testbench) wide() bool {
	for _, g := range t.groups[outputs:] {
		for _, p := range g.ports {
			if len(p.Nets) > wideSignal {
				return true
			}
		}
	}
	return false
}

// compareSignal writes the comparison of one signal, in a pipeline in the given stage.
func (t testbench) compareSignal(signal string, p netlist.Port, stage int) {
	want, sample := t.want(p, stage), ""
	if t.clock != nil {
		sample = fmt.Sprintf("tb_valid[%d] && ", stage)
	}
	t.printf("      if (%s%s !== %s) begin\n", sample, signal, want)
	if len(p.Nets) > wideSignal {
		t.printf("        tb_bit = 0;\n        while (%s[tb_bit] === %s[tb_bit]) tb_bit = tb_bit + 1;\n", signal, want)
		t.shown(stage, p.Name+"[%0d]: got %b, want %b", fmt.Sprintf("tb_bit, %s[tb_bit], %s[tb_bit]", signal, want))
	} else {
		t.shown(stage, p.Name+": got %h, want %h", signal+", "+want)
	}
	t.printf("        tb_shown = tb_shown + 1;\n        %s = 1'b1;\n      end\n", t.wrong(stage))
}

func (t testbench) shown(stage int, format, args string) {
	sample, first := "tb_sample", ""
	if t.clock != nil {
		sample, first = fmt.Sprintf("tb_index[%d]", stage), fmt.Sprintf("!(tb_stalled && %s) && ", t.wrong(stage))
	}
	t.printf("        if (%stb_shown < %d)\n          $display(\"sample %%0d: %s\", %s, %s);\n", first, maxShown, format,
		sample, args)
}
