package explain

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/freeze"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/netlist"
)

// slowReads counts the reads of a frozen network gate by gate. The reads for a class are those by all nodes on which
// the votes for the class depend. A node that reads several bits of a feature counts as one read of the feature.
func slowReads(f *model.Frozen) *Reads {
	r := &Reads{All: make([]int, f.Encoder.Features())}
	group, all := f.Width/len(f.Classes), map[key]bool{}
	for c := range f.Classes {
		r.ByClass = append(r.ByClass, make([]int, f.Encoder.Features()))
		seen := map[key]bool{}
		var follow func(k key)
		follow = func(k key) {
			if seen[k] {
				return
			}
			seen[k] = true
			layer, features := &f.Layers[k.layer], map[int]bool{}
			for i, p := range layer.Pins {
				// If two pins have the same source, the node may not depend on the second pin (see Effective).
				if !matters(layer, k.node, i) {
					continue
				}
				if p.Source == model.Previous {
					follow(key{k.layer - 1, int(p.Index[k.node])})
				} else {
					features[int(p.Index[k.node])/(f.Encoder.Bits-1)] = true
				}
			}
			for feature := range features {
				r.ByClass[c][feature]++
				if !all[k] {
					r.All[feature]++
				}
			}
			all[k] = true
		}
		for i := c * group; i < (c+1)*group; i++ {
			follow(key{f.Depth() - 1, i})
		}
	}
	return r
}

// matters reports whether a node depends on a pin. It tries all values of all pins.
func matters(layer *model.FrozenLayer, node, pin int) bool {
	type source struct {
		from  model.Source
		index uint32
	}
	of := func(i int) source { return source{layer.Pins[i].Source, layer.Pins[i].Index[node]} }
	lines := 1 << len(layer.Pins)
	value := func(values int, flipped bool) uint64 {
		line := 0
		for i := range layer.Pins {
			bit := values >> i & 1
			for j := range i { // pins with the same source have the same value
				if of(j) == of(i) {
					bit = values >> j & 1
					break
				}
			}
			if flipped && of(i) == of(pin) {
				bit ^= 1
			}
			line = line<<1 | bit
		}
		return layer.Op.At(node) >> (lines - 1 - line) & 1
	}
	for values := range lines {
		if value(values, false) != value(values, true) {
			return true
		}
	}
	return false
}

// TestReads compares the counts with slowReads in every scope, for every form of network.
func TestReads(t *testing.T) {
	for _, form := range netgen.Forms() {
		f := form.Model().Freeze()
		want := slowReads(f)
		for _, scope := range []netlist.Scope{netlist.Gates, netlist.Core, netlist.Full} {
			n, err := freeze.Network(f, scope)
			if err != nil {
				t.Fatal(err)
			}
			got, err := ReadsOf(n, &f.Encoder, len(f.Classes))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, scope %v (-want +got):\n%s", form.Name, scope, diff)
			}
			if n := Features(got.All); n == 0 || n > f.Encoder.Features() {
				t.Errorf("%s: %d features are read, want 1 or more and not more than the encoder has", form.Name, n)
			}
		}
	}
}

// TestCountedBits checks that an input bit that a class counts directly is a single read by this class, even if
// several adders read the bit.
func TestCountedBits(t *testing.T) {
	b := netlist.NewBuilder("counted")
	x := b.Input("x", 4, 1, []string{"a > 1", "b > 1", "c > 1", "d > 1"})
	gate := b.Function(0x8, netlist.Origin{Layer: 1}, x[2], x[3])
	// These look-up tables compute the sum and the carry of b, c and the gate.
	sum := b.Function(0x96, netlist.Origin{}, x[1], x[2], gate)
	carry := b.Function(0xe8, netlist.Origin{}, x[1], x[2], gate)
	b.Classes([]uint16{0, 1, 1, 1})
	b.Probe("count_0", []netlist.Net{x[0]})
	b.Probe("count_1", []netlist.Net{sum, carry})
	b.Output("class_index", 1, []string{"class"}, []netlist.Net{carry})
	n := b.Netlist()
	enc := netgen.Encoder(4, 2, 8)
	got, err := ReadsOf(n, &enc, 2)
	if err != nil {
		t.Fatal(err)
	}
	want := &Reads{All: []int{1, 1, 2, 1}, ByClass: [][]int{{1, 0, 0, 0}, {0, 1, 2, 1}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if _, err := ReadsOf(n, &enc, 3); err == nil || !strings.Contains(err.Error(), "counts of 3 classes") {
		t.Errorf("three classes: error %v", err)
	}
	enc = netgen.Encoder(3, 2, 8)
	if _, err := ReadsOf(n, &enc, 2); err == nil || !strings.Contains(err.Error(), "match 3 features") {
		t.Errorf("three features: error %v", err)
	}
}
