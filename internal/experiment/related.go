package experiment

import (
	"fmt"
	"slices"
	"strings"

	"ialgn/internal/experiment/grid"
	"ialgn/trainer"
)

// related compares networks that the paper cites, and ways to wire and train them. All networks have 48,000 gates,
// like RWLGN and IALGN on MNIST and on CIFAR-10 in the paper's table 1.
var related = Experiment{
	Name:       "related",
	Summary:    "networks that the paper cites, at equal numbers of gates (ours, not the paper's)",
	PaperSeeds: 3,
	Picture:    byNetwork,
	Protocol:   "All rows are trained by the paper's protocol but for what their names say, and have as many gates",
	Entries:    slices.Concat(relatedEntries(mnist, 8_000, 6, true), relatedEntries(cifar10, 12_000, 4, true)),
	Quick: Reduced{
		Entries: slices.Concat(relatedEntries(mnist, 1_000, 6, false), relatedEntries(cifar10, 1_500, 4, false)),
		Keys:    []string{"train.epochs=10"},
		Left:    []string{"1,000 x 6 gates instead of 8,000 x 6", "1,500 x 4 gates instead of 12,000 x 4"},
	},
	Notes: []string{
		"Wires are balanced, so each source in a layer is read equally often, unless the name of the network says " +
			"something else. The paper does not say how it draws wires, so its value stands next to balanced and to " +
			"independent ones.",
		"Learned wires choose among 8 sources a pin in every layer. Published with more of them and other training: more " +
			"than 98 % on MNIST by 8,000 gates (Mommen and others, arXiv:2507.06173, the abstract); 98.45 % on MNIST by 8,000 " +
			"gates and 60.98 % on CIFAR-10 by 256,000 (LILogicNet, Fojcik and others, arXiv:2511.12340, the abstract).",
		"Gumbel noise is that of Yousefi and others, arXiv:2506.07500, of which the abstract claims 98 % less of a gap, " +
			"and light gates those of Rüttgers and others, arXiv:2510.03250, whose numbers are of other sizes.",
		"The gap is the accuracy of the network as it is trained less that of the frozen one, in points; where values are " +
			"hard, both are one network.",
	},
	Columns: []Column{{"gap", "gap, points", 100, gapOf}},
}

// relatedNetworks returns the networks of the given size. Each network has one row for each data set.
func relatedNetworks(width, depth int) []network {
	frozen := []string{"train.freeze.kind=layerwise", "train.freeze.from=0.5", "train.freeze.until=0.9"}
	return []network{
		theirs[0],
		independent[0],
		{name: "RWLGN-structured", keys: slices.Concat(rwlgn, []string{"model.wiring=structured"})},
		{name: "RWLGN-gumbel", keys: slices.Concat(rwlgn, gumbel)},
		{name: "RWLGN-soft", keys: slices.Concat(rwlgn, soft)},
		{name: "RWLGN-soft-frozen", keys: slices.Concat(rwlgn, soft, frozen)},
		theirs[1],
		{name: "learned-wires", keys: learnedWires(width, depth)},
		theirs[2],
	}
}

// gumbel selects the estimator with Gumbel noise at the temperature 1.
var gumbel = []string{"train.estimator=gumbel", "train.temperature=1"}

// learnedWires returns the keys of a network of equal layers. Both pins of each gate choose among 8 sources.
func learnedWires(width, depth int) []string {
	widths := strings.TrimSuffix(strings.Repeat(fmt.Sprintf("%d,", width), depth), ",")
	return []string{
		"model.topology=layered", "model.parametrization=softmax16", "model.widths=" + widths, "model.anchors=8",
		"model.hidden=8",
	}
}

// relatedEntries returns the rows of a data set. If papers is true, the size is the paper's, so the rows also have
// the paper's values.
func relatedEntries(set []string, width, depth int, papers bool) []Entry {
	var all []Entry
	for _, n := range relatedNetworks(width, depth) {
		var paper *trainer.Spread
		switch {
		case !papers:
		case slices.Equal(set, mnist):
			paper = mnistTable1[n.as]
		default:
			paper = inTable1(n.as, depth)
		}
		all = append(all, n.entry(set, width, depth, paper))
	}
	return all
}

// gapOf returns by how much freezing reduces the accuracy after the last epoch.
func gapOf(r *grid.Result) float64 {
	last := r.Epochs[len(r.Epochs)-1]
	if last.Relaxed == nil {
		return 0
	}
	return *last.Relaxed - last.Test
}
