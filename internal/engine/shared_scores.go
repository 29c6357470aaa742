package engine

import (
	"fmt"

	"ialgn/internal/kernel/shared"
	"ialgn/internal/model"
)

// sharedScores collects what [Scores] need for nodes that have positions. Each sample of a batch at each position
// counts as a sample: sample s at position p is sample p*row + s.
type sharedScores struct {
	*Scores
	row      int                // number of samples of a row of the batch
	gradient [][]float32        // by row of Scores, [nodes][positions][row]; nil for the layers behind
	bits     map[*image]bitRows // images that scored pins read
}

// bitRows holds the bits of an image, with its border: [pixels][units]. Each number has the bits of a unit's samples.
type bitRows struct {
	bits  []uint16
	units int
}

func newBitRows(m *image, samples int) bitRows {
	units := samples / shared.Lanes
	return bitRows{make([]uint16, m.size()/shared.Lanes*units), units}
}

// pack sets the bits of unit u. A relaxed value becomes the bit to which it is nearer.
func (b bitRows) pack(m *image, x []float32, u int) {
	for i := range m.size() / shared.Lanes {
		word := uint16(0)
		for lane, v := range (*[shared.Lanes]float32)(x[m.at+i*shared.Lanes:]) {
			if v > 0.5 {
				word |= 1 << lane
			}
		}
		b.bits[i*b.units+u] = word
	}
}

// add appends the row of a pixel, in words of 64 samples.
func (b bitRows) add(to []uint64, pixel int) []uint64 {
	row := b.bits[pixel*b.units:][:b.units]
	for w := 0; w < b.units; w += 4 {
		to = append(to, uint64(row[w])|uint64(row[w+1])<<16|uint64(row[w+2])<<32|uint64(row[w+3])<<48)
	}
	return to
}

// scorable returns the pins that choose. A pin can choose any element of its patch.
func (e *sharedEngine) scorable() (all []choices) {
	for i, l := range nodeLayers(e.all, 0) {
		c := choices{layer: l.Number, width: l.Width, layers: l.Layers, index: l.Index}
		for k, p := range l.Pins {
			if p != nil && p.K > 1 {
				// Pins of a layer with the same source read the same patch.
				key := i*(int(model.Base)+1) + int(e.m.Sections[i].Pins[k].Source)
				c.pins = append(c.pins, choosing{k, p, e.m.Limit(i, k), key})
			}
		}
		all = append(all, c)
	}
	return all
}

// mostScored is the largest number of samples over which the products of 8 bits are summed, so that sums of 32 bits are
// exact.
const mostScored = 1 << 24

// checkScored returns an error if the scores of a layer would be sums over too many samples at all its positions.
func checkScored(m *model.Model, samples int) error {
	if m.Config.Train.Candidates.Kind != "gradient" {
		return nil
	}
	for i := range m.Sections {
		if g := m.Sections[i].Grid; g != nil {
			if rows, columns := g.Size(); samples > mostScored/(rows*columns) {
				return fmt.Errorf("train.candidates.kind: gradient sums over %d samples at %d positions, and can sum over %d "+
					"in all; use a smaller train.batch, a larger model.stride or fixed", samples, rows*columns, mostScored)
			}
		}
	}
	return nil
}

// NewScores implements [Engine].
func (e *sharedEngine) NewScores(w Window) *Scores {
	return e.newScores(w, func(layer int) int {
		rows, columns := e.positions(layer)
		return rows * columns * e.words * 64
	})
}

// positions returns the number of rows and of columns of positions of a layer.
func (e *sharedEngine) positions(layer int) (rows, columns int) {
	if g := e.m.Sections[layer].Grid; g != nil {
		return g.Size()
	}
	return 1, 1
}

// Score implements [Engine].
func (e *sharedEngine) Score(s *Scores) {
	e.base.Score(s)
	if e.scoring = nil; s == nil {
		return
	}
	e.scoring = &sharedScores{
		Scores: s, row: e.words * 64, gradient: make([][]float32, len(s.rows)),
		bits: map[*image]bitRows{},
	}
	for i := range s.rows {
		of := &s.rows[i]
		if of.layer >= len(e.layers) {
			continue
		}
		e.scoring.gradient[i] = make([]float32, len(of.gradients.Q))
		if from := e.sourceOf(of).image; e.scoring.bits[from].bits == nil {
			e.scoring.bits[from] = newBitRows(from, e.words*64)
		}
	}
}

