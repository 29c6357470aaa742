// This file has the table of other frameworks' formats in which networks are written. Each format has a row in this
// table. Netlist formats, such as QONNX and BLIF, are in package backend.

package interchange

import (
	"fmt"
	"io"
	"strings"

	"ialgn/internal/interchange/graph"
	"ialgn/internal/interchange/torchlogix"
	"ialgn/internal/message"
	"ialgn/internal/outfile"
)

// Writer writes a format of another framework.
type Writer struct {
	Name  string
	Ours  outfile.Form // the output file's form, by which a file that we wrote is recognised
	Write func(w io.Writer, n *graph.Network) error
}

var forms = []Writer{{"torchlogix-json", outfile.Circuit, torchlogix.WriteCircuit}}

// WriterNames returns the names of all formats.
func WriterNames() (names []string) {
	for _, f := range forms {
		names = append(names, f.Name)
	}
	return names
}

// FindWriter returns the writer of the format with the given name.
func FindWriter(name string) (*Writer, error) {
	for i := range forms {
		if forms[i].Name == name {
			return &forms[i], nil
		}
	}
	return nil, message.Near(fmt.Errorf("format %.40q is unknown, want %s", name, strings.Join(WriterNames(), ", ")),
		name,
		WriterNames())
}
