// Package shared holds the training arithmetic of nodes that many positions share. Such nodes belong to the kernels
// of convolutions, which are trees of nodes that are evaluated at every position of an image. Nodes with one position
// are a special case.
//
// Sixteen samples, the lanes, form a unit, and a unit goes through the whole network by itself. It has an arena of
// values and an arena of gradients. A row of an arena has the [Lanes] values of one bit at one position. The place of
// a row is its offset in the arena, counted in float32. Rows of neighbouring positions are adjacent. Therefore a pin
// that reads the same pixel of the patch at positions 0, 1, 2, ... reads one run of rows. [Forward] and [Backward]
// take a list of nodes and evaluate each at a run of positions.
//
// A value is the probability that a bit is 1. Hard values, 0 and 1, are a special case of relaxed values. The tables
// of truth values that the caller passes decide whether values are hard or relaxed. The output of a node is the mean
// of the lines of its table, weighted by its pins' values. Pin 0 is the highest bit of a line's number. For two pins
// a and b with the truth values T_ab:
//
//	output   : (T_00 + (T_01 - T_00) b) + a (cA + d b), with cA = T_10 - T_00 and d = (T_11 - T_10) - (T_01 - T_00)
//	pins     : delta (cA + d b) and delta ((T_01 - T_00) + d a)
//	sums     : with u = delta a: the sums of delta, of delta b, of u and of u b
//
// [Lines] computes the gradients of the lines from these sums. For other numbers of pins, the pins halve the table
// one after another, beginning with the last pin. A pin with the value x turns each pair of lines, low and high, into
// the line low + x (high - low). Gradients are the exact gradients of this computation, as in package kernel. Each
// line has its own sum.
//
// # The order of sums
//
// As everywhere in training, all SIMD paths give the same bits. A product is rounded before it is added. A lane of a
// sum starts at +0 and adds positions in order. Lanes are added in eight pairs (i, i+8), then in four pairs, two
// pairs and one pair. The result is added to the value that the sum had before the call. Gradients of rows are added
// position by position in the order of nodes and, at each position, pin by pin.
package shared

// Lanes is the number of samples of a unit.
const Lanes = 16

// MaxPins is the largest fan-in of a node.
const MaxPins = 6

const maxLines = 1 << MaxPins

// List is a list of nodes that all have Pins pins. It holds the offset of the first row of each pin and of each
// output.
type List struct {
	Pins  int
	Wires []uint32 // [nodes][Pins]
	Out   []uint32 // [nodes]
}

// Len returns the number of nodes.
func (l *List) Len() int { return len(l.Out) }

// Lines returns the number of lines of a node's table.
func (l *List) Lines() int { return 1 << l.Pins }

// Slice returns the nodes in the range [from, to).
func (l *List) Slice(from, to int) List {
	return List{l.Pins, l.Wires[from*l.Pins : to*l.Pins], l.Out[from:to]}
}

// Shift moves the offsets of a list. In is added to the offsets of pins, and Out is added to the offsets of outputs.
type Shift struct{ In, Out uint32 }

// Forward writes the outputs of nodes at some positions to the arena x. The slice tables holds the truth values of
// the nodes, [nodes][lines].
func Forward(x []float32, l *List, tables []float32, positions int, at Shift) {
	if l.Len() == 0 || positions == 0 {
		return
	}
	if f := vectors(); f != nil && f.forward[l.Pins] != nil {
		n := l.Len()
		f.forward[l.Pins](&x[0], &l.Wires[:l.Pins*n][0], &l.Out[0], &tables[:l.Lines()*n][0], n, positions, at.In, at.Out)
		return
	}
	for i, out := range l.Out {
		t := tables[i*l.Lines():][:l.Lines()]
		wires, out := l.Wires[i*l.Pins:][:l.Pins], out+at.Out
		if l.Pins == 2 {
			forwardGate(x, t, wires[0]+at.In, wires[1]+at.In, out, positions)
			continue
		}
		forwardTable(x, t, wires, at.In, out, positions)
	}
}

// row returns the row of an arena at an offset.
func row(x []float32, at uint32) *[Lanes]float32 { return (*[Lanes]float32)(x[at:]) }

// plane holds the coefficients of the output of a two-pin node as a polynomial in its pins.
type plane struct{ one, a, b, ab float32 }

func planeOf(t []float32) plane {
	b := t[1] - t[0]
	return plane{t[0], t[2] - t[0], b, (t[3] - t[2]) - b}
}

func forwardGate(x, t []float32, a, b, out uint32, positions int) {
	c := planeOf(t)
	for range positions {
		xa, xb, to := row(x, a), row(x, b), row(x, out)
		for i, v := range xb {
			low, slope := c.one+float32(c.b*v), c.a+float32(c.ab*v)
			to[i] = low + float32(xa[i]*slope)
		}
		a, b, out = a+Lanes, b+Lanes, out+Lanes
	}
}

func forwardTable(x, t []float32, wires []uint32, in, out uint32, positions int) {
	var levels [2 * maxLines]float32
	var values [MaxPins]float32
	for p := range uint32(positions) {
		to := row(x, out+p*Lanes)
		for i := range to {
			for k, w := range wires {
				values[k] = x[w+in+p*Lanes+uint32(i)]
			}
			to[i] = reduceTable(&levels, t, values[:len(wires)])
		}
	}
}

