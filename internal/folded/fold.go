// This file writes a classifier as a folded engine that runs a program. The steps of the program are in block RAM,
// and a small machine runs one or several steps in each clock. This kind of engine is for networks that are too large
// for the device, but whose program fits into the device's RAM.
//
// A chain of gates v = f(v, x), where each x is a thermometer bit, becomes a list of steps.
// Inversions are pushed down to the bits by De Morgan's laws, so that a step is one of
//
//	load  v = x XOR p        and  v = v AND (x XOR p)
//	xor   v = v XOR x        or   v = v OR (x XOR p)
//
// A bit x is not stored. The image buffer holds the level of each feature, which is the number of thresholds that its
// word exceeds, and x is level > j. At the end of a chain, v is added to the count of the chain's class. After the
// last chain of a class, one more step closes the class. This step also adds the number of chains in the class that
// are always 1. A word of the program has these fields, from the lowest bit on:
//
//	level bits of j | feature bits of the feature | 2 bits op (load, and, or, xor) | p | end
//
// If end is 1, v is added to the count after the step. An xor with p set closes the class and adds the number in the
// bits below op. [Shape] defines the widths of the fields. The classes come in their tie order, so the first class with
// the largest count wins.
//
// With N lanes there are N programs of equal length, one for each lane. The chains of each class are divided among
// the lanes. Lane 0 closes the classes.
//
// The Verilog depends only on the [Shape]. Models with the same shape have the same Verilog and differ only in the
// contents of the memories.

package folded

import (
	"errors"
	"fmt"
	"slices"

	"ialgn/netlist"
)

// Options control how a netlist is folded.
type Options struct {
	Core  string // name of the netlist's module; if empty, the netlist's name. The engine's name is Core + "_fold".
	Lanes int    // steps in a clock: 1, 2 or 4
	Steps int    // minimum number of steps for which a lane has room; 0 means the number that the program needs
	Drop  bool   // the engine has an input drop, which wrappers of bytes need to discard a packet
	// Thresholds are in ascending order for each feature. All features have the same number of thresholds.
	Thresholds [][]uint16
}

// Lanes returns the possible numbers of lanes. Each lane runs one step in each clock.
func Lanes() []int { return []int{1, 2, 4} }

// Shape holds everything on which the Verilog of an engine depends.
type Shape struct {
	Frame
	Lanes int
	Count int // bits of a class count
	Depth int // words of each lane's program: a multiple of a block RAM's depth

	// Ties has the classes in the order in which they win ties, in which the program completes them. It is nil if this
	// is the order of the classes.
	Ties []uint16
}

// Chains is a folded classifier.
type Chains struct {
	Shape
	Used  int // steps in the program of the longest lane; the remaining steps up to Depth do nothing
	lanes [][]step
}

// NewChains folds a netlist of scope full whose gates are chains over thermometer bits. The netlist
// should be optimised with restructuring, and not lowered. NewChains returns an error if the
// netlist has another form, if the number of lanes is not one of [Lanes], or if there is no room
// for all steps.
func NewChains(n *netlist.Netlist, o Options) (*Chains, error) {
	p, err := NewProgram(n, o.Thresholds)
	if err != nil {
		return nil, err
	}
	return p.Engine(o)
}

// Engine divides the program among lanes. It returns the errors of [NewChains], except errors about the netlist.
func (p *Program) Engine(o Options) (*Chains, error) {
	if !slices.Contains(Lanes(), o.Lanes) {
		return nil, fmt.Errorf("fold: %d steps in a clock, give 1, 2 or 4", o.Lanes)
	}
	core := o.Core
	if core == "" {
		core = p.name
	}
	e := &Chains{Shape: Shape{
		Frame: Frame{
			Module: core + Suffix, Drop: o.Drop, WordBits: p.wordBits, Thresholds: p.thresholds, Classes: len(p.classes),
		},
		Lanes: o.Lanes, Count: p.countBits, Ties: p.ties,
	}}
	if err := e.Check(); err != nil {
		return nil, err
	}
	e.lanes = p.divide(o.Lanes)
	e.Used = len(e.lanes[0])
	if o.Steps != 0 && o.Steps < e.Used {
		return nil, fmt.Errorf("fold: room for %d steps, the longest lane has %d: give that or more", o.Steps, e.Used)
	}
	e.Depth = (max(1, e.Used, o.Steps) + block - 1) / block * block
	return e, nil
}

