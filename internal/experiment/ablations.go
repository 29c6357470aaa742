package experiment

import (
	"fmt"
	"slices"

	"ialgn/internal/experiment/grid"
	"ialgn/trainer"
)

// hiddenK is the paper's table 2.
var hiddenK = Experiment{
	Name:       "hidden-k",
	Summary:    "IALGN with k_h hidden candidates a spine, at two depths (table 2)",
	PaperSeeds: 5,
	Picture:    byNetwork,
	Entries:    slices.Concat(hiddenEntries(4, table2[0]), hiddenEntries(50, table2[1])),
	Quick: Reduced{
		Entries: slices.Concat(hiddenEntries(4, table2[0]), hiddenEntries(20, [3]*trainer.Spread{})),
		Keys:    slowKeys,
		Left:    []string{"depths 4, 20 instead of 4, 50"},
	},
	Notes: []string{wires},
}

// hiddenCandidates lists the numbers of hidden candidates (k_h) in table 2, except 1.
var hiddenCandidates = []int{8, 16, 32}

// table2 has the paper's values, with one column for each element of hiddenCandidates. The first row is for depth 4,
// and the second row is for depth 50. The other values of table 2 are also in table 1.
var table2 = [2][3]*trainer.Spread{
	{published(0.5391, 0.0027), published(0.5411, 0.0029), published(0.5373, 0.0011)},
	{published(0.5566, 0.0012), published(0.5523, 0.0023), published(0.5511, 0.0014)},
}

func hiddenEntries(depth int, paper [3]*trainer.Spread) []Entry {
	all := atDepths([]int{depth}, theirs...)
	for i, k := range hiddenCandidates {
		n := network{
			name: fmt.Sprintf("IALGN-h%d", k), keys: slices.Concat(ialgn, []string{fmt.Sprintf("model.hidden=%d", k)}),
		}
		all = append(all, n.entry(cifar10, 12_000, depth, paper[i]))
	}
	return all
}

// initVariants is the supplement's figure that compares starts and estimators. The supplement's text has values for a
// skip start with STE and for RWLGN, which are also in table 1. The text also has another pair of values, but
// describes their random start in two different ways. It is unclear which random start is meant, so this table does
// not use these two values.
var initVariants = Experiment{
	Name:       "init-variants",
	Summary:    "IALGN from skip or random starts, by STE or soft gradients, and RWLGN (supplement)",
	PaperSeeds: 5,
	Entries:    atDepths([]int{4, 10, 50, 100}, variants...),
	Quick: Reduced{
		Entries: atDepths([]int{4, 20}, variants...), Keys: slowKeys,
		Left: []string{"depths 4, 20 instead of 4, 10, 50, 100"},
	},
	Notes: []string{
		wires,
		"The paper names depths 4, 50 and 100 of this figure; 10 is from its table 1.",
		"It gives about 51.1 to 54.0 % for a random start without STE, and beside it names a random start with relaxed " +
			"gradients, which is the same: which of the two random starts has these values is open, so they are in no row.",
	},
	Series:  byEpoch,
	Picture: byDepth,
}

// byEpoch is the series of test accuracies, one for each epoch.
var byEpoch = &Series{"epoch", "test accuracy", "%", 100, []Line{{"test_accuracy", "", func(r *grid.Result) []float64 {
	var all []float64
	for _, e := range r.Epochs {
		all = append(all, e.Test)
	}
	return all
}}}}

var variants = []network{
	theirs[2],
	{name: "IALGN-soft", keys: slices.Concat(ialgn, soft)},
	{name: "IALGN-random", keys: slices.Concat(ialgn, random)},
	{name: "IALGN-random-soft", keys: slices.Concat(ialgn, random, soft)},
	theirs[0],
}

var (
	soft   = []string{"train.estimator=soft"}
	random = []string{"model.init=random"}
)

// fixedAnchor is the supplement's figure that compares fixed anchors with random wires. Both kinds of networks have
// the same encoding.
var fixedAnchor = Experiment{
	Name:       "fixed-anchor",
	Summary:    "IALGN with one fixed anchor a gate, RWLGN and the default (supplement)",
	PaperSeeds: 5,
	Picture:    byDepth,
	Entries:    atDepths([]int{4, 10, 50, 100, 150}, anchored...),
	Quick: Reduced{
		Entries: atDepths(quickDepths, anchored...), Keys: quickKeys,
		Left: []string{deeper + "4, 10, 50, 100, 150"},
	},
	Notes: []string{wires, "The paper does not list the depths of this figure; they are those of its table 1."},
}

var anchored = []network{
	{name: "IALGN-b4-k1", keys: slices.Concat(ialgn, []string{"encoder.bits=4", "model.anchors=1"})},
	{name: "RWLGN-b4", keys: slices.Concat(rwlgn, []string{"encoder.bits=4"})},
	theirs[2],
}

// binarisation is the supplement's figure that shows accuracy for several numbers of input bits and of anchor
// candidates.
var binarisation = Experiment{
	Name:       "binarisation",
	Summary:    "IALGN with n_b and k_x of 4, 8, 16 and 32, at depth 4 (supplement)",
	PaperSeeds: 3,
	Picture:    byAnchors,
	Entries:    binarisationEntries(),
	Quick:      Reduced{Keys: quickKeys},
}

func binarisationEntries() []Entry {
	var all []Entry
	for _, bits := range []int{4, 8, 16, 32} {
		for _, anchors := range []int{4, 8, 16, 32} {
			n := network{name: fmt.Sprintf("IALGN-b%d-k%d", bits, anchors), keys: slices.Concat(ialgn, []string{
				fmt.Sprintf("encoder.bits=%d", bits), fmt.Sprintf("model.anchors=%d", anchors),
			})}
			all = append(all, n.entry(cifar10, 12_000, 4, nil))
			if bits == 16 && anchors == 32 {
				last := &all[len(all)-1]
				last.Files, last.Paper = "IALGN", inTable1("IALGN", 4)
			}
		}
	}
	return all
}