// reduceTable returns the mean of the lines of a table. The last pin halves the table first. The full table and each
// halved table are written to levels, beginning at the index that equals their length. The result is at index 1.
func reduceTable(levels *[2 * maxLines]float32, t, values []float32) float32 {
	n := len(t)
	copy(levels[n:2*n], t)
	for k := len(values) - 1; k >= 0; k-- {
		n /= 2
		x := values[k]
		for a := range n {
			low, high := levels[2*n+2*a], levels[2*n+2*a+1]
			levels[n+a] = low + float32(x*(high-low))
		}
	}
	return levels[1]
}

// Gradients says how [Backward] treats the gradients of pins.
type Gradients uint8

// These are the values of Gradients.
const (
	Dropped Gradients = iota // not computed
	Stored                   // written to rows
	Added                    // added to rows
)

// Backward reads the gradients of the nodes' outputs from the arena g, at the offsets that the outputs have in x. It
// adds the sums of each node to the slice sums, [nodes][lines]. It stores or adds the gradients of pins in g. The
// slice to, [nodes][pins], holds the offsets of these gradients, which are shifted like the wires. The derivatives
// are computed from the truth values in tables.
func Backward(x, g []float32, l *List, to []uint32, tables, sums []float32, positions int, at Shift, do Gradients) {
	if l.Len() == 0 || positions == 0 {
		return
	}
	if f := vectors(); f != nil && f.backward[l.Pins] != nil {
		n := l.Len()
		wires, to := l.Wires[:l.Pins*n], to[:l.Pins*n]
		tables, sums := tables[:l.Lines()*n], sums[:l.Lines()*n]
		f.backward[l.Pins](&x[0], &g[0], &wires[0], &l.Out[0], &to[0], &tables[0], &sums[0], n, positions, at.In, at.Out,
			int(do))
		return
	}
	for i, out := range l.Out {
		t, s := tables[i*l.Lines():][:l.Lines()], sums[i*l.Lines():][:l.Lines()]
		wires, to, out := l.Wires[i*l.Pins:][:l.Pins], to[i*l.Pins:][:l.Pins], out+at.Out
		if l.Pins == 2 {
			backwardGate(x, g, t, s, [2]uint32{wires[0] + at.In, wires[1] + at.In},
				[2]uint32{to[0] + at.In, to[1] + at.In}, out, positions, do)
			continue
		}
		backwardTable(x, g, t, s, wires, to, at.In, out, positions, do)
	}
}

func backwardGate(x, g, t, s []float32, wires, to [2]uint32, out uint32, positions int, do Gradients) {
	c := planeOf(t)
	var sums [4][Lanes]float32
	for p := range uint32(positions) {
		a, b, delta := row(x, wires[0]+p*Lanes), row(x, wires[1]+p*Lanes), row(g, out+p*Lanes)
		var alpha, beta [Lanes]float32
		for i, d := range delta {
			u := float32(d * a[i])
			sums[0][i] += d
			sums[1][i] += float32(d * b[i])
			sums[2][i] += u
			sums[3][i] += float32(u * b[i])
			alpha[i] = float32(d * (c.a + float32(c.ab*b[i])))
			beta[i] = float32(d * (c.b + float32(c.ab*a[i])))
		}
		put(g, to[0]+p*Lanes, &alpha, do)
		put(g, to[1]+p*Lanes, &beta, do)
	}
	for i := range sums {
		s[i] += fold(&sums[i])
	}
}

// put stores, adds or drops a row.
func put(g []float32, at uint32, values *[Lanes]float32, do Gradients) {
	switch do {
	case Stored:
		*row(g, at) = *values
	case Added:
		to := row(g, at)
		for i, v := range values {
			to[i] += v
		}
	case Dropped:
	}
}

// fold adds up the lanes of a sum.
func fold(l *[Lanes]float32) float32 {
	a0, a1, a2, a3 := l[0]+l[8], l[1]+l[9], l[2]+l[10], l[3]+l[11]
	a4, a5, a6, a7 := l[4]+l[12], l[5]+l[13], l[6]+l[14], l[7]+l[15]
	return ((a0 + a4) + (a2 + a6)) + ((a1 + a5) + (a3 + a7))
}

func backwardTable(x, g, t, s []float32, wires, to []uint32, in, out uint32, positions int, do Gradients) {
	var levels, back [2 * maxLines]float32
	var sums [maxLines][Lanes]float32
	var values [MaxPins]float32
	lines := len(t)
	for p := range uint32(positions) {
		var grads [MaxPins][Lanes]float32
		for i, d := range row(g, out+p*Lanes) {
			for k, w := range wires {
				values[k] = x[w+in+p*Lanes+uint32(i)]
			}
			reduceTable(&levels, t, values[:len(wires)])
			back[1] = d
			for k, n := 0, 1; k < len(wires); k, n = k+1, 2*n {
				v, slope := values[k], float32(0)
				for a := n; a < 2*n; a++ {
					slope += float32(back[a] * (levels[2*a+1] - levels[2*a]))
					back[2*a+1] = float32(back[a] * v)
					back[2*a] = back[a] - back[2*a+1]
				}
				grads[k][i] = slope
			}
			for a := range lines {
				sums[a][i] += back[lines+a]
			}
		}
		for k, w := range to {
			put(g, w+in+p*Lanes, &grads[k], do)
		}
	}
	for a := range lines {
		s[a] += fold(&sums[a])
	}
}

// Lines turns the sums of a node, in place, into the gradients of the lines of its table.
func Lines(sums []float32) {
	if len(sums) != 4 {
		return
	}
	all, b, a, ab := sums[0], sums[1], sums[2], sums[3]
	sums[3], sums[2], sums[1] = ab, a-ab, b-ab
	sums[0] = (all - a) - sums[1]
}
