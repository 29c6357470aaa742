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

// Data holds labelled samples in memory. If Features is nil, Data says where to find files of samples. The zero value
// means the data set that the configuration or the model names, in the usual folders.
type Data struct {
	// Folders lists the folders that are searched first for the files of data sets. The folder in $IALGN_DATA, the
	// user's cache folder and the system's folder are searched after these folders.
	Folders []string

	Features [][]float64 // training part, [sample][feature]
	Labels   []int       // training part, [sample]; class numbers from 0

	// TestFeatures and TestLabels are the test part. If they are nil, a part of the training samples becomes the test
	// part. The key data.test_share gives the share of samples in this part.
	TestFeatures [][]float64
	TestLabels   []int

	FeatureNames []string // one name for each feature; empty: no names
	Classes      []string // names of the classes; empty: the numbers of the labels

	opened *dataset.Set // an already opened data set; see Opened
}

// Opened returns a copy of d with an already opened data set. Training with this copy does not read the files again.
func (d Data) Opened(set *dataset.Set) Data {
	d.opened = set
	return d
}

// folders returns the folders to search for data sets.
func (d Data) folders() []string {
	return append(append([]string{}, d.Folders...), dataset.Folders("")...)
}

// samples returns the samples in memory, or nil if there are none.
func (d Data) samples() *config.Samples {
	if d.Features == nil && d.TestFeatures == nil {
		return nil
	}
	return &config.Samples{
		Features: d.Features, Labels: d.Labels, TestFeatures: d.TestFeatures, TestLabels: d.TestLabels,
		FeatureNames: d.FeatureNames, Classes: d.Classes,
	}
}

// source says where a model's test samples are, and what is recorded about these samples in the model.
type source struct {
	encoder  *encoding.Encoder
	classes  []string
	data     config.Data
	recorded string // SHA-256 of the test part that the model was trained with
	folders  []string
	imported bool // the model was imported without a data set and not trained since, so it has no samples
	override Data // samples to use instead of the data set; if empty, the data set is used
}

// source returns the source of a model's test samples. The source is d if it holds samples. Otherwise, it is the data
// set on which the model was trained.
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

// setMemory is the name of the data set in a model that was trained on samples in memory.
const setMemory = "memory"

// without reports whether there are no samples in memory and no files to read samples from.
func (s source) without() bool {
	return s.override.samples() == nil && s.data.Set == setMemory && s.data.Memory == nil
}

// missing returns an error if the network was imported without samples, else nil.
func (s source) missing() error {
	if !s.imported || !s.without() {
		return nil
	}
	return message.WithHint(errors.New("the network was imported without a data set, so there is no test part"),
		"import it again with {Set data.set=csv}, {Set data.test=FILE} and so on, or classify samples with predict")
}

// load reads the test samples. If the samples are in memory, load uses the test part or, if there is no test part,
// all samples.
func (s source) load(ctx context.Context) (*trainer.TestData, error) {
	if err := s.missing(); err != nil {
		return nil, err
	}
	if s.override.samples() != nil {
		return s.encode()
	}
	return trainer.LoadTest(ctx, s.override.opened, s.encoder, s.classes, s.data, s.folders)
}

// encode returns the samples in memory, encoded with the model's encoder.
func (s source) encode() (*trainer.TestData, error) {
	features, labels := s.override.TestFeatures, s.override.TestLabels
	if features == nil {
		features, labels = s.override.Features, s.override.Labels
	}
	if len(features) != len(labels) {
		return nil, fmt.Errorf("%d samples, but %d labels", len(features), len(labels))
	}
	enc := s.encoder
	t := newTestData("memory", enc)
	words, levels := make([]uint16, enc.Features()), make([]uint16, enc.Features())
	for i, sample := range features {
		if len(sample) != enc.Features() {
			return nil, fmt.Errorf("sample %d: %d features, but the model has %d", i, len(sample), enc.Features())
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

// newTestData returns an empty set of test samples.
func newTestData(name string, enc *encoding.Encoder) *trainer.TestData {
	return &trainer.TestData{
		Name: name, Levels: encoding.NewPacked(enc.Features(), enc.LevelBits()),
		Words: encoding.NewPacked(enc.Features(), enc.BitsIn),
	}
}

// tested holds the samples that a check runs, and where they come from.
type tested struct {
	*trainer.TestData
	// The samples are random because the model was trained on samples in the memory of a program. These samples are
	// not available here.
	random bool
	// The samples are random because the model was imported without a data set.
	imported bool
	other    bool // the model was trained with other test samples
}

// randomSamples is the number of random samples used if there are no test samples.
const randomSamples = 1000

// samples reads the test samples, or draws random samples if there are none in files or memory.
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

// labelled reads the test samples. It never uses random samples.
func (s source) labelled(ctx context.Context) (*tested, error) {
	test, err := s.load(ctx)
	if err != nil {
		return nil, err
	}
	return &tested{TestData: test, other: s.override.samples() == nil && test.SHA256 != s.recorded}, nil
}

func (t *tested) samples() verify.Samples { return verify.Samples{Levels: t.Levels, Words: t.Words} }

// note returns a warning if the samples are not the test samples of the training, or nil.
func (t *tested) note() error {
	switch {
	case t.imported:
		return errors.New("the network was imported without a data set: random samples replace the test part")
	case t.random:
		return errors.New("the model was trained on samples in memory: random samples replace " +
			"the test part")
	case t.other:
		return otherData(t.Name)
	}
	return nil
}

// otherData returns the warning that the test samples differ from the test samples of the training.
func otherData(name string) error {
	return errors.New("the test part of " + name + " differs from the one of the training")
}
