// This file counts how often each operation occurs among the gates of a frozen network.

package diagnose

import "ialgn/internal/model"

// Census holds how often each operation occurs after the first layer, as in the IALGN paper, supplement,
// "Operation-frequency analysis". The first layer is excluded because both pins of its gates read raw inputs.
// Therefore these pins are not a spine and an anchor.
type Census struct {
	Gates      int         `json:"gates"`      // number of gates counted, (depth-1) x width
	Operations [16]float64 `json:"operations"` // share of each operation, by the paper's number
	Categories Categories  `json:"categories"`
}

// Categories holds the shares of the paper's categories of operations.
type Categories struct {
	Constants   float64 `json:"constants"`    // operations FALSE (0) and TRUE (15)
	PassThrough float64 `json:"pass_through"` // operations A (3) and B (5)
	Negation    float64 `json:"negation"`     // operations NOT A (12) and NOT B (10)
	Binary      float64 `json:"binary"`       // the ten operations that depend on both inputs
}

// TakeCensus counts the operations of the two-pin gates of f. A network of one layer has no gates to count, and all
// shares are 0. The paper's deployed gate count, width x depth, includes the first layer; see [model.Frozen.Gates].
func TakeCensus(f *model.Frozen) Census {
	var count [16]int
	gates := 0
	for l := 1; l < len(f.Layers); l++ {
		if layer := &f.Layers[l]; len(layer.Pins) == 2 {
			for _, op := range layer.Op.Narrow {
				count[op]++
			}
			gates += layer.Width()
		}
	}
	c := Census{Gates: gates}
	if c.Gates == 0 {
		return c
	}
	share := func(ops ...int) float64 {
		sum := 0
		for _, op := range ops {
			sum += count[op]
		}
		return float64(sum) / float64(c.Gates)
	}
	for op := range count {
		c.Operations[op] = share(op)
	}
	c.Categories = Categories{
		Constants:   share(0, 15),
		PassThrough: share(3, 5),
		Negation:    share(12, 10),
		Binary:      share(1, 2, 4, 6, 7, 8, 9, 11, 13, 14),
	}
	return c
}
