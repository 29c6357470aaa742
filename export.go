package ialgn

import (
	"context"
	"fmt"
	"io"

	"ialgn/internal/interchange"
	"ialgn/internal/message"
	"ialgn/internal/outfile"
)

// ExportFormats returns the names of the formats that [Export] can write.
func ExportFormats() []string { return interchange.WriterNames() }

// ExportOptions say which format to write and which files may be overwritten.
type ExportOptions struct {
	To    string   // one of [ExportFormats]
	Force bool     // overwrite a file that ialgn did not write
	Keep  []string // files that must not be overwritten, in addition to the model's file
}

// Exported describes the file that [Export] wrote.
type Exported struct {
	File   string `json:"file"`
	Format string `json:"format"`
	Inputs int    `json:"inputs"` // thermometer bits
	Nodes  int    `json:"nodes"`  // nodes of the network
}

// Export writes a model's network in the format of another framework. The exported network reads thermometer bits,
// because these formats cannot store the encoder.
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
	if f.Offsets != nil {
		return nil, message.WithHint(
			fmt.Errorf("%s: the model adds an offset to each class count, and %s has no place for it", m.Path(), form.Name),
			"train without train.offsets; compile can write such a model as qonnx, C or Go")
	}
	if f.Ties != nil {
		return nil, message.WithHint(
			fmt.Errorf("%s: the model has a tie order of its classes, and %s has no place for it", m.Path(), form.Name),
			"train without train.offsets; compile can write such a model as C or Go")
	}
	n := interchange.Network(f, m.info.Model.Config.Model.Tau, m.beta())
	if err := outfile.Write(path, func(w io.Writer) error { return form.Write(w, n) }); err != nil {
		return nil, err
	}
	return &Exported{path, form.Name, f.Inputs(), f.Gates()}, nil
}
