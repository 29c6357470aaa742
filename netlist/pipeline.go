package netlist

import (
	"fmt"
	"slices"
)

// EnablePort is the name of the input port that enables the registers of a [Pipeline].
const EnablePort = "ce"

// Pipeline describes a netlist with registers that takes new inputs in every clock. All registers are enabled by
// the one-bit input port ce, which has no other readers. All output ports are in the same stage. So the whole
// pipeline either advances or stops.
type Pipeline struct {
	// Stages is the number of registers on each path from an input to an output. A result appears Stages enabled
	// clocks after its input.
	Stages int
	// Enable is the index of the input port ce.
	Enable int
}

// Pipeline returns the pipeline of a netlist with registers, or nil if the netlist has none. It returns an error if n
// has registers but is not a pipeline. Functions that feed a stream of samples into a netlist return this error, too.
// The netlist must be valid.
func (n *Netlist) Pipeline() (*Pipeline, error) {
	if !n.hasRegisters() {
		return nil, nil
	}
	p, err := n.pipeline()
	if err != nil {
		return nil, fmt.Errorf("netlist %q has registers but is no pipeline: %w", shorten(n.Name), err)
	}
	return p, nil
}

func (n *Netlist) pipeline() (*Pipeline, error) {
	port := slices.IndexFunc(n.inputs, func(p Port) bool { return p.Name == EnablePort })
	if port < 0 || len(n.inputs[port].Nets) != 1 {
		return nil, fmt.Errorf("it has no input port %s of one bit to enable them", EnablePort)
	}
	enable := n.inputs[port].Nets[0]
	for c, k := range n.kind {
		if in := n.Inputs(Cell(c)); k == Register && (len(in) < 2 || in[1] != enable) {
			return nil, n.cellError(Cell(c), fmt.Errorf("its enable is not input port %s", EnablePort))
		}
		if slices.Contains(n.dataInputs(Cell(c)), enable) {
			return nil, n.cellError(Cell(c), fmt.Errorf("it reads input port %s as data", EnablePort))
		}
	}
	stages, err := n.outputStage(enable)
	if err != nil {
		return nil, err
	}
	return &Pipeline{stages, port}, nil
}

// outputStage returns the stage of the output ports. It returns an error if they are in different stages.
func (n *Netlist) outputStage(enable Net) (int, error) {
	stage, err := n.stages()
	if err != nil {
		return 0, err
	}
	last := int32(AnyStage)
	for _, p := range n.outputs {
		for i, v := range p.Nets {
			switch s := stage[v]; {
			case v == enable:
				return 0, fmt.Errorf("bit %d of output port %q is input port %s", i, p.Name, EnablePort)
			case last == AnyStage:
				last = s
			case s != AnyStage && s != last:
				return 0, fmt.Errorf("bit %d of output port %q is in pipeline stage %d and an earlier bit in stage %d", i,
					p.Name, s, last)
			}
		}
	}
	return int(max(last, 0)), nil
}

// DataInputs returns the input ports that carry samples: all except the enable of a pipeline. If n has registers,
// it must be a pipeline. The caller must not change the slice.
func (n *Netlist) DataInputs() []Port {
	p, err := n.Pipeline()
	if p == nil || err != nil {
		return n.inputs
	}
	return slices.Delete(slices.Clone(n.inputs), p.Enable, p.Enable+1)
}

// Transparent returns n with each register replaced by a wire and without the pipeline's enable port. The new netlist
// computes the same function as all stages together, and is used for proofs about all inputs. The second result maps
// nets of n to nets of the new netlist. It maps the enable to [False]. If n has no registers, Transparent returns n
// itself.
//
// Requires: a valid netlist that is a pipeline or has no registers.
// Ensures:  no register is left; all other cells keep their order and origins.
// Cost:     one walk over the cells.
//
// Transparent returns the error of [Netlist.Pipeline].
func Transparent(n *Netlist) (*Netlist, func(Net) Net, error) {
	p, err := n.Pipeline()
	if err != nil {
		return nil, nil, err
	}
	if p == nil {
		return n, func(v Net) Net { return v }, nil
	}
	c := newCopier(n)
	for port, in := range n.inputs {
		if port != p.Enable {
			c.port(in)
			continue
		}
		c.Set(in.Nets[0], False)
	}
	for i := range Cell(n.Cells()) {
		if n.kind[i] == Register {
			c.Set(n.Output(i), c.To(n.Inputs(i)[0]))
			continue
		}
		c.Copy(i)
	}
	return c.Finish(), c.To, nil
}
