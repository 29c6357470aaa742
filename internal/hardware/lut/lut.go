// Package lut maps the gates of a netlist to look-up tables (LUTs) of K inputs.
//
// [Map] returns a netlist with the same function in which every function cell is one LUT of at most K inputs. Cells
// that are not gates of the model are copied unchanged: comparators, popcounts, argmax and registers. Functions that
// an earlier lowering made are also copied if they have at most K inputs. They are LUTs already, with their own
// timing. Mapping them together with the gates would turn chains into general logic.
//
// Private chains are chains whose side inputs do not come from gates. They are mapped by methods for chains. To reach
// a given depth, gates are re-associated, and a segment of a chain may be computed for both values of its spine
// input. Two dynamic programmes map chains:
//
//   - serial packing (serial.go) uses the fewest LUTs that a chain of n steps can have, ceil(n/(K-1)). It finds the
//     fewest levels for this number of LUTs;
//   - the programme over segments (segment.go) finds the fewest LUTs for a given number of levels.
//
// The plan of a chain depends only on the chain's shape, which is the sequence of its operations. So each plan is
// computed once for all chains of a shape. The shapes are divided among threads. The result depends only on the
// netlist and the options.
//
// All other logic, such as the logic of random-wired networks, is covered by cuts (cover.go). Cuts keep the
// structure of the logic.
package lut

import (
	"context"
	"fmt"
	"runtime"

	"ialgn/internal/message"
	"ialgn/netlist"
)

// Objective says what the mapping minimises.
type Objective uint8

// These are the objectives.
const (
	Area  Objective = iota // the fewest LUTs, and then the fewest levels
	Depth                  // the fewest levels, and then the fewest LUTs
	// Balanced uses the fewest levels for which a sample of the chains takes at most a tenth more LUTs than with
	// unlimited levels. Minimising the product of area and depth would always choose the fewest levels.
	Balanced
)

var objectiveNames = [...]string{Area: "area", Depth: "depth", Balanced: "balanced"}

// ParseObjective returns the objective with the given name: area, depth or balanced.
func ParseObjective(s string) (Objective, error) {
	for i, name := range objectiveNames {
		if s == name {
			return Objective(i), nil
		}
	}
	return 0, message.NoSuch("objective", s, objectiveNames[:])
}

// String returns the objective's name.
func (o Objective) String() string {
	if int(o) < len(objectiveNames) {
		return objectiveNames[o]
	}
	return fmt.Sprintf("objective %d", uint8(o))
}

// These are the limits of Options.K.
const (
	MinInputs = 2
	MaxInputs = netlist.MaxFunctionInputs
)

// Options control the mapping.
type Options struct {
	K         int // inputs of a LUT, 2 to 6
	Objective Objective
	MaxDepth  int // largest number of LUT levels; 0: no limit
	Threads   int // 0: one for each processor
}

func (o Options) check() error {
	switch {
	case o.K < MinInputs || o.K > MaxInputs:
		return fmt.Errorf("lut: LUTs of %d inputs: give %d to %d", o.K, MinInputs, MaxInputs)
	case int(o.Objective) >= len(objectiveNames):
		return fmt.Errorf("lut: unknown %v", o.Objective)
	case o.MaxDepth < 0:
		return fmt.Errorf("lut: a depth of %d levels: give 1 or more, or 0 for no bound", o.MaxDepth)
	}
	return nil
}

func (o Options) threads() int {
	if o.Threads > 0 {
		return o.Threads
	}
	return runtime.GOMAXPROCS(0)
}

// Report describes a mapping.
type Report struct {
	K         int    `json:"k"`
	Objective string `json:"objective"`
	LUTs      int    `json:"luts"`      // LUTs with at least two inputs
	Inverters int    `json:"inverters"` // LUTs of one input, which invert an input of the netlist
	Levels    int    `json:"levels"`    // LUTs on the longest path
	Chains    int    `json:"chains"`    // private chains with at least one step
	Steps     int    `json:"steps"`     // steps in all chains
	Bound     int    `json:"bound"`     // LUTs of serial packing: the sum of ceil(steps/(K-1)) over the chains
	General   int    `json:"general"`   // LUTs of logic that is not a private chain
}

// Map returns the mapped netlist. It returns an error if the options are invalid, if ctx is done, or if MaxDepth
// cannot be met. In the last case the error says how many levels are needed.
func Map(ctx context.Context, n *netlist.Netlist, o Options) (*netlist.Netlist, *Report, error) {
	if err := o.check(); err != nil {
		return nil, nil, err
	}
	m := &mapper{n: n, o: o, catalog: newCatalog(ctx, o)}
	m.classify()
	m.findChains()
	m.cover = newCover(m.buildNetwork())
	if err := m.schedule(); err != nil {
		return nil, nil, err
	}
	if err := m.planChains(); err != nil {
		return nil, nil, err
	}
	mapped := m.build()
	if o.MaxDepth > 0 && m.report.Levels > o.MaxDepth { // checked after mapping, because some LUTs turn out to be wires
		return nil, nil,
			fmt.Errorf("lut: %d levels of LUTs with %d inputs are too few, the gates need %d levels: allow this depth",
				o.MaxDepth, o.K, m.report.Levels)
	}
	return mapped, &m.report, nil
}
