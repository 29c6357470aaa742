package diagnose

import (
	"math"
	"sync/atomic"

	"ialgn/internal/memory"
	"ialgn/internal/model"
)

// array is the parameters of one kind of consecutive layers, [width][layers][k], with a
// copy from before the step while a window is open.
type array struct {
	kind   UpdateKind
	first  int // layer, from 0
	layers int
	k      int
	now    []float32
	before []float32
}

// arrays returns the parameters of a model.
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

// keep copies the parameters. After a measured step the copy is up to date already.
func (m *Meter) keep() {
	for _, a := range m.arrays {
		if a.before == nil {
			a.before = memory.MakeHuge[float32](len(a.now))
			copy(a.before, a.now)
		}
	}
}

// release gives the copies' memory back.
func (m *Meter) release() {
	for _, a := range m.arrays {
		a.before = nil
	}
}

// blockGates is about how many gates a task of [Meter.changes] takes: the sums of a task
// are added in the order of tasks, so that they do not depend on the number of threads.
const blockGates = 4096

// updateBlock is some chains of an array, and their sums by layer.
type updateBlock struct {
	*array
	from, to int
	sums     []float64
}

// changes returns the sums of the absolute changes since the copy, [kind][layer], and
// brings the copy up to date.
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

// add sums a block. The difference of two float32 is exact in float64.
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
