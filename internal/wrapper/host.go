package wrapper

import (
	_ "embed" // templates
	"fmt"
	"io"
	"strconv"
	"strings"

	"ialgn/internal/inputs"
	"ialgn/netlist"
)

// Host is a program for the other end of an interface: it reads a table of samples, as people have them, makes words of
// them, has the design classify them and prints the classes by their names.
type Host struct {
	Suffix string // ends the name of its file, after the name of the netlist's module
	Write  func(io.Writer, Hosted) error
	// Live is a testbench in which the design has the interface with programs outside: bytes come from the file
	// from_host, and of what the design answers each byte goes to the file to_host, as a line with its two digits.
	// @TOP@ is the design's module, @SAMPLE@ and @RESULT@ are the bytes of a sample and a result.
	Live string
}

// Hosted is what a program for the other end is about.
type Hosted struct {
	Inputs   *inputs.Table
	Protocol *Protocol
	File     string   // name of the file that is written
	Header   []string // lines for a comment
}

// hostTable reads samples and makes bytes of them, and hostMain is the command line, of all hosts in Python.
//
//go:embed templates/host_table.py
var hostTable string

//go:embed templates/host_main.py
var hostMain string

// writePython returns the writer of a host in Python, of the part that moves bytes.
func writePython(link, device string) func(io.Writer, Hosted) error {
	text := strings.NewReplacer("@TABLE@\n", hostTable+"\n", "@MAIN@\n", hostMain).Replace(link)
	return func(w io.Writer, h Hosted) error {
		var header strings.Builder
		for _, s := range h.Header {
			fmt.Fprintf(&header, "# - %s\n", netlist.Printable(s))
		}
		_, err := strings.NewReplacer(
			"@MODULE@", h.Inputs.Module, "@FILE@", h.Inputs.File, "@NAME@", h.File, "@HEADER@", header.String(),
			"@KIND@", h.Protocol.Kind, "@DEVICE@", device, "@FORMAT@", fmt.Sprint(h.Inputs.Format()),
			"@WORD@\n", wordOf(h.Inputs).python, "@MISSINGWORDS@", pythonList(h.Inputs.Missing.Words),
			"@MISSINGNUMBERS@", pythonList(h.Inputs.Missing.Numbers), "@DECLARED@", pythonList(h.Inputs.Missing.Declared),
		).WriteString(w, text)
		return err
	}
}

// pythonList returns a list of texts in Python.
func pythonList(texts []string) string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = strconv.QuoteToASCII(text)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
