package ialgn

import (
	"context"
	"fmt"
	"math"
	"sync"

	"ialgn/internal/config"
	"ialgn/internal/encoding"
	"ialgn/internal/model"
)

// Classifier classifies samples by the frozen network, bit-parallel. It may be used by several goroutines at once.
type Classifier struct {
	frozen *model.Frozen
	engine *networkEngine
	data   config.Data // of the model's training
	single sync.Pool   // holds values of type *single
}

// single is what the classification of one sample needs.
type single struct {
	evaluator *model.Evaluator
	values    []uint16
	rows      []uint64
	counts    []int32
}

// Classifier reads the network of the model for classification. by is what classifies many samples, one of [Engines];
// empty: auto. The simulator classifies a single sample. It returns an error if machine code is asked for and this
// system does not run it.
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
	return &Classifier{frozen: e.frozen, engine: e, data: data}, nil
}

// Engine returns what classified the last of many samples, and the instruction set of machine code.
func (c *Classifier) Engine() (name, isa string) { return engineName(c.engine.code.Load()) }

// Classes returns the names of the classes.
func (c *Classifier) Classes() []string { return append([]string{}, c.frozen.Classes...) }

// quantise writes the feature words of a sample. It returns an error for another number of features than the model has.
func (c *Classifier) quantise(dst []uint16, features []float64) error {
	if len(features) != len(dst) {
		return fmt.Errorf("%d features, the model has %d", len(features), len(dst))
	}
	quantise(&c.frozen.Encoder, dst, features)
	return nil
}

// quantise writes the feature words of real values: by the encoder's quantiser or, where features are integers, rounded
// to the nearest one that there can be. A value that is no number counts as the least.
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

// Prediction is what a classifier says of a sample.
type Prediction struct {
	Class  int   // the class with the largest count, the first of equal ones
	Counts []int // [class]
}

// Classify classifies a sample. The feature of a word ([Model.Columns]) is 1 where the column has it, else 0. It
// returns an error for another number of features than the model has.
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

// ClassifyAll is [Classifier.Classify] of many samples at once, [sample][feature], on all processors: much faster than
// one by one.
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

// A block of samples that is classified at a time has maxBlock; where samples are large as many as have blockBytes of
// feature words together, but minBlock.
const (
	maxBlock   = 4096
	minBlock   = 512
	blockBytes = 16 << 20
)

// block returns how many samples are read and classified at a time.
func (c *Classifier) block() int {
	enc := &c.frozen.Encoder
	return min(max(blockBytes/(enc.Features()*wordBytes(enc)), minBlock), maxBlock)
}
