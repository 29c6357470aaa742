package checkpoint

import (
	"fmt"
	"slices"

	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/graph"
)

// Bits returns the input description of a network that takes n bits.
func Bits(n int) graph.Input { return graph.Input{Shape: []int{n}, Digits: 1} }

// Thermometer returns the input of a network whose first layer reads the results of comparisons with the user's
// thresholds. The bits are ordered by feature: all bits of the first feature come first. bits is the number of bits
// that the first layer reads, or 0 if it is not known. A single row of thresholds applies to every feature.
func Thermometer(src *given.Source, bits int) (graph.Input, error) {
	rows, facts := src.Thresholds, src.Facts.Thermometer
	if facts.None {
		return graph.Input{}, Contradiction(src, "thermometer", "none", "what was given", "thresholds")
	}
	if len(rows) == 0 || len(rows[0]) == 0 {
		return graph.Input{}, fmt.Errorf("the thresholds are empty")
	}
	per := len(rows[0])
	for f, row := range rows {
		if len(row) != per {
			return graph.Input{}, fmt.Errorf("feature %d has %d thresholds, where feature 0 has %d", f, len(row), per)
		}
		for i, v := range row {
			if v-v != 0 {
				return graph.Input{}, fmt.Errorf("threshold %d of feature %d is %v", i, f, v)
			}
		}
	}
	if err := Agree(src, "thermometer.bits", facts.Bits, "the file of thresholds", per); err != nil {
		return graph.Input{}, err
	}
	if len(facts.Shape) != 0 && !slices.Equal(facts.Shape, []int{len(rows), per}) && len(rows) > 1 {
		return graph.Input{}, Contradiction(src, "thermometer.shape", facts.Shape, "the file of thresholds",
			[]int{len(rows), per})
	}
	if len(rows) == 1 {
		if bits == 0 {
			return graph.Input{}, &given.Missing{What: "in_dim", Why: "the same thresholds are for every feature, " +
				"and neither they nor the wiring say how many there are"}
		}
		rows = slices.Repeat(rows, max(bits/per, 1))
	}
	if bits != 0 && len(rows)*per != bits {
		return graph.Input{}, fmt.Errorf("thresholds of %d features with %d bits each, which are %d, where the first "+
			"layer reads %d bits", len(rows), per, len(rows)*per, bits)
	}
	return graph.Input{Shape: []int{len(rows)}, Thresholds: rows}, nil
}
