// This file measures how the loss credits hidden gates, output by output. The paper calls this "Topology-Induced
// Credit Degradation". The sampling and the thresholds are from its supplement ("Credit-Assignment Diagnostic
// Details").
//
// The gradient of a gate's operation logits is a sum of contributions from the outputs, which are the gates of the
// last layer. For each layer, three numbers describe these contributions:
//
//   - path sharing: how many outputs a gate can reach through hidden wires;
//   - coverage: at how many gates any contribution arrives;
//   - purity: how little the arriving contributions cancel each other.
//
// Contributions are exact up to the rounding of float64. They use hard forward values, straight-through gradients and
// all paths. They are computed for 300 outputs and for 300 gates in each layer, for every pair of an output and a
// gate. Three techniques make this feasible:
//
//   - A gate passes credit on to a pin with one of two factors, and the bit of the other pin chooses the factor.
//     Therefore the walk down from the outputs is a product with a sparse matrix for each sample and layer. The
//     positions of the matrix's elements are the same for all samples.
//   - The walk handles eight outputs at a time.
//   - Edges whose two factors are exactly 0 are left out beforehand.

package diagnose

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"ialgn/internal/config"
	"ialgn/internal/crew"
	"ialgn/internal/draw"
	"ialgn/internal/encoding"
	"ialgn/internal/message"
	"ialgn/internal/topology"
	"ialgn/trainer"
)

// CreditTopologies are the topologies that the paper compares, in the order of the paper's figure.
var CreditTopologies = topology.Compared()

// The paper samples PaperSampled gates in each layer, and measures PaperBatches batches.
const (
	PaperSampled = 300
	PaperBatches = 20
)

// CreditOptions says which network to measure, and how.
type CreditOptions struct {
	Config  config.Config // configuration of one of the topologies; see [ConfigureCredit]
	Data    *trainer.Data
	Sampled int // number of sampled outputs; in each layer, the gates with the same indices are sampled
	Batches int
	Threads int

	// Progress is called after each sample, unless it is nil.
	Progress func(CreditProgress)
}

// CreditProgress is the progress of the measurement of a topology.
type CreditProgress struct {
	Topology        string
	Batch, Batches  int // number of completed batches, and of all batches
	Sample, Samples int // current sample of the batch, and number of samples in the batch
}

// CreditResult is the credit of a topology, for each layer from first to last. Coverage and purity are given as means
// and standard deviations over the batches. Path sharing is given as mean and standard deviation over the sampled
// gates. A value is nil if it is not defined for any gate.
type CreditResult struct {
	Topology    string            `json:"topology"`
	Layers      []int             `json:"layers"`
	PathSharing []*trainer.Spread `json:"path_sharing"`
	Coverage    []*trainer.Spread `json:"coverage"`
	Purity      []*trainer.Spread `json:"purity"`
	Eligible    []int             `json:"eligible"` // number of sampled gates that reach a sampled output
	Seconds     float64           `json:"seconds"`
}

// CreditConfig reads a configuration for [ConfigureCredit]. It also returns how the given topologies draw wires: as
// model.wiring says, or balanced without this key. The configuration's own topology need not draw wires. If none of
// the given topologies draws wires, the key is checked as in training.
func (o Opener) CreditConfig(ctx context.Context, path string, topologies []string) (c config.Config, wiring string,
	err error,
) {
	d, err := config.LoadDraft(path, o.Overrides)
	if err != nil {
		return c, "", err
	}
	wiring = topology.Balanced
	if d.Given(wiringKey) {
		wiring = d.Value(wiringKey).(string)
	}
	if slices.ContainsFunc(topologies, drawsWires) {
		d = d.WithDefault(wiringKey)
	}
	if c, err = d.With(nil, nil); err == nil {
		c, _, err = trainer.FitClasses(ctx, c, o.Folders, nil)
	}
	return c, wiring, err
}

const wiringKey = "model.wiring"

// drawsWires reports whether a topology with this name exists and draws wires.
func drawsWires(name string) bool {
	row := topology.Find(name)
	return row != nil && row.DrawsWires()
}

// ConfigureCredit returns a copy of configuration c with another topology. Keys that only the old topology has are
// removed. If the topology draws wires, it draws them in the given way.
func ConfigureCredit(c config.Config, name, wiring string) (config.Config, error) {
	if !slices.Contains(CreditTopologies, name) {
		return c, message.Near(message.WithHint(fmt.Errorf("topology %.40q is unknown", name), "use %s",
			strings.Join(CreditTopologies, ", ")), name, CreditTopologies)
	}
	if c.Train.Estimator != "ste" {
		return c, message.WithHint(fmt.Errorf("train.estimator: credit is measured with straight-through gradients, not "+
			"with %s",
			c.Train.Estimator), "use ste")
	}
	c = c.As(name)
	if drawsWires(name) {
		c.Model.Wiring = wiring
	}
	if err := Gates(&c.Model); err != nil {
		return c, err
	}
	return c, c.Check()
}

