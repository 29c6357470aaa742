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

// Host is a program for the other end of an interface. The program reads a table of samples in their original form,
// computes the input words, has the design classify the samples and prints the names of the classes.
type Host struct {
	Suffix string // end of the file's name, after the name of the netlist's module
	Write  func(io.Writer, Hosted) error
	// Live is a testbench that connects the design's interface to external programs. It reads bytes from the file
	// from_host. It writes the bytes of the design's answers to the file to_host, each byte as a line of two
	// hexadecimal digits. @TOP@ is replaced by the name of the design's module, @SAMPLE@ by the number of bytes in a
	// sample, and @RESULT@ by the number of bytes in a result.
	Live string
}

// Hosted is the input for writing a host program.
type Hosted struct {
	Inputs   *inputs.Table
	Protocol *Protocol
	File     string   // name of the program's file
	Header   []string // lines for a comment
}

// hostTable reads samples and computes their bytes. hostMain handles the command line. All hosts in Python contain
// both parts.
//
//go:embed templates/host_table.py
var hostTable string

//go:embed templates/host_main.py
var hostMain string

// writePython returns a function that writes a host in Python. The argument link is the Python code that transfers
// bytes.
func writePython(link, device string) func(io.Writer, Hosted) error {
	text := strings.NewReplacer("@TABLE@\n", hostTable+"\n", "@MAIN@\n", hostMain).Replace(link)
	return func(w io.Writer, h Hosted) error {
		var header strings.Builder
		for _, s := range h.Header {
			fmt.Fprintf(&header, "# - %s\n", netlist.Printable(s))
		}
		name, value := "", ""
		if h.Protocol.Uncertain.Number > 0 {
			name, value = `, "uncertain"`, ` + design.numbers(result, "uncertain")`
		}
		_, err := strings.NewReplacer(
			"@UNCERTAINNAME@", name, "@UNCERTAIN@", value,
			"@MODULE@", h.Inputs.Module, "@FILE@", h.Inputs.File, "@NAME@", h.File, "@HEADER@", header.String(),
			"@KIND@", h.Protocol.Kind, "@DEVICE@", device, "@FORMAT@", fmt.Sprint(h.Inputs.Format()),
			"@WORD@\n", wordOf(h.Inputs).python, "@MISSINGWORDS@", pythonList(h.Inputs.Missing.Words),
			"@MISSINGNUMBERS@", pythonList(h.Inputs.Missing.Numbers), "@DECLARED@", pythonList(h.Inputs.Missing.Declared),
		).WriteString(w, text)
		return err
	}
}

// pythonList returns a Python list of strings.
func pythonList(texts []string) string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = strconv.QuoteToASCII(text)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
