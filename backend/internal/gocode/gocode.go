// Package gocode writes a netlist as a Go package that computes the same function for 64 samples in each machine
// word. The package has a file of code and a file of tests.
//
// The package imports only "errors" (and "testing" in its tests), and needs Go 1.20 or later. The file of code
// contains the package's documentation. The package has a type Network with these methods:
//
//   - Run works on rows of bits, for any netlist;
//   - Classify, for a classifier with a head, converts feature words to class and counts;
//   - ClassifyUncertain, for a classifier whose head has a margin, also says which classes are uncertain;
//   - ClassifyReal, if [Options] describe how feature words are computed, converts real values.
//
// On request, a function Probabilities converts counts to probabilities.
//
// A network with up to [MaxStraight] operations is written as straight code, in functions of bounded length. A
// larger network is written as a table with a short loop. The Go compiler takes minutes for a million lines of
// straight code, but seconds for the table.
//
// The recommended file names for a module NAME are NAME_net.go and NAME_net_test.go. A file name that ended in the
// name of a system, such as _linux, would be compiled only for that system.
package gocode

import (
	"bufio"
	"fmt"
	"go/token"
	"io"
	"regexp"
	"strings"

	"ialgn/internal/inputs"
	"ialgn/internal/softmax"
	"ialgn/internal/wordcode"
	"ialgn/netlist"
)

// Options says how to write a netlist.
type Options struct {
	// Package is the name of the package. Empty: the netlist's name.
	Package string
	// Header holds lines for the package's documentation. They name the program and its version, the model and its
	// checksum, and the options.
	Header []string
	// Inputs describes how feature words are computed from real values; nil: not known.
	Inputs *inputs.Table
	// Probabilities is the temperature for a function that computes the probabilities of a classifier's classes; nil:
	// there is no such function.
	Probabilities *softmax.Temperature

	straight int // maximum number of operations for straight code; 0: MaxStraight
}

// MaxStraight is the maximum number of operations that are written as straight code.
const MaxStraight = 50_000

// Write writes the package of n. It returns an error before it writes anything if n has registers (a
// [*netlist.KindError]), if the package's name is invalid, or if n is too large. Later errors come from w.
func Write(w io.Writer, n *netlist.Netlist, opt Options) error {
	f, err := newFile(w, n, opt)
	if err != nil {
		return err
	}
	f.source()
	return f.w.Flush()
}

// WriteTest writes the tests of n's package, as a file of that package. The tests compare the package with vectors
// that the simulator computed, and measure its speed. WriteTest returns the errors of [Write].
func WriteTest(w io.Writer, n *netlist.Netlist, opt Options) error {
	f, err := newFile(w, n, opt)
	if err != nil {
		return err
	}
	if f.vectors, err = wordcode.NewVectors(n, f.classifier); err != nil {
		return fmt.Errorf("go: %w", err)
	}
	f.test()
	return f.w.Flush()
}

// file is a file that is being written. Its buffer keeps the first error until Flush.
type file struct {
	w          *bufio.Writer
	buf        []byte
	n          *netlist.Netlist
	opt        Options
	program    *wordcode.Program
	place      *wordcode.Placement  // tells where straight code stores its intermediate results
	table      *wordcode.Table      // the table, if there is no straight code
	classifier *wordcode.Classifier // nil: n is not a classifier
	vectors    *wordcode.Vectors    // vectors for the emitted tests
	real       *inputs.Table        // nil: no function takes real values
}

func newFile(w io.Writer, n *netlist.Netlist, opt Options) (*file, error) {
	if opt.Package == "" {
		opt.Package = n.Name
	}
	if err := checkPackage(opt.Package); err != nil {
		return nil, err
	}
	if opt.straight == 0 {
		opt.straight = MaxStraight
	}
	f := &file{w: bufio.NewWriterSize(w, 1<<16), n: n, opt: opt}
	var err error
	if f.program, err = wordcode.Lower("go", n); err != nil {
		return nil, err
	}
	if f.classifier = wordcode.NewClassifier(n); f.classifier != nil {
		f.real = opt.Inputs.Real()
	}
	if f.program.Inputs == 0 || len(f.program.Outputs) == 0 {
		return nil, fmt.Errorf("go: %s has %d input bits and %d output bits, there is nothing to compute", n.Name,
			f.program.Inputs, len(f.program.Outputs))
	}
	if f.isStraight() {
		f.place = f.program.Place(wordcode.Section)
		return f, nil
	}
	if f.table, err = f.program.Table(); err != nil {
		return nil, fmt.Errorf("go: %s: %w", n.Name, err)
	}
	return f, nil
}

var identifier = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

// checkPackage returns an error if name cannot be the name of a package that has tests and can be imported.
func checkPackage(name string) error {
	switch {
	case !identifier.MatchString(name):
		return fmt.Errorf("go: package name: %q is no name of a package, use letters, digits and _ with a letter first", name)
	case token.IsKeyword(name) || name == "main" || name == "documentation" || strings.HasSuffix(name, "_test"):
		return fmt.Errorf("go: package name: %q is taken by the language or its tool, choose another name", name)
	}
	return nil
}

func (f *file) isStraight() bool { return len(f.program.Ops) <= f.opt.straight }

// rows returns the number of memory rows that a run needs.
func (f *file) rows() int {
	if f.isStraight() {
		return max(1, f.place.Slots)
	}
	return f.table.Rows
}

// words returns the number of words in each row. If each row has several words, the loop over a table has less
// overhead for each word.
func (f *file) words() int {
	if f.isStraight() {
		return 1
	}
	return tableWords
}

// tableWords is the number of words in each row if the network is a table.
const tableWords = 8

// fill writes a template with each key replaced by its value.
func (f *file) fill(template string, keysAndValues ...string) {
	_, _ = strings.NewReplacer(keysAndValues...).WriteString(f.w, template)
}

func (f *file) text(s string) { _, _ = f.w.WriteString(s) }

// numbers writes the elements of a slice or an array, with perLine elements on each line.
func numbers[T any](f *file, format string, perLine int, s []T) {
	for i, v := range s {
		if i%perLine == 0 {
			f.text("\t")
		} else {
			f.text(" ")
		}
		fmt.Fprintf(f.w, format+",", v)
		if i%perLine == perLine-1 || i == len(s)-1 {
			f.text("\n")
		}
	}
}
