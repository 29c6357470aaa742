package netlist_test

import (
	"fmt"
	"strings"
	"testing"

	"ialgn/compiler/pipeline"
	"ialgn/internal/netgen"
	"ialgn/netlist"
	"ialgn/netlist/freeze"
)

// TestWithTag has a tag through netlists without registers and with some: it takes as many registers as the pipeline
// has stages, and leaves all other cells as they are.
func TestWithTag(t *testing.T) {
	for _, stages := range []int{0, 1, 3} {
		n, err := freeze.Network(netgen.Frozen(4, netgen.FrozenOptions{}), netlist.Full)
		if err != nil {
			t.Fatal(err)
		}
		if stages > 0 {
			if n, _, err = pipeline.Insert(n, pipeline.Options{Stages: stages}); err != nil {
				t.Fatal(err)
			}
		}
		for _, bits := range []int{1, 7, netlist.MaxTag} {
			t.Run(fmt.Sprintf("stages=%d/bits=%d", stages, bits), func(t *testing.T) {
				with, to, err := netlist.WithTag(n, bits)
				if err != nil {
					t.Fatal(err)
				}
				if err := with.Validate(); err != nil {
					t.Fatal(err)
				}
				if got, want := with.Cells(), n.Cells()+bits*stages; got != want {
					t.Errorf("%d cells, want %d", got, want)
				}
				for i, v := range n.OutputPorts()[0].Nets {
					if got := with.OutputPorts()[0].Nets[i]; got != to(v) {
						t.Errorf("bit %d of the class is net %d, want %d", i, got, to(v))
					}
				}
				checkTag(t, with, bits, stages)
				if _, _, err := netlist.WithTag(with, bits); err == nil {
					t.Error("a second tag is taken")
				}
			})
		}
		if same, _, err := netlist.WithTag(n, 0); err != nil || same != n {
			t.Errorf("no tag: another netlist (%v)", err)
		}
		for _, bits := range []int{-1, netlist.MaxTag + 1} {
			if _, _, err := netlist.WithTag(n, bits); err == nil || !strings.Contains(err.Error(), "give 1 to 64") {
				t.Errorf("%d bits: %v", bits, err)
			}
		}
	}
}

// checkTag follows the last output port back to the last input port, a register a stage.
func checkTag(t *testing.T, n *netlist.Netlist, bits, stages int) {
	t.Helper()
	p, err := n.Pipeline()
	if err != nil || p != nil && p.Stages != stages {
		t.Fatalf("%+v (%v), want %d stages", p, err, stages)
	}
	inputs, outputs := n.DataInputs(), n.OutputPorts()
	in, out := inputs[len(inputs)-1], outputs[len(outputs)-1]
	if in.Name != "in_tag" || out.Name != "out_tag" || len(in.Nets) != bits || len(out.Nets) != bits {
		t.Fatalf("ports %s of %d bits and %s of %d", in.Name, len(in.Nets), out.Name, len(out.Nets))
	}
	for i, v := range out.Nets {
		for range stages {
			c, _, ok := n.Driver(v)
			if !ok || n.Kind(c) != netlist.Register {
				t.Fatalf("bit %d: net %d is no register's", i, v)
			}
			v = n.Inputs(c)[0]
		}
		if v != in.Nets[i] {
			t.Errorf("bit %d comes from net %d, want %d", i, v, in.Nets[i])
		}
	}
}
