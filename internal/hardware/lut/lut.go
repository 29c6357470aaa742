// Package lut maps the gates of a netlist to look-up tables (LUTs) of K inputs.
//
// [Map] returns a netlist with the same function in which every function cell is one LUT of at most
// K inputs. Cells that are no gates of the model are copied unchanged: comparators, popcounts,
// argmax, registers, and functions that a lowering has placed, if they fit. Such functions are LUTs
// already, with their own timing; covering them with the gates would turn chains into general logic.
//
// Private chains, whose sides are no gates, are mapped as chains. Gates are re-associated, and a
// segment of a chain may be computed for both values of its spine, so that the depth can be as
// small as asked for. Two dynamic programmes do that:
//
//   - serial packing (serial.go) reaches the fewest LUTs that a chain of n steps can have,
//     ceil(n/(K-1)), with the fewest levels that this allows;
//   - the programme over segments (segment.go) reaches the fewest LUTs in a given number
//     of levels.
//
// The plan depends only on the chain's shape, which is the operations of its steps, and is computed
// once for all chains of a shape. Threads share the shapes. The result depends on the netlist and
// the options only.
//
// All other logic, such as the logic of random-wired networks, is covered by cuts (cover.go), which
// keep its structure.
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

// The objectives.
const (
	Area  Objective = iota // the fewest LUTs, and then the fewest levels
	Depth                  // the fewest levels, and then the fewest LUTs
	// Balanced is the fewest levels that cost at most a tenth more LUTs, judged by a sample of the chains. The
	// product of area and depth would always choose the fewest levels.
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

// The limits of Options.K.
const (
	MinInputs = 2
	MaxInputs = netlist.MaxFunctionInputs
)

// Options control the mapping.
type Options struct {
	K         int // inputs of a LUT, 2 to 6
	Objective Objective
	MaxDepth  int // the most levels of LUTs; 0: no limit
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
	Inverters int    `json:"inverters"` // LUTs of one input, for inputs of the netlist that are read inverted
	Levels    int    `json:"levels"`    // LUTs on the longest path
	Chains    int    `json:"chains"`    // private chains with at least one step
	Steps     int    `json:"steps"`     // steps in all chains
	Bound     int    `json:"bound"`     // LUTs of serial packing: the sum of ceil(steps/(K-1)) over the chains
	General   int    `json:"general"`   // LUTs of logic that is no private chain
}

// Map returns the mapped netlist. It returns an error if the options are invalid, if MaxDepth
// cannot be met (the error says how many levels are needed), or if ctx is done.
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
	if o.MaxDepth > 0 && m.report.Levels > o.MaxDepth { // checked here, since some LUTs turn out to be wires
		return nil, nil,
			fmt.Errorf("lut: %d levels of LUTs with %d inputs are too few, the gates need %d levels: allow this depth",
				o.MaxDepth, o.K, m.report.Levels)
	}
	return mapped, &m.report, nil
}
