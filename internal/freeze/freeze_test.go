package freeze_test

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/freeze"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/netlist"
)

func text(t *testing.T, n *netlist.Netlist) string {
	t.Helper()
	var s strings.Builder
	if err := netlist.WriteText(&s, n); err != nil {
		t.Fatal(err)
	}
	return s.String()
}

// TestFreezeScopes compares the netlist text of a tiny network with a golden text, in each scope except Full.
// docs/reference/netlist.md shows these texts.
func TestFreezeScopes(t *testing.T) {
	const head = `ialgn netlist 1
name demo
classes
  0 1
input x word 1
  "pixel 0 > 127" 2
  "pixel 1 > 127" 3
cells
  4 = function(0x8) 2 3 @1.0
  5 = function(0x6) 3 2 @1.1
`
	for scope, want := range map[netlist.Scope]string{
		netlist.Gates: head + `output h word 1
  "class even" 4
  "class odd" 5
end
`,
		netlist.Core: head + `  6 = popcount 4
  7 = popcount 5
  8 = argmax(1) 6 7
output class_index word 1
  "class" 8
probe count_0
  6
probe count_1
  7
end
`,
	} {
		n, err := freeze.Network(netgen.Demo(), scope)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, text(t, n)); diff != "" {
			t.Errorf("scope %v (-want +got):\n%s", scope, diff)
		}
	}
}

// TestFreeze evaluates every form of network in every scope, sample by sample, and
// compares each gate, each count and the class with the trainer's forward pass.
func TestFreeze(t *testing.T) {
	for _, form := range append(netgen.Unshared(), netgen.ConvForms()...) {
		m := form.Model()
		checkFrozen(t, form.Name, m.Freeze())
	}
	checkFrozen(t, "16-bit words", netgen.Frozen(1, netgen.FrozenOptions{BitsIn: 16, Bits: 20}))
	checkFrozen(t, "random wiring", netgen.Frozen(2, netgen.FrozenOptions{Topology: netgen.Random, Classes: 10}))
}

