package verilog

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/netlist"
)

var update = flag.Bool("update", false, "accept what is written as the golden files")

// golden compares the text got with a file in testdata. If the flag -update is set, golden first writes the text to
// the file.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got), go test -update accepts it:\n%s", path, diff)
	}
}

// tiny returns a whole classifier of two features, two classes of three chains each, and two layers. All gates in
// layer 2 have different operations.
func tiny() *netlist.Netlist {
	b := netlist.NewBuilder("tiny")
	x := b.Input("x", 8, 4, []string{"length", "width"})
	var bits []netlist.Net
	for f := range 2 {
		for _, threshold := range []uint64{3, 7, 15} {
			bits = append(bits, b.Cell(netlist.Compare, threshold, netlist.Origin{}, x[4*f:4*f+4]...))
		}
	}
	var h [6]netlist.Net
	for l, ops := range [][6]uint8{{1, 7, 3, 6, 0, 10}, {3, 14, 2, 9, 15, 13}} {
		for k, op := range ops {
			spine := h[k]
			if l == 0 {
				spine = bits[k]
			}
			h[k] = b.Function(netlist.Table(uint64(op), 2), netlist.Origin{Layer: uint16(l + 1), Chain: uint32(k)}, spine, bits[(k+l+1)%6])
		}
	}
	var counts []netlist.Net
	for c := range 2 {
		count := netlist.Word(b.Cell(netlist.Popcount, 0, netlist.Origin{}, h[3*c:3*c+3]...), 2)
		b.Probe(fmt.Sprintf("count_%d", c), count)
		counts = append(counts, count...)
	}
	b.Output("class_index", 1, []string{"class"}, netlist.Word(b.Cell(netlist.Argmax, 2, netlist.Origin{}, counts...), 1))
	b.Classes([]uint16{0, 0, 0, 1, 1, 1})
	return b.Netlist()
}

func TestGolden(t *testing.T) {
	opt := Options{Module: "tiny_core", Header: []string{"ialgn, version 0", "model tiny"}}
	var module, bench bytes.Buffer
	if err := Write(&module, tiny(), opt); err != nil {
		t.Fatal(err)
	}
	if err := WriteTestbench(&bench, tiny(), opt); err != nil {
		t.Fatal(err)
	}
	golden(t, "tiny.v", module.Bytes())
	golden(t, "tiny_tb.v", bench.Bytes())
}

// TestOneAssignAGate checks that the Verilog of the raw netlist has one assign for each gate of the model, including
// gates that are constants or copies of an input.
func TestOneAssignAGate(t *testing.T) {
	n := classifier(rand.New(rand.NewPCG(1, 1)), "digits", 10, 30, 20)
	text := verilogOf(t, n, Options{})
	gates := regexp.MustCompile(`(?m)^  assign c\d+_k\d+_l\d+ = [^=]*;$`)
	if got, want := len(gates.FindAllString(text, -1)), 10*30*20; got != want {
		t.Errorf("%d assigns to gates, want %d", got, want)
	}
	for _, gate := range []string{"c0_k0_l1", "c3_k117_l20", "c9_k299_l20"} {
		if strings.Count(text, "\n  assign "+gate+" = ") != 1 {
			t.Errorf("gate %s has not exactly one assign", gate)
		}
	}
}

