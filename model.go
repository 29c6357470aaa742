package ialgn

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"sync"

	"ialgn/internal/config"
	"ialgn/internal/encoding"
	"ialgn/internal/model"
	"ialgn/internal/outfile"
	"ialgn/trainer"
)

// Model is a trained network, in a model file or in memory. The file is opened once, and all methods use the content
// of this opened file. If the file changes in the meantime, methods that read it return an error. Several goroutines
// may use a Model.
type Model struct {
	file    *model.File
	info    *model.Info
	samples *config.Samples  // samples in memory on which this process trained the model; nil: the samples are in files
	summary *trainer.Summary // result of the training; nil if another process trained the model

	hashing sync.Mutex
	sum     string // SHA-256 of the file; empty: not yet computed
}

// Open opens a model file. The caller must close the model.
func Open(path string) (*Model, error) {
	file, err := model.Open(path)
	if err != nil {
		return nil, err
	}
	m, err := newModel(file)
	if err != nil {
		file.Close()
	}
	return m, err
}

func newModel(file *model.File) (*Model, error) {
	info, err := file.Info()
	if err != nil {
		return nil, err
	}
	data := &info.Model.Config.Data
	data.Beside, data.Plain = filepath.Dir(file.Path()), info.Model.Record.Origin != nil
	return &Model{file: file, info: info}, nil
}

// Close closes the model's file.
func (m *Model) Close() error { return m.file.Close() }

// Path returns the path of the model's file. For a model that was trained in memory, it returns the name that a file
// of the model would have.
func (m *Model) Path() string { return m.file.Path() }

// Name returns the model's name, which is also the default name of designs.
func (m *Model) Name() string { return m.info.Model.Config.Name }

// Classes returns the names of the classes.
func (m *Model) Classes() []string { return slices.Clone(m.info.Model.Classes) }

// Features returns the number of features.
func (m *Model) Features() int { return m.info.Model.Encoder.Features() }

// FeatureNames returns the names of the features. If feature 0 has no name, it is called "feature 0", and so on.
func (m *Model) FeatureNames() []string {
	names := make([]string, m.Features())
	for f := range names {
		names[f] = m.info.Model.Encoder.Name(f)
	}
	return names
}

// Column describes one column of the table that a model was trained on, and how its values become features.
type Column = encoding.Column

// Columns returns the columns of the table from which the features are computed, in order. Each column says whether
// it holds numbers or categories, and how missing values are replaced. If the model was not trained on a table,
// Columns returns one column of numbers for each feature.
func (m *Model) Columns() []Column {
	enc := &m.info.Model.Encoder
	if enc.Columns != nil {
		columns := slices.Clone(enc.Columns)
		for i := range columns {
			columns[i].Categories = slices.Clone(columns[i].Categories)
		}
		return columns
	}
	columns := make([]Column, m.Features())
	for f := range columns {
		columns[f].Kind = encoding.NumberColumn
		if f < len(enc.Names) {
			columns[f].Name = enc.Names[f]
		}
	}
	return columns
}

// Gates returns the number of gates (or nodes) in all layers.
func (m *Model) Gates() int { return m.info.Model.FrozenNodes() }

// Config returns the configuration that the model was trained with.
func (m *Model) Config() Config { return m.info.Model.Config }

// Score returns the logit of a class for the softmax: (count + beta) / tau. Beta is 0 unless the model was imported
// from a framework that uses it. The result is computed in single precision, as in training.
func (m *Model) Score(count int) float32 {
	return (float32(count) + float32(m.beta())) / float32(m.info.Model.Config.Model.Tau)
}

// beta returns the constant that is added to every class count before the division by tau.
func (m *Model) beta() float64 {
	if o := m.info.Model.Record.Origin; o != nil {
		return o.Beta
	}
	return 0
}

// Training returns the summary of the training, or nil if another process trained the model.
func (m *Model) Training() *trainer.Summary { return m.summary }

// SHA256 returns the SHA-256 of the model's file in hexadecimal digits. The first call reads the whole file.
func (m *Model) SHA256(ctx context.Context) (string, error) {
	m.hashing.Lock()
	defer m.hashing.Unlock()
	if m.sum != "" {
		return m.sum, nil
	}
	var err error
	m.sum, err = m.file.SHA256(ctx)
	return m.sum, err
}

// Save writes the model to a file. It first writes the file under a temporary name in the same folder and then
// renames it. Save returns an error if path is an existing file that is not a model, or the file from which the model
// is read.
func (m *Model) Save(path string) error {
	if err := outfile.NewGuard(false, m.Path()).Check(path, outfile.ModelForm); err != nil {
		return err
	}
	return outfile.Write(path, func(w io.Writer) error {
		_, err := io.Copy(w, io.NewSectionReader(m.file, 0, m.file.Size()))
		return err
	})
}

// frozen reads the frozen network from the file. In a frozen network, each node computes the operation with the
// node's largest logit (argmax).
func (m *Model) frozen(ctx context.Context) (*model.Frozen, error) { return m.file.In(ctx).Frozen() }

// File returns the opened model file. Its type is internal, so only packages of this module can use it.
func (m *Model) File() *model.File { return m.file }
