package head

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/counts"
	"ialgn/internal/testkit"
	"ialgn/netlist"
)

// classes returns a netlist with 30 inputs, gates, two popcounts of 40 bits, and the argmax of the two counts. Some
// counted bits are constant, equal or complementary.
func classes() *netlist.Netlist {
	r := rand.New(rand.NewPCG(3, 3))
	b := netlist.NewBuilder("classes")
	x := b.Input("x", 30, 1, nil)
	var counts []netlist.Net
	for class := range 2 {
		bits := []netlist.Net{netlist.True, x[0], b.Function(0b01, netlist.Origin{}, x[0]), x[1], x[1], x[1]}
		for len(bits) < 40 {
			bits = append(bits, b.Function(0b1000, netlist.Origin{}, x[2+r.IntN(28)], x[2+r.IntN(28)]))
		}
		slices.Sort(bits)
		count := netlist.Word(b.Cell(netlist.Popcount, 0, netlist.Origin{}, bits...), 6)
		b.Probe(fmt.Sprintf("count_%d", class), count)
		counts = append(counts, count...)
	}
	b.Output("class_index", 1, nil, netlist.Word(b.Cell(netlist.Argmax, 6, netlist.Origin{}, counts...), 1))
	return b.Netlist()
}

// changed returns n with cell i changed by f.
func changed(n *netlist.Netlist, i netlist.Cell, f func(param uint64, in []netlist.Net) uint64) *netlist.Netlist {
	k := netlist.NewCopier(n)
	for c := range netlist.Cell(n.Cells()) {
		if c != i {
			k.Copy(c)
			continue
		}
		in := slices.Clone(k.Inputs(c))
		param := f(n.Param(c), in)
		k.Set(n.Output(c), k.Cell(n.Kind(c), param, n.Origin(c), in...))
	}
	return k.Finish()
}

// TestCheckFaults breaks every cell between the counted bits and the counts of a lowered netlist. Each fault changes
// one value of the cell's function, and must cause an error. By default, the test changes only a third of the values
// for each option.
func TestCheckFaults(t *testing.T) {
	n := classes()
	for at, o := range faultOptions {
		got, hint := lower(t, n, o)
		counting := between(got, hint)
		if len(counting) < 60 {
			t.Fatalf("only %d cells count", len(counting))
		}
		for _, i := range counting {
			for bit := range 1 << len(got.Inputs(i)) {
				if (int(i)+bit)%len(faultOptions) != at && !testkit.Whole() {
					continue
				}
				bad := changed(got, i, func(param uint64, _ []netlist.Net) uint64 { return param ^ 1<<bit })
				if prove(n, bad, hint) == nil {
					t.Errorf("%s: cell %d with bit %d of its table inverted is proved", o.name(), i, bit)
				}
			}
		}
	}
}

// faultOptions lists options with which each output of a counter takes one cell. If an output takes several cells,
// changes of some values have no effect.
var faultOptions = []Options{{K: 6}, {K: 4}, {K: 6, Absorb: true}}

// between returns the function cells between the counted bits and the counts.
func between(n *netlist.Netlist, h *counts.Hint) []netlist.Cell {
	counted := map[netlist.Net]bool{}
	for _, c := range h.Counts {
		for _, b := range c.Bits {
			for _, v := range b.Nets {
				counted[v] = true
			}
		}
	}
	var cells []netlist.Cell
	seen := map[netlist.Net]bool{}
	var walk func(v netlist.Net)
	walk = func(v netlist.Net) {
		c, _, ok := n.Driver(v)
		if !ok || seen[v] || counted[v] {
			return
		}
		seen[v] = true
		if n.Kind(c) == netlist.Function {
			cells = append(cells, c)
		}
		for _, w := range n.Inputs(c) {
			walk(w)
		}
	}
	for _, c := range h.Counts {
		for _, v := range c.Digits {
			walk(v)
		}
	}
	return cells
}

// TestCheckWires connects an input of a counter to another net.
func TestCheckWires(t *testing.T) {
	n := classes()
	got, hint := lower(t, n, Options{K: 6})
	for _, i := range between(got, hint) {
		for pin := range got.Inputs(i) {
			bad := changed(got, i, func(param uint64, in []netlist.Net) uint64 {
				if in[pin]--; in[pin] < 2 || slices.Contains(in[:pin], in[pin]) || slices.Contains(in[pin+1:], in[pin]) {
					in[pin] = 2
				}
				return param
			})
			if same := slices.Equal(bad.Inputs(i), got.Inputs(i)); !same && prove(n, bad, hint) == nil {
				t.Errorf("cell %d with another net at input %d is proved", i, pin)
			}
		}
	}
}

