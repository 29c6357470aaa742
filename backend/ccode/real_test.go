package ccode

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"ialgn/backend/inputs"
	"ialgn/internal/netgen"
	"ialgn/netlist"
)

// TestRealNames has features and classes be called as what stands for the module in our templates, and as what ends
// strings and comments: their names stand in the files as they are, or as a comment may have them.
func TestRealNames(t *testing.T) {
	n := frozen(t, netlist.Full, netgen.FrozenOptions{Features: 3, Classes: 2})
	opt := Options{Inputs: &inputs.Table{
		Max: 255, Scaled: true, Classes: []string{"MACRO_CLASSES", `"*/`},
		Features: []inputs.Feature{{Name: "LAST_NAME_x", Scale: 1}, {Name: "LARGEST", Scale: 2}, {Name: "LINES */ ??/", Scale: 3}},
	}}
	for _, test := range []struct {
		write func(io.Writer, *netlist.Netlist, Options) error
		want  []string
	}{
		{WriteHeader, []string{"  LAST_NAME_x\n", "  LARGEST\n", "  LINES ?/ ? ?/\n"}},
		{Write, []string{
			"/* LAST_NAME_x */\n", "/* LARGEST */\n", `    "LAST_NAME_x",`, `    "LINES */ \077\077/",`, `    "MACRO_CLASSES",`, `    "\"*/",`,
		}},
	} {
		var b bytes.Buffer
		if err := test.write(&b, n, opt); err != nil {
			t.Fatal(err)
		}
		for _, want := range test.want {
			if !strings.Contains(b.String(), want) {
				t.Errorf("no %q in\n%s", want, b.String())
			}
		}
	}
}
