package model_test

import (
	"context"
	"fmt"

	"ialgn/internal/encoding"
	"ialgn/internal/model"
)

// This example has a network of two gates that says whether two one-bit features are equal. The gate of class 0 has
// learned XNOR, which is operation 9. The gate of class 1 has learned XOR, which is operation 6.
func Example() {
	ops := make([]float32, 2*16)
	ops[9], ops[16+6] = 1, 1
	pin := func(wire uint16) model.Pin {
		return model.Pin{Source: model.Input, K: 1, Wires: model.Indices{Narrow: []uint16{wire, wire}}}
	}
	m := &model.Model{
		Classes:  []string{"equal", "different"},
		Width:    2,
		Encoder:  encoding.Encoder{Bits: 2, BitsIn: 1, Max: 1, Thresholds: [][]uint16{{0}, {0}}},
		Sections: []model.Section{{Layers: 1, Width: 2, Arity: model.Operations, Ops: ops, Pins: []model.Pin{pin(0), pin(1)}}},
	}
	f := m.Freeze()
	fmt.Printf("operations: %d\n", f.Layers[0].Op.Narrow)

	samples := encoding.NewPacked(2, 1)
	samples.Append([]uint16{0, 0}, 0)
	samples.Append([]uint16{0, 1}, 1)
	samples.Append([]uint16{1, 1}, 0)
	scores, err := f.Evaluate(context.Background(), samples, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, class := range scores.Predicted {
		fmt.Println(f.Classes[class])
	}
	fmt.Println("correct:", scores.Correct(samples.Labels))
	// Output:
	// operations: [9 6]
	// equal
	// different
	// equal
	// correct: 3
}
