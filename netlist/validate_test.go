package netlist

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var none Origin

// wantError fails the test unless the text of err begins with the text want. If want is empty, err must be nil.
func wantError(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("error %v, want none", err)
	case want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)):
		t.Errorf("error %v, want %s...", err, want)
	}
}

// TestValidateCells checks each kind of cell at its limits and just beyond them.
func TestValidateCells(t *testing.T) {
	many := make([]Net, 70) // all are the constant 0
	for _, tt := range []struct {
		name   string
		kind   Kind
		param  uint64
		inputs int
		want   string // the error's text after "cell 0 (kind, net 5): "
	}{
		{"constant function", Function, 1, 0, ""},
		{"function of 0, table", Function, 2, 0, "table 0x2 has bits beyond the 1 combinations of 0 inputs"},
		{"function of 2", Function, 0xf, 2, ""},
		{"function of 2, table", Function, 0x10, 2, "table 0x10 has bits beyond the 4 combinations"},
		{"function of 6", Function, ^uint64(0), 6, ""},
		{"function of 7", Function, 0, 7, "7 inputs, want 0 to 6"},
		{"compare", Compare, 7, 3, ""},
		{"compare, threshold", Compare, 8, 3, "threshold 8 does not fit a word of 3 bits"},
		{"compare, widest", Compare, ^uint64(0), 64, ""},
		{"compare, too wide", Compare, 0, 65, "65 inputs, want 1 to 64"},
		{"compare, nothing", Compare, 0, 0, "0 inputs, want 1 to 64"},
		{"popcount", Popcount, 0, 70, ""},
		{"popcount of nothing", Popcount, 0, 0, "0 inputs, want at least 1"},
		{"popcount with a parameter", Popcount, 2, 2, "parameter 2, but the kind has none"},
		{"counter 2", Counter, 0, 2, ""},
		{"counter 1", Counter, 0, 1, "1 inputs, want 2 to 15"},
		{"counter 15", Counter, 0, 15, ""},
		{"counter 16", Counter, 0, 16, "16 inputs, want 2 to 15"},
		{"argmax", Argmax, 3, 9, ""},
		{"argmax, no width", Argmax, 0, 9, "9 inputs are not one or more words of 0 bits"},
		{"argmax, part of a word", Argmax, 4, 9, "9 inputs are not one or more words of 4 bits"},
		{"argmax, no word", Argmax, 4, 0, "0 inputs are not one or more words of 4 bits"},
		{"argmax, huge width", Argmax, 1 << 63, 9, "9 inputs are not one or more words"},
		{"argmax with a margin", Argmax, ArgmaxParam(3, 7), 9, ""},
		{
			"argmax, margin", Argmax, ArgmaxParam(3, 8), 9,
			"margin 8 does not fit a word of 3 bits: no lead is so large, use the constant 1",
		},
		{"carry", Carry, 0, 3, ""},
		{"carry of 2", Carry, 0, 2, "2 inputs, want 3"},
		{"register", Register, 0, 1, ""},
		{"register with enable", Register, 0, 2, ""},
		{"register with reset", Register, 0, 3, "3 inputs, want 1 to 2"},
		{"primitive", Primitive, 0, 2, ""},
		{"primitive, pins", Primitive, 0, 3, "3 inputs, want 2"},
		{"primitive, undeclared", Primitive, 1, 2, "it is of primitive 1, but 1 are declared"},
		{"no kind", Kind(8), 0, 1, "no such kind, want 0 to 7"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := NewBuilder("n")
			b.Input("x", 3, 1, nil)
			b.Primitive(PrimitiveType{"AND2", []string{"A", "B"}, "Y", 8})
			b.Cell(tt.kind, tt.param, none, many[:tt.inputs]...)
			want := tt.want
			if want != "" {
				want = `netlist "n": cell 0 (` + tt.kind.String() + ", net 5): " + want
			}
			wantError(t, b.Netlist().Validate(), want)
		})
	}
}

