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

// WriteTestbench writes a self-checking testbench, the module NAME_tb, for the module that [Write] writes for n with
// the same options. The testbench reads vectors in the format of [WriteVectors] from the file NAME_vectors.txt, or
// from FILE with +vectors=FILE. With +count=N, it reads only the first N vectors. It compares each output port and,
// unless NO_PROBES is defined, each probe. The last line that it prints is
//
//	PASS: N vectors
//
// or a line that begins with FAIL. Verilog-2001 has no exit status, so this line is the result. WriteTestbench
// returns the same errors as Write.
//
// The vectors of a pipeline are the vectors of the netlist without its registers. The testbench sends them in order.
// Between samples, there are stalls, resets, and gaps in which the inputs are unknown. After a reset, the testbench
// sends the lost samples again. The first reset comes at the very beginning, before any register has a value. The
// second reset comes as soon as the pipeline is full. Gaps, stalls and further resets are pseudo-random and the same
// in every run. The testbench checks out_valid in every clock, and checks outputs and probes whenever their stage
// holds a sample. So the testbench fails if an unknown value reaches an output, or if the pipeline moves in a stall.
// With +count=N, the testbench holds the last inputs at the end.
//
// If a module contains only a part of the netlist, [Options.Compare] names the outputs and probes to compare. The
// vectors stay the same. Other modules can read the expected values, which are signals of the testbench (see
// [WantedBit]).
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

// All testbenches begin with the first template. One of the other templates follows, for a module without or with a
// clock.
var (
	//go:embed templates/testbench_head.v
	testbenchHead string
	//go:embed templates/testbench.v
	plainTestbench string
	//go:embed templates/clocked_testbench.v
	clockedTestbench string
)

// hole matches the marks in templates.
var hole = regexp.MustCompile(`@[A-Z]+@`)

// fill writes a template. At each mark it calls the function with the mark's name.
func (t testbench) fill(template string, holes map[string]func()) {
	from := 0
	for _, at := range hole.FindAllStringIndex(template, -1) {
		t.text(template[from:at[0]])
		holes[strings.Trim(template[at[0]:at[1]], "@")]()
		from = at[1]
	}
	t.text(template[from:])
}

// put returns a function that writes a value.
func (t testbench) put(value any) func() { return func() { t.text(fmt.Sprint(value)) } }

// holes returns the functions for the marks in the template for a module without a clock.
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

// testbench is the state of writing a testbench.
type testbench struct {
	*design
	compare []string // names of the outputs and probes to compare; empty: all
	tell    int      // number of vectors between progress reports; 0: no reports
}

// telling returns a statement that prints the progress when the number of tested vectors rises. The statement also
// flushes the output, because a simulator buffers its output to a pipe.
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

// checkCompare returns an error if a name is neither an output port nor a probe.
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

// These are the indices of the groups of named buses.
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

// files returns the files to compile, as arguments in a shell.
func (t testbench) files() string {
	files := t.module + "_tb.v " + t.module + ".v"
	if t.family != nil {
		files += " " + t.module + "_cells.v"
	}
	return files
}

// ports declares the inputs, the outputs, and the expected values of outputs and probes.
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

// widestField returns the number of bits in the widest number of a vector.
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

// bitDeclaration declares the loop variable for the bits of wide ports, if there are such ports.
func (t testbench) bitDeclaration() {
	if t.wide() {
		t.text("    integer tb_bit;\n")
	}
}

// compareAll writes comparisons of the outputs and probes that t.compare names. The macro NO_PROBES turns off the
// comparisons of probes.
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

// wideSignal is the width above which the report of a mismatch shows only the lowest wrong bit.
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

// compareSignal writes the comparison of one signal. In a pipeline, the signal is compared with the values expected
// in the given stage.
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
