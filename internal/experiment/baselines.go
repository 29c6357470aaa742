package experiment

import (
	"cmp"
	"fmt"
	"slices"

	"ialgn/internal/experiment/grid"
	"ialgn/trainer"
)

// baselines is the first row of MNIST in the paper's table 1. The table also has RWLGN and LDLGN with independent
// wires.
var baselines = Experiment{
	Name:       "baselines",
	Summary:    "RWLGN, LDLGN and IALGN on MNIST, 8,000 x 6, also with independent wires (table 1)",
	PaperSeeds: 5,
	Picture:    byNetwork,
	Entries:    on8kx6(slices.Concat(theirs, independent)),
	Quick:      Reduced{Keys: quickKeys},
	Notes:      []string{wires},
}

// rwlgnVariants looks for the reasons why RWLGN and LDLGN differ from the paper's values. Each row changes one setting
// of the paper's protocol, or the wires. The table also has the difference between the best epoch and the last.
var rwlgnVariants = Experiment{
	Name:       "rwlgn-variants",
	Summary:    "RWLGN and LDLGN with other wires, skip logits and rates (ours, not the paper's)",
	PaperSeeds: 5,
	Picture:    byNetwork,
	Protocol:   "All rows are trained by the paper's protocol but for what their names say",
	Entries:    on8kx6(slices.Concat(variantsOf(0), variantsOf(1))),
	Quick:      Reduced{Keys: quickKeys},
	Notes: []string{
		wires,
		"`skip` is the skip logit (5 without it), `noise` the standard deviation of noise on the initial logits (0 without " +
			"it), `lr` the rate (0.01 without it), and `cosine` a rate that falls to 0.",
		"A seed draws the wires and the order of the samples, so the deviation over the seeds includes the effect of the " +
			"order.",
	},
	Columns: []Column{{"best_gain", "best - last epoch, points", 100, func(r *grid.Result) float64 {
		last := r.Epochs[len(r.Epochs)-1].Test
		return slices.MaxFunc(r.Epochs, func(a, b grid.EpochResult) int { return cmp.Compare(a.Test, b.Test) }).Test - last
	}}},
}

// variantsOf returns the network of table 1 with the given index, with independent wires, and with other settings.
func variantsOf(index int) []network {
	n := theirs[index]
	all := []network{n, independent[index]}
	with := func(name, key string) {
		all = append(all, network{n.name + "-" + name, append(slices.Clone(n.keys), key), n.as})
	}
	for _, logit := range []float64{2, 3.5, 8} {
		with(fmt.Sprintf("skip%v", logit), fmt.Sprintf("model.skip_logit=%v", logit))
	}
	with("noise1", "model.init_noise=1")
	for _, rate := range []float64{0.003, 0.03} {
		with(fmt.Sprintf("lr%v", rate), fmt.Sprintf("train.optimizer.lr=%v", rate))
	}
	with("cosine", "train.schedule.kind=cosine")
	return all
}

// on8kx6 returns the entries of networks of 8,000 x 6 gates on MNIST.
func on8kx6(networks []network) (all []Entry) {
	for _, n := range networks {
		all = append(all, n.entry(mnist, 8_000, 6, mnistTable1[n.as]))
	}
	return all
}

// mnistTable1 has the values of table 1 for 8,000 x 6 on MNIST.
var mnistTable1 = map[string]*trainer.Spread{
	"RWLGN": published(0.9729, 0.0006), "LDLGN": published(0.9754, 0.0003), "IALGN": published(0.9822, 0.0002),
}
