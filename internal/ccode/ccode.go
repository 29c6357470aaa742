// Package ccode writes netlists as C99 code that computes 64 samples in each word. The code consists of a source
// file, its header, and a program that tests them. [WriteOne] writes code for small processors. This code computes
// one sample at a time with decision lists, which decisionlist.go describes.
//
// The files depend only on the C library's headers <stddef.h> and <stdint.h> (and <stdio.h> for the test). The
// functions allocate no memory and keep no state. The caller provides scratch memory. Names begin with the module's
// name, and macros begin with this name in capitals.
//
// The header documents the functions. NAME_run computes rows of bits, for any netlist. For a classifier,
// NAME_classify computes the class and the counts from feature words. If the classifier's head has a margin,
// NAME_classify_uncertain also says which classes are uncertain. If [Options] say how feature words are
// computed, NAME_classify_real computes the class and the counts from real values. On request, NAME_probabilities
// computes probabilities from the counts of a sample. With gcc and clang, a row of a
// block is several words, so that vector instructions are used.
//
// A network of up to [MaxStraight] operations is written as straight-line code in functions of bounded length. A
// larger network is written as a table that a short loop interprets. A compiler takes minutes for a million lines of
// straight-line code, and little more than a second for the table.
package ccode

import (
	"fmt"
	"io"
	"regexp"
	"slices"

	"ialgn/internal/inputs"
	"ialgn/internal/softmax"
	"ialgn/internal/wordcode"
	"ialgn/netlist"
)

// Options control how a netlist is written.
type Options struct {
	// Module is the beginning of every name in the code and of every file name. If it is empty, the netlist's name is
	// used.
	Module string
	// Header lists the lines of the comment at the top of each file, for example the program and its version, the
	// model, its checksum and the options.
	Header []string
	// Inputs says how feature words are computed from real values. It is nil if this is unknown.
	Inputs *inputs.Table
	// Probabilities is the temperature for a function that computes the probabilities of a classifier's classes. It is
	// nil if there is no such function.
	Probabilities *softmax.Temperature

	straight int // maximum number of operations of straight-line code; 0 means MaxStraight
}

// MaxStraight is the number of operations up to which a network is written as straight-line code.
const MaxStraight = 10_000

// Write writes the source file of n, NAME.c, which includes NAME.h. It writes nothing to w and returns a
// [*netlist.KindError] if n has registers. It also writes nothing and returns an error if the module's name is not a
// C identifier or if n is too large. Otherwise it returns the errors of w.
func Write(w io.Writer, n *netlist.Netlist, opt Options) error {
	return write(w, n, opt, newFile, (*file).source)
}

// WriteHeader writes the header file of n, NAME.h. It returns the errors of [Write].
func WriteHeader(w io.Writer, n *netlist.Netlist, opt Options) error {
	return write(w, n, opt, newFile, (*file).header)
}

// WriteTest writes a program, NAME_selftest.c, that compares the code of n with vectors computed by the simulator. If
// all vectors agree, the program's last line is "PASS: ..." and its exit status is 0. It returns the errors of
// [Write].
func WriteTest(w io.Writer, n *netlist.Netlist, opt Options) error {
	return write(w, n, opt, newTestFile, (*file).test)
}

// write opens a file with makeFile and writes its content.
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

// ClassifyScratch returns the number of bytes of scratch memory that NAME_classify of n needs if NAME_WORDS is not
// set when compiling. It returns the errors of [Write].
func ClassifyScratch(n *netlist.Netlist, opt Options) (int, error) {
	f, err := newFile(io.Discard, n, opt)
	if err != nil {
		return 0, err
	}
	return 8 * f.words() * (f.rows() + f.program.Inputs + len(f.program.Outputs)), nil
}

// file is the state of writing a file.
type file struct {
	*printer
	n          *netlist.Netlist
	opt        Options
	program    *wordcode.Program
	place      *wordcode.Placement  // memory of intermediate results, for straight-line code
	table      *wordcode.Table      // for table code
	classifier *wordcode.Classifier // nil if n is not a classifier
	vectors    *wordcode.Vectors    // vectors that the test program checks
	real       *inputs.Table        // nil if no function takes real values
	scores     *scores              // nil if no function computes probabilities
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
		f.scores = newScores(opt.Probabilities, f.classifier.LargestCount(), "NAME", "MACRO_CLASSES")
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

// newTestFile is like newFile, but also computes the vectors that the test program checks.
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

// moduleName returns the given name, or the netlist's name if the given name is empty. It returns an error if the
// result is not an identifier.
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

// named returns the options with the module's name filled in.
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

// identifier matches names that a module may have. Names with $ are excluded because only some C compilers accept
// them. Names that begin with _ are excluded because C reserves them.
var identifier = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

func (f *file) isStraight() bool { return len(f.program.Ops) <= f.opt.straight }

// rows returns the number of rows in the scratch memory that a run needs.
func (f *file) rows() int {
	if f.isStraight() {
		return max(1, f.place.Slots)
	}
	return f.table.Rows
}

// buses returns the output ports and the probes, whose bits are the output rows.
func buses(n *netlist.Netlist) []netlist.Port {
	return slices.Concat(n.OutputPorts(), n.Probes())
}