func verilogOf(t *testing.T, n *netlist.Netlist, opt Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, n, opt); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestExpression checks the text of expressions. TestAllFunctions checks by simulation that the expressions compute
// the functions.
func TestExpression(t *testing.T) {
	const a, b, c, d = 0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0, 0xff00ff00ff00ff00
	full := ^uint64(0)
	tests := []struct {
		table uint64
		want  string
	}{
		{0, "1'b0"},
		{full, "1'b1"},
		{b, "b"},
		{full &^ c, "~c"},
		{a & b, "a & b"},
		{a &^ b, "a & ~b"},
		{full &^ (a | b), "~(a | b)"},
		{full &^ (b ^ c), "~(b ^ c)"},
		{full&^a | d, "~a | d"},
		{a & b & c &^ d, "a & b & c & ~d"},
		{a ^ b ^ c ^ d, "a ^ b ^ c ^ d"},
		{a & (b | c), "a & (b | c)"},
		{a | b&(c|d), "a | (b & (c | d))"},
		{a & (full &^ (b & c)), "a & ~(b & c)"},
		{a&b | a&c | b&c, "(a & b) | (a & c) | (b & c)"},
		{d & (a&b | a&c | b&c), "d & ((a & b) | (a & c) | (b & c))"},
		{a&b | c&^a, "a ? b : c"},
		{d | (a&b | c&^a), "d | (a ? b : c)"},
		{a&b | c&d, "a ? (b | (c & d)) : (c & d)"},
	}
	name := func(buf []byte, v netlist.Net) []byte { return append(buf, "abcdef"[v]) }
	for _, tt := range tests {
		got := string(expression{[]netlist.Net{0, 1, 2, 3, 4, 5}, name}.append(nil, tt.table, contextTop))
		if got != tt.want {
			t.Errorf("table %#x: got %s, want %s", tt.table, got, tt.want)
		}
	}
}

// TestAllFunctions simulates every function of up to three inputs, and random functions of four to six inputs, over
// all input combinations.
func TestAllFunctions(t *testing.T) {
	needTool(t, "iverilog", "iverilog")
	r := rand.New(rand.NewPCG(5, 6))
	b := netlist.NewBuilder("functions")
	x := b.Input("x", 6, 1, nil)
	var y []netlist.Net
	for inputs := range 4 {
		for table := range uint64(1) << (1 << inputs) {
			y = append(y, b.Function(table, netlist.Origin{}, x[:inputs]...))
		}
	}
	for i := range 300 {
		inputs := 4 + i%3
		table := r.Uint64()
		if i%2 == 0 {
			table &= r.Uint64() & r.Uint64() // make the function sparse, so that it can be written with ANDs
		}
		y = append(y, b.Function(table&(1<<(1<<inputs)-1), netlist.Origin{}, x[:inputs]...))
	}
	b.Output("y", 1, nil, y)
	n := b.Netlist()
	v := Vectors{Samples: 64, Words: 1, Inputs: make([]uint64, 6), Outputs: make([]uint64, len(y))}
	for s := range 64 {
		in := make([]bool, 6)
		for i := range in {
			in[i] = s>>i&1 == 1
			v.Inputs[i] |= uint64(s>>i&1) << s
		}
		net := evaluate(n, in)
		for i, bit := range y {
			if net[bit] {
				v.Outputs[i] |= 1 << s
			}
		}
	}
	dir := emit(t, n, v)
	silent(t, dir, "iverilog", "-Wall", "-g2001", "-o", "a.vvp", "functions_tb.v", "functions.v")
	if out, err := tool(t, dir, "vvp", "a.vvp"); err != nil || out != "PASS: 64 vectors\n" {
		t.Errorf("vvp: %v\n%s", err, out)
	}
}