// block is the minimum depth of a program memory: the depth of an iCE40 block RAM with 16-bit
// words.
const block = Block

// FeatureBits is the width of the feature field. In a step that closes a class, the feature field and the level field
// together hold the number of chains that are always 1.
func (s *Shape) FeatureBits() int {
	return max(s.Frame.FeatureBits(), s.Count-s.LevelBits())
}

// stepBits is the width of a word of the program in bits.
func (s *Shape) stepBits() int { return s.LevelBits() + s.FeatureBits() + 4 }

// bank is a part of a lane's program with a memory of its own.
type bank struct{ base, depth int }

// banks divides a lane's program into memories. Most memories have the depth of an iCE40 block RAM with words of 2
// bits, which is the largest possible depth. The rest of the program is in smaller memories. Each has half the depth
// of the memory before it, so that no block is half empty.
func (s *Shape) banks() []bank {
	var list []bank
	base := 0
	for depth := 2048; depth >= block; depth /= 2 {
		for s.Depth-base >= depth {
			list = append(list, bank{base, depth})
			base += depth
		}
	}
	return list
}

// Cost holds the amounts of memory and time that an engine takes.
type Cost struct {
	Lanes       int `json:"lanes"`
	Steps       int `json:"steps"`          // steps in a lane
	Cycles      int `json:"cycles"`         // minimum number of clocks from one sample to the next
	Latency     int `json:"latency_cycles"` // clocks from a sample to its result, as package wrapper defines it
	ProgramBits int `json:"program_bits"`   // bits in the programs of all lanes together
	ImageBits   int `json:"image_bits"`     // levels of two samples for each lane
	Blocks      int `json:"block_rams"`     // block RAMs of 4,096 bits, the size on iCE40
}

// afterSteps is the number of clocks that a sample takes in addition to its words and steps. One clock starts the
// sample, eight clocks pass from the last step to the class, and in one clock the class is output.
const afterSteps = 10

// Clocks returns how long samples take.
func (e *Chains) Clocks() Clocks {
	return Clocks{
		Cycles: float64(max(e.Depth, e.Features())), Latency: e.Features() - 1 + e.Used + afterSteps,
	}
}

// Cost returns the memory and the time that the engine takes.
func (e *Chains) Cost() Cost {
	image, program := 2<<e.FeatureBits(), 0
	for _, b := range e.banks() {
		program += blocks(b.depth, Columns(e.stepBits()))
	}
	clocks := e.Clocks()
	c := Cost{
		Lanes: e.Lanes, Steps: e.Used, Cycles: int(clocks.Cycles), Latency: clocks.Latency,
		ProgramBits: e.Lanes * e.Depth * e.stepBits(), ImageBits: e.Lanes * image * e.LevelBits(),
		Blocks: e.Lanes * (program + blocks(image, e.LevelBits())),
	}
	if encoder := e.encoder(); encoder.Uniform == nil {
		c.Blocks += blocks(encoder.Depth(), Columns(e.PerFeature()*e.WordBits))
	}
	return c
}

// BlockBits is the number of bits of an iCE40 block RAM.
const BlockBits = 4096

// blocks returns the number of iCE40 block RAMs that a memory takes, with the best choice of their depth and width.
func blocks(depth, width int) int {
	least := 0
	for _, w := range []int{2, 4, 8, 16} {
		deep := BlockBits / w
		if n := (depth + deep - 1) / deep * ((width + w - 1) / w); least == 0 || n < least {
			least = n
		}
	}
	return least
}

// errForm begins all errors about netlists that cannot be folded.
var errForm = errors.New("fold: the netlist cannot be folded")
