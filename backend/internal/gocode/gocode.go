// Package gocode writes netlists as a Go package that computes the same, 64 samples a word:
// a file of code and a file of tests.
//
// The package imports nothing but "errors" (and "testing" in its tests), and is of any
// version of Go from 1.20 on. Its documentation is in the file: a type Network with the
// method Run on rows of bits, for any netlist, and for a classifier with a head the method
// Classify from feature words to class and counts, and, where [Options] say how these words are
// made, ClassifyReal from real values.
//
// A network of up to [MaxStraight] operations is written as straight code in functions of
// bounded length. A larger one is a table, run by a short loop: the compiler takes minutes
// for a million straight lines, and seconds for the table.
//
// The files of a module NAME are best called NAME_net.go and NAME_net_test.go: a name that
// ended in the name of a system, such as _linux, would be for that system alone.
package gocode

import (
	"bufio"
	"fmt"
	"go/token"
	"io"
	"regexp"
	"strings"

	"ialgn/internal/inputs"
	"ialgn/internal/wordcode"
	"ialgn/netlist"
)

// Options says how a netlist is written.
type Options struct {
	// Package is the package's name. Empty: the netlist's name.
	Package string
	// Header are lines for the package's documentation: the program and its version, the
	// model, its checksum, the options.
	Header []string
	// Inputs says how feature words are made of real values; nil: nothing is known.
	Inputs *inputs.Table

	straight int // operations up to which the code is straight; 0: MaxStraight
}

// MaxStraight is the number of operations up to which a network is straight code.
const MaxStraight = 50_000

// Write writes the package of n. It returns an error before it writes anything: a
// [*netlist.KindError] if n has registers, and an error if the package's name is none or if
// n is too large; later, the error of w.
func Write(w io.Writer, n *netlist.Netlist, opt Options) error {
	f, err := newFile(w, n, opt)
	if err != nil {
		return err
	}
	f.source()
	return f.w.Flush()
}

// WriteTest writes the tests of the package of n, in the package itself: they hold it
// against vectors that the simulator computed, and measure it. It returns the errors of
// [Write].
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

// file is a file that is being written. Its buffer keeps the first error for Flush.
type file struct {
	w          *bufio.Writer
	buf        []byte
	n          *netlist.Netlist
	opt        Options
	program    *wordcode.Program
	place      *wordcode.Placement  // where the straight code keeps its intermediate results
	table      *wordcode.Table      // otherwise
	classifier *wordcode.Classifier // nil: n is no classifier
	vectors    *wordcode.Vectors    // vectors that the emitted tests check
	real       *inputs.Table        // nil: there is nothing that takes real values
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

// checkPackage refuses names that a package cannot have which others import and which has tests.
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

// rows returns the rows of memory that a run needs.
func (f *file) rows() int {
	if f.isStraight() {
		return max(1, f.place.Slots)
	}
	return f.table.Rows
}

// words returns the words of a row: the loop over a table has less to do for each number
// where it computes several at a time.
func (f *file) words() int {
	if f.isStraight() {
		return 1
	}
	return tableWords
}

// tableWords is the number of words of a row where a table is run.
const tableWords = 8

// fill writes a template. KEY is replaced by its value, for each pair of key and value.
func (f *file) fill(template string, keysAndValues ...string) {
	_, _ = strings.NewReplacer(keysAndValues...).WriteString(f.w, template)
}

func (f *file) text(s string) { _, _ = f.w.WriteString(s) }

// numbers writes the elements of a slice or an array, several on a line.
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
