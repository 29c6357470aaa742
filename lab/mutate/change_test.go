package main

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ialgn/backend"
	"ialgn/netlist"
	"ialgn/sim"
)

// head returns a design that consists of an argmax. It has three classes of three bits each, and the bits are the
// inputs.
func head() *design {
	b := netlist.NewBuilder("head")
	x := b.Input("x", 9, 1, nil)
	var words []netlist.Net
	for class := range 3 {
		words = append(words, netlist.Word(b.Cell(netlist.Popcount, 0, netlist.Origin{}, x[class*3:][:3]...), 2)...)
	}
	index := netlist.Word(b.Cell(netlist.Argmax, 2, netlist.Origin{}, words...), 2)
	b.Output("class_index", 2, nil, index)
	for class := range 3 {
		b.Probe("count_"+string(rune('0'+class)), words[class*2:][:2])
	}
	d := &design{out: &backend.Output{Netlist: b.Netlist()}}
	d.locate()
	return d
}

// classifyAll returns the classes and counts for all values of the nine input bits.
func classifyAll(t *testing.T, n *netlist.Netlist) *sim.Result {
	t.Helper()
	x := make([]uint64, 9*8)
	for i := range 512 {
		for bit := range 9 {
			x[bit*8+i/64] |= uint64(i>>bit&1) << (i % 64)
		}
	}
	c, err := sim.NewClassifier(n, 1)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Classify(t.Context(), x, 512)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestTieChangesEqualCountsOnly checks a mutant that breaks ties in another way. The mutant must give another class
// only if several classes have the largest count, and this class must be one of these classes.
func TestTieChangesEqualCountsOnly(t *testing.T) {
	d := head()
	want := classifyAll(t, d.out.Netlist)
	for seed := range uint64(20) {
		c := d.tie(rand.New(rand.NewPCG(seed, 1)))
		got := classifyAll(t, c.netlist)
		wrong := d.compare(want, got, func(i int) []uint16 { return []uint16{uint16(i)} })
		if len(wrong) == 0 {
			t.Errorf("%s: nothing differs", c.what)
		}
		for _, w := range wrong {
			i := w.values[0]
			counts := want.Counts[int(i)*3:][:3]
			if counts[want.Class[i]] != slices.Max(counts) || counts[got.Class[i]] != slices.Max(counts) {
				t.Errorf("%s: input %09b has counts %v, class %d", c.what, i, counts, got.Class[i])
			}
		}
	}
}

// TestClassKeepsBits checks a mutant that swaps bits of two classes. The mutant must still count all bits, but must
// count one bit of each of the two classes for the other class.
func TestClassKeepsBits(t *testing.T) {
	d := head()
	for v := range netlist.Net(9) { // the inputs are the outputs of chains
		d.names[2+v] = "c" + string(rune('0'+v/3)) + "_k0_l0"
	}
	want := classifyAll(t, d.out.Netlist)
	for seed := range uint64(20) {
		c := d.class(rand.New(rand.NewPCG(seed, 1)))
		got := classifyAll(t, c.netlist)
		if slices.Equal(got.Counts, want.Counts) {
			t.Errorf("%s: no count differs", c.what)
		}
		for i := range 512 {
			sum := int32(0)
			for class := range 3 {
				sum += got.Counts[i*3+class] - want.Counts[i*3+class]
			}
			if sum != 0 {
				t.Fatalf("%s: input %09b counts %d bits more", c.what, i, sum)
			}
		}
	}
}
