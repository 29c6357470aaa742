package experiment

import "ialgn/internal/experiment/grid"

// depthUse is the paper's figure 5, with the shares of operations that the text next to the figure states. For
// CIFAR-100, the paper does not state the width in this figure. Its table 1 and its table of tau have only one width
// for CIFAR-100.
var depthUse = Experiment{
	Name:       "depth-use",
	Summary:    "operations and effective depth of networks of 100 layers (figure 5)",
	PaperSeeds: 5,
	Entries: []Entry{
		theirs[0].entry(cifar10, 12_000, 100, inTable1("RWLGN", 100)),
		used(theirs[2].entry(cifar10, 12_000, 100, inTable1("IALGN", 100))),
		theirs[0].entry(cifar100, 128_000, 100, nil),
		theirs[2].entry(cifar100, 128_000, 100, nil),
	},
	Quick: Reduced{
		Entries: []Entry{
			theirs[0].entry(cifar10, 12_000, 50, inTable1("RWLGN", 50)),
			used(theirs[2].entry(cifar10, 12_000, 50, inTable1("IALGN", 50))),
		},
		Keys: quickKeys,
		Left: []string{"50 layers instead of 100", "CIFAR-10 instead of CIFAR-10 and CIFAR-100"},
	},
	Notes: []string{
		wires,
		"Shares of operations leave the first layer out; A is the spine and B the anchor of IALGN, both are hidden gates " +
			"of RWLGN. Effective depth is that of the last layer.",
		"The paper's shares are those of its CIFAR-10 network of 100 layers. It does not say the width of its CIFAR-100 " +
			"networks of 100 layers; 128,000 is that of all others on CIFAR-100.",
	},
	Columns: []Column{
		{"share_a", "A, %", 100, func(r *grid.Result) float64 { return r.Operations[3] }},
		{"share_binary", "binary, %", 100, func(r *grid.Result) float64 { return r.Categories.Binary }},
		{
			"share_without_a", "B, not B, constants, %", 100,
			func(r *grid.Result) float64 { return r.Operations[5] + r.Operations[10] + r.Categories.Constants },
		},
		{"share_not_a", "not A, %", 100, func(r *grid.Result) float64 { return r.Operations[12] }},
		{
			"depth_mean", "mean depth", 1,
			func(r *grid.Result) float64 { return r.EffectiveDepth[len(r.EffectiveDepth)-1].Mean },
		},
		{
			"depth_max", "largest depth", 1,
			func(r *grid.Result) float64 { return r.EffectiveDepth[len(r.EffectiveDepth)-1].Max },
		},
	},
	Operations: true,
	Series: &Series{"layer", "effective depth", "", 1, []Line{
		{"effective_depth_mean", "mean, 10th to 90th percentile", func(r *grid.Result) []float64 { return layers(r, 0) }},
		{"effective_depth_p10", "", func(r *grid.Result) []float64 { return layers(r, 1) }},
		{"effective_depth_p90", "", func(r *grid.Result) []float64 { return layers(r, 2) }},
		{"effective_depth_max", "largest", func(r *grid.Result) []float64 { return layers(r, 3) }},
	}},
}

// used adds to an entry the shares of operations that the paper states for IALGN.
func used(n Entry) Entry {
	n.Said = map[string]string{"share_a": "88.4", "share_binary": "11.4", "share_without_a": "under 0.2"}
	return n
}

// layers returns one statistic of the effective depth, with one value for each layer.
func layers(r *grid.Result, statistic int) []float64 {
	var all []float64
	for _, d := range r.EffectiveDepth {
		all = append(all, [4]float64{d.Mean, d.P10, d.P90, d.Max}[statistic])
	}
	return all
}
