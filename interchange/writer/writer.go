// Package writer is the table of the forms that networks are written in for other frameworks. A new form is a row. What
// is written of netlists, such as QONNX and BLIF, is in backend.
package writer

import (
	"fmt"
	"io"
	"strings"

	"ialgn/interchange/graph"
	"ialgn/interchange/torchlogix"
	"ialgn/internal/hint"
	"ialgn/internal/overwrite"
)

// Form is a form of another framework.
type Form struct {
	Name  string
	Ours  overwrite.Form // how a file that was written is told from another one
	Write func(w io.Writer, n *graph.Network) error
}

var forms = []Form{{"torchlogix-json", overwrite.Circuit, torchlogix.WriteCircuit}}

// Names returns the names of all forms.
func Names() (names []string) {
	for _, f := range forms {
		names = append(names, f.Name)
	}
	return names
}

// Find returns the form of a name.
func Find(name string) (*Form, error) {
	for i := range forms {
		if forms[i].Name == name {
			return &forms[i], nil
		}
	}
	return nil, hint.Near(fmt.Errorf("form %.40q is unknown: give one of %s", name, strings.Join(Names(), ", ")), name,
		Names())
}
