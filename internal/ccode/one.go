package ccode

import (
	"fmt"
	"io"
	"strings"

	"ialgn/internal/inputs"
	"ialgn/internal/wordcode"
	"ialgn/netlist"
)

// one is the state of writing a file with the code for one sample at a time.
type one struct {
	*printer
	n          *netlist.Netlist
	opt        Options
	program    *Program
	classifier *wordcode.Classifier // nil if n is not a classifier
	vectors    *wordcode.Vectors    // vectors that the test program checks
	real       *inputs.Table        // nil if no function takes real values
	scores     *scores              // nil if no function computes probabilities
}

// WriteOne writes the source file of n for one sample at a time, NAME_one.c, which includes NAME_one.h. It returns
// the errors of [Write]. It also returns an error if the network needs too many values at a time.
func WriteOne(w io.Writer, n *netlist.Netlist, opt Options) error {
	return write(w, n, opt, newOne, (*one).source)
}

// WriteOneHeader writes the header file of n for one sample, NAME_one.h. It returns the errors of [WriteOne].
func WriteOneHeader(w io.Writer, n *netlist.Netlist, opt Options) error {
	return write(w, n, opt, newOne, (*one).header)
}

// WriteOneTest writes a program, NAME_one_selftest.c, that compares the code of [WriteOne] with
// vectors computed by the simulator, as the program of [WriteTest] does. It returns the errors of
// [WriteOne].
func WriteOneTest(w io.Writer, n *netlist.Netlist, opt Options) error {
	return write(w, n, opt, newOneTest, (*one).test)
}

func newOne(w io.Writer, n *netlist.Netlist, opt Options) (*one, error) {
	opt, err := opt.named(n)
	if err != nil {
		return nil, err
	}
	f := &one{printer: newPrinter(w, opt.Module), n: n, opt: opt, classifier: wordcode.NewClassifier(n)}
	if f.program, err = Lower("c", n); err != nil {
		return nil, err
	}
	if f.classifier != nil {
		f.real = opt.Inputs.Real()
		f.scores = newScores(opt.Probabilities, f.classifier.LargestCount(), "NAME_one", "MACRO_ONE_CLASSES")
	}
	outputs := 0
	for _, p := range buses(n) {
		outputs += len(p.Nets)
	}
	return f, something(n, int(n.FirstCellNet())-2, outputs)
}

// newOneTest is like newOne, but also computes the vectors that the test program checks.
func newOneTest(w io.Writer, n *netlist.Netlist, opt Options) (*one, error) {
	f, err := newOne(w, n, opt)
	if err != nil {
		return nil, err
	}
	if f.vectors, err = wordcode.NewVectors(n, f.classifier); err != nil {
		return nil, fmt.Errorf("c: %w", err)
	}
	return f, nil
}

// These constants are the parts of the header file.
const (
	oneTop = `#ifndef MACRO_ONE_H
#define MACRO_ONE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

`
	oneFeatures = `
/*
 * Classifies one sample: x[f] is feature f, an unsigned number of MACRO_ONE_FEATURE_BITS bits. A
 * larger one is not noticed, and then the class means nothing.
 *
 * Returns the class, TIES where several counts are the largest. counts[c] is the count of class
 * c; counts may be NULL. "scratch" is memory of MACRO_ONE_SCRATCH words with any content. The function
 * cannot fail, keeps no state, and may run in several threads at once, each with its own memory.
 */
int NAME_one(const FEATURE *x, uint32_t *counts, uint32_t *scratch);
`
	oneUncertain = `
/*
 * Does what NAME_one does, and also stores whether the class is uncertain. *uncertain becomes 1 if
 * the largest count leads the second largest by less than the margin in the comment at the top,
 * else 0. uncertain may be NULL.
 */
int NAME_one_uncertain(SAMPLE, uint32_t *counts, int *uncertainSCRATCH);
`
	oneFast = `
/*
 * NAME_one.c holds the network as tables, which are small. Compiled with -DMACRO_ONE_FAST it is code
 * instead, several times as large and as fast. Both give the same.
 */
`
	oneBits = `
/*
 * Classifies one sample. Of its MACRO_ONE_INPUTS bits, bit i is bit i % 32 of bits[i / 32]. They
 * stay as they are; the words behind them, MACRO_ONE_WORDS with them, may have any content.
 *
 * Returns the class, TIES where several counts are the largest. counts[c] is the count of class
 * c; counts may be NULL. The function cannot fail, keeps no state, and may run in several threads at
 * once, each with its own memory.
 */
int NAME_one(uint32_t *bits, uint32_t *counts);
`
	oneRun = `
/*
 * Computes one sample. Of its MACRO_ONE_INPUTS bits, bit i is bit i % 32 of bits[i / 32]. They stay as
 * they are; the words behind them, MACRO_ONE_WORDS with them, may have any content. The
 * MACRO_ONE_OUTPUTS bits of the result stand in "out" in the same way. In this order the bits are:
 *
ROWS *
 * The function cannot fail, keeps no state, and may run in several threads at once, each with its own
 * memory.
 */
void NAME_one(uint32_t *bits, uint32_t *out);
`
)

// words returns the length of the caller's array in words. The array has room for the slots. If a sample is given as
// bits, the array also has room for these bits.
func (f *one) words() int {
	slots := f.firstSlot() + f.program.Slots
	return max(1, (slots+31)/32)
}

// isUncertain reports whether the network says that a class is uncertain.
func (f *one) isUncertain() bool { return f.classifier != nil && f.classifier.Uncertain.Count > 0 }

// header writes the header file.
func (f *one) header() {
	f.preface(f.opt, "_one.h", "a logic gate network as C99, one sample at a time, for small processors")
	f.template(oneTop)
	if f.isStraight() {
		f.template(strings.TrimPrefix(oneFast, "\n") + "\n")
	}
	c := f.classifier
	if f.program.Packed {
		f.define("ONE_INPUTS", len(f.program.Inputs), "bits of a sample")
		f.define("ONE_WORDS", f.words(), "words of 32 bits for them, and for intermediate results")
	} else {
		f.define("ONE_FEATURES", c.Features, "numbers of a sample")
		f.define("ONE_FEATURE_BITS", c.FeatureBits, "bits of each")
		f.define("ONE_SCRATCH", f.words(), "words of 32 bits of memory for intermediate results, 1 at least")
	}
	switch {
	case c == nil:
		f.define("ONE_OUTPUTS", len(f.program.Outputs), "bits of a result")
		f.template(replace(oneRun, "ROWS", rowTable(f.n)))
	case f.program.Packed:
		f.define("ONE_CLASSES", len(c.Counts), "classes")
		f.template(replace(oneBits, "TIES", tied(f.n)))
	default:
		f.define("ONE_CLASSES", len(c.Counts), "classes")
		f.template(strings.NewReplacer("FEATURE ", fmt.Sprintf("uint%d_t ", c.FeatureType()), "TIES", tied(f.n)).
			Replace(oneFeatures))
	}
	if f.isUncertain() {
		f.template(strings.NewReplacer("SAMPLE", f.onlySample(), "SCRATCH", f.scratch()).Replace(oneUncertain))
	}
	f.realHeader()
	f.scores.define(f.printer, probabilitiesComment, "static inline ")
	f.template(headerEnd)
}
