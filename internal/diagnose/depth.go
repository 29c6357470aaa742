package diagnose

import (
	"math"

	"ialgn/internal/model"
)

// LayerDepth describes the effective depths of the gates in one layer. If it is the average of several models, Max is
// the mean of their maxima, as in the paper's figure 5.
type LayerDepth struct {
	Mean float64 `json:"mean"`
	P10  float64 `json:"p10"`
	P90  float64 `json:"p90"`
	Max  float64 `json:"max"`
}

// EffectiveDepth returns the operation-aware effective depth of each layer, as defined by the IALGN paper,
// supplement, "Effective-Depth Analysis". The depth of a gate is
//
//	0                     for a constant,
//	d(P)                  for a pass-through of a pin P,
//	d(P) + 1              for the negation of a pin P,
//	1 + max(d(A), d(B))   for the ten operations that depend on both pins,
//
// where an input bit has depth 0. For a node that does not have two pins, the same rules apply to the pins on which
// its table depends. Effective depth is a property of the frozen network as it was trained, before any pass. A binary
// operation counts even if both pins read the same bit.
//
// If the gates are sorted by depth and counted from 0, percentile p is at position (width-1) p. A percentile between
// two gates is interpolated linearly, as numpy.percentile does by default. f must be valid. EffectiveDepth takes
// O(gates) time.
func EffectiveDepth(f *model.Frozen) []LayerDepth {
	inputs := make([]int32, f.Inputs())
	var before []int32
	layers := make([]LayerDepth, f.Depth())
	for l := range f.Layers {
		layer := &f.Layers[l]
		depth := make([]int32, layer.Width())
		for i := range depth {
			depth[i] = nodeDepth(layer, i, inputs, before)
		}
		layers[l] = describeDepths(depth, l+1)
		before = depth
	}
	return layers
}

// nodeDepth returns the depth of a node, given the depths of its sources. It computes the recursion described at
// [EffectiveDepth].
func nodeDepth(layer *model.FrozenLayer, node int, inputs, before []int32) int32 {
	table, pins := layer.Op.At(node), len(layer.Pins)
	deepest, support, passes := int32(0), 0, false
	for k := range layer.Pins {
		if !model.DependsOn(table, pins, k) {
			continue
		}
		p := &layer.Pins[k]
		depth := inputs
		if p.Source == model.Previous {
			depth = before
		}
		deepest, support = max(deepest, depth[p.Index[node]]), support+1
		passes = table == model.PinTable(pins, k)
	}
	if support == 0 || passes {
		return deepest
	}
	return deepest + 1
}

// describeDepths summarises depths. limit is an upper bound of the depths.
func describeDepths(depth []int32, limit int) LayerDepth {
	histogram, sum := make([]int, limit+1), 0
	for _, d := range depth {
		histogram[d]++
		sum += int(d)
	}
	largest := limit
	for histogram[largest] == 0 {
		largest--
	}
	return LayerDepth{
		Mean: float64(sum) / float64(len(depth)),
		P10:  percentile(histogram, len(depth), 0.1),
		P90:  percentile(histogram, len(depth), 0.9),
		Max:  float64(largest),
	}
}

// percentile returns the p-quantile of n numbers, which are given as a histogram.
func percentile(histogram []int, n int, p float64) float64 {
	at := float64(float64(n-1) * p)
	low := math.Floor(at)
	a := ranked(histogram, int(low))
	b := ranked(histogram, min(int(low)+1, n-1))
	return a + float64((b-a)*(at-low))
}

// ranked returns the number at position i of the numbers in ascending order. Positions count from 0.
func ranked(histogram []int, i int) float64 {
	for v, count := range histogram {
		if i < count {
			return float64(v)
		}
		i -= count
	}
	panic("diagnose: rank beyond the histogram")
}
