package ialgn

import (
	"context"
	"io"

	"ialgn/internal/interchange"
	"ialgn/internal/outfile"
)

// ExportFormats returns the names of the forms that [Export] writes.
func ExportFormats() []string { return interchange.WriterNames() }

// ExportOptions say what is written.
type ExportOptions struct {
	To    string   // one of [ExportFormats]
	Force bool     // write over a file that ialgn did not write
	Keep  []string // files that must not be written over, beside the model's
}

// Exported says what was written.
type Exported struct {
	File   string `json:"file"`
	Format string `json:"format"`
	Inputs int    `json:"inputs"` // thermometer bits
	Nodes  int    `json:"nodes"`  // of the model
}

// Export writes the network of a model in the form of another framework: what is behind the thermometer, for these
// forms have no place for that.
func Export(ctx context.Context, m *Model, path string, o ExportOptions) (*Exported, error) {
	form, err := interchange.FindWriter(o.To)
	if err != nil {
		return nil, err
	}
	if err := guard(o.Force, o.Keep, m.Path()).Check(path, form.Ours); err != nil {
		return nil, err
	}
	f, err := m.frozen(ctx)
	if err != nil {
		return nil, err
	}
	n := interchange.Network(f, m.info.Model.Config.Model.Tau, m.beta())
	if err := outfile.Write(path, func(w io.Writer) error { return form.Write(w, n) }); err != nil {
		return nil, err
	}
	return &Exported{path, form.Name, f.Inputs(), f.Gates()}, nil
}
