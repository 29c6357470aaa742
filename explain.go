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

// ExplainOptions say which sample to explain and how far to search for changes. The zero value means the first
// sample of the test set.
type ExplainOptions struct {
	File   string // a file of samples for [Classifier.OpenFile]; empty: the test set
	Data   Data   // where to read the test set from
	Sample int    // number of the sample, from 0

	// Changes is the maximum number of features to change together; 0 means [UsualChanges].
	Changes int
}

// UsualChanges is the default of ExplainOptions.Changes.
const UsualChanges = 256

// Explanation says why the model assigns a sample to its class; see [explain.Explanation].
type Explanation = explain.Explanation

// Explainer explains samples of one model, one at a time. It must not be used by several goroutines at once.
type Explainer struct {
	model      *Model
	classifier *Classifier
	network    *explain.Network
}

// Explainer returns an explainer for the model.
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

// Shape returns the shape of the images that the model classifies, or the zero Shape if its features are not
// pixels.
func (m *Model) Shape() dataset.Shape {
	return dataset.ShapeOf(m.info.Model.Config.Data.Set, m.Features())
}

// Explain says why the model assigns a sample to its class. The explanation lists the nodes that voted, the reasons
// for their votes, and changes of features that would change the class. Before it returns, Explain checks the
// explanation with the simulator and with the trainer's forward pass.
func (e *Explainer) Explain(ctx context.Context, o ExplainOptions) (*Explanation, error) {
	if o.Sample < 0 {
		return nil, message.WithHint(message.Optionf("{Sample}: %d: must not be negative", o.Sample),
			"samples are counted from 0")
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

// ofFile returns the feature words of a sample in a file. It ignores labels in the file, as command predict does.
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

// cancelled returns the error of ctx. It checks ctx only once for every maxBlock samples.
func cancelled(ctx context.Context, sample int) error {
	if sample%maxBlock > 0 {
		return nil
	}
	return ctx.Err()
}

// ofTestSet returns the feature words of a sample in the test set, and the name of its class.
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

// upTo reads the test samples up to and including the given one.
func (s source) upTo(ctx context.Context, sample int) (*trainer.TestData, error) {
	if err := s.missing(); err != nil {
		return nil, err
	}
	if s.override.samples() != nil {
		return s.encode()
	}
	return trainer.LoadFirst(ctx, s.override.opened, s.encoder, s.classes, s.data, s.folders, sample+1)
}

// noSample returns the error for a sample number beyond the last sample.
func noSample(where string, sample, have int) error {
	err := message.Optionf("{Sample}: %d: %s has %s", sample, where, message.Plural(have, "sample", "samples"))
	if have == 0 {
		return err
	}
	return message.WithHint(err, "samples are counted from 0: give 0 to %d", have-1)
}

// categories returns the columns of the model's table that hold words.
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
