package trainer

import (
	"fmt"
	"slices"
	"testing"

	"ialgn/internal/model"
	"ialgn/internal/netgen"
)

// initial returns an untrained network of 6 layers of 120 gates, for 3 classes and 60 input bits.
func initial(t *testing.T, sets ...string) *model.Model {
	t.Helper()
	cfg := parse(t, append([]string{"model.width=120", "model.depth=6"}, sets...)...)
	enc := netgen.Encoder(20, 4, 8)
	m := Initial(cfg, &enc, []string{"a", "b", "c"}, 3)
	if err := m.Validate(); err != nil {
		t.Fatal(err)
	}
	return m
}

// wiresOf returns the wires of a pin, gate by gate.
func wiresOf(p *model.Pin) []int {
	var all []int
	for i := range p.Wires.Len() {
		all = append(all, int(p.Wires.At(i)))
	}
	return all
}

// uses returns how often each of n sources occurs.
func uses(n int, pins ...*model.Pin) []int {
	count := make([]int, n)
	for _, p := range pins {
		for _, w := range wiresOf(p) {
			count[w]++
		}
	}
	return count
}

func TestLayout(t *testing.T) {
	for _, c := range []struct {
		sets []string
		want string // for each section: layers, pins A and B
	}{
		{nil, "[1 input 8 input 8] [5 spine 1 input 8]"},
		{[]string{"model.first_pin=fixed", "model.depth=3"}, "[1 input 1 input 8] [2 spine 1 input 8]"},
		{[]string{"model.depth=1"}, "[1 input 8 input 8]"},
		{[]string{"model.hidden=4", "model.depth=3"}, "[1 input 8 input 8] [1 previous 4 input 8] [1 previous 4 input 8]"},
		{
			[]string{"model.topology=rwlgn", "model.depth=3"},
			"[1 input 1 input 1] [1 previous 1 previous 1] [1 previous 1 previous 1]",
		},
		{[]string{"model.topology=rwlgn-spine", "model.depth=2"}, "[1 input 1 input 1] [1 spine 1 previous 1]"},
	} {
		got := ""
		for _, s := range initial(t, c.sets...).Sections {
			got += fmt.Sprint([]any{s.Layers, s.Pins[0].Source, s.Pins[0].K, s.Pins[1].Source, s.Pins[1].K}) + " "
		}
		if got != c.want+" " {
			t.Errorf("%v: %s, want %s", c.sets, got, c.want)
		}
	}
}

// TestCandidates checks that the hidden candidates of a gate differ. It also counts the gates that have, as a
// candidate, the gate with the same index in the previous layer. Such a candidate must not occur more often than
// other candidates. With 600 gates and 5 candidates out of 120, it occurs 25 times on average.
func TestCandidates(t *testing.T) {
	m := initial(t, "model.hidden=5")
	own := 0
	for _, s := range m.Sections[1:] {
		for i := range m.Width {
			row := wiresOf(&s.Pins[0])[i*5:][:5]
			if slices.Contains(row, i) {
				own++
			}
			slices.Sort(row)
			if len(slices.Compact(row)) != 5 {
				t.Fatalf("gate %d: candidates occur twice", i)
			}
		}
	}
	if own < 8 || own > 50 {
		t.Errorf("%d gates of 600 have their own index among 5 candidates of 120", own)
	}
}

// TestRandomWires checks that both pins are drawn from all sources, independently and with replacement.
func TestRandomWires(t *testing.T) {
	m := initial(t, "model.topology=rwlgn")
	both, least, most := 0, 1<<30, 0
	for l, s := range m.Sections {
		n := m.Width
		if l == 0 {
			n = m.Encoder.Inputs()
		}
		a, b := wiresOf(&s.Pins[0]), wiresOf(&s.Pins[1])
		for i := range a {
			if a[i] == b[i] {
				both++
			}
		}
		count := uses(n, &s.Pins[0], &s.Pins[1])
		least, most = min(least, slices.Min(count)), max(most, slices.Max(count))
		if slices.Equal(a, b) {
			t.Errorf("layer %d: both pins have the same wires", l)
		}
	}
	if both < 1 || both > 25 { // 2 + 5 on average
		t.Errorf("%d of 720 gates have the same wire twice", both)
	}
	if least > 0 || most < 5 {
		t.Errorf("sources are used %d to %d times: that is not with replacement", least, most)
	}
}

// agreeing returns the number of indices at which two lists hold the same wire, or 0 if a list is empty.
func agreeing(a, b []int) int {
	n := 0
	for i := range min(len(a), len(b)) {
		if a[i] == b[i] {
			n++
		}
	}
	return n
}

// TestBalancedWires checks that the numbers of uses of any two sources of a layer differ by at most one. It also
// checks that pins and layers are drawn independently.
func TestBalancedWires(t *testing.T) {
	for topology, want := range map[string]int{"rwlgn": 2, "rwlgn-spine": 1, "rwlgn-classwise": 2} {
		m := initial(t, "model.topology="+topology, "model.wiring=balanced", "model.width=117")
		for l, s := range m.Sections {
			n, low, high := m.Width, want, want
			if l == 0 { // 234 wires on 60 input bits
				n, low, high = m.Encoder.Inputs(), 3, 4
			}
			if count := uses(n, &s.Pins[0], &s.Pins[1]); slices.Min(count) != low || slices.Max(count) != high {
				t.Errorf("%s: layer %d: sources are used %v", topology, l, count)
			}
			if same := agreeing(wiresOf(&s.Pins[0]), wiresOf(&s.Pins[1])); same > 15 { // 1 or 2 on average
				t.Errorf("%s: layer %d: both pins of %d gates of 117 have the same wire", topology, l, same)
			}
			if l > 1 && slices.Equal(wiresOf(&s.Pins[1]), wiresOf(&m.Sections[l-1].Pins[1])) {
				t.Errorf("%s: layers %d and %d have the same wires", topology, l-1, l)
			}
		}
	}
}

