package netlist

import (
	"fmt"
	"strings"
	"testing"
)

// staged builds a netlist with the given number of registers between its gate and its output port.
func staged(stages int) *Netlist {
	return clocked(func(b *Builder, x []Net, ce Net) {
		v := b.Function(8, none, x[0], x[1])
		for range stages {
			v = b.Cell(Register, 0, none, v, ce)
		}
		b.Output("y", 1, nil, []Net{v})
	})
}

// TestWithTag adds a tag to netlists with and without registers. The tag passes through one register for each
// pipeline stage, and all other cells stay as they are.
func TestWithTag(t *testing.T) {
	for _, stages := range []int{0, 1, 3} {
		n := staged(stages)
		for _, bits := range []int{1, 7, MaxTag} {
			t.Run(fmt.Sprintf("stages=%d/bits=%d", stages, bits), func(t *testing.T) {
				with, to, err := WithTag(n, bits)
				if err != nil {
					t.Fatal(err)
				}
				if err := with.Validate(); err != nil {
					t.Fatal(err)
				}
				if got, want := with.Cells(), n.Cells()+bits*stages; got != want {
					t.Errorf("%d cells, want %d", got, want)
				}
				if got, want := with.OutputPorts()[0].Nets[0], to(n.OutputPorts()[0].Nets[0]); got != want {
					t.Errorf("the first output is net %d, want %d", got, want)
				}
				checkTag(t, with, bits, stages)
				if _, _, err := WithTag(with, bits); err == nil {
					t.Error("a second tag is taken")
				}
			})
		}
		if same, _, err := WithTag(n, 0); err != nil || same != n {
			t.Errorf("no tag: another netlist (%v)", err)
		}
		for _, bits := range []int{-1, MaxTag + 1} {
			if _, _, err := WithTag(n, bits); err == nil || !strings.Contains(err.Error(), "give 1 to 64") {
				t.Errorf("%d bits: %v", bits, err)
			}
		}
	}
}

// checkTag follows the last output port back to the last input port and expects one register for each stage.
func checkTag(t *testing.T, n *Netlist, bits, stages int) {
	t.Helper()
	if p, err := n.Pipeline(); err != nil || p != nil && p.Stages != stages {
		t.Fatalf("%+v (%v), want %d stages", p, err, stages)
	}
	inputs, outputs := n.InputPorts(), n.OutputPorts()
	in, out := inputs[len(inputs)-1], outputs[len(outputs)-1]
	if in.Name != TagInPort || out.Name != TagOutPort || len(in.Nets) != bits || len(out.Nets) != bits {
		t.Fatalf("ports %s of %d bits and %s of %d", in.Name, len(in.Nets), out.Name, len(out.Nets))
	}
	for i, v := range out.Nets {
		for range stages {
			c, _, ok := n.Driver(v)
			if !ok || n.Kind(c) != Register {
				t.Fatalf("bit %d: net %d is no register's", i, v)
			}
			v = n.Inputs(c)[0]
		}
		if v != in.Nets[i] {
			t.Errorf("bit %d comes from net %d, want %d", i, v, in.Nets[i])
		}
	}
}
