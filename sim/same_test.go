package sim

import (
	"strings"
	"testing"

	"ialgn/netlist"
)

// two returns a netlist with one function of two bits. The given number of registers come before the function. If
// codes is set, the bits are labelled as thermometer bits of one feature.
func two(table uint64, stages int, codes bool) *netlist.Netlist {
	b := netlist.NewBuilder("two")
	var labels []string
	if codes {
		labels = []string{"pixel 3 > 1", "pixel 3 > 2"}
	}
	x := b.Input("x", 2, 1, labels)
	var enable netlist.Net
	if stages > 0 {
		enable = b.Input(netlist.EnablePort, 1, 1, nil)[0]
	}
	h := b.Function(table, netlist.Origin{}, x...)
	for range stages {
		h = b.Cell(netlist.Register, 0, netlist.Origin{}, h, enable)
	}
	b.Output("y", 1, nil, []netlist.Net{h})
	return b.Netlist()
}

func TestSame(t *testing.T) {
	const and, copyB, xor = 0b1000, 0b1100, 0b0110
	other := netlist.NewBuilder("two")
	other.Output("z", 1, nil, other.Input("x", 2, 1, nil)[:1])
	for _, c := range []struct {
		name          string
		before, after *netlist.Netlist
		codes         bool
		want          string
	}{
		{"equal", two(and, 0, false), two(and, 0, false), false, ""},
		{"another function", two(and, 0, false), two(xor, 0, false), false, "y[0] is "},
		{"a pipeline", two(and, 0, false), two(and, 3, false), false, ""},
		{"a pipeline of another function", two(and, 0, false), two(xor, 3, false), false, "y[0] is "},
		{"two pipelines", two(and, 2, false), two(and, 2, false), false, ""},
		{"a stage more", two(and, 2, false), two(and, 3, false), false, "y[0] is "},
		{"equal for codes", two(and, 0, true), two(copyB, 0, true), true, ""},
		{"for codes alone", two(and, 0, true), two(copyB, 0, true), false, "y[0] is "},
		{"unlike for codes", two(and, 0, true), two(xor, 0, true), true, "y[0] is "},
		{"no codes", two(and, 0, false), two(copyB, 0, false), true, "y[0] is "},
		{"other ports", two(and, 0, false), other.Netlist(), false, "no bus y of 1 bits"},
		{"an input more", two(and, 2, false), two(and, 0, false), false, "2 inputs given"},
	} {
		err := Same(t.Context(), c.before, c.after, Random{Words: 40, Codes: c.codes})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}
