// Package sim evaluates netlists bit-exactly, for 64 samples in each machine word.
//
// A [Simulator] is made for one [netlist.Netlist] and can then run on any number of samples. It keeps the value of
// every net for one block of samples. A block has 1 to [MaxBlock] words. After a run, the value of any net can be
// read, for example of an output port, a probe or a single gate. A Simulator needs 8 bytes for each net and word. The
// size of the block is chosen so that this memory stays below a quarter of a gibibyte, unless one word for each net
// already needs more.
//
// Samples are passed as bit rows. In a slice with w words in each row, row r is s[r*w : (r+1)*w], and bit i of word
// j is sample 64*j + i. Row r of a port is bit r of its bus. Bits after the last sample are computed like all
// others and have no meaning.
//
// A netlist without registers is combinational, and [Simulator.Run] is enough. For a netlist with registers,
// [Simulator.Step] simulates one clock. It computes all nets from the inputs and the stored state. Then every enabled
// register takes the value of its data input. The state starts at 0. [Simulator.Reset] sets it to 0 again.
//
// A [Classifier] runs the netlist of a classifier, in any scope, on a set of samples and returns class counts and
// classes. A pipeline ([netlist.Pipeline]) takes a new block in every clock, as in hardware.
package sim

import (
	"context"
	"fmt"
	"slices"

	"ialgn/netlist"
)

// MaxBlock is the maximum number of words for each net that are evaluated at once.
const MaxBlock = 16

// blockBudget is the maximum number of words for the values of all nets. It is exceeded only if one word for each net
// already needs more.
const blockBudget = 1 << 25

// Simulator evaluates one netlist. It must not be used by several goroutines at once, but several simulators may
// share a netlist.
type Simulator struct {
	n     *netlist.Netlist
	block int // maximum number of words for each net
	words int // number of words in the last run

	value []uint64       // [net][block]
	regs  []netlist.Cell // registers in cell order
	state []uint64       // [register][block]
	count counter
	best  []uint64 // scratch space of argmax
}

// New returns a simulator of n with the largest block that the memory bound of the package allows. It returns the
// error of [netlist.Netlist.Validate] if n is invalid.
func New(n *netlist.Netlist) (*Simulator, error) {
	return NewBlock(n, min(MaxBlock, max(1, blockBudget/n.Nets())))
}

// NewBlock returns a simulator that evaluates up to block words for each net at once. The simulator needs 8*block
// bytes for each net. NewBlock returns an error if block is not in the range 1 to [MaxBlock], or if n is invalid.
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

// Netlist returns the netlist of the simulator.
func (s *Simulator) Netlist() *netlist.Netlist { return s.n }

// Block returns the maximum number of words that a run evaluates for each net.
func (s *Simulator) Block() int { return s.block }

// Run computes every net from the inputs and the stored state. It does not change the state. It takes one slice of
// bit rows for each input port, in port order. All rows have the given number of words, at most [Simulator.Block].
// Run returns an error if the number of words, ports or rows is wrong.
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

// Step simulates one clock. It first calls [Simulator.Run]. Then each register that is enabled or has no enable takes
// the value of its data input. The nets keep the values that Run computed, before the clock edge.
func (s *Simulator) Step(words int, in ...[]uint64) error {
	if err := s.Run(words, in...); err != nil {
		return err
	}
	s.clock()
	return nil
}

// Settle computes every net as if the netlist had no registers. For a pipeline, it holds the inputs for one enabled
// clock per stage, until every net depends only on these inputs. The argument in has no rows for the enable port ce,
// which Settle adds. For a netlist without registers, Settle is the same as [Simulator.Run]. Settle returns the
// errors of Run and of [netlist.Netlist.Pipeline].
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

// stages returns the largest stage of any net.
func (s *Simulator) stages() int { return int(slices.Max(s.n.Stages())) }

// Reset sets every register to 0.
func (s *Simulator) Reset() { clear(s.state) }

// Each runs the simulator on all words of the input rows, one block at a time. After each block, Each calls f with
// the index of the block's first word and the block's number of words. During the call, the nets hold the values for
// this block. Each returns an error of f or of ctx, or an error if the inputs do not fit. Each is meant for netlists
// without registers, since all blocks share one stored state.
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

// Net returns the words of net v after the last run. The slice is valid until the next run and must not be changed.
func (s *Simulator) Net(v netlist.Net) []uint64 {
	return s.value[int(v)*s.block:][:s.words]
}

// Port returns the bit rows of a bus, such as an output port or a probe, after the last run. It stores the rows in
// dst if dst is large enough.
func (s *Simulator) Port(p netlist.Port, dst []uint64) []uint64 {
	dst = dst[:0]
	for _, v := range p.Nets {
		dst = append(dst, s.Net(v)...)
	}
	return dst
}

// Output returns the bit rows of the output port or probe with the given name. If there is none, it returns an
// error that lists the names.
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

// run evaluates the netlist on some words of each input row. The argument count is the number of these words, and
// first is the index of the first one. Each row has stride words.
func (s *Simulator) run(in [][]uint64, stride, first, count int) {
	s.words = count
	for i, p := range s.n.InputPorts() {
		for r, v := range p.Nets {
			copy(s.Net(v), in[i][r*stride+first:])
		}
	}
	s.eval()
}

// clock stores the data input of each enabled register.
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

// portNames lists port names for an error message, at most the first few.
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
