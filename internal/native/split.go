package native

import (
	"slices"

	"ialgn/internal/wordcode"
)

// part is a program that computes some consecutive outputs of another program. The field first is the number of its
// first output.
type part struct {
	first   int
	program *wordcode.Program
}

// split divides a program into parts. A part has at most limit operations, unless a single output needs more
// operations. Operations that several parts need are repeated in each of these parts.
func split(p *wordcode.Program, limit int) []part {
	s := splitter{p: p, at: 1, seen: make([]int32, len(p.Ops)), moved: make([]wordcode.Value, len(p.Ops))}
	for o := range p.Outputs {
		before := len(s.ops)
		if s.need(p.Outputs[o]); before > 0 && len(s.ops) > limit {
			s.ops = s.ops[:before]
			s.close(o)
			s.need(p.Outputs[o])
		}
	}
	if len(p.Outputs) > s.first {
		s.close(len(p.Outputs))
	}
	return s.parts
}

// splitter is the state of building the current part.
type splitter struct {
	p     *wordcode.Program
	parts []part
	at    int32            // number of the part, from 1
	seen  []int32          // [operation]: number of the last part that contains the operation
	first int              // number of the part's first output
	ops   []int            // indices of the part's operations
	moved []wordcode.Value // [operation]: value of the operation in the part
	stack []wordcode.Value
}

// need adds the operations that an output needs.
func (s *splitter) need(o wordcode.Literal) {
	s.stack = append(s.stack[:0], o.Value())
	for len(s.stack) > 0 {
		op := int(s.stack[len(s.stack)-1]) - s.p.Inputs - 1
		s.stack = s.stack[:len(s.stack)-1]
		if op >= 0 && s.seen[op] != s.at {
			s.seen[op] = s.at
			s.ops = append(s.ops, op)
			s.stack = append(s.stack, operands(&s.p.Ops[op])...)
		}
	}
}

// close ends the part before output end.
func (s *splitter) close(end int) {
	slices.Sort(s.ops)
	p := &wordcode.Program{Inputs: s.p.Inputs}
	for i, at := range s.ops {
		s.moved[at] = wordcode.Value(p.Inputs + 1 + i)
		op := s.p.Ops[at]
		op.A, op.B, op.C = s.value(op.A), s.value(op.B), s.value(op.C)
		p.Ops = append(p.Ops, op)
	}
	for _, o := range s.p.Outputs[s.first:end] {
		p.Outputs = append(p.Outputs, wordcode.Literal(s.value(o.Value()))<<1|o&1)
	}
	s.parts = append(s.parts, part{s.first, p})
	s.first, s.ops = end, s.ops[:0]
	s.at++
}

func (s *splitter) value(v wordcode.Value) wordcode.Value {
	if int(v) <= s.p.Inputs {
		return v
	}
	return s.moved[int(v)-s.p.Inputs-1]
}
