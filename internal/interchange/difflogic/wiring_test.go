package difflogic

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// written lists the expressions that difflogic writes for the operations (get_gate_code of compiled_model.py).
var written = [16]string{
	"Z", "A & B", "A & ~B", "A", "B & ~A", "B", "A ^ B", "A | B",
	"~(A | B)", "~(A ^ B)", "~B", "~B | A", "~A", "~A | B", "~(A & B)", "~Z",
}

// generate writes code for a network, as difflogic generates it. Gate g of each layer has operation g and reads bits
// g and (g+5)%16 of the layer before.
type generate struct {
	name, zero, one, cast, assign string
}

var generators = []generate{
	{name: "8", cast: "(char) (%s)", zero: "(char) 0"},
	{name: "16", cast: "(short) (%s)", zero: "(short) 0"},
	{name: "32", cast: "%s", zero: "0"},
	{name: "64", cast: "%s", zero: "0LL"},
	{name: "registers", cast: "%s", zero: "1'b0", one: "1'b1", assign: "%s <= %s;"},
	{name: "wires", cast: "%s", zero: "1'b0", one: "1'b1", assign: "assign %s = %s;"},
}

// gate returns the expression for an operation.
func (g generate) gate(op int, a, b string) string {
	if op == 15 && g.one != "" {
		return g.one
	}
	return fmt.Sprintf(g.cast, strings.NewReplacer("A", a, "B", b, "Z", g.zero).Replace(written[op]))
}

func (g generate) text() string {
	b := &strings.Builder{}
	c := g.assign == ""
	if c {
		b.WriteString("#include <v1.h>\n/* v0 = 1; */\nvoid logic_gate_net(char const *inp, char *out) {\n")
	} else {
		b.WriteString("module logic_network (    input clk,\n    input wire [15:0] x,\n    output wire [9:0] y\n);\n" +
			"reg [15:0] layer0_out = 0;\nreg [4:0] result [1:0];\nalways @(posedge clk) begin\n")
	}
	for l := range 3 {
		for op := range 16 {
			p, q := op, (op+5)%16
			switch {
			case !c:
				name := func(l, i int) string {
					if l < 0 {
						return fmt.Sprintf("x[%d]", i)
					}
					return fmt.Sprintf("layer%d_out[%d]", l, i)
				}
				fmt.Fprintf(b, g.assign+"\n", name(l, op), g.gate(op, name(l-1, p), name(l-1, q)))
			case l == 0:
				fmt.Fprintf(b, "\tconst char v%d = %s;\n", op,
					g.gate(op, fmt.Sprintf("inp[%d]", p), fmt.Sprintf("inp[%d]", q)))
			default:
				target := fmt.Sprintf("const char v%d", 16*l+op)
				if l == 2 {
					target = fmt.Sprintf("out[%d]", op)
				}
				fmt.Fprintf(b, "\t%s = %s;\n", target,
					g.gate(op, fmt.Sprintf("v%d", 16*(l-1)+p), fmt.Sprintf("v%d", 16*(l-1)+q)))
			}
		}
	}
	if c {
		b.WriteString("}\nvoid apply_logic_gate_net (bool const *inp, int *out, size_t len) {\n" +
			"    char *inp_temp = malloc(16*sizeof(char));\n    for(size_t c = 0; c < 2; ++c) {  // for each class\n    }\n}\n")
	} else {
		b.WriteString("last_layer_output <= layer2_out;\nend\nassign y[9:5]=result[0];\nendmodule\n")
	}
	return b.String()
}

func threeLayers() [][]uint8 {
	ops := make([][]uint8, 3)
	for l := range ops {
		for op := range uint8(16) {
			ops[l] = append(ops[l], op)
		}
	}
	return ops
}

func TestAllOperationsInAllForms(t *testing.T) {
	for _, g := range generators {
		t.Run(g.name, func(t *testing.T) {
			ops := threeLayers()
			w, err := ReadWiring([]byte(g.text()), ops)
			if err != nil {
				t.Fatal(err)
			}
			if w.Inputs != 16 || w.Classes != 2 {
				t.Errorf("%d inputs, %d classes", w.Inputs, w.Classes)
			}
			for l, layer := range w.Layers {
				for op := range uint8(16) {
					wantA, wantB := int32(None), int32(None)
					if needsA(op) {
						wantA = int32(op)
					}
					if needsB(op) {
						wantB = (int32(op) + 5) % 16
					}
					if layer.A[op] != wantA || layer.B[op] != wantB {
						t.Errorf("layer %d, operation %d: %d and %d, want %d and %d", l, op, layer.A[op], layer.B[op], wantA, wantB)
					}
				}
			}
			filled, err := w.Complete(16, ops)
			if err != nil || filled != 3*8 {
				t.Errorf("%d filled, %v", filled, err)
			}
		})
	}
}

