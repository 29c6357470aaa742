package diagnose

import (
	"math"
	"sync/atomic"

	"ialgn/internal/memory"
	"ialgn/internal/model"
)

// array holds the parameters of one kind in consecutive layers. They are indexed [gate][layer][parameter]. While a
// window is open, array also holds a copy of the parameters as they were before the step.
type array struct {
	kind   UpdateKind
	first  int // number of the first layer, counted from 0
	layers int
	k      int
	now    []float32
	before []float32
}

// arrays returns the parameter arrays of a model.
func arrays(m *model.Model) []*array {
	var all []*array
	first := 0
	for i := range m.Sections {
		s := &m.Sections[i]
		all = append(all, &array{kind: Operations, first: first, layers: s.Layers, k: s.Arity, now: s.Ops})
		for k := range s.Pins {
			p := &s.Pins[k]
			if p.Logits == nil {
				continue
			}
			kind := Anchors
			if p.Source == model.Previous {
				kind = Hidden
			}
			all = append(all, &array{kind: kind, first: first, layers: s.Layers, k: p.K, now: p.Logits})
		}
		first += s.Layers
	}
	return all
}

// keep copies the parameters of each array that has no copy yet. After a measured step, the copies are already up to
// date.
func (m *Meter) keep() {
	for _, a := range m.arrays {
		if a.before == nil {
			a.before = memory.MakeHuge[float32](len(a.now))
			copy(a.before, a.now)
		}
	}
}

// release frees the memory of the copies.
func (m *Meter) release() {
	for _, a := range m.arrays {
		a.before = nil
	}
}

// blockGates is the approximate number of gates in a task of [Meter.changes]. The sums of the tasks are added in the
// order of the tasks, so the total does not depend on the number of threads.
const blockGates = 4096

// updateBlock is a range of chains of an array, with the sums for each layer.
type updateBlock struct {
	*array
	from, to int
	sums     []float64
}

// changes returns the sums of the absolute changes since the copies were made, and updates the copies. The result is
// indexed [kind][layer].
func (m *Meter) changes() [][]float64 {
	var blocks []updateBlock
	for _, a := range m.arrays {
		chains, step := len(a.now)/(a.layers*a.k), max(1, blockGates/a.layers)
		for from := 0; from < chains; from += step {
			blocks = append(blocks, updateBlock{a, from, min(from+step, chains), make([]float64, a.layers)})
		}
	}
	var next atomic.Int32
	m.crew.Run(func(int) {
		for i := int(next.Add(1)) - 1; i < len(blocks); i = int(next.Add(1)) - 1 {
			blocks[i].add()
		}
	})
	sums := table[float64](len(m.Initial.Sums[0]))
	for _, b := range blocks {
		for l, x := range b.sums {
			sums[b.kind][b.first+l] += x
		}
	}
	return sums
}

// add sums the changes of a block. The difference of two float32 numbers is computed in float64, where it is exact.
func (b *updateBlock) add() {
	at := b.from * b.layers * b.k
	for range b.to - b.from {
		for l := range b.layers {
			now, before := b.now[at:at+b.k], b.before[at:at+b.k]
			sum := 0.0
			for i, x := range now {
				sum += math.Abs(float64(x) - float64(before[i]))
				before[i] = x
			}
			b.sums[l] += sum
			at += b.k
		}
	}
}
