package netlist

import (
	"fmt"
	"slices"
)

// EnablePort is the name of the input port that enables the registers of a [Pipeline].
const EnablePort = "ce"

// Pipeline is the form of a netlist with registers that takes new inputs in every clock:
// all registers have the enable ce, an input port of one bit that nothing else reads, and
// all output ports stand in the same stage. So the whole moves on, or stands still.
type Pipeline struct {
	// Stages is the number of registers on each path from an input to an output: what
	// goes in now comes out as many enabled clocks later.
	Stages int
	// Enable is the index of the input port ce.
	Enable int
}

// Pipeline returns the form of a netlist with registers, nil for one without. It returns an
// error if n has registers but is no pipeline; what reads a clocked netlist as a stream of
// samples refuses it with that. The netlist must be valid.
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

// outputStage returns the stage of all output ports.
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
				return 0, fmt.Errorf("bit %d of output port %q stands in pipeline stage %d and an earlier bit in stage %d", i,
					p.Name, s, last)
			}
		}
	}
	return int(max(last, 0)), nil
}

// DataInputs returns the input ports that carry samples: all but the enable of a pipeline,
// which must be one if n has registers. The caller must not change the slice.
func (n *Netlist) DataInputs() []Port {
	p, err := n.Pipeline()
	if p == nil || err != nil {
		return n.inputs
	}
	return slices.Delete(slices.Clone(n.inputs), p.Enable, p.Enable+1)
}

// Transparent returns n with a wire in place of every register and without the enable port of
// a pipeline, and what each net has become: the function that the stages compute together,
// for proofs about all inputs. Of the enable the second result says [False]. Without registers
// that is n itself.
//
// Requires: a valid netlist; a pipeline, or one without registers.
// Ensures:  no register is left, all other cells stand in their order with their origins.
// Cost:     one walk over the cells.
//
// It returns the error of [Netlist.Pipeline].
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
