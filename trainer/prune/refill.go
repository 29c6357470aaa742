package prune

import (
	"context"
	"math/bits"

	"ialgn/trainer/model"
)

// Refilling is another table for a node, with the same lines where a sample reads one.
type Refilling struct {
	Layer, Node int
	Table       uint64
	Freed       int // pins that the node depended on and does not any more
}

// Refill returns the tables that depend on fewer pins than those of the network and have the same value for every
// sample, by layer and node. Lines that no sample reads may have any value; of all sets of pins that a table can do
// with, the smallest is taken, of equally many pins that with the lowest number, pin A being the lowest digit. A line
// that no sample reads gets the value of those that are equal in these pins and read; where none of them is, they all
// get the value that most of them had, of equally many 0. A table for which no fewer pins do stays as it is.
//
// Every node keeps its value in every sample, so the network has the same outputs for all of them. Others may change.
// It returns the context's error if that ends first.
func (t *Task) Refill(ctx context.Context) ([]Refilling, error) {
	read, err := t.linesRead(ctx)
	if err != nil {
		return nil, err
	}
	var all []Refilling
	for l := range t.Network.Layers {
		layer := &t.Network.Layers[l]
		pins := len(layer.Pins)
		for i := range layer.Width() {
			is := layer.Op.At(i)
			if table, kept := smallest(is, read[l][i], pins); table != is {
				all = append(all, Refilling{l, i, table, support(is, pins) - kept})
			}
		}
	}
	return all, nil
}

// linesRead returns by layer and node the lines of its table that some sample reads, as digits of a table.
func (t *Task) linesRead(ctx context.Context) ([][]uint64, error) {
	var all [][][]uint64 // of each goroutine
	zeros := func() (lines [][]uint64) {
		for l := range t.Network.Layers {
			lines = append(lines, make([]uint64, t.Network.Layers[l].Width()))
		}
		return lines
	}
	err := t.eachBlock(ctx, t.Network, func() func(b *block) {
		lines := zeros()
		all = append(all, lines)
		return func(b *block) { b.linesRead(lines) }
	})
	read := zeros()
	for _, lines := range all {
		for l := range lines {
			for i, set := range lines[l] {
				read[l][i] |= set
			}
		}
	}
	return read, err
}

// linesRead adds the lines that the samples of the block read.
func (b *block) linesRead(lines [][]uint64) {
	var reads [1 << model.MaxPins]uint64 // samples that read each line
	for l := range b.f.Layers {
		layer := &b.f.Layers[l]
		for i := range lines[l] {
			for w := range blockWords {
				n := 1
				reads[0] = b.valid(w)
				for k := range layer.Pins {
					x := b.row(l, &layer.Pins[k], i)[w]
					for a := n - 1; a >= 0; a-- {
						reads[2*a], reads[2*a+1] = reads[a]&^x, reads[a]&x
					}
					n *= 2
				}
				for a := range n {
					if reads[a] != 0 {
						lines[l][i] |= 1 << (n - 1 - a)
					}
				}
			}
		}
	}
}

// smallest returns the table of fewest pins that is equal in the lines that are read, and how many pins it has.
func smallest(table, read uint64, pins int) (fewest uint64, kept int) {
	fewest, kept = table, support(table, pins)
	for set := range uint(1) << pins { // numbers ascend, so the first of as many pins stays
		if n := bits.OnesCount(set); n < kept {
			if merged, ok := merge(table, read, pins, set); ok {
				fewest, kept = merged, n
			}
		}
	}
	return fewest, kept
}

// merge returns the table that depends on a set of pins alone and is equal in the lines that are read, if there is one.
func merge(table, read uint64, pins int, set uint) (merged uint64, ok bool) {
	lines := 1 << pins
	left := model.LastTable(pins)
	for a := range lines {
		if left>>(lines-1-a)&1 == 0 {
			continue
		}
		equal := model.LastTable(pins) // lines with the same values of the pins of the set
		for k := range pins {
			if set>>k&1 == 0 {
				continue
			}
			if ones := model.PinTable(pins, k); a>>(pins-1-k)&1 == 1 {
				equal &= ones
			} else {
				equal &^= ones
			}
		}
		left &^= equal
		ones, zeros := table&read&equal, ^table&read&equal
		switch {
		case ones != 0 && zeros != 0:
			return 0, false
		case ones != 0, zeros == 0 && 2*bits.OnesCount64(table&equal) > bits.OnesCount64(equal):
			merged |= equal
		}
	}
	return merged, true
}

// support returns the number of pins that a table depends on.
func support(table uint64, pins int) (n int) {
	for k := range pins {
		if model.DependsOn(table, pins, k) {
			n++
		}
	}
	return n
}
