package diagnose

import "math"

// patterns is the number of combinations of pin values. The pattern of the values a and b has the number 2a + b.
const patterns = 4

// truth is the relaxed truth table of a gate, computed from the gate's logits. It holds the probabilities of the 16
// operations. For a light gate, it holds the four lines of the table themselves.
type truth struct {
	p    []float64
	rest []float64 // 1 - p for each line of a light gate's table; otherwise nil
}

func (n *network) truth(l, i int) truth {
	at := n.layers[l]
	arity := at.section.Arity
	w := at.section.Ops[(i*at.section.Layers+at.at)*arity:][:arity]
	if arity != patterns {
		return truth{p: softmax(w)}
	}
	t := truth{make([]float64, patterns), make([]float64, patterns)}
	for k, x := range w {
		t.p[k], t.rest[k] = 1/(1+math.Exp(-float64(x))), 1/(1+math.Exp(float64(x)))
	}
	return t
}

// operation returns the value of an operation for a pattern. Operations have the paper's numbers.
func operation(op, pattern int) int { return op >> (patterns - 1 - pattern) & 1 }

// slopes holds the derivatives of a relaxed gate with respect to its pins, at hard values. Element [0][b] is the
// derivative with respect to pin A if pin B has the value b. Element [1][a] is the derivative with respect to pin B
// if pin A has the value a.
type slopes [pins][2]float64

func (t truth) slopes() slopes {
	return slopes{{t.rise(0, 2), t.rise(1, 3)}, {t.rise(0, 1), t.rise(2, 3)}}
}

// rise returns how much larger the table's value is at the argument to than at the argument from. Both are patterns.
//
// Between two patterns, as many operations rise as fall. rise adds up the probabilities of the rising and of the
// falling operations separately and then subtracts the sums. So the result is exactly 0 if all these probabilities
// are equal, for example for pin B at the exact skip start. A single sum would have rounding errors.
func (t truth) rise(from, to int) float64 {
	if t.rest != nil {
		return t.p[to] - t.p[from]
	}
	up, down := 0.0, 0.0
	for op, p := range t.p {
		switch operation(op, to) - operation(op, from) {
		case 1:
			up += p
		case -1:
			down += p
		}
	}
	return up - down
}

// gradient writes to g the gradient with respect to the gate's logits. s is indexed by the pattern of the pins. Each
// element is the gradient with respect to the gate's value, summed over the samples with this pattern.
func (t truth) gradient(g []float64, s *[patterns]float64) {
	if t.rest != nil {
		for k := range g {
			g[k] = float64(t.p[k]*t.rest[k]) * s[k]
		}
		return
	}
	subsets((*[16]float64)(g), s)
	mean := 0.0
	for op, p := range t.p {
		mean += float64(p * g[op])
	}
	for op, p := range t.p {
		g[op] = p * (g[op] - mean)
	}
}

// subsets computes a sum for each operation. It is the sum of s over the patterns at which the operation is 1.
func subsets(t *[16]float64, s *[patterns]float64) {
	d0, d1, d2, d3 := s[3], s[2], s[1], s[0] // the lowest bit of an operation is its value at the pattern 11
	d01, d23 := d0+d1, d2+d3
	t[0], t[1], t[2], t[3] = 0, d0, d1, d01
	t[4], t[5], t[6], t[7] = d2, d0+d2, d1+d2, d01+d2
	t[8], t[9], t[10], t[11] = d3, d0+d3, d1+d3, d01+d3
	t[12], t[13], t[14], t[15] = d23, d0+d23, d1+d23, d01+d23
}

// norm returns the Euclidean norm of a gradient. The number of elements must be a multiple of four.
func norm(g []float64) float64 {
	var s0, s1, s2, s3 float64 // four sums, because in a single sum each addition waits for the preceding one
	for ; len(g) >= 4; g = g[4:] {
		s0 += float64(g[0] * g[0])
		s1 += float64(g[1] * g[1])
		s2 += float64(g[2] * g[2])
		s3 += float64(g[3] * g[3])
	}
	return math.Sqrt((s0 + s1) + (s2 + s3))
}