// TestClasswiseWires checks that hidden wires stay within a class and reach all nodes of the class.
func TestClasswiseWires(t *testing.T) {
	for _, wiring := range []string{"random", "balanced"} {
		m := initial(t, "model.topology=rwlgn-classwise", "model.wiring="+wiring)
		inputs := uses(m.Encoder.Inputs(), &m.Sections[0].Pins[0], &m.Sections[0].Pins[1])
		if slices.Contains(inputs, 0) && wiring == "balanced" {
			t.Errorf("%s: an input bit is not used", wiring)
		}
		for _, s := range m.Sections[1:] {
			for _, p := range []*model.Pin{&s.Pins[0], &s.Pins[1]} {
				for i, w := range wiresOf(p) {
					if w/40 != i/40 {
						t.Fatalf("%s: gate %d of class %d reads gate %d of class %d", wiring, i, i/40, w, w/40)
					}
				}
			}
		}
	}
}

func TestSkipLogits(t *testing.T) {
	for _, c := range []struct {
		set  string
		want []float32
	}{
		{"model.parametrization=softmax16", []float32{0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
		{"model.parametrization=light", []float32{-5, -5, 5, 5}},
	} {
		m := initial(t, c.set, "model.skip_logit=5", "model.init_noise=0")
		for i, s := range m.Sections {
			for at := range slices.Chunk(s.Ops, len(c.want)) {
				if !slices.Equal(at, c.want) {
					t.Fatalf("%s: section %d: logits %v", c.set, i, at)
				}
			}
		}
		for _, l := range m.Freeze().Layers {
			if slices.ContainsFunc(l.Op.Narrow, func(op uint8) bool { return uint64(op) != model.PinTable(2, 0) }) {
				t.Errorf("%s: operations %v, want A everywhere", c.set, l.Op)
			}
		}
	}
}

// TestTableLogits checks the initial logits of nodes that do not have two pins. The logit of a line of the table
// grows with the share of passed-on pins that are 1 in the line, and does not depend on the other pins. Pin A is the
// highest bit of a line's number. The logits of the first layer are 0.
func TestTableLogits(t *testing.T) {
	skip := []string{"model.skip_logit=6", "model.init_noise=0", "model.depth=2", "model.inputs=3"}
	for _, c := range []struct {
		sets        []string
		first, last []float32
	}{
		{nil, make([]float32, 8), []float32{-6, -6, -6, -6, 6, 6, 6, 6}},
		{
			[]string{"model.topology=tree", "model.leaves=2"},
			make([]float32, 8),
			[]float32{-6, -6, 0, 0, 0, 0, 6, 6},
		},
		{
			[]string{"model.topology=layered", "model.widths=140,120"},
			make([]float32, 8),
			[]float32{-6, -2, -2, 2, -2, 2, 2, 6},
		},
	} {
		m := initial(t, append(slices.Clone(skip), c.sets...)...)
		for i, want := range [][]float32{c.first, c.last} {
			for at := range slices.Chunk(m.Sections[i].Ops, len(want)) {
				if !slices.Equal(at, want) {
					t.Fatalf("%v: section %d: logits %v, want %v", c.sets, i, at, want)
				}
			}
		}
	}
}

// TestNodeWires checks the wires of trees and layers. Each leaf is read once, by its own root. Balanced wires read
// each node equally often. A pin with candidates has distinct candidates in the previous layer.
func TestNodeWires(t *testing.T) {
	m := initial(t, "model.topology=tree", "model.inputs=4", "model.leaves=3", "model.depth=2")
	for node := range m.Sections[1].Width {
		for k := range 3 {
			if got := m.Sections[1].Pins[k].Wires.At(node); int(got) != 3*node+k {
				t.Fatalf("root %d, pin %d reads leaf %d, want %d", node, k, got, 3*node+k)
			}
		}
	}
	m = initial(t, "model.topology=layered", "model.depth=2", "model.inputs=4", "model.widths=160,120", "model.wiring=balanced")
	uses := make([]int, 160)
	for k := range 4 {
		for node := range 120 {
			uses[m.Sections[1].Pins[k].Wires.At(node)]++
		}
	}
	if slices.ContainsFunc(uses, func(n int) bool { return n != 3 }) {
		t.Errorf("480 balanced wires read 160 nodes %v times, want 3 times each", uses)
	}
	m = initial(t, "model.topology=layered", "model.depth=2", "model.inputs=3", "model.widths=160,120", "model.hidden=5")
	for k := range 3 {
		p := &m.Sections[1].Pins[k]
		for node := range 120 {
			seen := map[uint32]bool{}
			for j := range p.K {
				seen[p.Wires.At(node*p.K+j)] = true
			}
			if p.K != 5 || len(seen) != 5 || p.Wires.Max() >= 160 {
				t.Fatalf("node %d, pin %d: candidates %v of %d", node, k, seen, p.Wires.Max())
			}
		}
	}
}
