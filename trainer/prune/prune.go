// Package prune makes trained networks smaller: [Choose] finds the counted bits and the nodes whose removal costs the
// least of the training loss, and [Refill] rewrites tables in the lines that no training sample reads.
//
// Both look at a frozen network alone, over a whole training set, and say what should change; who trains the network
// changes it. What they choose depends on the network and the samples: every sum has one order, whatever the number of
// threads, and exponentials and logarithms are those of package detmath.
package prune

import (
	"context"
	"math"

	"ialgn/internal/crew"
	"ialgn/trainer/encoding"
	"ialgn/trainer/model"
)

// Task is a network and what it is judged by.
type Task struct {
	Network *model.Frozen // must be valid; it is not changed
	Samples *encoding.Packed
	Tau     float64 // class counts are divided by it before the softmax
	Threads int
}

// Shares says how much is removed.
type Shares struct {
	Bits  float64 // of the counted bits, the nodes of the last layer, that are not 0 in any case; they become 0
	Nodes float64 // of the other nodes on which a counted bit that is left depends; they become 0 or 1
}

// Constant is a node that becomes a constant.
type Constant struct {
	Layer, Node int
	Value       bool
}

// Removal is what [Choose] found, in the order of the choice.
type Removal struct {
	Bits, Nodes   []Constant
	Before, After float64 // mean cross-entropy of the frozen network over the samples
}

// The most rounds of a choice. In each, everything that could be removed is judged anew, and that which costs least is
// removed: one at a time where there are no more to be removed than rounds, several at a time otherwise.
const (
	bitRounds  = 256
	nodeRounds = 32
)

// Choose chooses what to remove, greedily by the change of the mean cross-entropy over the samples, of equal ones the
// first: first counted bits, of which every class keeps one at least, then nodes. Numbers of both are rounded. It
// returns the context's error if that ends first.
//
// Cost: a pass over the outputs of all kept bits for each of up to 256 rounds; for nodes, a forward pass for each of up
// to 32 rounds, and in it for each node one through all that depends on it.
func Choose(ctx context.Context, t Task, s Shares) (*Removal, error) {
	n := newNetwork(t.Network)
	r := &Removal{}
	var err error
	if r.Before, err = t.meanLoss(ctx, n.Frozen); err != nil {
		return nil, err
	}
	if r.Bits, err = t.chooseBits(ctx, n, s.Bits); err != nil {
		return nil, err
	}
	if r.Nodes, err = t.chooseNodes(ctx, n, s.Nodes); err != nil {
		return nil, err
	}
	r.After, err = t.meanLoss(ctx, n.Frozen)
	return r, err
}

// rounded returns a share of n.
func rounded(share float64, n int) int { return int(math.Round(float64(share * float64(n)))) }

// crew returns the goroutines of a task.
func (t *Task) crew() *crew.Crew { return crew.New(max(1, t.Threads)) }

// meanLoss returns the mean cross-entropy of a network over the samples, summed in their order.
func (t *Task) meanLoss(ctx context.Context, f *model.Frozen) (float64, error) {
	scores, err := f.Evaluate(ctx, t.Samples, t.Threads)
	if err != nil {
		return 0, err
	}
	l, sum := newLoss(f, t.Tau), 0.0
	for i, y := range t.Samples.Labels {
		sum += l.of(scores.Counts[i*scores.Classes:][:scores.Classes], y)
	}
	return sum / float64(t.Samples.Len()), nil
}
