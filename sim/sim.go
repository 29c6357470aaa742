// Package sim evaluates a netlist bit-parallel and bit-exactly, 64 samples a word.
//
// A [Simulator] is made once for a [netlist.Netlist] and then run on as many samples
// as wanted. It keeps the value of every net for one block of samples, 1 to
// [MaxBlock] words, so that any net can be read after a run: an output port, a probe,
// or the output of one gate. Its memory is 8 bytes a net and word; the block is
// chosen so that it stays below a quarter of a gibibyte where one word a net allows.
//
// Samples travel as bit rows: row r of a slice with w words a row is
// s[r*w : (r+1)*w], bit i of word j is sample 64 j + i, and row r of a port is bit r
// of its bus. Bits past the last sample are computed like any other and mean nothing.
//
// A netlist without registers is combinational and [Simulator.Run] is all it needs.
// With registers, [Simulator.Step] is one clock: nets follow from the inputs and the
// stored state, then every enabled register takes its data. The state starts at 0 and
// [Simulator.Reset] clears it.
//
// [Classifier] runs the netlist of a whole classifier, in any scope, over a set of
// samples and gives class counts and classes. A pipeline ([netlist.Pipeline]) takes a new
// block in every clock, as its hardware would.
package sim

import (
	"context"
	"fmt"
	"slices"

	"ialgn/netlist"
)

// MaxBlock is the largest number of words a net that are evaluated at once.
const MaxBlock = 16

// blockBudget bounds the memory of the nets' values, in words, wherever one word a
// net fits.
const blockBudget = 1 << 25

// Simulator evaluates one netlist. It is not safe for use by several goroutines;
// several simulators of one netlist are.
type Simulator struct {
	n     *netlist.Netlist
	block int // words a net
	words int // words in use since the last run

	value []uint64       // [net][block]
	regs  []netlist.Cell // registers in cell order
	state []uint64       // [register][block]
	count counter
	best  []uint64 // scratch of argmax
}

// New returns a simulator of n with the largest block that the memory bound of the
// package allows. It returns the error of [netlist.Netlist.Validate] if n breaks an
// invariant.
func New(n *netlist.Netlist) (*Simulator, error) {
	return NewBlock(n, min(MaxBlock, max(1, blockBudget/n.Nets())))
}

// NewBlock returns a simulator that evaluates up to block words a net at once and
// needs 8 block bytes a net. It returns an error if block is not 1 to [MaxBlock] or
// if n breaks an invariant.
func NewBlock(n *netlist.Netlist, block int) (*Simulator, error) {
	if block < 1 || block > MaxBlock {
		return nil, fmt.Errorf("simulator: a block of %d words is out of range, give 1 to %d", block, MaxBlock)
	}
	if err := n.Validate(); err != nil {
		return nil, fmt.Errorf("simulator: %w", err)
	}
	s := &Simulator{n: n, block: block, words: block, value: make([]uint64, n.Nets()*block)}
	for i := range block {
		s.value[int(netlist.True)*block+i] = ^uint64(0)
	}
	for c := range netlist.Cell(n.Cells()) {
		if n.Kind(c) == netlist.Register {
			s.regs = append(s.regs, c)
		}
	}
	s.state = make([]uint64, len(s.regs)*block)
	return s, nil
}

// Netlist returns the netlist that s evaluates.
func (s *Simulator) Netlist() *netlist.Netlist { return s.n }

// Block returns how many words a net s evaluates at once.
func (s *Simulator) Block() int { return s.block }

// Run computes every net from the inputs and the stored state, which it leaves alone.
// There is one slice of bit rows for each input port, in port order, all with the
// given number of words a row, at most [Simulator.Block]. It returns an error if the
// number of words, of ports or of rows is not that of the netlist.
func (s *Simulator) Run(words int, in ...[]uint64) error {
	if words < 1 || words > s.block {
		return fmt.Errorf("simulator: %d words a row do not fit a block of %d, run them with Each", words, s.block)
	}
	if err := s.checkInputs(words, in); err != nil {
		return err
	}
	s.run(in, words, 0, words)
	return nil
}

// Step is one clock: a [Simulator.Run], after which each register whose enable is 1,
// or which has none, takes the value of its data input. The nets keep the values from
// before the clock edge.
func (s *Simulator) Step(words int, in ...[]uint64) error {
	if err := s.Run(words, in...); err != nil {
		return err
	}
	s.clock()
	return nil
}