func TestWriteRefusesWhatVerilogLacks(t *testing.T) {
	tests := []struct {
		name  string
		opt   Options
		build func(b *netlist.Builder, x []netlist.Net)
		want  string
	}{
		{
			"module injection",
			Options{Module: "a; endmodule"},
			nil,
			`verilog: module: "a; endmodule" is no Verilog identifier`,
		},
		{"module with escape", Options{Module: `\a `}, nil, "is no Verilog identifier"},
		{"module with newline", Options{Module: "a\n"}, nil, "is no Verilog identifier"},
		{"module from a digit", Options{Module: "8k"}, nil, "is no Verilog identifier"},
		{"module keyword", Options{Module: "endmodule"}, nil, "reserved word of Verilog"},
		{"module keyword of later standards", Options{Module: "logic"}, nil, "reserved word of SystemVerilog"},
		{"module too long", Options{Module: strings.Repeat("a", 129)}, nil, "has 129 characters, use at most 128"},
		{"port called as the module", Options{Module: "x"}, nil, `the name "x" is taken by the module`},
		{"port called as a module below", Options{}, port("net_popcount"), "is taken by a module"},
		{"port called as a gate", Options{}, port("c0_k1_l2"), "a name that the writer gives"},
		{"port called as a cell", Options{}, port("count_3_n5"), "a name that the writer gives"},
		{"port called as the testbench's own", Options{}, port("tb_want_x"), "a name that the writer gives"},
		{"port twice", Options{}, port("x"), `the name "x" is taken by another input port`},
		{"port keyword", Options{}, port("wire"), "reserved word"},
		{
			"port without bits",
			Options{},
			func(b *netlist.Builder, _ []netlist.Net) { b.Output("y", 1, nil, nil) },
			"output port y has no bits",
		},
		{
			"probe",
			Options{},
			func(b *netlist.Builder, x []netlist.Net) { b.Probe("a b", x) },
			"verilog: probe: \"a b\" is no",
		},
		{"register", Options{}, func(b *netlist.Builder, x []netlist.Net) {
			b.Output("y", 1, nil, []netlist.Net{b.Cell(netlist.Register, 0, netlist.Origin{}, x[0])})
		}, `verilog: netlist "net" has registers but is no pipeline: it has no input port ce`},
		{
			"port called as one of a pipeline",
			Options{},
			clockedPort("in_valid"),
			`the name "in_valid" is taken by the pipeline`,
		},
		{
			"port called as the state of a pipeline",
			Options{},
			clockedPort("valid"),
			`the name "valid" is taken by the pipeline`,
		},
		{
			"module called as a port of a pipeline",
			Options{Module: "clk"},
			clockedPort("y"),
			`module: the name "clk" is taken by the pipeline`,
		},
		{"port called as a register", Options{}, port("x_0_s1"), "a name that the writer gives"},
		{"primitive", Options{}, func(b *netlist.Builder, x []netlist.Net) {
			p := b.Primitive(netlist.PrimitiveType{Name: "LUT1", Inputs: []string{"I0"}, Output: "O", Table: 1})
			b.Output("y", 1, nil, []netlist.Net{b.Cell(netlist.Primitive, p, netlist.Origin{}, x[0])})
		}, "verilog: cannot express primitive (cell 0)"},
	}
	writers := map[string]func(io.Writer, *netlist.Netlist, Options) error{
		"Write":          Write,
		"WriteTestbench": WriteTestbench,
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := netlist.NewBuilder("net")
			x := b.Input("x", 2, 1, nil)
			if tt.build != nil {
				tt.build(b, x)
			}
			n := b.Netlist()
			for name, write := range writers {
				var out bytes.Buffer
				err := write(&out, n, tt.opt)
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("%s: got error %v, want one with %q", name, err, tt.want)
				}
				if out.Len() > 0 {
					t.Errorf("%s wrote %d bytes before the refusal", name, out.Len())
				}
				var kind *netlist.KindError
				if errors.As(err, &kind) != strings.Contains(tt.want, "express") {
					t.Errorf("%s: %T: want a *netlist.KindError exactly for a kind", name, err)
				}
			}
		})
	}
}

func port(name string) func(b *netlist.Builder, x []netlist.Net) {
	return func(b *netlist.Builder, x []netlist.Net) { b.Output(name, 1, nil, x) }
}

func clockedPort(name string) func(b *netlist.Builder, x []netlist.Net) {
	return func(b *netlist.Builder, x []netlist.Net) {
		ce := b.Input(netlist.EnablePort, 1, 1, nil)[0]
		b.Output(name, 1, nil, []netlist.Net{b.Cell(netlist.Register, 0, netlist.Origin{}, x[0], ce)})
	}
}