func checkFrozen(t *testing.T, name string, f *model.Frozen) {
	t.Helper()
	const samples = 64
	values := randomValues(f, samples)
	x := thermometer(f, values)
	e := model.NewEvaluator(f)
	var layers [][]uint64
	e.Run(x, 1, func(_ int, h []uint64) { layers = append(layers, append([]uint64(nil), h...)) })
	counts, class := make([]int32, len(f.Classes)*samples), make([]uint8, samples)
	e.Counts(counts, samples)
	model.Classify(class, counts, f.Ties)
	for _, scope := range []netlist.Scope{netlist.Gates, netlist.Core, netlist.Full} {
		n, err := freeze.Network(f, scope)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := n.Validate(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		in := x
		if scope == netlist.Full {
			in = featureBits(f, values)
		}
		for s := range samples {
			where := fmt.Sprintf("%s, scope %v, sample %d", name, scope, s)
			net := evaluate(n, in, s)
			gates := checkGates(t, where, n, net, layers, s)
			if gates != f.Gates() {
				t.Fatalf("%s: %d gates, want %d", where, gates, f.Gates())
			}
			if scope == netlist.Gates {
				checkHidden(t, where, n, net, layers[len(layers)-1], s)
				continue
			}
			for c := range f.Classes {
				p := n.Probes()[c]
				if got, want := number(net, p.Nets), uint64(counts[c*samples+s]); got != want ||
					p.Name != fmt.Sprintf("count_%d", c) {
					t.Fatalf("%s: probe %s is %d, want count %d of class %d", where, p.Name, got, want, c)
				}
			}
			if got := number(net, n.OutputPorts()[0].Nets); got != uint64(class[s]) {
				t.Fatalf("%s: class_index %d, want %d", where, got, class[s])
			}
		}
	}
	if len(f.Classes) > 1 {
		for _, margin := range []int{1, 2, f.Width / len(f.Classes)} {
			checkUncertain(t, fmt.Sprintf("%s, margin %d", name, margin), f, x, counts, samples, margin)
		}
	}
}

// checkUncertain compares the port uncertain with the two largest counts of each sample.
func checkUncertain(t *testing.T, name string, f *model.Frozen, x []uint64, counts []int32, samples, margin int) {
	t.Helper()
	if margin > f.Width/len(f.Classes) {
		return
	}
	n, err := freeze.WithMargin(f, netlist.Core, margin)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if err := n.Validate(); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	port := n.OutputPorts()[1]
	for s := range samples {
		var of []int32
		for c := range f.Classes {
			of = append(of, counts[c*samples+s])
		}
		slices.Sort(of)
		lead := of[len(of)-1] - of[len(of)-2]
		if got := number(evaluate(n, x, s), port.Nets) == 1; got != (int(lead) < margin) || port.Name != netlist.UncertainPort {
			t.Fatalf("%s, sample %d: %s is %v with a lead of %d", name, s, port.Name, got, lead)
		}
	}
}

// checkGates compares the value of every cell that has an origin, and returns the number of these cells.
func checkGates(t *testing.T, where string, n *netlist.Netlist, net []bool, layers [][]uint64, s int) (gates int) {
	t.Helper()
	for c := range netlist.Cell(n.Cells()) {
		o := n.Origin(c)
		if o.Layer == 0 {
			continue
		}
		gates++
		if want := layers[o.Layer-1][o.Chain]>>s&1 == 1; net[n.Output(c)] != want {
			t.Fatalf("%s: layer %d, chain %d is %v, want %v", where, o.Layer, o.Chain, !want, want)
		}
	}
	return gates
}

func checkHidden(t *testing.T, where string, n *netlist.Netlist, net []bool, last []uint64, s int) {
	t.Helper()
	h := n.OutputPorts()[0]
	if h.Name != "h" || len(h.Nets) != len(last) || len(n.ChainClasses()) != len(last) {
		t.Fatalf("%s: output %s of %d bits", where, h.Name, len(h.Nets))
	}
	for i, v := range h.Nets {
		if net[v] != (last[i]>>s&1 == 1) {
			t.Fatalf("%s: bit %d of h is %v", where, i, net[v])
		}
	}
}

// randomValues returns random feature words [sample][feature]. Some words equal a threshold, to test that the
// comparison is strict.
func randomValues(f *model.Frozen, samples int) [][]uint16 {
	values := make([][]uint16, samples)
	state := uint32(12345)
	for s := range values {
		values[s] = make([]uint16, f.Encoder.Features())
		for i := range values[s] {
			state = state*1664525 + 1013904223
			row := f.Encoder.Thresholds[i]
			values[s][i] = uint16(uint64(state>>8) * uint64(f.Encoder.Max+1) >> 24)
			if state>>7&3 == 0 {
				values[s][i] = row[int(state>>10)%len(row)]
			}
		}
	}
	return values
}

// thermometer returns the input bits as rows of one word.
func thermometer(f *model.Frozen, values [][]uint16) []uint64 {
	x := make([]uint64, f.Inputs())
	for s, v := range values {
		for i := range x {
			feature, j := i/(f.Encoder.Bits-1), i%(f.Encoder.Bits-1)
			if v[feature] > f.Encoder.Thresholds[feature][j] {
				x[i] |= 1 << s
			}
		}
	}
	return x
}

// featureBits returns the feature bus as rows of one word.
func featureBits(f *model.Frozen, values [][]uint16) []uint64 {
	width := f.Encoder.BitsIn
	x := make([]uint64, width*f.Encoder.Features())
	for s, v := range values {
		for i := range x {
			x[i] |= uint64(v[i/width]>>(i%width)&1) << s
		}
	}
	return x
}

// evaluate evaluates one sample in a slow way that follows the definition of each kind of cell.
func evaluate(n *netlist.Netlist, x []uint64, s int) []bool {
	net := make([]bool, n.Nets())
	net[netlist.True] = true
	for i, v := range n.InputPorts()[0].Nets {
		net[v] = x[i]>>s&1 == 1
	}
	for c := range netlist.Cell(n.Cells()) {
		in, param, value := n.Inputs(c), n.Param(c), uint64(0)
		switch n.Kind(c) {
		case netlist.Function:
			value = param >> number(net, in) & 1
		case netlist.Compare:
			if number(net, in) > param {
				value = 1
			}
		case netlist.Popcount:
			for _, v := range in {
				value += number(net, []netlist.Net{v})
			}
		case netlist.Argmax:
			size := uint64(n.ArgmaxWidth(c))
			word := func(i uint64) uint64 { return number(net, in[i*size:][:size]) }
			value = uint64(n.Contender(0))
			for place := range len(in) / int(size) {
				if i := uint64(n.Contender(place)); word(i) > word(value) {
					value = i
				}
			}
			best := value
			for i := range uint64(len(in)) / size {
				if margin := uint64(n.Margin(c)); i != best && margin > 0 && word(best)-word(i) < margin {
					value |= 1 << n.IndexBits(c)
				}
			}
		}
		for k := range n.Outputs(c) {
			net[int(n.Output(c))+k] = value>>k&1 == 1
		}
		if bits.Len64(value) > n.Outputs(c) {
			panic("a cell has too few outputs")
		}
	}
	return net
}

func number(net []bool, nets []netlist.Net) (x uint64) {
	for i, v := range nets {
		if net[v] {
			x |= 1 << i
		}
	}
	return x
}

func TestFreezeRefuses(t *testing.T) {
	deep := netgen.Frozen(1, netgen.FrozenOptions{Width: 1, Classes: 1, Depth: 70_000})
	bad := netgen.Demo()
	bad.Layers[0].Op.Narrow[1] = 16
	for _, tt := range []struct {
		name  string
		f     *model.Frozen
		scope netlist.Scope
		want  string
	}{
		{"invalid", bad, netlist.Core, "freeze: frozen network: layer 0: gate 1: operation 16"},
		{"too deep", deep, netlist.Gates, "freeze: 70000 layers, want at most 65535"},
		{"no such scope", netgen.Demo(), netlist.Full + 1, "freeze: no such scope"},
	} {
		if _, err := freeze.Network(tt.f, tt.scope); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
	one := netgen.Frozen(1, netgen.FrozenOptions{Width: 4, Classes: 1})
	for _, tt := range []struct {
		name   string
		f      *model.Frozen
		scope  netlist.Scope
		margin int
		want   string
	}{
		{"gates", netgen.Demo(), netlist.Gates, 1, "freeze: a margin, but the scope gates has no class counts"},
		{"one class", one, netlist.Core, 1, "freeze: a margin, but a single class has no second count"},
		{"large", netgen.Demo(), netlist.Core, 2, "freeze: a margin of 2, want 1 to 1, the largest class count"},
		{"negative", netgen.Demo(), netlist.Full, -1, "freeze: a margin of -1, want 1 to 1"},
	} {
		if _, err := freeze.WithMargin(tt.f, tt.scope, tt.margin); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("margin, %s: error %v, want %q", tt.name, err, tt.want)
		}
	}
}

func TestScope(t *testing.T) {
	for _, s := range []netlist.Scope{netlist.Gates, netlist.Core, netlist.Full} {
		if got, err := netlist.ParseScope(s.String()); got != s || err != nil {
			t.Errorf("%v parses to %v, error %v", s, got, err)
		}
	}
	if _, err := netlist.ParseScope("Core"); err == nil || !strings.Contains(err.Error(), "gates, core, full") {
		t.Errorf("unknown scope: error %v", err)
	}
	if got := netlist.Scope(9).String(); got != "scope 9" {
		t.Errorf("unknown scope prints %q", got)
	}
}
