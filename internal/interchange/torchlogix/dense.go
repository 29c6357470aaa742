package torchlogix

import (
	"fmt"
	"math"

	"ialgn/internal/interchange/graph"
	"ialgn/internal/interchange/torchfile"
)

// dense reads a dense layer.
func (r *reader) dense(l *layer) (*graph.Dense, error) {
	w := l.tensor("weight")
	if err := r.take(4*int64(w.Elements()), "weight"); err != nil {
		return nil, err
	}
	logits, err := r.logits(l, w, "weight")
	if err != nil {
		return nil, err
	}
	d := &graph.Dense{
		Width: l.Out, Pins: l.Rank, Softmax16: l.Parametrization == parRaw, Logits: logits, Candidates: 1,
	}
	return d, r.wire(l, d)
}

// logits reads weights of shape [...][columns] as logits. The logits of the 16 operations stay unchanged. Other
// weights become one logit for each line of a table. A line is 1 if its logit is above 0.
func (r *reader) logits(l *layer, t *torchfile.Tensor, name string) ([]float32, error) {
	w, err := floats(t, name)
	if err != nil || l.Parametrization != parWarp {
		return w, err
	}
	columns := 1 << l.Rank
	for i := 0; i < len(w); i += columns {
		r.near += walsh(w[i : i+columns])
	}
	return w, nil
}

// nearZero is a limit for a sum relative to the sum of its terms' magnitudes. Below the limit, rounding in float32
// may change the sign of the sum.
const nearZero = 1.0 / (1 << 18)

// walsh replaces weights over the Walsh basis with logits for the lines of a table. Some logits may be so close to 0
// that they have another sign when torchlogix computes them in float32. walsh returns the number of these logits.
//
// A line is 1 if the sum of (-1)^(number of ones in line&s) w[s] over all s is below 0. The line's logit is minus
// this sum. The computation in float64 is exact unless the magnitudes differ very much.
func walsh(w []float32) (near int) {
	var sums [64]float64
	magnitude := 0.0
	for i, v := range w {
		sums[i] = float64(v)
		magnitude += math.Abs(float64(v))
	}
	for step := 1; step < len(w); step *= 2 {
		for i := range w {
			if i&step == 0 {
				a, b := sums[i], sums[i+step]
				sums[i], sums[i+step] = a+b, a-b
			}
		}
	}
	for i := range w {
		if s := math.Abs(sums[i]); s > 0 && s < magnitude*nearZero {
			near++
		}
		w[i] = float32(max(-math.MaxFloat32, min(-sums[i], math.MaxFloat32)))
	}
	return near
}

// wire reads the bits that the pins of a dense layer read.
func (r *reader) wire(l *layer, d *graph.Dense) error {
	idx, choice := l.tensor("connections.indices"), l.tensor("connections.weights")
	if choice != nil {
		d.Candidates = idx.Shape[0]
	}
	each := int64(4)
	if choice != nil && d.Candidates > 1 {
		each = 8
	}
	if err := r.take(each*int64(idx.Elements()), "connections"); err != nil {
		return err
	}
	d.Wires = make([][]uint32, d.Pins)
	for pin := range d.Wires {
		d.Wires[pin] = make([]uint32, d.Width*d.Candidates)
	}
	if each == 8 {
		d.Choice = make([][]float32, d.Pins)
		for pin := range d.Choice {
			d.Choice[pin] = make([]float32, d.Width*d.Candidates)
		}
	}
	for c := range d.Candidates {
		if choice == nil {
			return wireCandidate(l, d, 0, idx, nil)
		}
		if err := wireCandidate(l, d, c, slice(idx, c), slice(choice, c)); err != nil {
			return err
		}
	}
	return nil
}

// wireCandidate reads candidate c of all pins. The tensor idx holds the indices, and the tensor choice holds the
// weights. Both have the form [pin][node].
func wireCandidate(l *layer, d *graph.Dense, c int, idx, choice *torchfile.Tensor) error {
	const names = "connections.indices"
	indices, err := idx.Int64()
	if err != nil {
		return fmt.Errorf("%s: %w", names, err)
	}
	for i, v := range indices {
		if v < 0 || v >= int64(l.In) {
			return fmt.Errorf("%s: candidate %d of pin %d of node %d is %d, want 0 to %d",
				names, c, i/d.Width, i%d.Width, v, l.In-1)
		}
		d.Wires[i/d.Width][i%d.Width*d.Candidates+c] = uint32(v)
	}
	if choice == nil {
		return nil
	}
	weights, err := floats(choice, "connections.weights")
	if err != nil || d.Choice == nil {
		return err
	}
	for i, v := range weights {
		d.Choice[i/d.Width][i%d.Width*d.Candidates+c] = v
	}
	return nil
}
