package wrapper

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"ialgn/netlist"
)

// Bench describes a wrapper's testbench, in addition to the wrapper's [Options].
type Bench struct {
	Kind    string   // kind of the wrapper, one of [Kinds]
	Vectors string   // default file of the vectors
	Sources []string // Verilog files to compile with the testbench, for its header
}

// WriteTestbench writes a self-checking testbench for a wrapper. Its module is NAME_tb, where NAME is the wrapper's
// module. n is the netlist of the whole classifier. The testbench reads the classifier's vectors
// ([ialgn/internal/verilog.WriteVectors]). For each vector, it sends the sample by the wrapper's protocol, and
// compares the result with the output ports in the vector. Both sides make pseudo-random pauses, which are the same
// in every run. The last line that it prints is
//
//	PASS: N vectors
//
// or a line that begins with FAIL. If the options have an engine, the wrapper of kind stream is the engine itself.
//
// A single process of the testbench drives the clock and all inputs, so that nothing depends on a simulator's order
// of events. It is Verilog-2001, for iverilog and for verilator --timing. WriteTestbench returns the errors of the
// functions that write wrappers.
func WriteTestbench(w io.Writer, n *netlist.Netlist, b Bench, o Options) error {
	t, err := newTestbench(n, b, o)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, t.text())
	return err
}

// testbench is the state of writing a wrapper's testbench.
type testbench struct {
	kind *Kind
	*design
	Bench
	top    string
	inputs netlist.Port
	fields [3][]field // fields of a vector: inputs, outputs, probes
	unit   int        // bits that are transferred at a time
	lane   int        // bits from the start of one transferred word to the start of the next
	units  int        // units in a sample
	late   int        // number of clocks without progress after which a fault is reported
	drop   bool
}

// field is one number of a vector. The number holds a range of bits of a bus.
type field struct {
	bus       string
	low, bits int
}

// fieldBits is the maximum width of a number in the vectors that package verilog writes.
const fieldBits = 1024

func newTestbench(n *netlist.Netlist, b Bench, o Options) (*testbench, error) {
	engine := o.Engine
	plain := o // the vectors always belong to the whole classifier
	plain.Levels, plain.Engine, plain.Beat = nil, nil, 0
	k, err := Find(b.Kind)
	if err != nil {
		return nil, err
	}
	if !k.Bytes && engine != nil { // the wrapper is the engine itself
		plain.Module = engine.Module
	}
	d, err := newDesign(n, plain, k)
	if err != nil {
		return nil, err
	}
	t := &testbench{design: d, kind: k, Bench: b, top: d.module, inputs: d.input, late: 5000 + 20*d.stages}
	if engine != nil {
		t.late += int(20 * engine.Cycles)
		t.drop = !k.Bytes && engine.Drop
	}
	for i, ports := range [][]netlist.Port{n.DataInputs(), d.outputs(), n.Probes()} {
		for _, p := range ports {
			t.fields[i] = append(t.fields[i], fieldsOf(p)...)
		}
	}
	if d.tag > 0 { // the tag is the last input port in the vectors
		t.fields[0] = append(t.fields[0], field{netlist.TagInPort, 0, d.tag})
	}
	t.lane, t.unit = d.word, k.Bits(d, o)
	all := d.word * d.words
	if k.Bytes {
		t.lane, all = laneOf(d.word), 8*bytesOf(d.word, d.words)
	}
	t.units = (all + t.unit - 1) / t.unit
	return t, nil
}

// fieldsOf returns the fields of a bus in a vector, with the highest bits first.
func fieldsOf(p netlist.Port) (list []field) {
	for low := (len(p.Nets) - 1) / fieldBits * fieldBits; low >= 0; low -= fieldBits {
		list = append(list, field{p.Name, low, min(fieldBits, len(p.Nets)-low)})
	}
	return list
}

// text returns the file's text.
func (t *testbench) text() string {
	values := []string{
		"@TOP@", t.top, "@VECTORS@", t.Vectors, "@SOURCES@", strings.Join(t.Sources, " "), "@HEADER@", t.headerLines(),
		"@UNIT@", fmt.Sprint(t.unit), "@UNITS@", fmt.Sprint(t.units), "@FIELDS@", fmt.Sprint(t.count()), "@WIDEST@",
		fmt.Sprint(t.widest()),
		"@INPUTS@", fmt.Sprint(len(t.inputs.Nets)), "@WORDS@", fmt.Sprint(t.words), "@WORD@", fmt.Sprint(t.word), "@LANE@",
		fmt.Sprint(t.lane),
		"@LATE@", fmt.Sprint(t.late), "@RESULTBYTES@", fmt.Sprint(t.resultBytes()), "@PINS@", t.pins(), "@PORTS@", t.ports(),
		"@GOT@", t.declare("reg ", "tb_got_"),
		"@WANT@", t.declare("reg ", "tb_want_"), "@READSAMPLE@", t.readSample(), "@READWANT@", t.readWant(), "@COMPARE@",
		t.compare(), "@UNPACK@", t.unpack(),
		"@CAPTURE@", t.capture(), "@OFFERTAG@", t.ofTag("          in_tag = in_last ? tb_tag : ~tb_tag;\n"),
		"@TAG@", t.ofTag("  reg [@HIGH@:0] tb_tag, in_tag;  // of the sample, and at the pins\n"),
		"@TAGWIRE@", t.ofTag("  wire [@HIGH@:0] tb_out_out_tag;\n"),
		"@TAGPINS@", t.ofTag(", .s_axis_tuser(in_tag), .m_axis_tuser(tb_out_out_tag)"),
	}
	body := strings.Replace(testbenchModule, "@PLAYER@", t.kind.Bench, 1)
	body = strings.Replace(body, "@PARAMETERS@", t.kind.BenchParameters, 1)
	body = strings.Replace(body, "@MORE@", t.kind.BenchOptions, 1)
	return strings.NewReplacer(values...).Replace(body)
}

