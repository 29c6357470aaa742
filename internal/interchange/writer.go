// This file is the table of the forms that networks are written in for other frameworks. A new form is a row. What
// is written of netlists, such as QONNX and BLIF, is in backend.

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

// Writer is a form of another framework.
type Writer struct {
	Name  string
	Ours  outfile.Form // how a file that was written is told from another one
	Write func(w io.Writer, n *graph.Network) error
}

var forms = []Writer{{"torchlogix-json", outfile.Circuit, torchlogix.WriteCircuit}}

// WriterNames returns the names of all forms.
func WriterNames() (names []string) {
	for _, f := range forms {
		names = append(names, f.Name)
	}
	return names
}

// FindWriter returns the form of a name.
func FindWriter(name string) (*Writer, error) {
	for i := range forms {
		if forms[i].Name == name {
			return &forms[i], nil
		}
	}
	return nil, message.Near(fmt.Errorf("form %.40q is unknown: give one of %s", name, strings.Join(WriterNames(), ", ")),
		name,
		WriterNames())
}
