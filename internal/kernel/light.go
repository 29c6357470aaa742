package kernel

import "ialgn/internal/detmath"

// LightOps is the number of logits of a light gate (LDLGN). The gate has a logit for each line of its truth table.
const LightOps = 4

// Light returns the truth values T of a light gate, which are the sigmoids of its logits for 00, 01, 10 and 11. It
// writes the derivatives T (1 - T) of the sigmoids to slope.
func Light(slope *Quad, w *[LightOps]float32) (t Quad) {
	for i, x := range w {
		// Both forms below take the exponential of a number that is at most 0.
		e := detmath.Exp(-max(x, -x))
		inv := 1 / (1 + e)
		rest := float32(e * inv)
		t[i], slope[i] = inv, float32(inv*rest)
		if x < 0 {
			t[i] = rest
		}
	}
	return t
}

// LightOp returns the operation, in the paper's numbering, whose truth table has a 1 where the logit is above 0.
func LightOp(w *[LightOps]float32) uint8 {
	op := uint8(0)
	for _, x := range w {
		op <<= 1
		if x > 0 {
			op |= 1
		}
	}
	return op
}
