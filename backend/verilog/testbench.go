package verilog

import (
	"fmt"
	"io"
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
	t.header(opt.Header)
	t.text("`default_nettype none\n\nmodule " + d.module + "_tb;\n")
	t.declarations()
	t.dut()
	t.text("\n  // reads the next number of a vector\n" +
		"  task tb_next;\n    if ($fscanf(tb_file, \"%h\", tb_field) == 1) tb_read = tb_read + 1;\n  endtask\n")
	t.readTask()
	if d.clock == nil {
		t.checkTask()
		t.main()
	} else {
		t.clockedMain()
	}
	t.text("endmodule\n\n`default_nettype wire\n")
	return d.flush()
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

func (t testbench) header(lines []string) {
	t.comment("Module %s_tb: checks the module %s against vectors", t.module, t.module)
	if len(lines) > 0 {
		t.comment("")
	}
	for _, s := range lines {
		t.comment("- %s", printable(s))
	}
	t.text(replaceAll(`//
// To run it:
//
//   $ iverilog -g2001 -o NAME.vvp NAME_tb.v NAME.v
//   $ vvp NAME.vvp +vectors=NAME_vectors.txt
//
// or
//
//   $ verilator --binary --timing --top-module NAME_tb NAME_tb.v NAME.v
//   $ obj_dir/VNAME_tb +vectors=NAME_vectors.txt
//
// +vectors=FILE  where the vectors are (default: NAME_vectors.txt)
// +count=N       how many to check (default: all)
// -DNO_PROBES    when compiling: compare the output ports alone, not the internal buses
//
// A vector is a line of hexadecimal numbers, one for each port below in order, in pieces
// of 1024 bits where a port is wider. The last line that the testbench prints is
// "PASS: N vectors" or begins with "FAIL".

`, "NAME_tb.v NAME.v", t.files(), "NAME", t.module))
}

// replaceAll replaces the first of each pair by the second, wherever it stands.
func replaceAll(s string, pairs ...string) string { return strings.NewReplacer(pairs...).Replace(s) }

// files returns the files to compile, as in a shell.
func (t testbench) files() string {
	files := t.module + "_tb.v " + t.module + ".v"
	if t.family != nil {
		files += " " + t.module + "_cells.v"
	}
	return files
}

func (t testbench) declarations() {
	widest := 1
	for i, g := range t.groups {
		if len(g.ports) > 0 {
			t.printf("  // %ss\n", g.what)
		}
		for _, p := range g.ports {
			high := len(p.Nets) - 1
			widest = max(widest, min(high+1, fieldBits))
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
	if t.clock != nil {
		t.clockedDeclarations()
	}
	t.printf(`
  reg [8*1000-1:0] tb_path;
  reg [%d:0] tb_field;
  integer tb_file, tb_count, tb_sample, tb_read, tb_failed, tb_shown;
  reg tb_stop, tb_differs;
`, widest-1)
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
	t.text("\n")
	t.end(append(line, ");"...))
}

// readTask writes the task that reads a vector.
func (t testbench) readTask() {
	t.text("\n  task tb_vector;\n    begin\n      tb_read = 0;\n")
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
	t.text("    end\n  endtask\n")
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

// checkTask writes the task that compares what came out with what should have.
func (t testbench) checkTask() {
	t.text("\n  task tb_check;\n")
	if t.wide() {
		t.text("    integer tb_bit;\n")
	}
	t.text("    begin\n      tb_differs = 1'b0;\n")
	t.compareAll(func(p netlist.Port, signal string) { t.compareSignal(signal, p, 0) })
	t.text("      if (tb_differs) tb_failed = tb_failed + 1;\n    end\n  endtask\n")
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

// main writes the loop over the vectors.
func (t testbench) main() {
	t.printf(`
  initial begin
    if ($value$plusargs("vectors=%%s", tb_path) == 0) tb_path = "%[1]s_vectors.txt";
    if ($value$plusargs("count=%%d", tb_count) == 0) tb_count = 0;
    tb_sample = 0;
    tb_failed = 0;
    tb_shown = 0;
    tb_file = $fopen(tb_path, "r");
    tb_stop = tb_file == 0;
    if (tb_stop) $display("FAIL: cannot open %%0s", tb_path);
    while (!tb_stop) begin
      tb_vector;
      if (tb_read == %[2]d && $fgetc(tb_file) == 10) begin
        #1;
        tb_check;
        tb_sample = tb_sample + 1;%[3]s
      end else begin
        tb_stop = 1'b1;
        if (tb_read > 0 || $feof(tb_file) == 0)
          $display("FAIL: %%0s: vector %%0d is not a line of %[2]d numbers", tb_path, tb_sample);
        else if (tb_sample == 0 || tb_sample < tb_count)
          $display("FAIL: %%0s ends after %%0d vectors", tb_path, tb_sample);
        else tb_result;
      end
      if (!tb_stop && tb_sample == tb_count) begin
        tb_stop = 1'b1;
        tb_result;
      end
    end
    if (tb_file != 0) $fclose(tb_file);
    $finish;
  end

  task tb_result;
    if (tb_failed == 0) $display("PASS: %%0d vectors", tb_sample);
    else $display("FAIL: %%0d of %%0d vectors", tb_failed, tb_sample);
  endtask
`, t.module, t.fields(), t.telling())
}