func (t *testbench) headerLines() string {
	var b strings.Builder
	for i, s := range t.header {
		if i == 0 {
			b.WriteString("//\n")
		}
		fmt.Fprintf(&b, "// - %s\n", netlist.Printable(s))
	}
	return b.String()
}

// count returns the number of fields of a vector.
func (t *testbench) count() int { return len(slices.Concat(t.fields[:]...)) }

// widest returns the width of the widest field.
func (t *testbench) widest() (bits int) {
	for _, f := range slices.Concat(t.fields[:]...) {
		bits = max(bits, f.bits)
	}
	return bits
}

// declare returns a declaration for each output port.
func (t *testbench) declare(kind, prefix string) string {
	var b strings.Builder
	for _, p := range t.outputs() {
		fmt.Fprintf(&b, "  %s [%d:0] %s%s;\n", kind, len(p.Nets)-1, prefix, p.Name)
	}
	return b.String()
}

// ports declares wires for the results of a wrapper with a port for each output of the netlist.
func (t *testbench) ports() string { return t.declare("wire", "tb_out_") }

// pins connects the wires that the method ports declares.
func (t *testbench) pins() string {
	var b strings.Builder
	if t.drop {
		b.WriteString(", .drop(1'b0)")
	}
	b.WriteString(t.ofTag(", .in_tag(in_tag)"))
	for _, p := range t.outputs() {
		fmt.Fprintf(&b, ", .%s(tb_out_%s)", p.Name, p.Name)
	}
	return b.String()
}

// capture stores the output ports at a clock edge.
func (t *testbench) capture() string {
	var b strings.Builder
	for _, p := range t.outputs() {
		fmt.Fprintf(&b, "        tb_got_%[1]s = tb_out_%[1]s;\n", p.Name)
	}
	return b.String()
}

// readSample returns the statements that read the inputs of a vector and skip the rest.
func (t *testbench) readSample() string {
	var b strings.Builder
	for _, f := range t.fields[0] {
		name := "tb_x"
		if f.bus == netlist.TagInPort {
			name = "tb_tag"
		}
		read(&b, "tb_source", name, []field{f})
	}
	skip(&b, "tb_source", len(t.fields[1])+len(t.fields[2]))
	return b.String()
}

// readWant returns the statements that read the outputs of a vector and skip the rest.
func (t *testbench) readWant() string {
	var b strings.Builder
	skip(&b, "tb_expected", len(t.fields[0]))
	for _, f := range t.fields[1] {
		read(&b, "tb_expected", "tb_want_"+f.bus, []field{f})
	}
	skip(&b, "tb_expected", len(t.fields[2]))
	return b.String()
}

func read(b *strings.Builder, file, name string, fields []field) {
	for _, f := range fields {
		fmt.Fprintf(b, "      tb_next(%s);\n      %s[%d:%d] = tb_field[%d:0];\n", file, name, f.low+f.bits-1, f.low, f.bits-1)
	}
}

func skip(b *strings.Builder, file string, fields int) {
	if fields > 0 {
		fmt.Fprintf(b, "      repeat (%d) tb_next(%s);\n", fields, file)
	}
}

// compare returns the comparisons of all output ports.
func (t *testbench) compare() string {
	var b strings.Builder
	for _, p := range t.outputs() {
		fmt.Fprintf(&b, `      if (tb_got_%[1]s !== tb_want_%[1]s) begin
        if (tb_shown < 20)
          $display("sample %%0d: %[1]s: got %%h, want %%h", tb_got, tb_got_%[1]s, tb_want_%[1]s);
        tb_shown = tb_shown + 1;
        tb_differs = 1'b1;
      end
`, p.Name)
	}
	return b.String()
}

// unpack returns the statements that extract the output ports from the bytes of a result, in the
// byte layout of the package comment.
func (t *testbench) unpack() string {
	var b strings.Builder
	outputs := t.n.OutputPorts()
	first, _ := layOut(outputs)
	for i, p := range outputs {
		at, word := first[i], max(p.Word, 1)
		if words := len(p.Nets) / word; words == 1 {
			fmt.Fprintf(&b, "      tb_got_%s = tb_bytes[%d:%d];\n", p.Name, at+word-1, at)
		} else {
			fmt.Fprintf(&b, "      for (tb_i = 0; tb_i < %d; tb_i = tb_i + 1)\n        tb_got_%s[tb_i*%d+:%d] = "+
				"tb_bytes[%d+tb_i*%d+:%[4]d];\n",
				words, p.Name, word, word, at, laneOf(word))
		}
	}
	b.WriteString(t.ofTag("      tb_got_out_tag = tb_out_out_tag;\n"))
	return b.String()
}
