package netlist

import "fmt"

// AnyStage is the stage of a net that fits into every pipeline stage: a constant, or the output of a cell that
// reads only constants.
const AnyStage = -1

// Stages returns the pipeline stage of every net, indexed by [Net]. It is 0 for input ports and [AnyStage] for
// constants. A register's stage is one more than the stage of its data input. Other cells have the stage of their
// inputs. A net in stage s depends on the inputs of s enabled clocks ago. The enable of a register may be in any
// stage, since it only says when the pipeline advances.
//
// The netlist must be valid. The result has 4 bytes for each net.
func (n *Netlist) Stages() []int32 {
	stage, _ := n.stages()
	return stage
}

// stages computes [Netlist.Stages] and returns an error for the first cell that mixes stages. Such a cell gets the
// stage of its first input.
func (n *Netlist) stages() (stage []int32, err error) {
	stage = make([]int32, n.Nets())
	stage[False], stage[True] = AnyStage, AnyStage
	for c := range n.kind {
		s := int32(AnyStage)
		for j, v := range n.dataInputs(Cell(c)) {
			switch t := stage[v]; {
			case s == AnyStage:
				s = t
			case t != AnyStage && t != s && err == nil:
				err = n.cellError(Cell(c), fmt.Errorf("input %d is in pipeline stage %d and an earlier input in stage %d, "+
					"add registers to the earlier", j, t, s))
			}
		}
		if n.kind[c] == Register && s != AnyStage {
			s++
		}
		for v := n.outStart[c]; v < n.outStart[c+1]; v++ {
			stage[v] = s
		}
	}
	return stage, err
}

// dataInputs returns the inputs of a cell, without the enable of a register.
func (n *Netlist) dataInputs(c Cell) []Net {
	if in := n.Inputs(c); n.kind[c] != Register {
		return in
	}
	return n.Inputs(c)[:1]
}

// checkStages returns an error if a cell or a bus mixes stages. Only netlists with registers can mix stages.
func (n *Netlist) checkStages() error {
	if !n.hasRegisters() {
		return nil
	}
	stage, err := n.stages()
	if err != nil {
		return err
	}
	for _, p := range n.outputs {
		if err := checkBus(stage, p); err != nil {
			return fmt.Errorf("output port %q: %w", p.Name, err)
		}
	}
	for _, p := range n.probes {
		if err := checkBus(stage, p); err != nil {
			return fmt.Errorf("probe %q: %w", p.Name, err)
		}
	}
	return nil
}

func (n *Netlist) hasRegisters() bool {
	for _, k := range n.kind {
		if k == Register {
			return true
		}
	}
	return false
}

func checkBus(stage []int32, p Port) error {
	first := int32(AnyStage)
	for i, v := range p.Nets {
		switch s := stage[v]; {
		case first == AnyStage:
			first = s
		case s != AnyStage && s != first:
			return fmt.Errorf("bit %d is in pipeline stage %d and a lower bit in stage %d, add registers to the earlier", i,
				s, first)
		}
	}
	return nil
}
