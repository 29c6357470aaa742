// Package ccode writes netlists as C99 that computes the same, 64 samples a word: a source
// file, its header, and a program that tests them. Three more files are a form for one sample at a time on small
// processors ([WriteOne]), made of the decision lists of package decisionlist.
//
// The files depend on nothing but the C library's headers <stddef.h> and <stdint.h> (and
// <stdio.h> for the test). They allocate nothing and keep no state; scratch memory is the
// caller's. Names begin with the module's, macros in capitals.
//
// [WriteHeader] documents the functions: NAME_run on rows of bits, for any netlist, and for
// a classifier with a head NAME_classify from feature words to class and counts, and, where
// [Options] say how these words are made, NAME_classify_real from real values. With gcc
// and clang a row of a block is several words, so that vector instructions compute on them.
//
// A network of up to [MaxStraight] operations is written as straight code in functions of
// bounded length. A larger one is a table, run by a short loop: a compiler takes minutes
// for a million straight lines, and little more than a second for the table.
package ccode

import (
	"fmt"
	"io"
	"regexp"
	"slices"

	"ialgn/internal/inputs"
	"ialgn/internal/wordcode"
	"ialgn/netlist"
)

// Options says how a netlist is written.
type Options struct {
	// Module is the beginning of every name, and the name of the files. Empty: the
	// netlist's name.
	Module string
	// Header are lines for the comment at the top: the program and its version, the model,
	// its checksum, the options.
	Header []string
	// Inputs says how feature words are made of real values; nil: nothing is known.
	Inputs *inputs.Table

	straight int // operations up to which the code is straight; 0: MaxStraight
}

// MaxStraight is the number of operations up to which a network is straight code.
const MaxStraight = 10_000

// Write writes the source file of n, NAME.c, which includes NAME.h. It returns an error
// before it writes anything: a [*netlist.KindError] if n has registers, and an error if the
// module's name is none in C or if n is too large; later, the error of w.
func Write(w io.Writer, n *netlist.Netlist, opt Options) error {
	return write(w, n, opt, newFile, (*file).source)
}

// WriteHeader writes the header file of n, NAME.h. It returns the errors of [Write].
func WriteHeader(w io.Writer, n *netlist.Netlist, opt Options) error {
	return write(w, n, opt, newFile, (*file).header)
}

// WriteTest writes a program, NAME_selftest.c, that holds the code of n against vectors
// which the simulator computed. Its last line is "PASS: ..." and its exit status 0 if all is
// right. It returns the errors of [Write].
func WriteTest(w io.Writer, n *netlist.Netlist, opt Options) error {
	return write(w, n, opt, newTestFile, (*file).test)
}

// write makes a file and writes its content.
func write[F interface{ flush() error }](w io.Writer, n *netlist.Netlist, opt Options,
	makeFile func(io.Writer, *netlist.Netlist, Options) (F, error), content func(F),
) error {
	f, err := makeFile(w, n, opt)
	if err != nil {
		return err
	}
	content(f)
	return f.flush()
}

// ClassifyScratch returns the bytes of memory that NAME_classify of n takes, if NAME_WORDS is not set when
// compiling. It returns the errors of [Write].
func ClassifyScratch(n *netlist.Netlist, opt Options) (int, error) {
	f, err := newFile(io.Discard, n, opt)
	if err != nil {
		return 0, err
	}
	return 8 * f.words() * (f.rows() + f.program.Inputs + len(f.program.Outputs)), nil
}

// file is a file that is being written.
type file struct {
	*printer
	n          *netlist.Netlist
	opt        Options
	program    *wordcode.Program
	place      *wordcode.Placement  // where the straight code keeps its intermediate results
	table      *wordcode.Table      // otherwise
	classifier *wordcode.Classifier // nil: n is no classifier
	vectors    *wordcode.Vectors    // vectors that the test program checks
	real       *inputs.Table        // nil: there is nothing that takes real values
}

func newFile(w io.Writer, n *netlist.Netlist, opt Options) (*file, error) {
	if opt.straight == 0 {
		opt.straight = MaxStraight
	}
	opt, err := opt.named(n)
	if err != nil {
		return nil, err
	}
	f := &file{printer: newPrinter(w, opt.Module), n: n, opt: opt}
	if f.program, err = wordcode.Lower("c", n); err != nil {
		return nil, err
	}
	if f.classifier = wordcode.NewClassifier(n); f.classifier != nil {
		f.real = opt.Inputs.Real()
	}
	if err := something(n, f.program.Inputs, len(f.program.Outputs)); err != nil {
		return nil, err
	}
	if f.isStraight() {
		f.place = f.program.Place(wordcode.Section)
		return f, nil
	}
	if f.table, err = f.program.Table(); err != nil {
		return nil, fmt.Errorf("c: %s: %w", n.Name, err)
	}
	return f, nil
}

// newTestFile is newFile with what the test program checks.
func newTestFile(w io.Writer, n *netlist.Netlist, opt Options) (*file, error) {
	f, err := newFile(w, n, opt)
	if err != nil {
		return nil, err
	}
	if f.vectors, err = wordcode.NewVectors(n, f.classifier); err != nil {
		return nil, fmt.Errorf("c: %w", err)
	}
	return f, nil
}

// moduleName returns the name of n's module, which is the given one if that is not empty.
func moduleName(n *netlist.Netlist, name string) (string, error) {
	if name == "" {
		name = n.Name
	}
	if !identifier.MatchString(name) {
		return "", fmt.Errorf("c: module name: %q is no beginning of names in C, use letters, digits "+
			"and _ with a letter first", name)
	}
	return name, nil
}

// named returns the options with the module's name filled in, which must be one.
func (o Options) named(n *netlist.Netlist) (Options, error) {
	var err error
	o.Module, err = moduleName(n, o.Module)
	return o, err
}

// something returns an error if a netlist has no inputs or no outputs.
func something(n *netlist.Netlist, inputs, outputs int) error {
	if inputs == 0 || outputs == 0 {
		return fmt.Errorf("c: %s has %d input bits and %d output bits, there is nothing to compute", n.Name, inputs, outputs)
	}
	return nil
}

// identifier matches what can begin a name: no $, which C leaves to the compiler, and no _
// at the start, which C keeps for itself.
var identifier = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

func (f *file) isStraight() bool { return len(f.program.Ops) <= f.opt.straight }

// rows returns the rows of scratch memory that a run needs.
func (f *file) rows() int {
	if f.isStraight() {
		return max(1, f.place.Slots)
	}
	return f.table.Rows
}

// buses returns the output ports and the probes, whose rows are the outputs.
func buses(n *netlist.Netlist) []netlist.Port {
	return slices.Concat(n.OutputPorts(), n.Probes())
}
