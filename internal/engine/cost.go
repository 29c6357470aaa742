package engine

import (
	"ialgn/internal/encoding"
	"ialgn/internal/kernel"
	"ialgn/internal/model"
	"ialgn/internal/ranks"
)

// costs say what reading an input bit costs in look-up tables of the target, as part of the loss (train.cost): its
// comparison, divided by the pins that read it now, or by one if none does. So a bit that nobody reads costs a pin its
// whole comparison, and one that many read next to nothing.
type costs struct {
	m       *model.Model
	layers  []*kernel.NodeLayer
	whole   []float32 // the pressure times the look-up tables of each input bit's comparison
	readers []int32   // pins that read each input bit now, and whose node depends on them
	price   []float32 // what the loss rises by if a pin reads it
}

// newCosts returns the costs of a network's layers.
func newCosts(m *model.Model, layers []*kernel.NodeLayer) *costs {
	n := m.Encoder.Inputs()
	c := &costs{m: m, layers: layers, whole: make([]float32, n), readers: make([]int32, n), price: make([]float32, n)}
	c.weigh()
	return c
}

// weigh computes what comparisons cost whole.
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

// refresh counts the readers of each input bit anew, among those of all ranks, and what comparisons cost where
// thresholds move.
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

// add adds what the input bits cost to sums over so many batches of what the loss would change by if a pin read them.
func (c *costs) add(sums []float32, batches int) {
	if c == nil {
		return
	}
	for i, p := range c.price[:len(sums)] {
		sums[i] += float32(float32(batches) * p)
	}
}

// prices returns what kernels add to gradients, nil without a pressure.
func (c *costs) prices() []float32 {
	if c == nil {
		return nil
	}
	return c.price
}