// Gates returns an error unless the network consists of two-pin gates in layers of one width, like the paper's
// networks. Credit is defined only for such networks.
func Gates(k *topology.Keys) error {
	if row := k.Row(); row.Figure > 0 && k.Inputs == 2 {
		return nil
	}
	return message.WithHint(fmt.Errorf("model.inputs: credit is measured in networks of gates with two inputs, but "+
		"these are %s",
		k.Title()), "use model.inputs: 2 and one of the topologies %s", strings.Join(CreditTopologies, ", "))
}

// Check returns an error if a number in the options is invalid in general or for the given data.
func (o *CreditOptions) Check() error {
	width, samples := o.Config.Model.Width, o.Data.Train.Len()
	switch {
	case o.Sampled < 1 || o.Sampled > width:
		return message.WithHint(fmt.Errorf("%d gates cannot be sampled from layers of %d", o.Sampled, width),
			"the paper samples %d of 12,000", PaperSampled)
	case o.Batches < 1:
		return message.WithHint(fmt.Errorf("%d batches are too few", o.Batches), "the paper uses %d", PaperBatches)
	case o.Config.Train.Batch > samples:
		return message.WithHint(fmt.Errorf("train.batch: %d is more than the %d training samples", o.Config.Train.Batch,
			samples),
			"use a smaller batch")
	}
	if err := o.Config.CheckClasses(len(o.Data.Classes), o.Data.Encoder.Inputs()); err != nil {
		return fmt.Errorf("%s: %w", o.Config.Model.Topology, err)
	}
	return nil
}

// MeasureCredit draws the network with which training would start. It measures the network's credit in the first
// batches of the training set, in the order of training without a validation set. The result depends on all options
// except Threads. If ctx is cancelled, MeasureCredit returns the context's error.
//
// MeasureCredit computes one product of 8 bytes for each combination of a sample, a sampled output, and an edge on
// which this output's credit flows. For each layer, it needs 32 bytes of memory for each pair of a sampled output and
// a sampled gate.
func MeasureCredit(ctx context.Context, o CreditOptions) (*CreditResult, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	debug.FreeOSMemory() // otherwise the garbage of an earlier measurement could double the memory in use
	started, members := time.Now(), crew.New(o.Threads)
	m := trainer.Initial(o.Config, o.Data.Encoder, o.Data.Classes, o.Threads)
	meter := newMeter(m, SampleGates(o.Config.Train.Seed, m.Width, len(m.Classes), o.Sampled), o.Config.Train.Batch,
		members)
	batcher := encoding.NewBatcher(&m.Encoder, o.Data.Train, meter.pass.n.words, members)
	order := make([]int32, o.Data.Train.Len())
	perEpoch := len(order) / o.Config.Train.Batch
	at := CreditProgress{Topology: o.Config.Model.Topology, Batches: o.Batches, Samples: o.Config.Train.Batch}
	for at.Batch = range o.Batches {
		if at.Batch%perEpoch == 0 {
			draw.New(o.Config.Train.Seed, draw.Shuffle, at.Batch/perEpoch, 0).Permutation(order)
		}
		index := order[at.Batch%perEpoch*o.Config.Train.Batch:][:o.Config.Train.Batch]
		batcher.Batch(meter.pass.n.inputs(), index)
		meter.batch(ctx, labels(o.Data.Train, index), func(sample int) {
			if at.Sample = sample + 1; o.Progress != nil {
				o.Progress(at)
			}
		})
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("interrupted in batch %d of %d of %s: %w", at.Batch+1, at.Batches, at.Topology, err)
		}
	}
	r := meter.result()
	r.Topology, r.Seconds = at.Topology, time.Since(started).Seconds()
	return r, nil
}

func labels(set *encoding.Packed, index []int32) []uint8 {
	l := make([]uint8, len(index))
	for s, i := range index {
		l[s] = set.Labels[i]
	}
	return l
}

// SampleGates draws indices of gates in ascending order. Each class has about the same number of sampled gates; the
// numbers differ by at most one. The indices depend only on the seed and the sizes, so they are the same for all
// topologies.
func SampleGates(seed uint64, width, classes, n int) []int {
	var all []int
	group := width / classes
	for c := range classes {
		share := make([]uint32, n*(c+1)/classes-n*c/classes)
		draw.New(seed, draw.CreditSample, 0, c).Distinct(share, group)
		slices.Sort(share)
		for _, i := range share {
			all = append(all, c*group+int(i))
		}
	}
	return all
}