// Settle computes every net as [Simulator.Run] does for a netlist without registers: with
// those of a pipeline, it holds the inputs, of which ce is none here, for as many enabled
// clocks as there are stages, until every net follows from them alone. It returns the errors
// of Run and of [netlist.Netlist.Pipeline].
func (s *Simulator) Settle(words int, in ...[]uint64) error {
	p, err := s.n.Pipeline()
	if err != nil {
		return fmt.Errorf("simulator: %w", err)
	}
	if p == nil {
		return s.Run(words, in...)
	}
	enable := make([]uint64, max(0, words))
	fill(enable, ^uint64(0))
	in = slices.Insert(slices.Clone(in), min(p.Enable, len(in)), enable)
	for range s.stages() {
		if err := s.Step(words, in...); err != nil {
			return err
		}
	}
	return s.Run(words, in...)
}

// stages returns the stage of the latest net.
func (s *Simulator) stages() int { return int(slices.Max(s.n.Stages())) }

// Reset sets every register to 0.
func (s *Simulator) Reset() { clear(s.state) }

// Each runs all words of the inputs' rows, a block at a time, and calls f after each
// block with its first word and its number of words; within f the nets hold that
// block. It returns the error of f, of ctx, or of inputs that do not fit. It suits
// netlists without registers: the stored state is the same for all blocks.
func (s *Simulator) Each(ctx context.Context, words int, f func(first, words int) error, in ...[]uint64) error {
	if err := s.checkInputs(words, in); err != nil {
		return err
	}
	for first := 0; first < words; first += s.block {
		if err := ctx.Err(); err != nil {
			return err
		}
		count := min(s.block, words-first)
		s.run(in, words, first, count)
		if err := f(first, count); err != nil {
			return err
		}
	}
	return nil
}

// Net returns the words of net v as the last run left them. The slice is valid until
// the next run and must not be changed.
func (s *Simulator) Net(v netlist.Net) []uint64 {
	return s.value[int(v)*s.block:][:s.words]
}

// Port returns the bit rows of a bus, such as an output port or a probe, as the last
// run left them, in dst if that is large enough.
func (s *Simulator) Port(p netlist.Port, dst []uint64) []uint64 {
	dst = dst[:0]
	for _, v := range p.Nets {
		dst = append(dst, s.Net(v)...)
	}
	return dst
}

// Output returns the bit rows of the output port or probe of the given name. It
// returns an error that lists the names if there is none.
func (s *Simulator) Output(name string) ([]uint64, error) {
	p, ok := findPort(name, s.n.OutputPorts(), s.n.Probes())
	if !ok {
		return nil, fmt.Errorf("simulator: netlist %q has no output or probe %q, it has %s",
			s.n.Name, name, portNames(s.n.OutputPorts(), s.n.Probes()))
	}
	return s.Port(p, nil), nil
}

func (s *Simulator) checkInputs(words int, in [][]uint64) error {
	ports := s.n.InputPorts()
	if len(in) != len(ports) {
		return fmt.Errorf("simulator: %d inputs given, but netlist %q has %d input ports: %s",
			len(in), s.n.Name, len(ports), portNames(ports))
	}
	for i, p := range ports {
		if len(in[i]) != len(p.Nets)*words {
			return fmt.Errorf("simulator: input port %q has %d words, need %d (%d rows of %d)",
				p.Name, len(in[i]), len(p.Nets)*words, len(p.Nets), words)
		}
	}
	return nil
}

// run evaluates count words from first on of rows with the given stride.
func (s *Simulator) run(in [][]uint64, stride, first, count int) {
	s.words = count
	for i, p := range s.n.InputPorts() {
		for r, v := range p.Nets {
			copy(s.Net(v), in[i][r*stride+first:])
		}
	}
	s.eval()
}

// clock lets the enabled registers take their data.
func (s *Simulator) clock() {
	for i, c := range s.regs {
		state := s.state[i*s.block:][:s.words]
		pins := s.n.Inputs(c)
		data := s.Net(pins[0])
		enable := s.Net(netlist.True)
		if len(pins) > 1 {
			enable = s.Net(pins[1])
		}
		for w := range state {
			state[w] ^= (state[w] ^ data[w]) & enable[w]
		}
	}
}

func findPort(name string, groups ...[]netlist.Port) (netlist.Port, bool) {
	for _, ports := range groups {
		for _, p := range ports {
			if p.Name == name {
				return p, true
			}
		}
	}
	return netlist.Port{}, false
}

// portNames lists names for an error message, the first few where there are many.
func portNames(groups ...[]netlist.Port) string {
	const maxListed = 8
	text, count := "", 0
	for _, ports := range groups {
		for _, p := range ports {
			switch count++; {
			case count == maxListed:
				text += ", ..."
			case count < maxListed && text != "":
				text += ", " + p.Name
			case count < maxListed:
				text = p.Name
			}
		}
	}
	if text == "" {
		return "none"
	}
	return text
}
