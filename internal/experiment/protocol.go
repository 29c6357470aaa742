package experiment

import (
	"fmt"
	"slices"

	"ialgn/trainer"
)

// protocol holds the keys with which the paper trains every network. They are from the section "Experimental Setup"
// and the supplement's table of hyperparameters.
var protocol = []string{
	"model.init=skip", "model.skip_logit=5", "train.estimator=ste",
	"train.optimizer.kind=adam", "train.optimizer.lr=0.01",
	"train.epochs=200", "train.batch=100", "train.seed=1",
}

// These are the keys of the data sets, with the paper's n_b and tau. CIFAR-10 has another tau with 128,000 gates per
// layer.
var (
	mnist       = []string{"data.set=mnist", "encoder.bits=4", "model.tau=10"}
	cifar10     = []string{"data.set=cifar10", "encoder.bits=16", "model.tau=30"}
	cifar10Wide = []string{"data.set=cifar10", "encoder.bits=16", "model.tau=100"}
	cifar100    = []string{"data.set=cifar100", "encoder.bits=16", "model.tau=30"}
)

// These are the keys of the networks in table 1. The number of anchors is the paper's k_x, and the number of hidden
// candidates is its k_h. The paper does not say how the wires of RWLGN and LDLGN are drawn. They are balanced, as in
// difflogic, which is the reference implementation: every gate of the preceding layer is used equally often.
var (
	rwlgn = []string{"model.topology=rwlgn", "model.parametrization=softmax16", "model.wiring=balanced"}
	ldlgn = []string{"model.topology=rwlgn", "model.parametrization=light", "model.wiring=balanced"}
	ialgn = []string{"model.topology=ialgn", "model.parametrization=softmax16", "model.anchors=32", "model.hidden=1"}
)

// size returns the keys for a width (gates per layer) and a depth (number of layers).
func size(width, depth int) []string {
	return []string{fmt.Sprintf("model.width=%d", width), fmt.Sprintf("model.depth=%d", depth)}
}

// publishedSeeds is the number of seeds over which the values in the paper's tables 1 and 2 are averaged.
const publishedSeeds = 5

// published returns a value of the paper's tables. mean and std are shares of the test set.
func published(mean, std float64) *trainer.Spread { return &trainer.Spread{Mean: mean, Std: &std} }

// network is a kind of network in a table. It has a name, and the keys that are added to those for the protocol, the
// data and the size.
type network struct {
	name string
	keys []string
	as   string // network of table 1 whose values its rows show; "" if they show none
}

// theirs lists the networks in the paper's table 1, in the order of the table's columns.
var theirs = []network{{"RWLGN", rwlgn, "RWLGN"}, {"LDLGN", ldlgn, "LDLGN"}, {"IALGN", ialgn, "IALGN"}}

// independent lists RWLGN and LDLGN with wires that are drawn independently of each other. They may be the paper's
// networks, too.
var independent = []network{
	{"RWLGN-independent", slices.Concat(rwlgn, independentWires), "RWLGN"},
	{"LDLGN-independent", slices.Concat(ldlgn, independentWires), "LDLGN"},
}

var independentWires = []string{"model.wiring=random"}

// wires is the sentence for captions about the wires of RWLGN and LDLGN.
const wires = "The wires of RWLGN and LDLGN are balanced, so each source in a layer is read equally often; only " +
	"networks whose names end in `independent` draw each wire independently. The paper does not say how it draws wires."

// entry returns the entry of the network with the given data set and size.
func (n network) entry(set []string, width, depth int, paper *trainer.Spread) Entry {
	return Entry{Network: n.name, Set: set, Keys: slices.Concat(protocol, n.keys, size(width, depth)), Paper: paper}
}

// atDepths lists networks on CIFAR-10 with 12,000 gates per layer, for each of the depths. If table 1 has the network
// at this depth, the entry has the value from table 1.
func atDepths(depths []int, networks ...network) []Entry {
	var all []Entry
	for _, depth := range depths {
		for _, n := range networks {
			all = append(all, n.entry(cifar10, 12_000, depth, inTable1(n.as, depth)))
		}
	}
	return all
}

// These are the changes of the scale quick: fewer depths, narrower networks, and shorter runs. A table of several
// data sets has only CIFAR-10. slowKeys are for networks with relaxed spines or relaxed values, whose steps take five
// to ten times longer.
var (
	quickDepths = []int{4, 20, 50}
	quickKeys   = []string{"model.width=2000", "train.epochs=10"}
	slowKeys    = []string{"model.width=1000", "train.epochs=10"}
)

// deeper begins the sentence in a caption that states the reduced depths.
const deeper = "depths 4, 20, 50 instead of "
