package netlist_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/freeze"
	"ialgn/internal/netgen"
	"ialgn/netlist"
)

func TestWithCounts(t *testing.T) {
	f := netgen.Frozen(4, netgen.FrozenOptions{})
	for _, scope := range []netlist.Scope{netlist.Core, netlist.Full} {
		n, err := freeze.Network(f, scope)
		if err != nil {
			t.Fatal(err)
		}
		with, err := netlist.WithCounts(n, f.Classes)
		if err != nil {
			t.Fatal(err)
		}
		if err := with.Validate(); err != nil {
			t.Fatal(err)
		}
		var want netlist.Port
		want.Name, want.Word = "counts", len(n.Probes()[0].Nets)
		for c, p := range n.Probes() {
			want.Nets = append(want.Nets, p.Nets...)
			want.Labels = append(want.Labels, "count of class "+f.Classes[c])
		}
		if diff := cmp.Diff(slices.Concat(n.OutputPorts(), []netlist.Port{want}), with.OutputPorts()); diff != "" {
			t.Errorf("%v: output ports (-want +got):\n%s", scope, diff)
		}
		if diff := cmp.Diff(n.Probes(), with.Probes()); diff != "" {
			t.Errorf("%v: probes (-want +got):\n%s", scope, diff)
		}
		if len(n.OutputPorts()) != 1 {
			t.Errorf("%v: the netlist without the port was changed", scope)
		}
	}
}

// TestWithCountsOfNone checks that netlists without suitable count probes are refused.
func TestWithCountsOfNone(t *testing.T) {
	f := netgen.Frozen(4, netgen.FrozenOptions{})
	gates, err := freeze.Network(f, netlist.Gates)
	if err != nil {
		t.Fatal(err)
	}
	b := netlist.NewBuilder("uneven")
	x := b.Input("x", 3, 1, nil)
	b.Probe("count_0", x[:2])
	b.Probe("count_1", x[2:])
	b.Output("y", 1, nil, x)
	for _, c := range []struct {
		n    *netlist.Netlist
		want string
	}{
		{gates, "use the scope core or full"},
		{b.Netlist(), "count_1 has 1 bits, count_0 has 2"},
	} {
		if _, err := netlist.WithCounts(c.n, f.Classes[:2]); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.n.Name, err, c.want)
		}
	}
}