// TestOperandsThatMatter derives from each operation's truth table which operands matter, and compares this with
// needsA and needsB.
func TestOperandsThatMatter(t *testing.T) {
	for op := range uint8(16) {
		out := func(a, b uint8) uint8 { return op >> (3 - 2*a - b) & 1 }
		a := out(0, 0) != out(1, 0) || out(0, 1) != out(1, 1)
		b := out(0, 0) != out(0, 1) || out(1, 0) != out(1, 1)
		if needsA(op) != a || needsB(op) != b {
			t.Errorf("operation %d: needsA or needsB is wrong", op)
		}
		e := exchanged(op)
		for line := range uint8(4) {
			if p, q := line>>1, line&1; out(p, q) != e>>(3-2*q-p)&1 {
				t.Errorf("operation %d with exchanged operands is not operation %d", op, e)
			}
		}
	}
}

func TestTextErrors(t *testing.T) {
	const head, tail = "void logic_gate_net(char const *inp, char *out) {\n", "}\n"
	ops := [][]uint8{{1, 2}, {6}}
	good := "const int v0 = inp[0] & inp[1];\nconst int v1 = inp[3] & ~inp[2];\nout[0] = v0 ^ v1;\n"
	for name, test := range map[string]struct{ text, want string }{
		"fine":          {head + good + tail, ""},
		"no form":       {"hello", "neither generated C"},
		"missing":       {head + "out[0] = v0 ^ v1;" + tail, "layer 0, gate 0 is not in the text, where the weights have 3 gates in 2 layers"},
		"twice":         {head + good + "out[0] = v0 ^ v1;" + tail, "line 5: layer 1, gate 0: it occurs twice in the text"},
		"operation":     {head + "out[0] = v0 | v1;", "line 2: layer 1, gate 0: the text has operation 7 (a | b), but operation 6 (a ^ b) has the largest weight"},
		"order":         {head + "const int v1 = inp[3] | ~inp[2];", "line 2: layer 0, gate 1: the text has operation 11 (a | ~b), or 13 (~a | b), but operation 2 (a & ~b) has the largest weight"},
		"jump":          {head + "out[0] = v0 ^ inp[1];", "line 2: layer 1, gate 0: it reads layer -1"},
		"itself":        {head + "const int v1 = inp[3] & ~v0;", "layer 0, gate 1: it reads layer 0"},
		"far":           {head + "const int v3 = inp[0];", "line 2: gate 3 of layer 0, which the weights do not have"},
		"far out":       {head + "out[1] = v0;", "gate 1 of layer 1"},
		"three":         {head + "out[0] = v0 ^ v1 ^ v0;", "more than two bits"},
		"one":           {head + "out[0] = v0 ^ 1;", `"1" where a bit is expected`},
		"cut":           {head + "out[0] = v0 ^", "the text ends where a bit is expected"},
		"deep":          {head + "out[0] = " + strings.Repeat("~", 20) + "v0;", "nested too deep"},
		"cut in braces": {head + "out[0] = (v0", `")" is expected`},
		"inputs":        {head + good + tail + "char *inp_temp = malloc(3*sizeof(char));", "layer 0, gate 1 reads bit 3, where there are 3 before it"},
		"two inputs":    {head + good + tail + "inp_temp = malloc(4*1); inp_temp = malloc(5*1);", "5 inputs, after 4"},
		"lists":         {"[[[0,3],[1,2]],[[0],[1]]]", ""},
		"null":          {"[[[0,null],[1,2]],[[0],[1]]]", "null is no operand"},
		"fraction":      {"[[[0,1.5],[1,2]],[[0],[1]]]", "1.5 is no operand"},
		"minus two":     {"[[[0,-2],[1,2]],[[0],[1]]]", "-2 is no operand"},
		"huge":          {"[[[0,99999999999],[1,2]],[[0],[1]]]", "no operand"},
		"layers":        {"[[[0,1],[1,2]]]", "lists of 1 layers, where the weights have 2"},
		"sides":         {"[[[0,1],[1,2],[3,4]],[[0],[1]]]", "layer 0 has 3 lists"},
		"gates":         {"[[[0,1,2],[1,2,3]],[[0],[1]]]", "layer 0: a list of 3 operands, where the weights have 2 gates"},
		"outside":       {"[[[0,3],[1,2]],[[0],[2]]]", "layer 1, gate 0 reads bit 2, where there are 2 before it"},
		"more":          {"[[[0,3],[1,2]],[[0],[1]]] 1", "more behind the lists"},
		"not closed":    {"[[[0,3],[1,2]],\n[[0],[1]]", "unexpected EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ReadWiring([]byte(test.text), ops)
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}

// TestOneLayerOfC reads generated C of a single layer. In this code, the inputs have names of the form that gates
// usually have.
func TestOneLayerOfC(t *testing.T) {
	ops := [][]uint8{{1, 7, 6, 12, 0, 15, 2}}
	const head = "void logic_gate_net(TYPE const *inp, TYPE *out) {\n"
	const behind = "}\nvoid apply_logic_gate_net (bool const *inp, int *out, size_t len) {\n    TYPE *inp_temp = malloc(9*sizeof(TYPE));\n" +
		"    for(size_t c = 0; c < 7; ++c) {}\n}\n"
	const gates = "\tout[0] = v0 & v1;\n\tout[1] = v1 | v2;\n\tout[2] = v2 ^ v8;\n\tout[3] = ~v0;\n\tout[4] = ZERO;\n" +
		"\tout[5] = ~ZERO;\n\tout[6] = v7 & ~v3;\n"
	typed := func(text, name, zero string) string {
		return strings.NewReplacer("TYPE", name, "ZERO", zero).Replace(text)
	}
	want := WiredLayer{A: []int32{0, 1, 2, 0, None, None, 7}, B: []int32{1, 2, 8, None, None, None, 3}}
	for _, test := range []struct {
		name, text string
		inputs     int
	}{
		{"char", typed(head+gates+behind, "char", "(char) 0"), 9},
		{"short", typed(head+gates+behind, "short", "(short) 0"), 9},
		{"int", typed(head+gates+behind, "int", "0"), 9},
		{"long long", typed(head+gates+behind, "long long", "0LL"), 9},
		{"the function alone", typed(head+gates+"}\n", "int", "0"), 0},
		{"with casts", strings.ReplaceAll(typed(head+gates+behind, "char", "(char) 0"), "v0 & v1", "(char) (v0 & v1)"), 9},
		{"with the inputs as an array", strings.ReplaceAll(typed(head+gates+behind, "int", "0"), "v2", "inp[2]"), 9},
		{"with an array for all inputs", regexp.MustCompile(`v(\d)`).ReplaceAllString(typed(head+gates+behind, "int", "0"), "inp[$1]"), 9},
		{"with constants before the gates", "#include <stddef.h>\nconst int c = 3;\n" + typed(head+gates+behind, "int", "0"), 9},
		{"with comments", strings.ReplaceAll(typed(head+gates+behind, "int", "0"), ";\n", "; // v5 = 1;\n"), 9},
	} {
		t.Run(test.name, func(t *testing.T) {
			w, err := ReadWiring([]byte(test.text), ops)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]WiredLayer{want}, w.Layers); diff != "" || w.Inputs != test.inputs {
				t.Errorf("%d inputs, want %d; wires (-want +got):\n%s", w.Inputs, test.inputs, diff)
			}
		})
	}
	for name, test := range map[string]struct{ old, text, want string }{
		"an input that is not there": {"v7", "v9", "layer 0, gate 6 reads bit 9, where there are 9 before it"},
		"an input with a value":      {"\tout[0] =", "\tv0 = inp[3];\n\tout[0] =", "v0 is given a value, where the weights have one layer"},
		"another operation":          {"v0 & v1", "v0 | v1", "layer 0, gate 0: the text has operation 7 (a | b)"},
		"a gate that is missing":     {"\tout[3] = ~v0;\n", "", "layer 0, gate 3 is not in the text"},
	} {
		text := strings.Replace(typed(head+gates+behind, "int", "0"), test.old, test.text, 1)
		if _, err := ReadWiring([]byte(text), ops); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", name, err, test.want)
		}
	}
}

