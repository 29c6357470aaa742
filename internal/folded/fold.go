// This file writes a classifier as a folded engine: a program of steps in block RAM, and a
// small machine that runs one step, or several, in a clock. It is for networks that are larger
// than the device, which the steps of the same size of RAM are not.
//
// A chain of gates v = f(v, x), whose x are thermometer bits, becomes steps: inversions are
// pushed down to the bits by De Morgan's laws, so that a step is one of
//
//	load  v = x XOR p        and  v = v AND (x XOR p)
//	xor   v = v XOR x        or   v = v OR (x XOR p)
//
// A bit x is not stored: the image buffer holds the level of each feature, the number of
// thresholds that its word exceeds, and x is level > j. At the end of a chain, v is added to the
// count of its class; a step closes the class, and adds the chains of it that are always 1. A
// word of the program is, from its lowest bit on,
//
//	level bits of j | feature bits of the feature | 2 bits op (load, and, or, xor) | p | end
//
// where end says that v is added after the step; an xor with p set closes the class, and adds
// the number in the bits below op. [Shape] has the widths.
//
// With N lanes there are N programs, one a lane, of the same length; the chains of each class
// are divided among them. Lane 0 closes the classes.
//
// The Verilog depends on the [Shape] alone: another model of it has other memories, and the same
// machine.

package folded

import (
	"errors"
	"fmt"
	"slices"

	"ialgn/netlist"
)

// Options say how a netlist is folded.
type Options struct {
	Core  string // name of the netlist's module; the engine's is Core_fold. Empty: the netlist's name
	Lanes int    // steps in a clock: 1, 2 or 4
	Steps int    // least number of steps that a lane has room for; 0: as many as the program needs
	Drop  bool   // the engine has an input drop, as wrappers of bytes need it: the packet so far is void
	// Thresholds are those of each feature, ascending and equally many.
	Thresholds [][]uint16
}

// Lanes are the numbers of steps in a clock that an engine can have.
func Lanes() []int { return []int{1, 2, 4} }

// Shape is what the Verilog of an engine depends on.
type Shape struct {
	Frame
	Lanes int
	Count int // bits of a class count
	Depth int // words of each lane's program, whole blocks of RAM
}

// Chains is a folded classifier.
type Chains struct {
	Shape
	Used  int // steps in use by the longest lane; the other steps up to Depth do nothing
	lanes [][]step
}

// NewChains folds a netlist of scope full whose gates are chains over thermometer bits; it is best
// when optimised with restructuring, before it is lowered. It returns an error if the netlist
// has another form, if the number of lanes is not one of [Lanes], or if there is no room for all steps.
func NewChains(n *netlist.Netlist, o Options) (*Chains, error) {
	p, err := NewProgram(n, o.Thresholds)
	if err != nil {
		return nil, err
	}
	return p.Engine(o)
}

// Engine divides the program among lanes. It returns the errors of [NewChains].
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
		Lanes: o.Lanes, Count: p.countBits,
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

// block is the least depth of a memory that a program has: that of a block RAM of iCE40 with
// words of 16 bits.
const block = Block

// FeatureBits is the width of a feature's index. With that of a level, it also holds any number
// of chains that are always 1.
func (s *Shape) FeatureBits() int {
	return max(s.Frame.FeatureBits(), s.Count-s.LevelBits())
}

// stepBits is the width of a word of the program.
func (s *Shape) stepBits() int { return s.LevelBits() + s.FeatureBits() + 4 }

// bank is a part of a program with a memory of its own.
type bank struct{ base, depth int }

// banks returns the memories of a lane: the deepest that a block RAM of iCE40 can have with
// words of 2 bits, and the rest in halves of that, so that no block is half empty.
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

// Cost is what an engine takes of a device's memory and of time.
type Cost struct {
	Lanes       int `json:"lanes"`
	Steps       int `json:"steps"`          // steps in a lane
	Cycles      int `json:"cycles"`         // least number of clocks from one sample to the next
	Latency     int `json:"latency_cycles"` // clocks that a sample takes, as package wrapper defines it
	ProgramBits int `json:"program_bits"`   // bits in the programs of all lanes together
	ImageBits   int `json:"image_bits"`     // two samples, for each lane
	Blocks      int `json:"block_rams"`     // block RAMs of 4,096 bits, the size that iCE40 has
}

// afterSteps are the clocks of a sample that are neither those of its words nor of its steps: one
// to start, eight in which the last step becomes the class, and one in which it is shown.
const afterSteps = 10

// Clocks returns how long samples take.
func (e *Chains) Clocks() Clocks {
	return Clocks{
		Cycles: float64(max(e.Depth, e.Features())), Latency: e.Features() - 1 + e.Used + afterSteps,
	}
}

// Cost returns what the engine takes.
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

// BlockBits are the bits of a block RAM of iCE40.
const BlockBits = 4096

// blocks returns how many block RAMs of iCE40 a memory takes, in the best of their forms.
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

// errForm begins the errors of netlists that cannot be folded.
var errForm = errors.New("fold: the netlist cannot be folded")
