package plan

import "encoding/json"

// Scope says how much of the classifier is compiled.
type Scope string

// These are the scopes. The zero value is [ScopeFull].
const (
	ScopeGates Scope = "gates" // thermometer bits in, bits of the last layer out
	ScopeCore  Scope = "core"  // thermometer bits in, class out
	ScopeFull  Scope = "full"  // feature words in, class out
)

// Level says how much a netlist is optimised. In JSON, [OptimiseFully] is 2, [OptimiseOnce] is 1 and [OptimiseNone]
// is 0.
type Level int

// These are the levels. The zero value is [OptimiseFully].
const (
	OptimiseFully Level = iota // repeats the passes until nothing changes
	OptimiseOnce               // runs each pass once
	OptimiseNone               // keeps one cell for each gate
)

// LevelOf returns the level with the given number in JSON, from 0 to 2. For other numbers it returns invalid levels,
// which are refused later.
func LevelOf(number int) Level { return OptimiseNone - Level(number) }

// Number returns the level's number in JSON.
func (l Level) Number() int { return int(OptimiseNone - l) }

// MarshalJSON returns the level's number.
func (l Level) MarshalJSON() ([]byte, error) { return json.Marshal(l.Number()) }

// UnmarshalJSON parses the level's number.
func (l *Level) UnmarshalJSON(text []byte) error {
	var number int
	if err := json.Unmarshal(text, &number); err != nil {
		return err
	}
	*l = LevelOf(number)
	return nil
}

// Objective says what the mapping to LUTs minimises.
type Objective string

// These are the objectives. The zero value is [ObjectiveBalanced].
const (
	ObjectiveArea     Objective = "area"
	ObjectiveDepth    Objective = "depth"
	ObjectiveBalanced Objective = "balanced"
)

// Pipeline says where registers are placed. It is a number of stages, or one of the names below.
type Pipeline string

// These are the values of Pipeline that are not a number of stages. The zero value is [PipelineNone].
const (
	PipelineNone Pipeline = "none"
	PipelineAuto Pipeline = "auto" // the fewest stages with at most MaxLevels levels each
)

// Style says how the Verilog describes logic.
type Style string

// These are the styles. The zero value is [StyleAuto], the style that suits the target best.
const (
	StyleAuto  Style = "auto"
	StyleGates Style = "gates" // assign statements
	StyleLUT   Style = "lut"   // primitives of the target
)

// Wrapper is the interface that is written around the module, one of [wrapper.Kinds] or [WrapNone].
type Wrapper string

// WrapNone means no wrapper, like the zero value.
const WrapNone Wrapper = "none"
