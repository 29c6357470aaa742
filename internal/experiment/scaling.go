package experiment

import (
	"slices"

	"ialgn/trainer"
)

// depthScaling is the paper's table 1. The rows on CIFAR-10 with 12,000 gates per layer are also the paper's figure 1
// (c). At this size, the table also has RWLGN and LDLGN with independent wires.
var depthScaling = Experiment{
	Name:       "depth-scaling",
	Summary:    "RWLGN, LDLGN and IALGN by depth on three data sets (table 1, figure 1 c)",
	PaperSeeds: 5,
	Picture:    byDepth,
	Entries:    slices.Concat(table1Entries(table1), atDepths([]int{4, 10, 50, 100, 150}, independent...)),
	Quick: Reduced{
		Entries: slices.Concat(atDepths(quickDepths, theirs...), atDepths(quickDepths, independent...)),
		Keys:    quickKeys,
		Left: []string{
			deeper + "4, 10, 50, 100, 150",
			"CIFAR-10 with one width instead of three data sets with up to two",
		},
	},
	Notes: []string{wires},
}

// gateCount has the rows of table 1 that the supplement shows in its figure of accuracy by deployed gates.
var gateCount = Experiment{
	Name:       "gate-count",
	Summary:    "accuracy by deployed gates, of runs of depth-scaling (supplement)",
	PaperSeeds: 5,
	Picture:    byGates,
	Entries: table1Entries(slices.DeleteFunc(slices.Clone(table1),
		func(r table1Row) bool { return slices.Equal(r.set, mnist) })),
	Quick: Reduced{
		Entries: atDepths(quickDepths, theirs...),
		Keys:    quickKeys,
		Left: []string{
			deeper + "4, 10, 50, 100, 150",
			"CIFAR-10 with one width instead of CIFAR-10 with two and CIFAR-100",
		},
	},
	Notes: []string{wires},
}

// table1Row is a row of the paper's table 1. It has a value for each network of [theirs].
type table1Row struct {
	set          []string
	width, depth int
	paper        [3]*trainer.Spread
}

var table1 = []table1Row{
	{cifar10, 12_000, 4, [3]*trainer.Spread{
		published(0.5056, 0.0058), published(0.5022, 0.0018),
		published(0.5359, 0.0004),
	}},
	{cifar10, 12_000, 10, [3]*trainer.Spread{
		published(0.5051, 0.0063), published(0.5087, 0.0036),
		published(0.5425, 0.0006),
	}},
	{cifar10, 12_000, 50, [3]*trainer.Spread{
		published(0.5016, 0.0033), published(0.4540, 0.0038),
		published(0.5612, 0.0005),
	}},
	{cifar10, 12_000, 100, [3]*trainer.Spread{
		published(0.4873, 0.0050), published(0.3885, 0.0087),
		published(0.5641, 0.0017),
	}},
	{cifar10, 12_000, 150, [3]*trainer.Spread{
		published(0.4791, 0.0009), published(0.2272, 0.0131),
		published(0.5650, 0.0011),
	}},

	{cifar10Wide, 128_000, 4, [3]*trainer.Spread{
		published(0.5701, 0.0042), published(0.5401, 0.0015),
		published(0.5731, 0.0047),
	}},
	{cifar10Wide, 128_000, 12, [3]*trainer.Spread{
		published(0.5612, 0.0020), published(0.5431, 0.0021),
		published(0.5872, 0.0058),
	}},
	{cifar10Wide, 128_000, 20, [3]*trainer.Spread{
		published(0.5597, 0.0009), published(0.5387, 0.0039),
		published(0.5923, 0.0027),
	}},
	{cifar10Wide, 128_000, 80, [3]*trainer.Spread{
		published(0.5566, 0.0017), published(0.5205, 0.0011),
		published(0.5961, 0.0019),
	}},

	{cifar100, 128_000, 4, [3]*trainer.Spread{
		published(0.2577, 0.0025), published(0.2643, 0.0019),
		published(0.2884, 0.0025),
	}},
	{cifar100, 128_000, 12, [3]*trainer.Spread{
		published(0.2665, 0.0027), published(0.2700, 0.0008),
		published(0.2946, 0.0040),
	}},
	{cifar100, 128_000, 20, [3]*trainer.Spread{
		published(0.2631, 0.0014), published(0.2704, 0.0016),
		published(0.3029, 0.0026),
	}},
	{cifar100, 128_000, 80, [3]*trainer.Spread{
		published(0.2619, 0.0027), published(0.2516, 0.0021),
		published(0.3060, 0.0006),
	}},

	{mnist, 8_000, 6, [3]*trainer.Spread{published(0.9729, 0.0006), published(0.9754, 0.0003), published(0.9822, 0.0002)}},
	{mnist, 8_000, 100, [3]*trainer.Spread{
		published(0.9712, 0.0006), published(0.9431, 0.0008),
		published(0.9833, 0.0007),
	}},
}

// table1Entries lists the networks of rows of table 1.
func table1Entries(rows []table1Row) []Entry {
	var all []Entry
	for _, r := range rows {
		for i, n := range theirs {
			all = append(all, n.entry(r.set, r.width, r.depth, r.paper[i]))
		}
	}
	return all
}

// inTable1 returns the value in table 1 for a network on CIFAR-10 with 12,000 gates per layer, or nil if the table
// has no such value.
func inTable1(name string, depth int) *trainer.Spread {
	row := slices.IndexFunc(table1, func(r table1Row) bool { return slices.Equal(r.set, cifar10) && r.depth == depth })
	column := slices.IndexFunc(theirs, func(n network) bool { return n.name == name })
	if row < 0 || column < 0 {
		return nil
	}
	return table1[row].paper[column]
}
