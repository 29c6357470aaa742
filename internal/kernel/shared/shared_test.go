package shared

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// mean returns the output of a node by its definition. This is the sum, over the lines of the truth table, of the
// truth value times the line's probability. Pin 0 is the highest bit of a line's number.
func mean(table, pins []float64) (sum float64) {
	for line, truth := range table {
		for k, p := range pins {
			if line>>(len(pins)-1-k)&1 == 0 {
				p = 1 - p
			}
			truth *= p
		}
		sum += truth
	}
	return sum
}

// slope returns the derivative of the mean with respect to one element of table or pins. The argument number points
// to this element. The derivative is a simple difference, because the mean is linear in each element.
func slope(table, pins []float64, number *float64) float64 {
	at := func(v float64) float64 {
		before := *number
		defer func() { *number = before }()
		*number = v
		return mean(table, pins)
	}
	return at(*number+0.5) - at(*number-0.5)
}

// near fails if a number differs from the wanted number by more than rounding errors.
func near(t *testing.T, what string, got float32, want float64) {
	t.Helper()
	if math.Abs(float64(got)-want) > 1e-5*(1+math.Abs(want)) {
		t.Fatalf("%s is %v, want %v", what, got, want)
	}
}

// wide returns numbers as float64.
func wide(v []float32) []float64 {
	w := make([]float64, len(v))
	for i, x := range v {
		w[i] = float64(x)
	}
	return w
}

// drawApart draws a list in which each pin and each output has its own rows. Table values are neither 0 nor 1, so that
// no derivative is 0 by chance.
func drawApart(r *rand.Rand, pins, nodes, positions int) *arrays {
	a := &arrays{list: List{Pins: pins}, positions: positions, shift: Shift{Lanes, 2 * Lanes}}
	run := uint32(positions * Lanes)
	order := r.Perm(nodes * pins)
	outputs := a.shift.In + uint32(len(order))*run
	for i := range nodes {
		for k := range pins {
			a.list.Wires = append(a.list.Wires, uint32(order[i*pins+k])*run)
		}
		a.list.Out = append(a.list.Out, outputs+uint32(i)*run)
	}
	a.to = a.list.Wires
	all := int(outputs + uint32(nodes)*run + a.shift.Out)
	a.x, a.g = values(r, all), gradients(r, all)
	a.tables, a.sums = make([]float32, nodes<<pins), make([]float32, nodes<<pins)
	for i := range a.tables {
		a.tables[i] = r.Float32()
	}
	return a
}

// at returns the values of a node's pins at a position and a lane. It also returns the offset of the node's output
// there.
func (a *arrays) at(node, position, lane int) (pins []float64, out uint32) {
	off := uint32(position*Lanes + lane)
	for _, w := range a.list.Wires[node*a.list.Pins:][:a.list.Pins] {
		pins = append(pins, float64(a.x[w+a.shift.In+off]))
	}
	return pins, a.list.Out[node] + a.shift.Out + off
}

// each calls a function for each lane of each position of each node.
func (a *arrays) each(do func(node, position, lane int)) {
	for node := range a.list.Len() {
		for position := range a.positions {
			for lane := range Lanes {
				do(node, position, lane)
			}
		}
	}
}

// TestForward compares outputs with the mean of the table's lines.
func TestForward(t *testing.T) {
	eachShape(t, func(t *testing.T, a *arrays) {
		Forward(a.x, &a.list, a.tables, a.positions, a.shift)
		a.each(func(node, position, lane int) {
			pins, out := a.at(node, position, lane)
			near(t, fmt.Sprintf("node %d at %d", node, position), a.x[out], mean(wide(a.table(node)), pins))
		})
	})
}

func (a *arrays) table(node int) []float32 { return a.tables[node*a.list.Lines():][:a.list.Lines()] }

// eachShape runs a test on lists of each number of pins, on each SIMD path.
func eachShape(t *testing.T, test func(t *testing.T, a *arrays)) {
	run := func(t *testing.T, _ string) {
		r := rand.New(rand.NewPCG(23, 23))
		for pins := 1; pins <= MaxPins; pins++ {
			for _, positions := range []int{1, 7} {
				t.Run(fmt.Sprintf("pins=%d/positions=%d", pins, positions), func(t *testing.T) {
					test(t, drawApart(r, pins, 3, positions))
				})
			}
		}
	}
	on(t, "none", func() { t.Run("path=none", func(t *testing.T) { run(t, "none") }) })
	onPaths(t, func(t *testing.T, path string) { on(t, path, func() { run(t, path) }) })
}

// TestBackward compares gradients with derivatives of the mean.
func TestBackward(t *testing.T) {
	eachShape(t, func(t *testing.T, a *arrays) {
		for _, do := range []Gradients{Dropped, Stored, Added} {
			b := a.copied(inHeap, inHeap)
			b.sums = gradients(rand.New(rand.NewPCG(24, 24)), len(a.sums))
			before := slices.Clone(b.sums)
			b.backward(do)
			a.checkPins(t, b.g, do)
			for i := range b.sums {
				b.sums[i] -= before[i]
			}
			a.checkLines(t, b.sums)
		}
	})
}