// TestHeader checks the grouping of labels. It also checks that no text from outside can end the comment in which it
// is written.
func TestHeader(t *testing.T) {
	b := netlist.NewBuilder("net")
	x := b.Input("x", 7, 1, []string{
		"pixel 0 > 3", "pixel 0 > 7", "pixel 1 > 3", "pixel 1 > 3",
		"a > b > 1", "a > 2", "odd\nname\\\r*/`define x\u2028é\x00",
	})
	b.Output("h", 1, []string{"class 0", "class 0", "class 1"}, x[:3])
	b.Output("word", 4, []string{"the word"}, x[:4])
	b.Classes([]uint16{0, 0, 1})
	header, _, _ := strings.Cut(verilogOf(t, b.Netlist(), Options{Header: []string{"one\ntwo", "// verilator lint_off"}}),
		"`default_nettype")
	want := `// Module net: a logic gate network, without state and without a clock
//
// - one?two
// - // verilator lint_off
//
// Input ports (of each word, the lowest bit is the least significant):
//   - x[6:0]
//     - x[1:0]             pixel 0 > 3, 7
//     - x[3:2]             pixel 1 > 3, 3
//     - x[4]               a > b > 1
//     - x[5]               a > 2
//     - x[6]               odd?name\?*/` + "`" + `define x???
//
// Output ports:
//   - h[2:0]
//     - h[1:0]             class 0
//     - h[2]               class 1
//   - word[3:0]            the word
//
// Wire c3_k17_l42 is the gate of chain 17 in layer 42; the chain belongs to class 3.
//   chains 0 to 1: class 0
//   chains 2 to 2: class 1

`
	if diff := cmp.Diff(want, header); diff != "" {
		t.Errorf("header (-want +got):\n%s", diff)
	}
}

// TestWriterErrors makes the underlying writer fail after each possible number of bytes.
func TestWriterErrors(t *testing.T) {
	n := classifier(rand.New(rand.NewPCG(1, 1)), "digits", 10, 30, 20)
	for _, after := range []int{0, 70_000, 200_000} {
		if err := Write(&failing{after}, n, Options{}); !errors.Is(err, errFull) {
			t.Errorf("writer that fails after %d bytes: got error %v, want %v", after, err, errFull)
		}
	}
}

var errFull = errors.New("the disk is full")

type failing struct{ left int }

func (f *failing) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, errFull
	}
	return len(b), nil
}

// BenchmarkWrite writes a raw network of private chains.
func BenchmarkWrite(b *testing.B) {
	for _, chains := range []int{100, 1000} {
		b.Run(fmt.Sprintf("gates=%d", 10*chains*20), func(b *testing.B) {
			n := classifier(rand.New(rand.NewPCG(1, 1)), "net", 10, chains, 20)
			for b.Loop() {
				if err := Write(io.Discard, n, Options{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N*10*chains*20)/b.Elapsed().Seconds(), "gates/s")
		})
	}
}

func ExampleWrite() {
	b := netlist.NewBuilder("half_adder")
	x := b.Input("x", 2, 1, nil)
	sum := b.Function(netlist.Table(6, 2), netlist.Origin{Layer: 1, Chain: 0}, x...)
	carry := b.Function(netlist.Table(1, 2), netlist.Origin{Layer: 1, Chain: 1}, x...)
	b.Output("h", 1, nil, []netlist.Net{sum, carry})

	var text strings.Builder
	if err := Write(&text, b.Netlist(), Options{}); err != nil {
		fmt.Println(err)
		return
	}
	_, module, _ := strings.Cut(text.String(), "`default_nettype none\n\n")
	fmt.Println(module)
	// Output:
	// module half_adder (
	//     input  wire [1:0] x,
	//     output wire [1:0] h
	// );
	//
	//   // layer 1
	//   wire k0_l1, k1_l1;
	//   assign k0_l1 = x[0] ^ x[1];
	//   assign k1_l1 = x[0] & x[1];
	//
	//   // outputs
	//   assign h = {k1_l1, k0_l1};
	// endmodule
	//
	// `default_nettype wire
}

// TestHeaderNames checks that the header explains exactly the sorts of names that occur.
func TestHeaderNames(t *testing.T) {
	var out strings.Builder
	if err := Write(&out, tiny(), Options{}); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{"x12_gt63": true, "x12_e0": false, "count_3_n5": false, "_s2": false} {
		if got := strings.Contains(out.String(), text); got != want {
			t.Errorf("%s in the header: %v, want %v", text, got, want)
		}
	}
}