// sourceOf returns the source of a scored pin.
func (e *sharedEngine) sourceOf(of *scored) *source {
	pin := e.candidates.all[of.layer].pins[of.pin].number
	for _, b := range e.course.(blocks) {
		for i := range b.levels {
			if b.levels[i].section == of.layer {
				return &b.levels[i].sources[pin]
			}
		}
	}
	panic("engine: a scored pin is in no block")
}

// pack keeps the bits of the images in unit u.
func (s *sharedScores) pack(x []float32, u int) {
	if s == nil {
		return
	}
	for m, b := range s.bits {
		b.pack(m, x, u)
	}
}

// take keeps the gradients of a node's pin in a unit, for some columns of positions from the position at on.
func (s *sharedScores) take(layer, node, pin, unit, at, columns int, gradient []float32) {
	if s == nil || node < s.from[layer] || node >= s.to[layer] {
		return
	}
	i := s.index(layer, pin)
	to := s.gradient[i][(node-s.from[layer])*s.rows[i].gradients.Samples+at*s.row+unit*shared.Lanes:]
	for c := range columns {
		copy(to[c*s.row:][:shared.Lanes], gradient[c*shared.Lanes:])
	}
}

// addScores adds a batch to the scores.
func (e *sharedEngine) addScores() {
	s := e.scoring
	if s == nil {
		return
	}
	e.crew.Run(func(member int) {
		for i := range s.rows {
			if s.gradient[i] != nil {
				e.quantise(&s.rows[i], s.gradient[i], member)
			}
		}
	})
	s.addProducts(e.crew, func(of *scored) {
		if of.layer >= len(e.layers) {
			of.from.set(e.behind.below(of.layer-len(e.layers)), e.words)
			return
		}
		of.from.bits = e.unfold(of.from.bits[:0], of)
		of.from.Set(of.from.bits, of.gradients.Samples/64, of.from.n)
	})
}

// quantise rounds the gradients of a goroutine's share of the nodes in the window.
func (e *sharedEngine) quantise(of *scored, gradient []float32, member int) {
	s, row := e.scoring, of.gradients.Samples
	for node := s.from[of.layer] + member; node < s.to[of.layer]; node += e.crew.Size() {
		n := node - s.from[of.layer]
		all := gradient[n*row:][:row]
		for at := 0; at < row; at += s.row { // the last batch of an epoch may have fewer units
			clear(all[at+e.units()*shared.Lanes : at+s.row])
		}
		of.gradients.Take(n, all, e.batch.Step, of.layer, node, s.choosing(of).number)
	}
}

// unfold returns the bits of each scored element of a patch, at all positions.
func (e *sharedEngine) unfold(to []uint64, of *scored) []uint64 {
	from := e.sourceOf(of)
	bits := e.scoring.bits[from.image]
	rows, columns := e.positions(of.layer)
	for n := range of.from.n {
		first := (int(from.element(of.from.at(uint32(n)))) - from.image.at) / shared.Lanes
		for y := range rows {
			for x := range columns {
				to = bits.add(to, first+(y*from.image.pitch()+x)*from.stride())
			}
		}
	}
	return to
}

// rewireChoices sets the candidates of pins again, after some were replaced.
func (e *sharedEngine) rewireChoices() {
	if e.behind != nil {
		e.behind.connect()
	}
	for _, b := range e.course.(blocks) {
		for i := range b.levels {
			l := &b.levels[i]
			for j := range l.choices {
				node, k := j/len(l.sources), j%len(l.sources)
				if p := e.sections[l.section].Pins[k]; p != nil {
					for c := range l.choices[j].Rows {
						l.choices[j].Rows[c] = l.sources[k].element(p.Wire(node*p.K + c))
					}
				}
			}
		}
	}
}
