package diagnose

import (
	"math"
	"math/rand/v2"

	"ialgn/internal/bitplane"
	"ialgn/internal/detmath"
	"ialgn/internal/kernel"
)

// fit holds the probes of a layer, for all starts together, and a batch of samples. The arrays are:
//
//	weights, moments : [blocks][rows], a row of 64 columns; column k is class k%classes of start k/classes
//	bits             : [samples][words]; bit r of a sample belongs to row r of the weights
//	turned           : [rows][batch words], the transposed bits
//	logits           : [blocks][samples], overwritten by the errors
type fit struct {
	kernels
	classes, starts, batch int

	inputs int // number of bits of a sample; also the index of the row with the biases; all later rows are zeros
	words  int // words of each sample, which is rows/64
	across int // number of words in a row of turned

	blocks []probeBlock
	bits   []uint64
	turned []uint64
	labels []uint8

	sums   []probeTable // subset sums of the errors, with one table for every 32 samples
	logits []float32
}

// probeBlock holds the rows of 64 columns: weights, first and second moments, and logits.
type probeBlock struct {
	w, m, v []row
	logits  []row
}

func newFit(inputs, classes int, p Protocol) *fit {
	f := &fit{
		kernels: choose(),
		classes: classes, starts: p.Starts, batch: p.Batch,
		inputs: inputs, words: inputs/64 + 1, across: (p.Batch + 63) / 64,
		logits: make([]float32, classes), labels: make([]uint8, 0, p.Batch),
	}
	rows := 64 * f.words
	for range (classes*p.Starts + columns - 1) / columns {
		f.blocks = append(f.blocks, probeBlock{
			make([]row, rows), make([]row, rows), make([]row, rows),
			make([]row, 64*f.across),
		})
	}
	f.bits, f.turned = make([]uint64, 64*f.across*f.words), make([]uint64, rows*f.across)
	f.sums = make([]probeTable, 2*f.across)
	for start := range p.Starts {
		f.draw(start, rand.New(rand.NewPCG(p.Seed, uint64(start))))
	}
	return f
}

// draw draws the initial weights of a start.
func (f *fit) draw(start int, r *rand.Rand) {
	bound := 1 / math.Sqrt(float64(f.inputs))
	for class := range f.classes {
		k := start*f.classes + class
		for i := range f.inputs + 1 {
			f.blocks[k/columns].w[i][k%columns] = float32((float64(2*float64(r.Float64())) - 1) * bound)
		}
	}
}

// step makes an Adam step on the mean cross-entropy of some samples.
func (f *fit) step(set *Bits, index []int32, adam *kernel.Adam) {
	f.load(set, index)
	f.forward()
	f.errors()
	f.turn()
	for b := range f.blocks {
		f.update(&f.blocks[b], adam)
	}
}

// load gathers a batch of at most f.batch samples.
func (f *fit) load(set *Bits, index []int32) {
	f.labels = f.labels[:0]
	for s, i := range index {
		to := f.bits[s*f.words : (s+1)*f.words]
		clear(to[copy(to, set.Sample(int(i))):])
		to[f.inputs/64] |= 1 << (f.inputs % 64)
		f.labels = append(f.labels, set.Labels[i])
	}
	clear(f.bits[len(index)*f.words:])
}

// turn transposes the bits of the batch into turned.
func (f *fit) turn() {
	var m [64]uint64
	for w := range f.across {
		for c := range f.words {
			for s := range m {
				m[s] = f.bits[(64*w+s)*f.words+c]
			}
			bitplane.Transpose(&m)
			for k, x := range m {
				f.turned[(64*c+k)*f.across+w] = x
			}
		}
	}
}

// forward computes the logits of the batch.
func (f *fit) forward() {
	var sums probeTable
	for i := range f.blocks {
		b := &f.blocks[i]
		clear(b.logits)
		for q := range 2 * f.words {
			f.subsets(&sums, b.w[tableBits*q:])
			f.addSelected(b.logits[:len(f.labels)], &sums, f.bits[q/2:], f.words, q%2*tableBits)
		}
	}
}

// read returns the logits of a sample for one start. The result is valid until the next call.
func (f *fit) read(sample, start int) []float32 {
	for class := range f.logits {
		k := start*f.classes + class
		f.logits[class] = f.blocks[k/columns].logits[sample][k%columns]
	}
	return f.logits
}

// errors replaces the logits by the derivatives of the mean cross-entropy with respect to the logits: (softmax -
// label) / samples.
func (f *fit) errors() {
	share := 1 / float32(len(f.labels))
	for s, label := range f.labels {
		for start := range f.starts {
			x := f.read(s, start)
			_, top := kernel.Largest(x)
			detmath.ExpAll(x, x, top)
			sum := float32(0)
			for _, e := range x {
				sum += e
			}
			for class, e := range x {
				p := e / sum
				if class == int(label) {
					p--
				}
				k := start*f.classes + class
				f.blocks[k/columns].logits[s][k%columns] = float32(p * share)
			}
		}
	}
}

// update makes the Adam step on the weights of a block. It handles 64 rows at a time, so that gradients need memory
// for only 64 rows. In the logits, the rows after the last sample are zeros.
func (f *fit) update(b *probeBlock, adam *kernel.Adam) {
	for q := range f.sums {
		f.subsets(&f.sums[q], b.logits[tableBits*q:])
	}
	var g [64]row
	for c := range f.words {
		clear(g[:])
		for q := range f.sums {
			f.addSelected(g[:], &f.sums[q], f.turned[64*c*f.across+q/2:], f.across, q%2*tableBits)
		}
		at := 64 * c
		f.updateRows(adam, b.w[at:at+64], b.m[at:at+64], b.v[at:at+64], g[:])
	}
}
