package engine

import (
	"ialgn/internal/encoding"
	"ialgn/internal/kernel"
	"ialgn/internal/model"
	"ialgn/internal/ranks"
)

// costs holds the price of reading each input bit, which is part of the loss (train.cost). The price is the number of
// look-up tables (LUTs) that the bit's comparison takes, divided by the number of pins that currently read the bit
// (at least one). A pin that alone reads a bit pays for the whole comparison. If a bit has many readers, each reader
// pays very little.
type costs struct {
	m       *model.Model
	layers  []*kernel.NodeLayer
	whole   []float32 // for each input bit, the pressure times the number of LUTs of the bit's comparison
	readers []int32   // number of pins that currently read each input bit; only pins on which their node depends count
	price   []float32 // increase of the loss if a pin reads the bit
}

// newCosts returns the costs of a network's layers.
func newCosts(m *model.Model, layers []*kernel.NodeLayer) *costs {
	n := m.Encoder.Inputs()
	c := &costs{m: m, layers: layers, whole: make([]float32, n), readers: make([]int32, n), price: make([]float32, n)}
	c.weigh()
	return c
}

// weigh computes c.whole, the full cost of every comparison.
func (c *costs) weigh() {
	key, e := c.m.Config.Train.Cost, &c.m.Encoder
	inputs := key.LUTInputs()
	for f, thresholds := range e.Thresholds {
		for j, t := range thresholds {
			luts := encoding.ComparisonLUTs(e.BitsIn, t, inputs)
			c.whole[f*(e.Bits-1)+j] = float32(key.Pressure * float64(luts))
		}
	}
}

// refresh counts the readers of each input bit again, over all ranks, and sets the prices. If thresholds are learned,
// refresh also recomputes the costs of comparisons.
func (c *costs) refresh(all ranks.Comm) error {
	if c == nil {
		return nil
	}
	if c.m.Config.Encoder.Learned() {
		c.weigh()
	}
	clear(c.readers)
	for _, l := range c.layers {
		for i := range l.Width {
			g := i*l.Layers + l.Index
			for k, p := range l.Pins {
				if p != nil && !p.Hidden && model.DependsOn(l.Table[g], len(l.Pins), k) {
					c.readers[p.Bit[g]]++
				}
			}
		}
	}
	if all != nil {
		if err := all.Sum(c.readers); err != nil {
			return err
		}
	}
	for i, n := range c.readers {
		c.price[i] = c.whole[i] / float32(max(1, n))
	}
	return nil
}

// add multiplies the price of each input bit by the number of batches and adds the product to sums. Afterwards,
// sums[i] includes the price for a pin that reads input bit i, summed over the batches.
func (c *costs) add(sums []float32, of *sources, batches int) {
	if c == nil {
		return
	}
	for i := range sums {
		sums[i] += float32(float32(batches) * c.price[of.at(uint32(i))])
	}
}

// prices returns the prices that kernels add to gradients, or nil without train.cost.
func (c *costs) prices() []float32 {
	if c == nil {
		return nil
	}
	return c.price
}