func TestCompleteWantsWhatCounts(t *testing.T) {
	w := &Wiring{Layers: []WiredLayer{{A: []int32{0}, B: []int32{None}}}}
	if _, err := w.Complete(2, [][]uint8{{6}}); err == nil || !strings.Contains(err.Error(), "layer 0, gate 0: operation 6") {
		t.Error(err)
	}
	if filled, err := w.Complete(2, [][]uint8{{3}}); filled != 1 || err != nil || w.Layers[0].B[0] != 0 {
		t.Error(filled, err)
	}
	if _, err := w.Complete(0, [][]uint8{{3}}); err != nil {
		t.Error(err)
	}
}

func TestFill(t *testing.T) {
	w := &Wiring{Layers: []WiredLayer{{A: []int32{0, None}, B: []int32{None, 3}}}}
	if err := w.Fill(&Wiring{Layers: []WiredLayer{{A: []int32{0, 2}, B: []int32{1, 3}}}}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]WiredLayer{{A: []int32{0, 2}, B: []int32{1, 3}}}, w.Layers); diff != "" {
		t.Error(diff)
	}
	err := w.Fill(&Wiring{Layers: []WiredLayer{{A: []int32{0, 2}, B: []int32{1, 4}}}})
	if want := "layer 0, gate 1 reads bit 2 and bit 3 here, but bit 2 and bit 4 there"; err == nil || err.Error() != want {
		t.Error(err)
	}
}

func FuzzRead(f *testing.F) {
	for _, g := range generators {
		f.Add([]byte(g.text()))
	}
	f.Add([]byte("[[[0,3],[1,2]],[[0],[-1]]]"))
	ops := threeLayers()
	f.Fuzz(func(t *testing.T, text []byte) {
		w, err := ReadWiring(text, ops)
		if err != nil {
			return
		}
		for l, layer := range w.Layers {
			if len(layer.A) != len(ops[l]) || len(layer.B) != len(ops[l]) {
				t.Fatalf("layer %d has %d and %d operands", l, len(layer.A), len(layer.B))
			}
		}
		if inputs := w.Inputs; inputs > 0 {
			w.Complete(inputs, ops)
		}
	})
}