// TestValidate checks the rules between cells, ports and names.
func TestValidate(t *testing.T) {
	for _, tt := range []struct {
		name  string
		build func(b *Builder, x []Net)
		want  string // the error's text after the netlist's name
	}{
		{"nothing", func(*Builder, []Net) {}, ""},
		{
			"own output", func(b *Builder, x []Net) { b.Function(2, none, x[0]); b.Function(8, none, x[0], 6) },
			"cell 1 (function, net 6): input 1 reads net 6, which is not driven before net 6",
		},
		{
			"later output", func(b *Builder, _ []Net) { b.Function(2, none, 6); b.Function(2, none, 5) },
			"cell 0 (function, net 5): input 0 reads net 6, which is not driven before net 5",
		},
		{
			"no driver", func(b *Builder, _ []Net) { b.Function(2, none, 99) },
			"cell 0 (function, net 5): input 0 reads net 99, which nothing drives: there are 6 nets",
		},
		{"chain without a class", func(b *Builder, x []Net) { b.Classes([]uint16{0}); b.Function(2, Origin{1, 1}, x[0]) }, ""},
		{"origins without classes", func(b *Builder, x []Net) { b.Function(2, Origin{1, 1}, x[0]) }, ""},
		{"offsets", func(b *Builder, _ []Net) { b.Classes([]uint16{0, 0, 1}); b.Offsets([]uint32{0, 3}) }, ""},
		{
			"offset", func(b *Builder, _ []Net) { b.Classes([]uint16{0, 0, 1}); b.Offsets([]uint32{0, 4}) },
			"offset 4 of class 1, want at most 3, the number of all chains",
		},
		{
			"class without an offset", func(b *Builder, _ []Net) { b.Classes([]uint16{0, 0, 1}); b.Offsets([]uint32{0}) },
			"1 offsets for 2 classes of chains",
		},
		{"ties", func(b *Builder, x []Net) { b.Ties([]uint16{1, 0, 2}); b.Cell(Argmax, ArgmaxParam(1, 0), none, x...) }, ""},
		{
			"ties of other classes", func(b *Builder, _ []Net) { b.Classes([]uint16{0, 0, 1}); b.Ties([]uint16{1, 0, 2}) },
			"a tie order of 3 classes, want 2",
		},
		{"class twice", func(b *Builder, _ []Net) { b.Ties([]uint16{1, 0, 1}) }, "tie order: class 1 occurs twice"},
		{"ascending ties", func(b *Builder, _ []Net) { b.Ties([]uint16{0, 1}) }, "the tie order is ascending, want none"},
		{
			"ties of other words", func(b *Builder, x []Net) {
				b.Ties([]uint16{1, 0})
				b.Cell(Argmax, ArgmaxParam(1, 0), none, x...)
			},
			"cell 0 (argmax, net 5): 3 words, but the tie order has 2 classes",
		},
		{"output", func(b *Builder, x []Net) { b.Output("y", 1, nil, []Net{False, x[0], x[0]}) }, ""},
		{
			"output not driven", func(b *Builder, _ []Net) { b.Output("y", 1, nil, []Net{0, 5}) },
			`output port "y": bit 1 is net 5, which nothing drives`,
		},
		{"output of no bits", func(b *Builder, _ []Net) { b.Output("y", 1, nil, nil) }, `output port "y": it has no bits`},
		{
			"part of a word", func(b *Builder, x []Net) { b.Output("y", 2, nil, x) },
			`output port "y": its 3 bits are not whole words of 2 bits`,
		},
		{
			"word of no bits", func(b *Builder, x []Net) { b.Output("y", 0, nil, x) },
			`output port "y": its 3 bits are not whole words of 0 bits`,
		},
		{
			"labels", func(b *Builder, x []Net) { b.Output("y", 3, []string{"a", "b"}, x) },
			`output port "y": 2 labels for 1 words`,
		},
		{
			"same name", func(b *Builder, x []Net) { b.Output("x", 1, nil, x) },
			`output port "x": another port or probe has that name`,
		},
		{
			"same name of a probe", func(b *Builder, x []Net) { b.Probe("p", x); b.Probe("p", x) },
			`probe "p": another port or probe has that name`,
		},
		{"keyword", func(b *Builder, x []Net) { b.Probe("table", x) }, `probe "table": "table" is a reserved word`},
		{
			"primitive's name", func(b *Builder, _ []Net) { b.Primitive(PrimitiveType{"2LUT", nil, "Y", 0}) },
			`primitive 0: "2LUT" is no Verilog identifier`,
		},
		{
			"primitive's pin", func(b *Builder, _ []Net) { b.Primitive(PrimitiveType{"BUF", []string{"Y"}, "Y", 2}) },
			`primitive 0: two pins have the name "Y"`,
		},
		{
			"primitive's table", func(b *Builder, _ []Net) { b.Primitive(PrimitiveType{"BUF", []string{"A"}, "Y", 4}) },
			"primitive 0: table 0x4 has bits beyond",
		},
		{"primitive too wide", func(b *Builder, _ []Net) {
			b.Primitive(PrimitiveType{"LUT7", strings.Fields("A B C D E F G"), "Y", 0})
		}, "primitive 0: 7 inputs, want 0 to 6"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := NewBuilder("n")
			tt.build(b, b.Input("x", 3, 1, nil))
			want := tt.want
			if want != "" {
				want = `netlist "n": ` + want
			}
			wantError(t, b.Netlist().Validate(), want)
		})
	}
	wantError(t, NewBuilder("a b").Netlist().Validate(), `netlist "a b": "a b" is no Verilog identifier`)
}

