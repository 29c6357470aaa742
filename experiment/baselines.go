package experiment

import (
	"slices"

	"ialgn/trainer"
)

// baselines is the first row of MNIST in the paper's table 1. The paper does not say how
// random wires are drawn, so both ways stand there.
var baselines = Experiment{
	Name:       "baselines",
	Summary:    "RWLGN, LDLGN and IALGN on MNIST, 8,000 x 6 (one row of table 1)",
	PaperSeeds: 5,
	Entries: []Entry{
		{"RWLGN", slices.Concat(protocol, mnist, rwlgn, size8kx6), published(0.9729, 0.0006)},
		{"LDLGN", slices.Concat(protocol, mnist, ldlgn, size8kx6), published(0.9754, 0.0003)},
		{"IALGN", slices.Concat(protocol, mnist, ialgn, size8kx6), published(0.9822, 0.0002)},
		{"RWLGN-balanced", slices.Concat(protocol, mnist, rwlgn, size8kx6, balanced), published(0.9729, 0.0006)},
		{"LDLGN-balanced", slices.Concat(protocol, mnist, ldlgn, size8kx6, balanced), published(0.9754, 0.0003)},
	},
	Quick: []string{"model.width=2000", "train.epochs=10"},
}

// protocol is how the paper trains every network ("Experimental Setup", and the
// supplement's hyperparameters).
var protocol = []string{
	"model.init=skip", "model.skip_logit=5", "train.estimator=ste",
	"train.optimizer.kind=adam", "train.optimizer.lr=0.01",
	"train.epochs=200", "train.batch=100", "train.seed=1",
}

// mnist is the data set with the paper's n_b and tau.
var mnist = []string{"data.set=mnist", "encoder.bits=4", "model.tau=10"}

// size8kx6 is one of the paper's sizes.
var size8kx6 = []string{"model.width=8000", "model.depth=6"}

// The networks of table 1. The anchors are k_x.
var (
	rwlgn = []string{"model.topology=rwlgn", "model.parametrization=softmax16"}
	ldlgn = []string{"model.topology=rwlgn", "model.parametrization=light"}
	ialgn = []string{"model.topology=ialgn", "model.parametrization=softmax16", "model.anchors=32", "model.hidden=1"}
)

// balanced uses each gate of the layer before equally often.
var balanced = []string{"model.wiring=balanced"}

// published returns a value of the paper, as shares of the test set.
func published(mean, std float64) trainer.Spread { return trainer.Spread{Mean: mean, Std: &std} }
