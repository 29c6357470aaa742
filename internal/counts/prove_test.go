package counts

import (
	"strings"
	"testing"

	"ialgn/netlist"
)

// adder returns a full adder with three inputs, and a hint that explains why its digits are the sum of the inputs.
func adder() (*netlist.Netlist, *Count) {
	b := netlist.NewBuilder("adder")
	x := b.Input("x", 3, 1, nil)
	digits := []netlist.Net{b.Function(0b10010110, netlist.Origin{}, x...), b.Function(0b11101000, netlist.Origin{}, x...)}
	b.Output("y", 1, nil, digits)
	c := &Count{Digits: digits, Counters: []Counter{{Leaves: x, Out: []Term{term(1, digits[0]), term(2, digits[1])}}}}
	for _, v := range x {
		c.Bits = append(c.Bits, Bit{Nets: []netlist.Net{v}, Table: 0b10})
		c.Counters[0].In = append(c.Counters[0].In, term(1, v))
	}
	return b.Netlist(), c
}

func term(weight uint64, v netlist.Net) Term { return Term{weight, []netlist.Net{v}, 0b10} }

// TestProve proves a full adder, and checks that circuits that are not full adders are not proved.
func TestProve(t *testing.T) {
	n, sound := adder()
	if err := Prove(n, sound); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name  string
		broke func(*Count)
		want  string
	}{
		{"digits exchanged", func(c *Count) { c.Digits[0], c.Digits[1] = c.Digits[1], c.Digits[0] }, ""},
		{"a digit constant", func(c *Count) { c.Digits[1] = netlist.False }, ""},
		{"a bit twice", func(c *Count) { c.Bits[1] = c.Bits[0] }, ""},
		{"a bit inverted", func(c *Count) { c.Bits[1].Table = 0b01 }, ""},
		{"a bit too many", func(c *Count) { c.Bits = append(c.Bits, c.Bits[0]) }, "does not fit 2 digits"},
		{"a bit too few", func(c *Count) { c.Bits = c.Bits[1:] }, ""},
		{"no counter", func(c *Count) { c.Counters = nil }, ""},
		{"a counter that is wrong", func(c *Count) { c.Counters[0].Constant = 1 }, "differ from the sum"},
		{"a leaf too few", func(c *Count) { c.Counters[0].Leaves = c.Counters[0].Leaves[1:] }, "no leaf"},
		{"a weight", func(c *Count) { c.Counters[0].Out[1].Weight = 4 }, "differ from the sum"},
		{"half of a pair", func(c *Count) { i := 1; c.Bits[0].Pair = &i }, "half of a pair"},
	} {
		_, c := adder()
		tt.broke(c)
		if err := Prove(n, c); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", tt.name, err, tt.want)
		}
	}
}

// TestHintCheck refuses hints that fit no netlist.
func TestHintCheck(t *testing.T) {
	n, c := adder()
	if err := (&Hint{Counts: []Count{*c}}).Check(n); err != nil {
		t.Fatal(err)
	}
	for name, broke := range map[string]func(*Hint){
		"digit":    func(h *Hint) { h.Counts[0].Digits[0] = 99 },
		"digits":   func(h *Hint) { h.Counts[0].Digits = make([]netlist.Net, 33) },
		"bit":      func(h *Hint) { h.Counts[0].Bits[0].Nets[0] = 99 },
		"leaf":     func(h *Hint) { h.Counts[0].Counters[0].Leaves[0] = 99 },
		"term":     func(h *Hint) { h.Counts[0].Counters[0].In[0].Nets = make([]netlist.Net, 7) },
		"table":    func(h *Hint) { h.Counts[0].Counters[0].In[0].Table = 1 << 40 },
		"weight":   func(h *Hint) { h.Counts[0].Counters[0].In[0].Weight = 1 << 40 },
		"constant": func(h *Hint) { h.Counts[0].Counters[0].Constant = 1 << 40 },
		"step":     func(h *Hint) { h.Counts[0].Counters[0].Steps = []Counter{{Leaves: []netlist.Net{99}}} },
		"word":     func(h *Hint) { h.Argmaxs = []Index{{Words: [][]netlist.Net{{99}}}} },
		"index":    func(h *Hint) { h.Argmaxs = []Index{{Index: []netlist.Net{99}}} },
	} {
		_, c := adder()
		h := &Hint{Counts: []Count{*c}}
		broke(h)
		if err := h.Check(n); err == nil || !strings.HasSuffix(err.Error(), "compile again") {
			t.Errorf("%s: error %v, want one that says what to do", name, err)
		}
	}
}