// checkPins compares the gradients of pins in g with derivatives.
func (a *arrays) checkPins(t *testing.T, g []float32, do Gradients) {
	t.Helper()
	a.each(func(node, position, lane int) {
		pins, out := a.at(node, position, lane)
		table := wide(a.table(node))
		for k := range pins {
			place := a.to[node*a.list.Pins+k] + a.shift.In + uint32(position*Lanes+lane)
			want := float64(a.g[out]) * slope(table, pins, &pins[k])
			switch do {
			case Dropped:
				want = float64(a.g[place])
			case Added:
				want += float64(a.g[place])
			case Stored:
			}
			near(t, fmt.Sprintf("gradient of pin %d of node %d at %d (%d)", k, node, position, do), g[place], want)
		}
	})
}

// checkLines compares the gradients with respect to the lines of tables with derivatives.
func (a *arrays) checkLines(t *testing.T, sums []float32) {
	t.Helper()
	want := make([]float64, len(sums))
	a.each(func(node, position, lane int) {
		pins, out := a.at(node, position, lane)
		table := wide(a.table(node))
		for line := range table {
			want[node*a.list.Lines()+line] += float64(a.g[out]) * slope(table, pins, &table[line])
		}
	})
	for node := range a.list.Len() {
		lines := sums[node*a.list.Lines():][:a.list.Lines()]
		Lines(lines)
		for line := range lines {
			near(t, fmt.Sprintf("gradient of line %d of node %d", line, node), lines[line]/10,
				want[node*a.list.Lines()+line]/10)
		}
	}
}

// TestEmpty checks that an empty list is allowed.
func TestEmpty(t *testing.T) {
	l := List{Pins: 2}
	Forward(nil, &l, nil, 3, Shift{})
	Backward(nil, nil, &l, nil, nil, nil, 3, Shift{}, Added)
	(&Pool{}).Forward(nil)
	(&Pool{}).Backward(nil, nil, nil)
}

// TestSlice compares calls for the nodes of a list one by one with a call for all nodes.
func TestSlice(t *testing.T) {
	a := drawApart(rand.New(rand.NewPCG(25, 25)), 2, 5, 4)
	b := a.copied(inHeap, inHeap)
	Forward(a.x, &a.list, a.tables, a.positions, a.shift)
	for i := range b.list.Len() {
		one := b.list.Slice(i, i+1)
		Forward(b.x, &one, b.table(i), b.positions, b.shift)
	}
	same(t, "x", b.x, a.x)
}

// TestPool compares pooling with the largest of four values. The gradient must go to the first of the largest values.
func TestPool(t *testing.T) {
	r := rand.New(rand.NewPCG(26, 26))
	for range 50 {
		p, x, g, from := drawPool(r)
		p.Backward(x, g, from)
		y := slices.Clone(x)
		p.Forward(y)
		for i := range uint32(p.Width) {
			for lane := range uint32(Lanes) {
				at, out := p.In+2*i*Lanes+lane, p.Out+i*Lanes+lane
				places := []uint32{at, at + Lanes, at + p.Pitch, at + p.Pitch + Lanes}
				best := slices.MaxFunc(places, func(a, b uint32) int { return int(2 * (x[a] - x[b])) })
				near(t, "largest value", y[out], float64(x[best]))
				for _, place := range places {
					want := float32(0)
					if place == best {
						want = from[out]
					}
					near(t, "gradient", g[place], float64(want))
				}
			}
		}
	}
}

// TestChoice compares a pin that chooses among candidates with sums in float64.
func TestChoice(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 27))
	for _, positions := range []int{1, 6} {
		c := Choice{Step: 2 * Lanes}
		const candidates, in = 5, 3 * Lanes
		span := positions * 2 * Lanes
		for i := range candidates {
			c.Rows = append(c.Rows, uint32(i*span))
		}
		out := uint32(candidates*span + in)
		x, q := values(r, int(out)+positions*Lanes), make([]float32, candidates)
		g := make([]float32, len(x))
		for i := range q {
			q[i] = r.Float32()
		}
		for i := range g {
			g[i] = float32(r.NormFloat64())
		}
		mean, chosen, spread := slices.Clone(x), slices.Clone(x), slices.Clone(g)
		c.Mean(mean, q, out, positions, in)
		c.Select(chosen, 3, out, positions, in)
		c.Spread(spread, q, out, positions, in)
		sums := make([]float32, candidates)
		c.Sums(sums, x, g, out, positions, in)
		want := make([]float64, candidates)
		for p := range uint32(positions) {
			for lane := range uint32(Lanes) {
				at := out + p*Lanes + lane
				sum := 0.0
				for j, first := range c.Rows {
					place := first + in + p*c.Step + lane
					sum += float64(q[j]) * float64(x[place])
					want[j] += float64(g[at]) * float64(x[place])
					near(t, "spread gradient", spread[place], float64(g[place])+float64(q[j])*float64(g[at]))
				}
				near(t, "mean", mean[at], sum)
				near(t, "chosen value", chosen[at], float64(x[c.Rows[3]+in+p*c.Step+lane]))
			}
		}
		for j := range want {
			near(t, "sum", sums[j], want[j])
		}
	}
}
