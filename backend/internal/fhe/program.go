// Package fhe writes netlists as programs for homomorphic encryption with libraries of the TFHE family, such as
// tfhe-rs, OpenFHE and HEIR.
//
// A program is a list of steps over encrypted bits. Each step costs one bootstrap, and an inversion costs nothing. The
// form gates has gates of two inputs. The forms lut3 and lut4 have look-up tables of up to three or four inputs, which
// a library evaluates by one programmable bootstrap of a weighted sum of the inputs. The steps are ordered by their
// level, which is the number of bootstraps on the longest path from an input. Steps of a level do not depend on each
// other.
package fhe

import (
	"fmt"
	"math/bits"
	"slices"

	"ialgn/internal/lowering"
	"ialgn/netlist"
)

// MaxInputs is the largest number of inputs of a step.
const MaxInputs = 4

// Cost says how expensive a program is.
type Cost struct {
	Form       string `json:"form"`       // gates, lut3 or lut4
	Bootstraps int    `json:"bootstraps"` // number of steps
	Depth      int    `json:"depth"`      // bootstraps on the longest path
	Widest     int    `json:"widest"`     // steps of the level with the most steps
	InputBits  int    `json:"input_bits"` // bits of the input that the program reads
}

// Program is a list of steps. Wires are numbered: first the bits of the input ports, then the results of the steps.
type Program struct {
	Cost
	inputs, outputs []netlist.Port
	levels          [][]step
	wire            []int     // number of each step's wire
	bits            []operand // bits of the outputs
}

// step is a step with the numbers that steps have before they are ordered. The table is in LUT INIT order, and its
// lowest input is the first operand.
type step struct {
	number int
	table  uint64
	in     []int // inputs, by their number
	level  int
}

// operand is a bit: the constant 0 if its number is [constant], or a number of an input or step. It may be inverted.
type operand struct {
	number   int
	inverted bool
}

// constant is the number of the constant 0.
const constant = -1

// New returns the program of a netlist without registers. Operators become look-up tables first (see package
// lowering). New returns an error if a function has more than [MaxInputs] inputs.
func New(n *netlist.Netlist) (*Program, error) {
	b := builder{n: lowering.Functions(n), known: map[key]operand{}}
	b.bit = make([]operand, b.n.Nets())
	b.bit[netlist.False], b.bit[netlist.True] = operand{constant, false}, operand{constant, true}
	for _, p := range b.n.InputPorts() {
		for _, v := range p.Nets {
			b.bit[v] = operand{b.inputs, false}
			b.inputs++
		}
	}
	for c := range netlist.Cell(b.n.Cells()) {
		if k := b.n.Kind(c); k != netlist.Function {
			return nil, fmt.Errorf("fhe-lut: a cell is a %v: it needs a netlist without registers", k)
		}
		if err := b.cell(c); err != nil {
			return nil, err
		}
	}
	return b.program(), nil
}

// builder turns cells into steps.
type builder struct {
	n      *netlist.Netlist
	inputs int
	bit    []operand // by net
	steps  []step
	known  map[key]operand
}

// key identifies the function of a step. Its table is 0 if all inputs are 0.
type key struct {
	table uint64
	in    [MaxInputs]int
}

// cell adds the step of a cell, unless the cell is a constant, a wire, an inverter, or equal to an earlier step or its
// inverse.
func (b *builder) cell(c netlist.Cell) error {
	in := b.n.Inputs(c)
	table := netlist.Effective(b.n.Param(c), in)
	pins, numbers := make([]netlist.Net, len(in)), make([]int, len(in))
	for j, v := range in {
		o := b.bit[v]
		if o.inverted { // the inverse of the constant 0, too
			low, high := netlist.Cofactors(table, j)
			table = high&^netlist.PinTable(j) | low&netlist.PinTable(j)
		}
		numbers[j] = o.number
		pins[j] = netlist.Net(2 + o.number) // equal numbers are equal pins
		if o.number == constant {
			pins[j] = netlist.False
		}
	}
	table = netlist.Effective(table, pins)
	support := netlist.Support(table)
	if k := bits.OnesCount8(support); k > MaxInputs {
		return fmt.Errorf("fhe-lut: a function has %d inputs, and a step has at most %d: map to smaller tables", k, MaxInputs)
	}
	b.bit[b.n.Output(c)] = b.step(netlist.Project(table, support), support, numbers)
	return nil
}

// step returns the result of a table of the given inputs. The set support has the inputs of the table.
func (b *builder) step(table uint64, support uint8, numbers []int) operand {
	var in []int
	for j, number := range numbers {
		if support>>j&1 == 1 {
			in = append(in, number)
		}
	}
	inverted := table&1 == 1
	switch len(in) {
	case 0:
		return operand{constant, inverted}
	case 1:
		return operand{in[0], inverted}
	}
	k := key{table: table}
	if inverted {
		k.table = ^table & netlist.TableMask(len(in))
	}
	copy(k.in[:], in)
	for i := len(in); i < MaxInputs; i++ {
		k.in[i] = constant
	}
	if o, ok := b.known[k]; ok {
		return operand{o.number, o.inverted != inverted}
	}
	s := step{number: b.inputs + len(b.steps), table: table, in: in, level: 1}
	for _, number := range in {
		if number >= b.inputs {
			s.level = max(s.level, 1+b.steps[number-b.inputs].level)
		}
	}
	b.steps = append(b.steps, s)
	b.known[k] = operand{s.number, inverted} // the step inverts the function of the key
	return operand{s.number, false}
}

// program orders the steps on which an output depends by their level.
func (b *builder) program() *Program {
	p := &Program{inputs: b.n.InputPorts(), outputs: b.n.OutputPorts(), wire: make([]int, b.inputs+len(b.steps))}
	used := make([]bool, len(p.wire))
	for _, port := range p.outputs {
		for _, v := range port.Nets {
			o := b.bit[v]
			if p.bits = append(p.bits, o); o.number != constant {
				used[o.number] = true
			}
		}
	}
	most := 2
	for i, s := range slices.Backward(b.steps) {
		if !used[b.inputs+i] {
			continue
		}
		for _, number := range s.in {
			used[number] = true
		}
		most, p.Depth = max(most, len(s.in)), max(p.Depth, s.level)
	}
	p.levels = make([][]step, p.Depth)
	for i, s := range b.steps {
		if used[b.inputs+i] {
			p.levels[s.level-1] = append(p.levels[s.level-1], s)
			p.Bootstraps++
		}
	}
	p.Form = [...]string{2: "gates", 3: "lut3", 4: "lut4"}[most]
	p.number(used[:b.inputs])
	return p
}

// number numbers the wires. read says which bits of the input are read.
func (p *Program) number(read []bool) {
	for i := range read {
		p.wire[i] = i
		if read[i] {
			p.InputBits++
		}
	}
	next := len(read)
	for _, level := range p.levels {
		p.Widest = max(p.Widest, len(level))
		for _, s := range level {
			p.wire[s.number] = next
			next++
		}
	}
}
