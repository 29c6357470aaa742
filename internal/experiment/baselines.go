package experiment

import "slices"

// baselines is the first row of MNIST in the paper's table 1. The paper does not say how random wires are drawn.
// Therefore the table has two rows, one for each way to draw them.
var baselines = Experiment{
	Name:       "baselines",
	Summary:    "RWLGN, LDLGN and IALGN on MNIST, 8,000 x 6, also with balanced wires (table 1)",
	PaperSeeds: 5,
	Picture:    byNetwork,
	Entries: []Entry{
		{Network: "RWLGN", Set: mnist, Keys: slices.Concat(protocol, rwlgn, size8kx6), Paper: published(0.9729, 0.0006)},
		{Network: "LDLGN", Set: mnist, Keys: slices.Concat(protocol, ldlgn, size8kx6), Paper: published(0.9754, 0.0003)},
		{Network: "IALGN", Set: mnist, Keys: slices.Concat(protocol, ialgn, size8kx6), Paper: published(0.9822, 0.0002)},
		{
			Network: "RWLGN-balanced", Set: mnist, Keys: slices.Concat(protocol, rwlgn, size8kx6, balanced),
			Paper: published(0.9729, 0.0006),
		},
		{
			Network: "LDLGN-balanced", Set: mnist, Keys: slices.Concat(protocol, ldlgn, size8kx6, balanced),
			Paper: published(0.9754, 0.0003),
		},
	},
	Quick: Reduced{Keys: []string{"model.width=2000", "train.epochs=10"}},
}

var size8kx6 = size(8_000, 6)

// balanced is the way to draw wires in which every gate of the preceding layer is used equally often.
var balanced = []string{"model.wiring=balanced"}