// TestCheckHint breaks the hint.
func TestCheckHint(t *testing.T) {
	n := classes()
	got, good := lower(t, n, Options{K: 6})
	for name, broke := range map[string]func(h *counts.Hint){
		"a counter too few": func(h *counts.Hint) { h.Counts[0].Counters = h.Counts[0].Counters[1:] },
		"a counter twice": func(h *counts.Hint) {
			c := &h.Counts[0]
			c.Counters = append(c.Counters,
				c.Counters[0])
		},
		"an input too few": func(h *counts.Hint) { c := &h.Counts[1].Counters[0]; c.In = c.In[1:] },
		"a constant more":  func(h *counts.Hint) { h.Counts[1].Counters[0].Constant++ },
		"counts exchanged": func(h *counts.Hint) {
			h.Counts[0].Digits, h.Counts[1].Digits = h.Counts[1].Digits,
				h.Counts[0].Digits
		},
		"a bit inverted":              func(h *counts.Hint) { h.Counts[0].Bits[20].Table = tableNot },
		"a bit too few":               func(h *counts.Hint) { h.Counts[0].Bits = h.Counts[0].Bits[1:] },
		"a net that does not exist":   func(h *counts.Hint) { h.Counts[0].Bits[20].Nets[0] = 1 << 20 },
		"a digit that does not exist": func(h *counts.Hint) { h.Counts[0].Digits[0] = 1 << 20 },
		"a leaf that does not exist":  func(h *counts.Hint) { h.Counts[0].Counters[0].Leaves[0] = 1 << 20 },
		"a leaf twice":                func(h *counts.Hint) { l := h.Counts[0].Counters[0].Leaves; l[0] = l[1] },
		"a digit a constant":          func(h *counts.Hint) { h.Counts[0].Digits[5] = netlist.False },
		"half of a pair":              func(h *counts.Hint) { h.Counts[0].Bits[20] = counts.Bit{Pair: new(int)} },
		"a pair of strangers": func(h *counts.Hint) {
			p := []int{20, 21}
			b := h.Counts[0].Bits
			b[20], b[21] = counts.Bit{Pair: &p[1]}, counts.Bit{Pair: &p[0]}
		},
		"a bit with itself": func(h *counts.Hint) { p := 20; h.Counts[0].Bits[20] = counts.Bit{Pair: &p} },
		"more leaves than can be tried": func(h *counts.Hint) {
			c := &h.Counts[0].Counters[0]
			for v := netlist.Net(2); len(c.Leaves) <= counts.MaxLeaves; v++ {
				c.Leaves = counts.Leaves(append(c.Leaves, v))
			}
		},
	} {
		bad := good.Map(func(v netlist.Net) netlist.Net { return v })
		broke(bad)
		if prove(n, got, bad) == nil {
			t.Errorf("%s: proved", name)
		}
	}
	if err := prove(n, got, good); err != nil {
		t.Errorf("Map does not copy: %v", err)
	}
}

// TestHintJSON writes a hint and reads it back.
func TestHintJSON(t *testing.T) {
	n := classes()
	got, hint := lower(t, n, Options{K: 6})
	text, err := json.Marshal(hint)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	back := &counts.Hint{}
	if err := d.Decode(back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(hint, back); diff != "" {
		t.Errorf("-written +read:\n%s", diff)
	}
	if err := prove(n, got, back); err != nil {
		t.Error(err)
	}
	if !strings.Contains(string(text), `"popcount"`) {
		t.Errorf("no popcount in %.100s", text)
	}
}

// TestFold counts bits that are constant, equal or complementary. The lowered netlist may have cells only for the
// part of the sum that is not known in advance.
func TestFold(t *testing.T) {
	b := netlist.NewBuilder("fold")
	x := b.Input("x", 4, 1, nil)
	not := func(v netlist.Net) netlist.Net { return b.Function(tableNot, netlist.Origin{}, v) }
	and := b.Function(0b1000, netlist.Origin{}, x[2], x[3])
	nand := b.Function(0b0111, netlist.Origin{}, x[3], x[2])
	in := []netlist.Net{
		netlist.True, netlist.False, netlist.True, // 2
		x[0], not(x[0]), x[0], // 1 + x[0]
		not(not(x[1])), x[1], x[1], x[1], // 4 x[1]
		and, nand, and, and, // 1 + 2 and
	}
	b.Output("count", 4, nil, netlist.Word(b.Cell(netlist.Popcount, 0, netlist.Origin{}, in...), 4))
	n := b.Netlist()
	f := newFolding(n, &Options{K: 6}).fold(netlist.Cell(n.Cells() - 1))
	if f.constant != 4 || len(f.bits[0]) != 1 || len(f.bits[1]) != 1 || len(f.bits[2]) != 1 {
		t.Errorf("constant %d, bits %v", f.constant, f.bits[:4])
	}
	got, _ := lower(t, n, Options{K: 6})
	if luts := got.Cells(); luts > 3 { // one LUT for and; the sum 4 + x[0] + 2 and + 4 x[1] only needs an inverter
		t.Errorf("%d LUTs, want at most 3", luts)
	}
}
