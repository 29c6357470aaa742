package ialgn

import (
	"context"
	"fmt"
	"io"
	"strings"

	"ialgn/interchange"
	"ialgn/interchange/graph"
	"ialgn/interchange/torchlogix"
	"ialgn/internal/atomicfile"
	"ialgn/internal/hint"
	"ialgn/internal/overwrite"
)

// exporters write networks in the forms of other frameworks. What compile writes of netlists, such as QONNX and BLIF,
// is not among them.
var exporters = []struct {
	name  string
	write func(w io.Writer, n *graph.Network) error
}{
	{"torchlogix-json", torchlogix.WriteCircuit},
}

// ExportFormats returns the names of the forms that [Export] writes.
func ExportFormats() (names []string) {
	for _, e := range exporters {
		names = append(names, e.name)
	}
	return names
}

// ExportOptions say what is written.
type ExportOptions struct {
	To    string // one of [ExportFormats]
	Force bool   // write over a file that ialgn did not write
	Keep  []string
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
	f, err := m.Frozen(ctx)
	if err != nil {
		return nil, err
	}
	beta := 0.0
	if origin := m.info.Model.Record.Origin; origin != nil {
		beta = origin.Beta
	}
	for _, e := range exporters {
		if e.name != o.To {
			continue
		}
		if err := guard(o.Force, o.Keep, m.Path()).Check(path, overwrite.Circuit); err != nil {
			return nil, err
		}
		n := interchange.Network(f, m.info.Model.Config.Model.Tau, beta)
		if err := atomicfile.Write(path, func(w io.Writer) error { return e.write(w, n) }); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return &Exported{path, o.To, f.Inputs(), f.Gates()}, nil
	}
	return nil, hint.Near(fmt.Errorf("form %.40q is unknown: give one of %s", o.To, strings.Join(ExportFormats(), ", ")),
		o.To, ExportFormats())
}
