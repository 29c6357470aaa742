package spec

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"ialgn/internal/aiger"
	"ialgn/internal/freeze"
	"ialgn/internal/lowering"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/internal/testkit"
	"ialgn/netlist"
)

// read saves a model and reads its network from the file.
func read(t *testing.T, m *model.Model) *Network {
	t.Helper()
	n, err := Read(save(t, m))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// other returns the graph that the compiler builds from the same model.
func other(t *testing.T, m *model.Model, o Options) *aiger.File {
	t.Helper()
	f, err := model.ReadFrozen(save(t, m))
	if err != nil {
		t.Fatal(err)
	}
	return frozenGraph(t, f, o)
}

// frozenGraph returns the graph that the compiler builds from a frozen network.
func frozenGraph(t *testing.T, f *model.Frozen, o Options) *aiger.File {
	t.Helper()
	scope := netlist.Gates
	switch {
	case o.Words:
		scope = netlist.Full
	case o.Head != nil:
		scope = netlist.Core
	}
	margin := 0
	if o.Head != nil {
		margin = o.Head.Margin
	}
	n, err := freeze.WithMargin(f, scope, margin)
	if err != nil {
		t.Fatal(err)
	}
	if o.Head != nil {
		return wholeOf(t, n)
	}
	return cutOf(t, n, o, f.Encoder.Bits-1)
}

// wholeOf returns the graph of a netlist with its counts as outputs.
func wholeOf(t *testing.T, n *netlist.Netlist) *aiger.File {
	t.Helper()
	k := netlist.NewCopier(n)
	for c := range netlist.Cell(n.Cells()) {
		k.Copy(c)
	}
	for _, p := range slices.Concat(n.OutputPorts(), n.Probes()) {
		var nets []netlist.Net
		for _, v := range p.Nets {
			nets = append(nets, k.To(v))
		}
		k.Output(p.Name, 1, nil, nets)
	}
	var b strings.Builder
	if err := aiger.Write(&b, lowering.Functions(k.Netlist())); err != nil {
		t.Fatal(err)
	}
	return parse(t, []byte(b.String()))
}

// cutOf returns the graph of a netlist without its head. If o.Thermometer is set, the inputs are projected onto
// thermometer codes.
func cutOf(t *testing.T, n *netlist.Netlist, o Options, bits int) *aiger.File {
	t.Helper()
	k := netlist.NewCopier(n)
	for i, v := range n.InputPorts()[0].Nets {
		if o.Thermometer && i%bits > 0 {
			k.Set(v, k.Function(0b1000, netlist.Origin{}, k.To(v), k.To(v-1)))
		}
	}
	var h []netlist.Net
	depth := uint16(0)
	for c := range netlist.Cell(n.Cells()) {
		depth = max(depth, n.Origin(c).Layer)
	}
	for c := range netlist.Cell(n.Cells()) {
		if kind := n.Kind(c); kind != netlist.Function && kind != netlist.Compare {
			continue
		}
		k.Copy(c)
		if n.Origin(c).Layer == depth {
			h = append(h, k.To(n.Output(c)))
		}
	}
	k.Output("h", 1, nil, h)
	var b strings.Builder
	if err := aiger.Write(&b, k.Netlist()); err != nil {
		t.Fatal(err)
	}
	return parse(t, []byte(b.String()))
}

// cases has models, and the functions of their networks as handwritten Verilog. Each case also has changes of the
// Verilog, after which the Verilog describes another network.
var cases = []struct {
	name    string // of the file
	model   func() *model.Model
	options Options
	wrong   [][2]string
}{
	{"operations", operationsModel, Options{}, [][2]string{
		{"wire a = x[0]", "wire a = x[1]"},
		{"h[1] = a & b", "h[1] = ~(a | b)"}, // the operations numbered in reverse
		{"h[2] = a & ~b", "h[2] = ~a & b"},
		{"h[3] = a", "h[3] = b"},
		{"h[14] = ~(a & b)", "h[14] = a | b"},
	}},
	{"order", orderModel, Options{}, [][2]string{
		{"f0 = x[2:0]", "f0 = x[8:6]"},
		{"f1 = x[5:3]", "f1 = {x[3], x[4], x[5]}"}, // thresholds starting from the largest
		{"f1 = x[5:3]", "f1 = {x[7], x[4], x[1]}"}, // thresholds before features
		{"f2 = x[8:6]", "f2 = {x[0], x[8:7]}"},
	}},
	{"thermometer", orderModel, Options{Thermometer: true}, [][2]string{
		{"x[5] & x[4] & x[3]", "x[5] & x[4]"},
		{"x[7] & x[6], x[6]}", "x[7] & x[6], x[6] & x[5]}"}, // across features
		{"x[8] & x[7] & x[6]", "x[8]"},
	}},
	{"words", orderModel, Options{Words: true}, [][2]string{
		{"f1 > 5'd30", "f1 >= 5'd30"},
		{"f1 > 5'd0", "f1 > 5'd1"},
		{"f2 > 5'd31", "f2 >= 5'd31"},
		{"f0 = x[4:0]", "f0 = {x[0], x[1], x[2], x[3], x[4]}"},
		{"f1 = x[9:5]", "f1 = x[14:10]"},
	}},
	{"ties", tiesModel, Options{}, [][2]string{
		{"g0 = 1'b0", "g0 = 1'b1"},
		{"x[3] ^ x[1]", "~(x[3] ^ x[1])"},
		{"x[3] ^ x[1]", "x[0] ^ x[1]"},
		{"x[3] ^ x[1]", "x[3] ^ x[0]"},
		{"~(x[0] & x[3])", "1'b1"},
		{"~(x[0] & x[3])", "~(x[0] & x[2])"},
		{"~(x[0] & x[3])", "~(x[1] & x[3])"},
		{"x[1] & x[0]", "x[1] | x[0]"},
		{"h[0] = g1", "h[0] = g2"},
		{"h[0] = g1", "h[0] = ~g1"},
		{"h[1] = g2", "h[1] = g3"},
		{"h[2] = g3", "h[2] = g1"},
		{"g0 | x[3]", "g3 | x[3]"},
	}},
	{"head", headModel, Options{Head: &Head{}}, [][2]string{
		{"count_0 = {1'b0, h[0]} + h[1]", "count_0 = {1'b0, h[0]} + h[2]"},
		{"count_2 = {1'b0, h[4]} + h[5]", "count_2 = {1'b0, h[4]} | h[5]"},
		{"count_1 > count_0", "count_1 >= count_0"}, // the last of equal classes wins
		{"count_2 > best", "count_2 >= best"},
		{"2'd2 : first", "2'd3 : first"},
	}},
	{"patches", patchesModel, Options{}, [][2]string{
		{"a00 = x[0]", "a00 = ~x[0]"},         // ones beyond the edge
		{"b13 = 1'b0", "b13 = x[11] & ~x[4]"}, // the nearest pixel beyond the edge
		{"a11 = x[1] ^ x[8]", "a11 = x[0] ^ x[9]"},
		{"a11 = x[1] ^ x[8]", "a11 = x[7] ^ x[2]"}, // rows and columns of a patch exchanged
		{"a11 = x[1] ^ x[8]", "a11 = x[6] ^ x[4]"}, // bits before pixels
		{"a12 = x[3] ^ x[10]", "a12 = x[1] ^ x[8]"},
		{"b10 = x[7]", "b10 = x[1]"},
		{"a00 | a01 | a10 | a11", "a00 | a01 | a10"},
		{"a00 | a01 | a10 | a11", "a00 | a01 | a10 | a11 | x[7]"}, // with the row that pooling leaves out
		{"a00 | a01 | a10 | a11", "a00 | a01 | a02 | a11"},
		{"b02 | b03 | b12 | b13", "b02 & b12"},
	}},
	{"light", lightModel, Options{}, [][2]string{
		{"~(a ^ b)", "a | ~b"},
		{"h[1] = 1'b0", "h[1] = ~a | ~b"},
		{"a & ~b", "a"},
		{"~a & b", "~a"},
		{"~a & b", "a & ~b"},
	}},
}

// TestByHand proves that the graph from this package and the graph from the compiler have the functions of the
// handwritten Verilog. Each change of the Verilog is a wrong reading of the model. After a change, the Verilog must
// differ from the graphs.
func TestByHand(t *testing.T) {
	var claims []claim
	for _, c := range cases {
		data, err := os.ReadFile(filepath.Join("testdata", c.name+".v"))
		if err != nil {
			t.Fatal(err)
		}
		texts := []string{string(data)}
		for _, change := range c.wrong {
			if strings.Count(texts[0], change[0]) != 1 {
				t.Fatalf("%s: %q is not in the text once", c.name, change[0])
			}
			texts = append(texts, strings.Replace(texts[0], change[0], change[1], 1))
		}
		m := c.model()
		ours, written := graphOf(t, read(t, m), c.options), fromVerilog(t, texts...)
		claims = append(claims, claim{c.name, ours, written[0], equivalent},
			claim{c.name + ", by the compiler", ours, other(t, m, c.options), equivalent})
		for i, change := range c.wrong {
			name := fmt.Sprintf("%s: %q for %q", c.name, change[1], change[0])
			claims = append(claims, claim{name, ours, written[1+i], different})
		}
	}
	hold(t, claims...)
}

// TestWrongUnrolled changes the unrolled network, from which the compiler starts. It changes a wire, a table, a pin
// beyond the edge, and pooling. For each change, the proof must find that the network differs from the model.
func TestWrongUnrolled(t *testing.T) {
	m := patchesModel()
	ours := graphOf(t, read(t, m), Options{})
	claims := []claim{{"unrolled", ours, frozenGraph(t, m.Freeze(), Options{}), equivalent}}
	for name, change := range map[string]func(nodes, pool *model.FrozenLayer){
		"wire":            func(nodes, _ *model.FrozenLayer) { nodes.Pins[1].Index[5] = 0 },
		"table":           func(nodes, _ *model.FrozenLayer) { nodes.Op.Set(5, 7) },
		"no padding":      func(nodes, _ *model.FrozenLayer) { nodes.Op.Set(0, 6) },
		"pooling by AND":  func(_, pool *model.FrozenLayer) { pool.Op.Set(0, 1) },
		"position pooled": func(_, pool *model.FrozenLayer) { pool.Pins[2].Index[0] = 11 },
	} {
		f := m.Freeze()
		change(&f.Layers[0], &f.Layers[1])
		claims = append(claims, claim{"another " + name, ours, frozenGraph(t, f, Options{}), different})
	}
	hold(t, claims...)
}

// TestWrongOperation replaces each operation by each other operation.
func TestWrongOperation(t *testing.T) {
	n := read(t, operationsModel())
	right := graphOf(t, n, Options{})
	claims := []claim{{"the same", right, graphOf(t, n, Options{}), equivalent}}
	for gate, function := range n.layers[0].function {
		for op := range operations {
			if op != gate {
				n.layers[0].function[gate] = operations[op]
				name := fmt.Sprintf("operation %d for %d", op, gate)
				claims = append(claims, claim{name, right, graphOf(t, n, Options{}), different})
			}
		}
		n.layers[0].function[gate] = function
	}
	hold(t, claims...)
}

// negateLast negates the node that computes the given counted bit.
func (n *Network) negateLast(bit int) {
	last := &n.layers[len(n.layers)-1]
	node := bit / (n.width / last.width)
	if last.table != nil {
		last.table[node] = ^last.table[node]
		return
	}
	for i, v := range last.function[node] {
		last.function[node][i] = !v
	}
}

// TestSpecEqualsEveryForm proves, for every form of network, that this package and the compiler make equal graphs
// from a model. If one gate is negated, the graphs must differ. The inputs of a graph are bits, thermometer codes or
// words. The short tests use one kind of input for each form, and the long tests use all three.
func TestSpecEqualsEveryForm(t *testing.T) {
	var claims []claim
	for i, form := range append(netgen.Unshared(), netgen.ConvForms()...) {
		m := form.Model()
		for j, o := range []Options{{}, {Thermometer: true}, {Words: true}} {
			if i%3 == j || testkit.Whole() {
				claims = append(claims, bothWays(t, fmt.Sprintf("%s %+v", form.Name, o), m, o)...)
			}
		}
	}
	hold(t, claims...)
}

// bothWays returns two claims. The first is that this package and the compiler make equal graphs from a model. The
// second is that the graphs differ after one gate is negated.
func bothWays(t *testing.T, name string, m *model.Model, o Options) []claim {
	t.Helper()
	n, theirs := read(t, m), other(t, m, o)
	ours := graphOf(t, n, o)
	if !slices.Equal(ours.Inputs, theirs.Inputs) {
		t.Errorf("%s: inputs %v, want %v", name, ours.Inputs, theirs.Inputs)
	}
	n.negateLast(n.width / 2)
	return []claim{
		{name, ours, theirs, equivalent},
		{name + ", a gate negated", graphOf(t, n, o), theirs, different},
	}
}

// TestConvolutions does the same as [TestSpecEqualsEveryForm] for convolutions of every kind. Some kernels are
// chains. In others, pins read input bits or the inputs of the lowest level. In some networks, chains follow the
// kernels.
func TestConvolutions(t *testing.T) {
	var claims []claim
	for _, form := range netgen.Convolutions() {
		claims = append(claims, bothWays(t, form.Name, form.Model(1), Options{})...)
	}
	hold(t, claims...)
}

// TestRuns reads models in several runs of chains.
func TestRuns(t *testing.T) {
	for _, options := range []netgen.ModelOptions{
		{Width: 3000, Depth: 20, Features: 50, Classes: 10, Seed: 1},
		{Topology: "rwlgn", Width: 70_000, Depth: 2, Features: 50, Classes: 10, Seed: 2}, // indices of 32 bits
	} {
		m, runs := netgen.Model(options), atomic.Int32{}
		count := func(int, int, int, *model.Section) error { runs.Add(1); return nil }
		file, err := model.Open(save(t, m))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if err := file.Chains(func(*model.Model) error { return nil }, count); err != nil {
			t.Fatal(err)
		}
		if n := int(runs.Load()); n < 2*len(m.Sections)-1 {
			t.Fatalf("%d runs of %d sections: the test shows nothing", n, len(m.Sections))
		}
		hold(t, claim{m.Config.Model.Topology, graphOf(t, read(t, m), Options{}), other(t, m, Options{}), equivalent})
	}
}

// TestThermometer checks the projection onto thermometer codes on random inputs. The graph with the projection must
// give the same outputs as the graph without the projection gives for projected inputs.
func TestThermometer(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for _, form := range append(netgen.Unshared(), netgen.ConvForms()...) {
		n := read(t, form.Model())
		plain, projected := graphOf(t, n, Options{}), graphOf(t, n, Options{Thermometer: true})
		for range 20 {
			x := make([]uint64, n.encoded())
			for i := range x {
				x[i] = r.Uint64()
			}
			got := aiger.Eval(projected, x)
			for i := range x {
				if i%(n.bits-1) > 0 {
					x[i] &= x[i-1]
				}
			}
			if want := aiger.Eval(plain, x); !slices.Equal(got, want) {
				t.Fatalf("%s: %x, want %x", form.Name, got, want)
			}
		}
	}
}

// TestWriteAIGER checks the bytes of a tiny graph.
func TestWriteAIGER(t *testing.T) {
	n := &Network{width: 1, bits: 2, bitsIn: 1, thresholds: [][]uint16{{0}}, layers: []layer{{
		width: 1, function: []function{operations[8]}, pins: []pin{{anchored: true, source: []uint32{0}}, {anchored: true, source: []uint32{0}}},
	}}}
	// Gate 4 is NOT x AND NOT x, so the encoded differences are 4-3 and 3-3.
	if got, want := string(write(t, n, Options{})), "aig 2 1 0 1 1\n4\n\x01\x00i0 x\no0 h\n"; got != want {
		t.Errorf("written %q, want %q", got, want)
	}
}

func TestSpecRefusesMisfits(t *testing.T) {
	n := read(t, orderModel())
	if err := n.WriteAIGER(nil, Options{Words: true, Thermometer: true}); err == nil ||
		!strings.Contains(err.Error(), "choose one") {
		t.Errorf("both options: error %v", err)
	}
	huge := &Network{width: 1 << 29, bits: 2, bitsIn: 1, thresholds: [][]uint16{{0}}, layers: []layer{{width: 1 << 29}, {width: 1 << 29}}}
	if err := huge.WriteAIGER(nil, Options{}); err == nil || !strings.Contains(err.Error(), "the format has 1073741823") {
		t.Errorf("too large: error %v", err)
	}
	if err := n.WriteAIGER(full{}, Options{}); err == nil || err.Error() != "disk full" {
		t.Errorf("full disk: error %v", err)
	}
	path := save(t, orderModel())
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{0, 7, 100, len(data) - 1} {
		if err := os.WriteFile(path, data[:size], 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(path); err == nil {
			t.Errorf("no error for the first %d of %d bytes", size, len(data))
		}
	}
}

// full is a writer that fails like a full disk.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, fmt.Errorf("disk full") }
