package main

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ialgn/backend"
	"ialgn/netlist"
	"ialgn/sim"
)

// head returns a design of three classes of three bits each, and its argmax.
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
	d.flat = d.out.Netlist
	d.locate()
	return d
}

// everything returns outputs and probes for all values of nine input bits.
func everything(t *testing.T, n *netlist.Netlist) []uint64 {
	t.Helper()
	x := make([]uint64, 9*8)
	for i := range 512 {
		for bit := range 9 {
			x[bit*8+i/64] |= uint64(i>>bit&1) << (i % 64)
		}
	}
	s, err := sim.NewBlock(n, 8)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Run(8, x); err != nil {
		t.Fatal(err)
	}
	var rows []uint64
	for _, v := range buses(n) {
		rows = append(rows, s.Net(v)...)
	}
	return rows
}

// TestTie holds that a mutant of the rule for equal counts is wrong where counts are equal,
// and nowhere else, and takes one of the largest there, too.
func TestTie(t *testing.T) {
	d := head()
	want := everything(t, d.flat)
	for seed := range uint64(20) {
		c := d.tie(rand.New(rand.NewPCG(seed, 1)))
		if c == nil {
			continue // a class with itself
		}
		got := everything(t, c.netlist)
		wrong := differing(want, got, 0, 2, 512)
		if len(wrong) == 0 {
			t.Errorf("%s: nothing differs", c.what)
		}
		for _, i := range wrong {
			counts := d.counts(want, i, 8)
			class := int(got[i/64]>>(i%64)&1 | got[8+i/64]>>(i%64)&1<<1)
			largest := slices.Max(counts)
			slices.Sort(counts)
			if counts[2] != counts[1] || d.counts(want, i, 8)[class] != largest {
				t.Errorf("%s: input %09b has counts %v, class %d", c.what, i, d.counts(want, i, 8), class)
			}
		}
	}
}

// TestClassGroup holds that a swap keeps all bits counted, and counts one of them elsewhere.
func TestClassGroup(t *testing.T) {
	d := head()
	want := everything(t, d.flat)
	for seed := range uint64(20) {
		c := d.classGroup(rand.New(rand.NewPCG(seed, 1)))
		got := everything(t, c.netlist)
		if len(differing(want, got, 2, 8, 512)) == 0 {
			t.Errorf("%s: no count differs", c.what)
		}
		if !strings.Contains(c.what, "way round") {
			continue
		}
		for i := range 512 {
			sum := 0
			for class, n := range d.counts(got, i, 8) {
				sum += n - d.counts(want, i, 8)[class]
			}
			if sum != 0 {
				t.Fatalf("%s: input %09b counts %d bits more", c.what, i, sum)
			}
		}
	}
}

// TestEqualEntries finds the entries in which digits in pairs are equal.
func TestEqualEntries(t *testing.T) {
	d := &design{names: []string{
		"", "", "count_1_b0", "count_2_b0", "count_1_b1", "count_2_b1", "class_index_n0",
		"count_3[1]",
	}}
	for _, c := range []struct {
		in   []netlist.Net
		want uint64
	}{
		{[]netlist.Net{2, 3}, 0b1001},
		{[]netlist.Net{2, 4, 3, 5}, 1<<0 | 1<<5 | 1<<10 | 1<<15},
		{[]netlist.Net{2, 5}, 0},       // digits of different weight
		{[]netlist.Net{2, 3, 4, 7}, 0}, // of three counts
		{[]netlist.Net{2, 6}, 0},
		{[]netlist.Net{2, 3, 4}, 0},
		{nil, 0},
	} {
		if got := d.equalEntries(c.in); got != c.want {
			t.Errorf("%v: %#x, want %#x", c.in, got, c.want)
		}
	}
}

// TestShuffle complements an input of a table, and leaves one out.
func TestShuffle(t *testing.T) {
	const and = 0b1000
	if got := shuffle(and, 2, func(i int) int { return i ^ 1 }); got != 0b0100 {
		t.Errorf("a complemented input: %#b", got)
	}
	if got := shuffle(and, 2, func(i int) int { return i | 2 }); got != 0b1010 {
		t.Errorf("an input that is 1: %#b", got)
	}
}

// TestTextEdits holds that an edit of text changes what it says and nothing else.
func TestTextEdits(t *testing.T) {
	text := "  assign c0_k1_l1 = a & ~b;\n  assign count_0_b1 = c0_k1_l1 ^\n      d;\n"
	for seed := range uint64(30) {
		c := editOperator(rand.New(rand.NewPCG(seed, 1)), text, regexp.MustCompile("^count_"))
		if c == nil || !strings.HasPrefix(c.text, "  assign c0_k1_l1 = a & ~b;\n  assign count_0_b1 = ") || c.text == text {
			t.Fatalf("%+v", c)
		}
	}
	if c := replaceAt("abc", 1, 2, "b", "here"); c != nil {
		t.Errorf("a change of nothing: %+v", c)
	}
}
