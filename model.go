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

// Model is a trained network in a model file, or in memory. It is opened once: whatever is made of it afterwards is
// made of the same bytes, and a file that changes meanwhile is an error. It may be used by several goroutines.
type Model struct {
	file    *model.File
	info    *model.Info
	samples *config.Samples  // samples in memory that this process trained it on; nil: files
	summary *trainer.Summary // result of the training, if this process trained the model

	hashing sync.Mutex
	sum     string // SHA-256 of the file, once it is known
}

// Open opens a model file. The caller closes the model.
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

// Path returns the path of the model's file; one that was trained in memory has the name that it would have had.
func (m *Model) Path() string { return m.file.Path() }

// Name returns the model's name, after which designs are called.
func (m *Model) Name() string { return m.info.Model.Config.Name }

// Classes returns the names of the classes.
func (m *Model) Classes() []string { return slices.Clone(m.info.Model.Classes) }

// Features returns the number of features.
func (m *Model) Features() int { return m.info.Model.Encoder.Features() }

// FeatureNames returns the names of the features, "feature 0" and so on where none were given.
func (m *Model) FeatureNames() []string {
	names := make([]string, m.Features())
	for f := range names {
		names[f] = m.info.Model.Encoder.Name(f)
	}
	return names
}

// Column is a column of the table that a model was trained on, and how its values become features.
type Column = encoding.Column

// Columns returns the columns of the table that the features come from, in order: which are numbers, which categories,
// and what a missing value is. Of a model that was trained on anything else each feature is a column of numbers.
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

// Gates returns the number of gates, or nodes, in all layers.
func (m *Model) Gates() int { return m.info.Model.FrozenNodes() }

// Config returns the configuration that the model was trained with.
func (m *Model) Config() Config { return m.info.Model.Config }

// Score returns what a class count comes to in the softmax: the count and the model's beta, divided by tau. Beta is 0
// of all models but those that another program trained with one. It is computed in single precision, as training does.
func (m *Model) Score(count int) float32 {
	return (float32(count) + float32(m.beta())) / float32(m.info.Model.Config.Model.Tau)
}

// beta returns what every class count is given before it is divided by tau.
func (m *Model) beta() float64 {
	if o := m.info.Model.Record.Origin; o != nil {
		return o.Beta
	}
	return 0
}

// Training returns the outcome of the training, nil of a model that another process trained.
func (m *Model) Training() *trainer.Summary { return m.summary }

// SHA256 returns that of the model's file in hexadecimal digits. The first call reads all of it.
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

// Save writes the model to a file, beside it first and then renamed. It returns an error if there is a file that is no
// model, or that the model is read from.
func (m *Model) Save(path string) error {
	if err := outfile.NewGuard(false, m.Path()).Check(path, outfile.ModelForm); err != nil {
		return err
	}
	return outfile.Write(path, func(w io.Writer) error {
		_, err := io.Copy(w, io.NewSectionReader(m.file, 0, m.file.Size()))
		return err
	})
}

// frozen returns the Boolean network that the model's argmaxes select, which it reads from the file.
func (m *Model) frozen(ctx context.Context) (*model.Frozen, error) { return m.file.In(ctx).Frozen() }

// File returns the opened file. It is for packages of this module, as its type is internal.
func (m *Model) File() *model.File { return m.file }