// TestStages checks pipelines that are consistent and pipelines that are not.
func TestStages(t *testing.T) {
	for _, tt := range []struct {
		name  string
		build func(b *Builder, x []Net)
		want  []int32 // stages of the cells' nets
		err   string
	}{
		{"two stages", func(b *Builder, x []Net) {
			and := b.Function(8, none, x[0], x[1])
			r1, r2 := b.Cell(Register, 0, none, and), b.Cell(Register, 0, none, x[2])
			b.Cell(Register, 0, none, b.Function(6, none, r1, r2))
		}, []int32{0, 1, 1, 1, 2}, ""},
		{"constants fit", func(b *Builder, x []Net) {
			one := b.Function(1, none)
			r := b.Cell(Register, 0, none, x[0])
			held := b.Cell(Register, 0, none, True)
			b.Cell(Carry, 0, none, True, r, b.Function(8, none, one, held))
		}, []int32{AnyStage, 1, AnyStage, AnyStage, 1}, ""},
		{"an enable of any stage", func(b *Builder, x []Net) {
			r := b.Cell(Register, 0, none, x[0])
			b.Cell(Register, 0, none, r, x[1])
			b.Cell(Register, 0, none, x[2], r)
		}, []int32{1, 2, 1}, ""},
		{"all bits of a count", func(b *Builder, x []Net) {
			count := b.Cell(Popcount, 0, none, b.Cell(Register, 0, none, x[0]), True, False)
			b.Cell(Register, 0, none, count+1)
		}, []int32{1, 1, 1, 2}, ""},
		{"mixed inputs", func(b *Builder, x []Net) {
			b.Function(8, none, b.Cell(Register, 0, none, x[0]), x[1])
		}, nil, "cell 1 (function, net 6): input 1 is in pipeline stage 0 and an earlier input in stage 1"},
		{"mixed port", func(b *Builder, x []Net) {
			b.Output("y", 1, nil, []Net{x[0], True, b.Cell(Register, 0, none, x[0])})
		}, nil, `output port "y": bit 2 is in pipeline stage 1 and a lower bit in stage 0`},
		{"mixed probe", func(b *Builder, x []Net) {
			b.Probe("p", []Net{b.Cell(Register, 0, none, x[0]), x[0]})
		}, nil, `probe "p": bit 1 is in pipeline stage 0 and a lower bit in stage 1`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := NewBuilder("n")
			tt.build(b, b.Input("x", 3, 1, nil))
			n := b.Netlist()
			if tt.err != "" {
				wantError(t, n.Validate(), `netlist "n": `+tt.err)
				return
			}
			if err := n.Validate(); err != nil {
				t.Fatal(err)
			}
			want := append([]int32{AnyStage, AnyStage, 0, 0, 0}, tt.want...)
			if diff := cmp.Diff(want, n.Stages()); diff != "" {
				t.Errorf("stages (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNames(t *testing.T) {
	long := strings.Repeat("a", maxName)
	for _, tt := range []struct{ name, problem, identifier string }{
		{"digits", "", "digits"},
		{"_a$9Z", "", "_a_9Z"},
		{long, "", long[:maxName/2]},
		{long + "a", "the name \"aaaa", long[:maxName/2]},
		{"", "the name is empty", "m_"},
		{"mnist-8k-6", "is no Verilog identifier", "mnist_8k_6"},
		{"8k", "is no Verilog identifier", "m_8k"},
		{"$a", "is no Verilog identifier", "_a"},
		{"always", "is a reserved word", "m_always"},
		{"Zürich\n", "is no Verilog identifier", "Z_rich_"},
		{"a[0]", "is no Verilog identifier", "a_0_"},
		{"@A`{", "is no Verilog identifier", "_A__"},
	} {
		err := CheckName(tt.name)
		if (err == nil) != (tt.problem == "") || err != nil && !strings.Contains(err.Error(), tt.problem) {
			t.Errorf("name %.20q: error %v, want %q", tt.name, err, tt.problem)
		}
		got := Identifier(tt.name)
		if got != tt.identifier || CheckName(got) != nil {
			t.Errorf("identifier of %.20q: %.20q, error %v, want %.20q", tt.name, got, CheckName(got), tt.identifier)
		}
	}
}

// TestDriver compares the result of Driver with the definition, on netlists in which some cells have several outputs.
func TestDriver(t *testing.T) {
	b := NewBuilder("n")
	x := b.Input("x", 7, 1, nil)
	for range 5 {
		b.Function(2, none, x[0])
		b.Function(2, none, x[1])
		b.Cell(Popcount, 0, none, x...)
		b.Cell(Argmax, 1, none, x...)
		b.Cell(Argmax, ArgmaxParam(1, 1), none, x...)
	}
	n := b.Netlist()
	for v := range n.FirstCellNet() {
		if _, _, ok := n.Driver(v); ok {
			t.Errorf("net %d of an input has a driving cell", v)
		}
	}
	for c := range Cell(n.Cells()) {
		for pin := range n.Outputs(c) {
			gotCell, gotPin, ok := n.Driver(n.Output(c) + Net(pin))
			if gotCell != c || gotPin != pin || !ok {
				t.Fatalf("net %d: cell %d pin %d %v, want cell %d pin %d", n.Output(c)+Net(pin), gotCell, gotPin, ok, c, pin)
			}
		}
	}
	if _, _, ok := n.Driver(Net(n.Nets())); ok {
		t.Error("a net beyond the last has a driver")
	}
}

// TestEqual changes a netlist in each respect that Equal compares.
func TestEqual(t *testing.T) {
	build := func(change func(*Netlist)) *Netlist {
		b := NewBuilder("n")
		x := b.Input("x", 2, 1, []string{"a", "b"})
		b.Primitive(PrimitiveType{"BUF", []string{"A"}, "Y", 2})
		b.Classes([]uint16{0, 1})
		b.Offsets([]uint32{0, 2})
		b.Ties([]uint16{1, 0})
		y := b.Function(8, Origin{1, 1}, x...)
		b.Output("y", 1, nil, []Net{y})
		b.Probe("p", []Net{y})
		n := b.Netlist()
		change(n)
		return n
	}
	same := build(func(*Netlist) {})
	if !same.Equal(build(func(*Netlist) {})) {
		t.Error("equal netlists differ")
	}
	for name, change := range map[string]func(*Netlist){
		"name":      func(n *Netlist) { n.Name = "m" },
		"label":     func(n *Netlist) { n.inputs[0].Labels[1] = "c" },
		"word":      func(n *Netlist) { n.inputs[0].Word = 2 },
		"output":    func(n *Netlist) { n.outputs[0].Nets[0] = 0 },
		"probe":     func(n *Netlist) { n.probes[0].Name = "q" },
		"primitive": func(n *Netlist) { n.primitives[0].Inputs[0] = "B" },
		"kind":      func(n *Netlist) { n.kind[0] = Carry },
		"table":     func(n *Netlist) { n.param[0] = 6 },
		"input":     func(n *Netlist) { n.in[1] = 0 },
		"layer":     func(n *Netlist) { n.layer[0] = 2 },
		"chain":     func(n *Netlist) { n.chain[0] = 0 },
		"class":     func(n *Netlist) { n.class[1] = 0 },
		"offset":    func(n *Netlist) { n.offsets[1] = 1 },
		"ties":      func(n *Netlist) { n.ties = nil },
	} {
		if same.Equal(build(change)) {
			t.Errorf("netlists that differ in %s are equal", name)
		}
	}
}

// TestBuilderPanics checks that a Builder panics if an input is declared after a cell.
func TestBuilderPanics(t *testing.T) {
	defer func() {
		if r, ok := recover().(string); !ok || !strings.Contains(r, `input port "late" declared after the first cell`) {
			t.Errorf("panic %v", r)
		}
	}()
	b := NewBuilder("n")
	b.Function(0, none)
	b.Input("late", 1, 1, nil)
}

// TestCopier copies a netlist unchanged, and with a cell replaced by its input.
func TestCopier(t *testing.T) {
	b := NewBuilder("n")
	x := b.Input("x", 2, 2, []string{"word"})
	b.Primitive(PrimitiveType{"BUF", []string{"A"}, "Y", 2})
	b.Classes([]uint16{3})
	buf := b.Function(2, Origin{1, 0}, x[1])
	count := b.Cell(Popcount, 0, none, buf, x[0], True)
	b.Output("y", 2, []string{"count"}, Word(count, 2))
	b.Probe("p", []Net{buf, True})
	old := b.Netlist()

	c := NewCopier(old)
	for i := range Cell(old.Cells()) {
		c.Copy(i)
	}
	if !old.Equal(c.Finish()) {
		t.Error("the copy differs")
	}

	c = NewCopier(old)
	c.Set(buf, c.To(x[1]))
	c.Copy(1)
	got := c.Finish()
	if diff := cmp.Diff([]Net{3, 2, 1}, got.Inputs(0)); diff != "" {
		t.Errorf("inputs of the count (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]Net{4, 5}, got.OutputPorts()[0].Nets); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]Net{3, 1}, got.Probes()[0].Nets); diff != "" {
		t.Errorf("probe (-want +got):\n%s", diff)
	}
}
