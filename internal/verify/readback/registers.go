package readback

import (
	"fmt"

	"ialgn/netlist"
)

// These are the ports of a pipeline that carry no data (see package verilog).
var (
	clockPort  = bit{"clk", 0}
	resetPort  = bit{"rst", 0}
	enablePort = bit{"ce", 0}
	inValid    = bit{"in_valid", 0}
	outValid   = bit{"out_valid", 0}
)

// withoutRegisters checks that the registers of a graph form the pipeline n. It returns the graph with the enable
// set to 1, and the number of stages. In this graph, registers may be treated as wires.
func (g *graph) withoutRegisters(n *netlist.Netlist) (*graph, int, error) {
	p, err := n.Pipeline()
	if err != nil {
		return nil, 0, err
	}
	if p == nil {
		if len(g.registers) > 0 {
			return nil, 0, mismatch("%d registers, the netlist has none", len(g.registers))
		}
		return g, 0, nil
	}
	s := &stages{g: g, latency: p.Stages}
	if err := s.control(); err != nil {
		return nil, 0, err
	}
	if err := s.split(); err != nil {
		return nil, 0, err
	}
	return s.on, p.Stages, s.check()
}

// stages checks that a graph is a pipeline.
type stages struct {
	g, on   *graph // on is the graph with ce = 1 and rst = 0
	latency int

	valid     []bool // by register: whether rst clears the register
	depth     []int  // by variable: number of registers on the way from the inputs, or one of the values below
	enable    literal
	forbidden map[int]string // names of the variables on which data must not depend
}

// control checks the control ports and the clocks, and records the ports that data must not depend on.
func (s *stages) control() error {
	s.forbidden = map[int]string{}
	for _, port := range []bit{clockPort, resetPort, enablePort, inValid} {
		l, ok := s.g.inputs[port]
		if !ok {
			return mismatch("no input %s", port.name)
		}
		s.forbidden[l.variable()] = port.name
	}
	if _, ok := s.g.outputs[outValid]; !ok {
		return mismatch("no output %s", outValid.name)
	}
	s.enable = s.g.inputs[enablePort]
	for _, clock := range s.g.clocks {
		if clock != s.g.inputs[clockPort] {
			return mismatch("a register has another clock than %s", clockPort.name)
		}
	}
	return nil
}

// split finds out which registers are valid bits and which are data. With ce = 0 and no reset, every register must
// keep its value. A register is a valid bit if a reset clears it for both values of ce. Data registers must not
// depend on the reset, and outputs must depend on data only.
func (s *stages) split() error {
	reset := s.g.inputs[resetPort]
	off := s.g.with(map[literal]literal{s.enable: 0, reset: 0})
	cleared := s.g.with(map[literal]literal{reset: 1})
	s.on = s.g.with(map[literal]literal{s.enable: 1, reset: 0})
	s.valid = make([]bool, len(s.g.registers))
	var data, outputs []literal
	for i, next := range s.g.registers {
		q := literal(2 * (s.g.firstRegister + i))
		if off.to(next) != q {
			return mismatch("%s does not keep its value while ce is 0", s.g.nameOf(q))
		}
		if s.valid[i] = cleared.to(next) == 0; s.valid[i] {
			s.forbidden[q.variable()] = s.g.nameOf(q) + ", a valid bit"
		} else {
			data = append(data, next)
		}
	}
	for port, l := range s.g.outputs {
		if port != outValid {
			outputs = append(outputs, l)
		}
	}
	if err := s.independent(data, "a register", reset); err != nil {
		return err
	}
	return s.independent(outputs, "an output", reset, s.enable)
}

// independent checks that no literal of the first list depends on one of the other literals through gates.
func (s *stages) independent(of []literal, what string, others ...literal) error {
	seen := make([]bool, s.g.variables())
	for _, l := range of {
		s.g.mark(l, seen)
	}
	for _, l := range others {
		if seen[l.variable()] {
			return mismatch("%s depends on %s, and not as a pipeline's does", what, s.forbidden[l.variable()])
		}
	}
	return nil
}

// These are the values of depth for variables without a number of registers.
const (
	depthUnknown  = -1
	depthConstant = -2 // the variable depends on no input
	depthVisited  = -3
)

// check checks that every path from an input to an output crosses one register for each stage of the pipeline. It
// also checks that the valid bits are a chain of the same length.
func (s *stages) check() error {
	s.depth = make([]int, s.on.variables())
	for v := range s.depth {
		s.depth[v] = depthUnknown
	}
	for port, l := range s.on.outputs {
		if port == outValid {
			continue
		}
		d, err := s.find(s.on.to(l).variable())
		if err != nil {
			return err
		}
		if d != depthConstant && d != s.latency {
			return mismatch("%s[%d] is %d registers from the inputs, the netlist has %d stages", port.name, port.index, d,
				s.latency)
		}
	}
	return s.checkValid()
}

// checkValid follows the valid bits backwards from out_valid to in_valid.
func (s *stages) checkValid() error {
	l := s.g.to(s.g.outputs[outValid])
	for i := range s.latency {
		at := l.variable() - s.on.firstRegister
		if l.inverted() || at < 0 || at >= len(s.valid) || !s.valid[at] {
			return mismatch("out_valid is %d registers from in_valid or otherwise made, the netlist has %d stages", i, s.latency)
		}
		l = s.on.to(s.on.registers[at])
	}
	if l != s.on.inputs[inValid] {
		return mismatch("out_valid is not in_valid of %d clocks before", s.latency)
	}
	return nil
}

// find returns the depth of a variable. It uses a stack of variables instead of recursion, because paths through
// registers may be long and may form cycles.
func (s *stages) find(v int) (int, error) {
	stack := []int{v}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		wait, err := s.step(v)
		if err != nil {
			return 0, err
		}
		if len(wait) == 0 {
			stack = stack[:len(stack)-1]
		}
		stack = append(stack, wait...)
	}
	return s.depth[v], nil
}

// step finds the depth of one variable. If step first needs the depths of other variables, it returns these
// variables.
func (s *stages) step(v int) (wait []int, err error) {
	if s.depth[v] >= 0 || s.depth[v] == depthConstant {
		return nil, nil
	}
	if name, ok := s.forbidden[v]; ok {
		return nil, mismatch("data depends on %s", name)
	}
	switch {
	case v == 0:
		s.depth[v] = depthConstant
		return nil, nil
	case v < s.on.firstRegister:
		s.depth[v] = 0
		return nil, nil
	}
	depth := depthConstant
	for _, l := range s.on.needs(v) {
		d := s.depth[l.variable()]
		switch {
		case d == depthUnknown:
			wait = append(wait, l.variable())
		case d == depthVisited:
			return nil, mismatch("registers form a loop at %s", s.g.nameOf(literal(2*v)))
		case d >= 0 && depth >= 0 && d != depth:
			return nil, mismatch("bits of %d and of %d registers from the inputs meet at %s", depth, d, s.g.nameOf(literal(2*v)))
		case d >= 0:
			depth = d
		}
	}
	if len(wait) > 0 {
		s.depth[v] = depthVisited
		return wait, nil
	}
	if depth >= 0 && v < s.on.firstGate {
		depth++
	}
	s.depth[v] = depth
	return nil, nil
}

// nameOf returns a name of a literal's variable for messages.
func (g *graph) nameOf(l literal) string {
	name := ""
	for b, w := range g.wires {
		if s := fmt.Sprintf("%s[%d]", b.name, b.index); w.variable() == l.variable() && (name == "" || s < name) {
			name = s
		}
	}
	if name == "" {
		return "a wire without a name"
	}
	return name
}
