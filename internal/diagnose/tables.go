package diagnose

import (
	"math/bits"

	"ialgn/internal/model"
)

// Tables describes the truth tables of the nodes that do not have two pins. All values are shares of these nodes.
// Such tables have no names, unlike the operations of two pins. Therefore they are described by the number of pins on
// which a table depends (its support) and by the kind of its function.
type Tables struct {
	Nodes   int                        `json:"nodes"`
	Support [model.MaxPins + 1]float64 `json:"support"` // indexed by number of pins
	Kinds   TableKinds                 `json:"kinds"`
}

// TableKinds holds the share of each kind of truth table.
type TableKinds struct {
	Constants   float64 `json:"constants"`
	SingleInput float64 `json:"single_input"` // equal to a pin or to its complement
	AndLike     float64 `json:"and_like"`     // one line differs from all others, as in AND, OR, NAND and NOR
	XorLike     float64 `json:"xor_like"`     // parity of the support, or its complement
	Other       float64 `json:"other"`
}

// TakeTables describes the tables of f. It returns nil if all nodes have two pins.
func TakeTables(f *model.Frozen) *Tables {
	t := &Tables{}
	var support [model.MaxPins + 1]int
	var kinds [5]int
	for l := range f.Layers {
		layer := &f.Layers[l]
		if len(layer.Pins) == 2 {
			continue
		}
		t.Nodes += layer.Width()
		for i := range layer.Width() {
			pins, kind := kindOf(layer.Op.At(i), len(layer.Pins))
			support[pins]++
			kinds[kind]++
		}
	}
	if t.Nodes == 0 {
		return nil
	}
	for i, n := range support {
		t.Support[i] = float64(n) / float64(t.Nodes)
	}
	for i, share := range []*float64{
		&t.Kinds.Constants, &t.Kinds.SingleInput, &t.Kinds.AndLike, &t.Kinds.XorLike, &t.Kinds.Other,
	} {
		*share = float64(kinds[i]) / float64(t.Nodes)
	}
	return t
}

// kindOf returns the number of pins on which a table depends. It also returns the kind of the table, as the index of
// a field of [TableKinds].
func kindOf(table uint64, pins int) (support, kind int) {
	parity := uint64(0)
	for k := range pins {
		if model.DependsOn(table, pins, k) {
			support++
			parity ^= model.PinTable(pins, k)
		}
	}
	ones := bits.OnesCount64(table) >> (pins - support) // number of ones among the lines of the support
	switch {
	case support == 0:
		return support, 0
	case support == 1:
		return support, 1
	case ones == 1 || ones == 1<<support-1:
		return support, 2
	case table == parity || table == parity^model.LastTable(pins):
		return support, 3
	}
	return support, 4
}

// SupportNames are the names of the shares in Support, and KindNames are the names of the shares in
// [TableKinds.Shares], in the same order.
var (
	SupportNames = []string{"0 pins", "1 pin", "2 pins", "3 pins", "4 pins", "5 pins", "6 pins"}
	KindNames    = []string{"constants", "single input", "AND-like", "XOR-like", "other"}
)

// Shares returns the shares of the kinds in the order of [KindNames].
func (k *TableKinds) Shares() []float64 {
	return []float64{k.Constants, k.SingleInput, k.AndLike, k.XorLike, k.Other}
}

// Add adds the statistics of another network, multiplied by the argument share.
func (t *Tables) Add(o *Tables, share float64) {
	t.Nodes = o.Nodes
	for i, x := range o.Support {
		t.Support[i] += float64(share * x)
	}
	k, of := &t.Kinds, &o.Kinds
	k.Constants += float64(share * of.Constants)
	k.SingleInput += float64(share * of.SingleInput)
	k.AndLike += float64(share * of.AndLike)
	k.XorLike += float64(share * of.XorLike)
	k.Other += float64(share * of.Other)
}
