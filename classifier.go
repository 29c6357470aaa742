package ialgn

import (
	"context"
	"fmt"
	"math"
	"sync"

	"ialgn/internal/config"
	"ialgn/internal/encoding"
	"ialgn/internal/metrics"
	"ialgn/internal/model"
	"ialgn/internal/softmax"
)

// Classifier classifies samples with the frozen network of a model. It is bit-parallel: each bit of a machine word
// belongs to a different sample. Several goroutines may use a Classifier at once.
type Classifier struct {
	frozen *model.Frozen
	engine *networkEngine
	data   config.Data // the section data of the model's configuration
	single sync.Pool   // holds values of type *single

	softmax *softmax.Table // turns counts into probabilities
}

// single holds the buffers to classify one sample.
type single struct {
	evaluator *model.Evaluator
	values    []uint16
	rows      []uint64
	counts    []int32
}

// Classifier returns a classifier for the model. The argument by is one of [Engines]; empty means auto. It selects
// the engine for blocks of samples. A single sample is always classified by the simulator. Classifier returns an
// error if machine code is requested and this system cannot run it.
func (m *Model) Classifier(ctx context.Context, by string) (*Classifier, error) {
	n, err := m.network(ctx)
	if err != nil {
		return nil, err
	}
	e, err := newEngine(n, engine(by))
	if err != nil {
		return nil, err
	}
	data := m.info.Model.Config.Data
	data.Classes = &e.frozen.Classes
	return &Classifier{frozen: e.frozen, engine: e, data: data, softmax: m.info.Model.Softmax()}, nil
}

// Engine returns the name of the engine that classified the last block of samples. If the engine runs machine code,
// isa is its instruction set.
func (c *Classifier) Engine() (name, isa string) { return engineName(c.engine.code.Load()) }

// Classes returns the names of the classes.
func (c *Classifier) Classes() []string { return append([]string{}, c.frozen.Classes...) }

// quantise writes the feature words of a sample to dst. It returns an error if the number of features is wrong.
func (c *Classifier) quantise(dst []uint16, features []float64) error {
	if len(features) != len(dst) {
		return fmt.Errorf("%d features, but the model has %d", len(features), len(dst))
	}
	quantise(&c.frozen.Encoder, dst, features)
	return nil
}

// quantise converts real feature values to feature words. It uses the encoder's quantiser if there is one. Otherwise
// the features are integers, and quantise rounds to the nearest valid integer. NaN counts as the smallest value.
func quantise(enc *encoding.Encoder, dst []uint16, features []float64) {
	for f, x := range features {
		switch {
		case enc.Quantiser != nil:
			dst[f] = enc.Quantiser.Apply(f, x, enc.Max)
		case x > 0:
			dst[f] = uint16(math.Round(min(x, float64(enc.Max))))
		default:
			dst[f] = 0
		}
	}
}

// Prediction is the classification of one sample.
type Prediction struct {
	Class  int   // the class with the largest count; if counts are equal, the first such class
	Counts []int // [class]
}

// Lead returns the largest count minus the second largest. A design that is compiled with a margin
// ([CompileOptions.Reject]) calls the class uncertain if the lead is less than the margin. If there is one class, the
// lead is its count.
func (p Prediction) Lead() int { return metrics.Lead(p.Counts) }

// Classify classifies one sample. If a table column holds words (see [Model.Columns]), there is one feature for each
// possible word. This feature is 1 if the sample has the word, and otherwise 0. Classify returns an error if the
// number of features is wrong.
func (c *Classifier) Classify(features []float64) (Prediction, error) {
	enc := &c.frozen.Encoder
	s, ok := c.single.Get().(*single)
	if !ok {
		s = &single{
			evaluator: model.NewEvaluator(c.frozen), values: make([]uint16, enc.Features()),
			rows: make([]uint64, enc.Inputs()), counts: make([]int32, len(c.frozen.Classes)),
		}
	}
	defer c.single.Put(s)
	if err := c.quantise(s.values, features); err != nil {
		return Prediction{}, err
	}
	width := enc.Bits - 1
	for f, v := range s.values {
		level := int(enc.Level(f, v))
		for j := range width {
			s.rows[f*width+j] = 0
			if level > j {
				s.rows[f*width+j] = 1
			}
		}
	}
	s.evaluator.Run(s.rows, 1, nil)
	s.evaluator.Counts(s.counts, 1)
	p := Prediction{Counts: make([]int, len(s.counts))}
	for i, n := range s.counts {
		if p.Counts[i] = int(n); p.Counts[i] > p.Counts[p.Class] {
			p.Class = i
		}
	}
	return p, nil
}

// ClassifyAll classifies many samples, [sample][feature], on all processors. It is much faster than calling
// [Classifier.Classify] for each sample.
func (c *Classifier) ClassifyAll(ctx context.Context, features [][]float64) ([]Prediction, error) {
	all := make([]Prediction, 0, len(features))
	values := make([]uint16, c.frozen.Encoder.Features())
	size := min(c.block(), len(features))
	block, out := newWords(&c.frozen.Encoder, size), newResult(len(c.frozen.Classes), size)
	for len(features) > 0 {
		n := min(size, len(features))
		for i, sample := range features[:n] {
			if err := c.quantise(values, sample); err != nil {
				return nil, fmt.Errorf("sample %d: %w", len(all)+i, err)
			}
			block.put(i, values)
		}
		features = features[n:]
		r := resultOf(out, n)
		if err := c.engine.classify(ctx, block.first(n*len(values)), r); err != nil {
			return nil, err
		}
		for i, class := range r.Class {
			p := Prediction{Class: int(class), Counts: make([]int, r.Classes)}
			for k, n := range r.Counts[i*r.Classes:][:r.Classes] {
				p.Counts[k] = int(n)
			}
			all = append(all, p)
		}
	}
	return all, nil
}

// Samples are classified in blocks of at most maxBlock samples. If samples are large, a block has fewer samples, so
// that their feature words fit in blockBytes. A block has at least minBlock samples.
const (
	maxBlock   = 4096
	minBlock   = 512
	blockBytes = 16 << 20
)

// block returns the number of samples that are read and classified at once.
func (c *Classifier) block() int {
	enc := &c.frozen.Encoder
	return min(max(blockBytes/(enc.Features()*wordBytes(enc)), minBlock), maxBlock)
}
