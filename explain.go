package ialgn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"ialgn/internal/dataset"
	"ialgn/internal/encoding"
	"ialgn/internal/explain"
	"ialgn/internal/message"
	"ialgn/trainer"
)

// ExplainOptions say which sample is explained, and how far changes are looked for. The zero value is the first sample
// of the test set.
type ExplainOptions struct {
	File   string // file of samples, as [Classifier.OpenFile] reads it; empty: the test set
	Data   Data   // where the test set is read from
	Sample int    // which one, from 0

	// Changes bounds how many features are changed together, [UsualChanges] if it is 0.
	Changes int
}

// UsualChanges is how many features are changed together at most, unless another number is given.
const UsualChanges = 256

// Explanation is why a sample is taken for a class; see [explain.Explanation].
type Explanation = explain.Explanation

// Explainer explains samples of one model, one at a time.
type Explainer struct {
	model      *Model
	classifier *Classifier
	network    *explain.Network
}

// Explainer reads the network of the model for explanations.
func (m *Model) Explainer(ctx context.Context) (*Explainer, error) {
	c, err := m.Classifier(ctx, "")
	if err != nil {
		return nil, err
	}
	n, err := explain.New(c.frozen, explain.Options{Shape: m.Shape(), Categories: m.categories(), Threads: parallel()})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Path(), err)
	}
	return &Explainer{m, c, n}, ctx.Err()
}

// Shape returns the shape of the images that the model classifies, zero if its features are none.
func (m *Model) Shape() dataset.Shape {
	return dataset.ShapeOf(m.info.Model.Config.Data.Set, m.Features())
}

// Explain says why the model takes a sample for its class: which nodes voted and what decided that, and which changes
// of features would have another class come out. What it says has been checked with the simulator and with the
// trainer's forward pass.
func (e *Explainer) Explain(ctx context.Context, o ExplainOptions) (*Explanation, error) {
	if o.Sample < 0 {
		return nil, message.WithHint(message.Optionf("{Sample}: %d: must not be negative", o.Sample), "samples count from 0")
	}
	if o.Changes < 0 {
		return nil, message.Optionf("{Changes}: %d: must not be negative", o.Changes)
	}
	if o.Changes == 0 {
		o.Changes = UsualChanges
	}
	find := e.ofTestSet
	if o.File != "" {
		find = e.ofFile
	}
	words, source, label, err := find(ctx, o)
	if err != nil {
		return nil, err
	}
	x, err := e.network.Explain(ctx, words, o.Changes)
	if err != nil {
		return nil, err
	}
	x.Sample, x.Source, x.Label = o.Sample, source, label
	return x, nil
}

// ofFile returns the feature words of a sample of a file. Its label is not known: predict skips it, too.
func (e *Explainer) ofFile(ctx context.Context, o ExplainOptions) (words []uint16, source, label string, err error) {
	file, err := e.classifier.OpenFile(ctx, o.File)
	if err != nil {
		return nil, "", "", err
	}
	defer file.Close()
	words = make([]uint16, e.model.Features())
	for i := 0; i <= o.Sample; i++ {
		if err := cancelled(ctx, i); err != nil {
			return nil, "", "", err
		}
		if err := file.in.Next(words); errors.Is(err, io.EOF) {
			return nil, "", "", noSample(o.File, o.Sample, i)
		} else if err != nil {
			return nil, "", "", err
		}
	}
	return words, o.File, "", nil
}

// cancelled returns the error of a context, every so many samples.
func cancelled(ctx context.Context, sample int) error {
	if sample%maxBlock > 0 {
		return nil
	}
	return ctx.Err()
}

// ofTestSet returns the feature words of a sample of the test set, and the name of its class.
func (e *Explainer) ofTestSet(ctx context.Context, o ExplainOptions) (words []uint16, source, label string, err error) {
	test, err := e.model.source(o.Data).upTo(ctx, o.Sample)
	if err != nil {
		return nil, "", "", err
	}
	if test.Words.Len() <= o.Sample {
		return nil, "", "", noSample("the test part of "+test.Name, o.Sample, test.Words.Len())
	}
	words = make([]uint16, test.Words.Features)
	test.Words.Values(words, o.Sample)
	return words, test.Name, e.model.info.Model.Classes[test.Words.Labels[o.Sample]], nil
}

// upTo reads the test part up to a sample.
func (s source) upTo(ctx context.Context, sample int) (*trainer.TestData, error) {
	if err := s.missing(); err != nil {
		return nil, err
	}
	if s.override.samples() != nil {
		return s.encode()
	}
	return trainer.LoadFirst(ctx, s.override.opened, s.encoder, s.classes, s.data, s.folders, sample+1)
}

// noSample is the error of a sample beyond the last.
func noSample(where string, sample, have int) error {
	err := message.Optionf("{Sample}: %d: %s has %s", sample, where, message.Plural(have, "sample", "samples"))
	if have == 0 {
		return err
	}
	return message.WithHint(err, "samples count from 0: give one up to %d", have-1)
}

// categories returns the columns of words of the table that the model was trained on.
func (m *Model) categories() (all []explain.Category) {
	first := 0
	for i, c := range m.Columns() {
		if c.Kind == encoding.CategoryColumn {
			name := cmp.Or(c.Name, fmt.Sprintf("column %d", i+1))
			all = append(all, explain.Category{Name: name, First: first, Words: c.Categories})
		}
		first += c.Features()
	}
	return all
}
