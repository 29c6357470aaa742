package handover

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/netlist"
)

// TestClasses checks that a constant is named after its class if possible, and is never named after another class.
func TestClasses(t *testing.T) {
	b := netlist.NewBuilder("n")
	b.Output(netlist.ClassPort, 1, nil, b.Input("x", 1, 1, nil))
	for _, c := range []struct{ labels, want []string }{
		{[]string{"normal", "inner race"}, []string{"normal", "inner_race"}},
		{[]string{"-1", "1"}, []string{"minus_1", "1"}},
		{[]string{"-0.5", "0.5"}, []string{"minus_0_5", "0_5"}},
		{[]string{"+", "0"}, []string{"0_0", "0"}},
		{[]string{"a b", "a_b", "A_B"}, []string{"a_b_0", "a_b", "A_B_2"}},
		{[]string{"日本", "中国"}, []string{"0", "1"}},
	} {
		var got []string
		d := design{Options: Options{Classes: c.labels}}
		for i, have := range d.classes(b.Netlist()) {
			got = append(got, have.name[len("CLASS_"):])
			if have.label != c.labels[i] {
				t.Errorf("%q: constant %d is of %q", c.labels, i, have.label)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.labels, diff)
		}
	}
}
