package ialgn

import (
	"context"
	"errors"
	"fmt"

	"ialgn/internal/config"
	"ialgn/internal/dataset"
	"ialgn/internal/encoding"
	"ialgn/internal/message"
	"ialgn/internal/verify"
	"ialgn/trainer"
)

// Data says where labelled samples come from: from files or, where Features is set, from memory. The zero value is the
// data set that a configuration or a model names, from the places where data sets are looked for.
type Data struct {
	// Folders are looked in for the files of data sets, before the folder that $IALGN_DATA names, that of the user's
	// cache, and that of the system.
	Folders []string

	Features [][]float64 // training part, [sample][feature]
	Labels   []int       // training part, [sample]; classes count from 0

	// The test part; without one, data.test_share of the training part is split off.
	TestFeatures [][]float64
	TestLabels   []int

	FeatureNames []string // one a feature; empty: none
	Classes      []string // names of the classes; empty: the numbers of the labels

	opened *dataset.Set // see Opened
}

// Opened returns the data for trainings after a set was opened: files that it has read are not read again.
func (d Data) Opened(set *dataset.Set) Data {
	d.opened = set
	return d
}

// folders returns where data sets are looked for.
func (d Data) folders() []string {
	return append(append([]string{}, d.Folders...), dataset.Folders("")...)
}

// samples returns the samples in memory, nil for none.
func (d Data) samples() *config.Samples {
	if d.Features == nil && d.TestFeatures == nil {
		return nil
	}
	return &config.Samples{
		Features: d.Features, Labels: d.Labels, TestFeatures: d.TestFeatures, TestLabels: d.TestLabels,
		FeatureNames: d.FeatureNames, Classes: d.Classes,
	}
}

// source is a model's test part: where its samples are looked for, and what the model says of them.
type source struct {
	encoder  *encoding.Encoder
	classes  []string
	data     config.Data
	recorded string // SHA-256 of the test part that the model was trained with
	folders  []string
	imported bool // nothing says which samples it has: it was imported without a data set, and not trained since
	override Data // samples that take the place of the data set's, unless it has none
}

// source returns the test part of a model, of the data set that it was trained with unless samples are given.
func (m *Model) source(d Data) source {
	s := source{
		encoder: &m.info.Model.Encoder, classes: m.info.Model.Classes, data: m.info.Model.Config.Data,
		recorded: m.info.Model.Record.Test, folders: d.folders(),
	}
	s.data.Memory = m.samples
	s.imported = m.info.Model.Record.Origin != nil && m.info.Model.Record.Test == ""
	s.override = d
	return s
}

// setMemory is the data set whose samples no file has.
const setMemory = "memory"

// without reports whether samples are neither given nor in a file.
func (s source) without() bool {
	return s.override.samples() == nil && s.data.Set == setMemory && s.data.Memory == nil
}

// missing is the error that a network was imported without samples; nil if it was not.
func (s source) missing() error {
	if !s.imported || !s.without() {
		return nil
	}
	return message.WithHint(errors.New("the network was imported without a data set that it could be tested with"),
		"import it again with {Set data.set=csv}, {Set data.test=FILE} and so on, or classify samples with predict")
}

// load reads the test part. Of samples in memory that is their test part or, if they have none, all of them.
func (s source) load(ctx context.Context) (*trainer.TestData, error) {
	if err := s.missing(); err != nil {
		return nil, err
	}
	if s.override.samples() != nil {
		return s.encode()
	}
	return trainer.LoadTest(ctx, s.override.opened, s.encoder, s.classes, s.data, s.folders)
}

// encode returns the samples that were given, under the model's encoder.
func (s source) encode() (*trainer.TestData, error) {
	features, labels := s.override.TestFeatures, s.override.TestLabels
	if features == nil {
		features, labels = s.override.Features, s.override.Labels
	}
	if len(features) != len(labels) {
		return nil, fmt.Errorf("%d samples with %d labels", len(features), len(labels))
	}
	enc := s.encoder
	t := newTestData("memory", enc)
	words, levels := make([]uint16, enc.Features()), make([]uint16, enc.Features())
	for i, sample := range features {
		if len(sample) != enc.Features() {
			return nil, fmt.Errorf("sample %d: %d features, the model has %d", i, len(sample), enc.Features())
		}
		if labels[i] < 0 || labels[i] >= len(s.classes) {
			return nil, fmt.Errorf("sample %d: label %d, want 0 to %d", i, labels[i], len(s.classes)-1)
		}
		quantise(enc, words, sample)
		enc.Levels(levels, words)
		t.Words.Append(words, labels[i])
		t.Levels.Append(levels, labels[i])
	}
	return t, nil
}

// newTestData returns samples without any yet.
func newTestData(name string, enc *encoding.Encoder) *trainer.TestData {
	return &trainer.TestData{
		Name: name, Levels: encoding.NewPacked(enc.Features(), enc.LevelBits()),
		Words: encoding.NewPacked(enc.Features(), enc.BitsIn),
	}
}

// tested is the samples that a check runs, with where they are from.
type tested struct {
	*trainer.TestData
	random   bool // the model's own are not at hand, as a program passed them
	imported bool // or as there are none: it was imported without a data set
	other    bool // the model was trained on other samples
}

// randomSamples is how many random samples take the place of test samples that are not at hand.
const randomSamples = 1000

// samples reads the test part or, where the model's own are in no file, draws random ones.
func (s source) samples(ctx context.Context) (*tested, error) {
	if s.without() {
		random := verify.RandomSamples(s.encoder, randomSamples)
		return &tested{
			TestData: &trainer.TestData{Name: "random", Levels: random.Levels, Words: random.Words}, random: true,
			imported: s.imported,
		}, nil
	}
	return s.labelled(ctx)
}

// labelled reads the test part.
func (s source) labelled(ctx context.Context) (*tested, error) {
	test, err := s.load(ctx)
	if err != nil {
		return nil, err
	}
	return &tested{TestData: test, other: s.override.samples() == nil && test.SHA256 != s.recorded}, nil
}

func (t *tested) samples() verify.Samples { return verify.Samples{Levels: t.Levels, Words: t.Words} }

// note returns what is to be said of the samples, nil for nothing.
func (t *tested) note() error {
	switch {
	case t.imported:
		return errors.New("the network was imported without a data set: random samples take the place of a test part")
	case t.random:
		return errors.New("the model's samples were known to the program that trained it: random ones take the place of " +
			"its test part")
	case t.other:
		return otherData(t.Name)
	}
	return nil
}

// otherData is the warning that the test part is not the one that a model was trained with.
func otherData(name string) error {
	return errors.New("the test part of " + name + " here is not the one that the model was trained with")
}
