package ccode

import (
	"fmt"
	"testing"

	"ialgn/compiler"
	"ialgn/internal/freeze"
	"ialgn/internal/netgen"
	"ialgn/internal/wordcode"
	"ialgn/netlist"
	"ialgn/sim"
)

// machine runs a program as the documentation of Program describes.
type machine struct {
	*Program
	code []uint32
	bits []bool
	at   int // position in the code
	next int // next slot
}

func (m *machine) read() (bit uint32, actions [2]Action) {
	w := m.code[m.at]
	m.at++
	if m.bits[w>>4] {
		bit = 1
	}
	return bit, [2]Action{Action(w&1 | w>>1&2), Action(w>>1&1 | w>>2&2)}
}

// list runs the list that begins at the given word.
func (m *machine) list(at int) bool {
	width := 16
	if m.Wide {
		width = 32
	}
	inverted := false
	for m.at = at; ; {
		bit, actions := m.read()
		a := actions[bit]
		if actions[0] == actions[1] {
			number, pins := bit, int(actions[0])+2
			for range pins - 1 {
				bit, _ = m.read()
				number = number*2 + bit
			}
			position := int(number) * 2
			a = Action(m.code[m.at+position/width] >> (position % width) & 3)
			m.at += ((2 << pins) + width - 1) / width
		}
		switch a {
		case Result0, Result1:
			return (a == Result1) != inverted
		case Invert:
			inverted = !inverted
		}
	}
}

// run executes the given runs. It returns the number of counted lists with the result 1, and the position after the
// last word.
func (m *machine) run(runs []Run, at int) (count, end int) {
	for _, r := range runs {
		for range r.Lists {
			bit := m.list(at)
			at += r.Words
			switch {
			case r.Slots:
				m.bits[m.FirstSlot()+m.next] = bit
				m.next = (m.next + 1) % m.Slots
			case bit:
				count++
			}
		}
	}
	return count, at
}

// classify returns the counts of a program that has classes.
func (m *machine) classify() (counts []uint32) {
	at, runs := 0, m.Runs
	for _, c := range m.Classes {
		count, end := m.run(runs[:c.Runs], at)
		counts = append(counts, uint32(c.Base+count))
		at, runs = end, runs[c.Runs:]
	}
	return counts
}

// outputs returns the outputs of a program without classes.
func (m *machine) outputs() (out []bool) {
	m.run(m.Runs, 0)
	for _, o := range m.Outputs {
		out = append(out, (o>>1 != 0 && m.bits[max(o>>1, 1)-1]) != (o&1 == 1))
	}
	return out
}

// newMachine returns a machine with the inputs of sample s of the rows of a netlist's input ports.
func newMachine(p *Program, c *wordcode.Classifier, rows []uint64, s int) *machine {
	m := &machine{Program: p, code: p.Code(), bits: make([]bool, p.FirstSlot()+p.Slots)}
	bit := func(row int) uint32 { return uint32(rows[row] >> s & 1) }
	for i, in := range p.Inputs {
		switch {
		case p.Packed:
			m.bits[i] = bit(int(in.Feature)) == 1
		case p.Compare:
			value := uint32(0)
			for b := range c.FeatureBits {
				value |= bit(int(in.Feature)*c.FeatureBits+b) << b
			}
			m.bits[i] = value > in.Param
		default:
			m.bits[i] = bit(int(in.Feature)*c.FeatureBits+int(in.Param)) == 1
		}
	}
	return m
}

// check compares the program of n with the simulator. Some samples have few bits set, some have many, and some have
// half of them.
func check(t *testing.T, n *netlist.Netlist) *Program {
	t.Helper()
	p, err := Lower("test", n)
	if err != nil {
		t.Fatal(err)
	}
	c := wordcode.NewClassifier(n)
	s, err := sim.NewBlock(n, 1)
	if err != nil {
		t.Fatal(err)
	}
	for block := range uint64(3) {
		var rows []uint64
		var ports [][]uint64
		for _, port := range n.InputPorts() {
			first := len(rows)
			for range port.Nets {
				rows = append(rows, wordcode.InputWord(block, uint64(len(rows))))
			}
			ports = append(ports, rows[first:])
		}
		if err := s.Run(1, ports...); err != nil {
			t.Fatal(err)
		}
		var want []uint64
		for _, ports := range [][]netlist.Port{n.OutputPorts(), n.Probes()} {
			for _, port := range ports {
				for _, v := range port.Nets {
					want = append(want, s.Net(v)[0])
				}
			}
		}
		for i := range 64 {
			if err := compare(newMachine(p, c, rows, i), c, want, i); err != nil {
				t.Fatalf("block %d, sample %d: %v", block, i, err)
			}
		}
	}
	return p
}

// compare compares a machine's results for sample i with the rows of the simulator's outputs.
func compare(m *machine, c *wordcode.Classifier, want []uint64, i int) error {
	if m.Classes == nil {
		for k, bit := range m.outputs() {
			if bit != (want[k]>>i&1 == 1) {
				return fmt.Errorf("output %d is %v", k, bit)
			}
		}
		return nil
	}
	for class, count := range m.classify() {
		r := c.Counts[class]
		number := uint32(0)
		for b := range r.Count {
			number |= uint32(want[r.First+b]>>i&1) << b
		}
		if count != number {
			return fmt.Errorf("class %d counts %d, want %d", class, count, number)
		}
	}
	return nil
}

// TestProgramsOfEveryForm compares programs with the simulator. The netlists are raw, optimised and mapped netlists
// of every form of model.
func TestProgramsOfEveryForm(t *testing.T) {
	for _, form := range netgen.Forms() {
		f := form.Model().Freeze()
		for scope := range netlist.Full + 1 {
			raw, err := freeze.Network(f, scope)
			if err != nil {
				t.Fatal(err)
			}
			optimised, _, err := compiler.Optimise(t.Context(), raw, 2)
			if err != nil {
				t.Fatal(err)
			}
			for name, n := range map[string]*netlist.Netlist{"raw": raw, "optimised": optimised} {
				t.Run(fmt.Sprintf("%s/%v/%s", form.Name, scope, name), func(t *testing.T) {
					p := check(t, n)
					if scope != netlist.Gates && p.Classes == nil {
						t.Error("the head was not recognised")
					}
				})
			}
		}
	}
}

// TestNetlists compares programs of random netlists with the simulator.
func TestNetlists(t *testing.T) {
	for seed := range uint64(120) {
		n := netgen.Netlist(seed, netgen.NetlistOptions{Cells: 1 + int(seed)})
		t.Run(fmt.Sprint(seed), func(t *testing.T) { check(t, n) })
	}
}
