package model_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ialgn/internal/model"
	"ialgn/internal/netgen"
)

// evaluate returns the output bits of the last layer of a network, node by node.
func evaluate(f *model.Frozen, x []bool) []bool {
	var before []bool
	for i := range f.Layers {
		l := &f.Layers[i]
		next := make([]bool, l.Width())
		for n := range next {
			line := 0
			for _, p := range l.Pins {
				from := before
				if p.Source == model.Input {
					from = x
				}
				line *= 2
				if from[p.Index[n]] {
					line++
				}
			}
			next[n] = l.Op.At(n)>>(1<<len(l.Pins)-1-line)&1 == 1
		}
		before = next
	}
	return before
}

// picture holds the bits between convolutions, [plane][row][column].
type picture [][][]bool

func newPicture(planes, rows, columns int) picture {
	p := make(picture, planes)
	for i := range p {
		for range rows {
			p[i] = append(p[i], make([]bool, columns))
		}
	}
	return p
}

// convolve evaluates the kernels at each position, and pools the results.
func convolve(c *model.Convolution, in picture) picture {
	g := &c.Grid
	at := func(plane, row, column int) bool {
		return row >= 0 && row < g.Rows && column >= 0 && column < g.Columns && in[plane][row][column]
	}
	rows, columns := g.Pooled()
	out := newPicture(c.Kernels.Width, rows, columns)
	for y := range rows * g.Pool {
		for x := range columns * g.Pool {
			patch := make([]bool, c.Kernels.Inputs())
			for plane := range g.Planes {
				for e := range g.Side * g.Side {
					row, column := e/g.Side, e%g.Side
					patch[(column*g.Side+row)*g.Planes+plane] = at(plane, y*g.Stride-g.Padding+row, x*g.Stride-g.Padding+column)
				}
			}
			for k, bit := range evaluate(c.Kernels, patch) {
				to := &out[k][y/g.Pool][x/g.Pool]
				if k >= c.Kernels.Width-c.Carried {
					*to = bit // carried bits are not pooled; the last carried bit in the window remains
				} else {
					*to = *to || bit
				}
			}
		}
	}
	return out
}

// TestParts evaluates the parts of convolutional networks position by position. It compares the results with the
// unrolled network.
func TestParts(t *testing.T) {
	for i, form := range netgen.Convolutions() {
		m := form.Model(uint64(i))
		parts, err := m.Compact().Parts()
		if (err != nil) != (form.Name == "anchored") { // no patch of this form covers one row of the input
			t.Errorf("%s: error %v", form.Name, err)
		}
		if err != nil {
			continue
		}
		f, r := m.Freeze(), rand.New(rand.NewPCG(7, uint64(i)))
		first, bits := &parts.Convolutions[0].Grid, m.Encoder.Bits-1
		for range 30 {
			x := make([]bool, f.Inputs())
			for j := range x {
				x[j] = r.IntN(2) == 0
			}
			image := newPicture(first.Planes, first.Rows, first.Columns)
			for p, plane := range image {
				for e := range first.Rows * first.Columns {
					row, column := e/first.Columns, e%first.Columns
					plane[row][column] = x[((p/bits*first.Rows+row)*first.Columns+column)*bits+p%bits]
				}
			}
			for c := range parts.Convolutions {
				image = convolve(&parts.Convolutions[c], image)
			}
			var dense []bool
			for e := range len(image[0]) * len(image[0][0]) {
				for _, plane := range image {
					dense = append(dense, plane[e/len(plane[0])][e%len(plane[0])])
				}
			}
			if got, want := evaluate(parts.Dense, dense), evaluate(f, x); !slices.Equal(got, want) {
				t.Fatalf("%s: bits %v, unrolled %v", form.Name, got, want)
			}
		}
	}
}
