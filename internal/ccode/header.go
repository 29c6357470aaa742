package ccode

import (
	"fmt"
	"strings"

	"ialgn/netlist"
)

// These constants are the parts of the header file. The last part is only for classifiers.
const (
	headerTop = `#ifndef MACRO_H
#define MACRO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
`
	headerWords = `
/*
 * The words of a row: a block is 64 * MACRO_WORDS samples. It may be set when compiling, to
 * 1, 2, 4 or 8, the same for every file; more than 1 needs gcc or clang, and only helps where
 * registers have 64 bits or more. 4 suits AVX2 (-mavx2), 8 AVX-512.
 */
#ifndef MACRO_WORDS
#if defined(__GNUC__) && UINTPTR_MAX > 0xffffffff
#define MACRO_WORDS DEFAULT_WORDS
#else
#define MACRO_WORDS 1
#endif
#endif

`
	headerRun = `
/*
 * Computes a block. Row r of "in" is in[r * MACRO_WORDS] and the words after it, bit i of
 * word w is sample 64 * w + i; "out" likewise. The rows are:
 *
ROWS *
 * "scratch" is memory of MACRO_SCRATCH words with any content; no two of the three may
 * overlap. The function cannot fail, keeps no state, and may run in several threads at once,
 * each with its own memory.
 */
void NAME_run(const uint64_t *in, uint64_t *out, uint64_t *scratch);
`
	headerClassify = `
typedef FEATURE NAME_feature;

/*
` + classifyArguments + ` * "scratch" is memory of MACRO_CLASSIFY_SCRATCH words with any content.
 *
 * Returns 0, or -1 if a feature does not fit its bits: then class_index and counts hold
 * nothing of use.
 */
int NAME_classify(const NAME_feature *x, size_t samples, uint16_t *class_index, uint32_t *counts,
                  uint64_t *scratch);
`
	headerUncertain = `
/*
` + uncertainMeaning + ` */
int NAME_classify_uncertain(const NAME_feature *x, size_t samples, uint16_t *class_index, uint32_t *counts,
                            uint16_t *uncertain, uint64_t *scratch);
`
	uncertainMeaning = ` * Does what NAME_classify does, and also stores for each sample whether its class is uncertain.
 * uncertain[s] becomes 1 if the largest count of sample s leads the second largest by less than
 * the margin in the comment at the top, else 0. uncertain may be NULL.
`
	classifyArguments = ` * Classifies any number of samples. Feature f of sample s is x[s * MACRO_FEATURES + f], an
 * unsigned number of MACRO_FEATURE_BITS bits.
 *
 * class_index[s] is the class of sample s, TIES where several counts are the largest.
 * counts[s * MACRO_CLASSES + c] is the count of class c; counts may be NULL.
`
	headerEnd = `
#ifdef __cplusplus
}
#endif

#endif
`
)

// header writes the header file.
func (f *file) header() {
	f.preface(f.opt, ".h", "a logic gate network as C99, 64 samples a word")
	f.template(headerTop)
	f.template(replace(headerWords, "DEFAULT_WORDS", fmt.Sprint(f.words())))
	f.define("INPUTS", f.program.Inputs, "rows of the inputs")
	f.define("OUTPUTS", len(f.program.Outputs), "rows of the outputs")
	f.template(fmt.Sprintf("#define MACRO_SCRATCH (%d * MACRO_WORDS) /* words of memory for a run */\n", f.rows()))
	f.template(replace(headerRun, "ROWS", rowTable(f.n)))
	if c := f.classifier; c != nil {
		f.text("\n")
		f.classifierSizes()
		f.template("#define MACRO_CLASSIFY_SCRATCH (MACRO_SCRATCH + (MACRO_INPUTS + MACRO_OUTPUTS) * MACRO_WORDS)\n")
		f.template(strings.NewReplacer("FEATURE ", fmt.Sprintf("uint%d_t ", c.FeatureType()), "TIES", tied(f.n)).
			Replace(headerClassify))
		if c.Uncertain.Count > 0 {
			f.template(headerUncertain)
		}
		f.realHeader()
		f.scores.declare(f.printer)
	}
	f.template(headerEnd)
}

// classifierSizes defines the macros for the sizes of a sample and of its counts.
func (f *file) classifierSizes() {
	f.define("FEATURES", f.classifier.Features, "numbers of a sample")
	f.define("FEATURE_BITS", f.classifier.FeatureBits, "bits of each")
	f.define("CLASSES", len(f.classifier.Counts), "classes")
}

// words returns the number of words in a row if the compiler supports vectors.
func (f *file) words() int {
	if f.isStraight() {
		return wordsStraight
	}
	return wordsTable
}

// With these numbers of words in a row, the code is fastest when compiled with gcc -O2 for a processor with AVX2; see
// docs/evidence/benchmarks.md.
const (
	wordsStraight = 2
	wordsTable    = 8
)

// rowTable returns a text that lists the port and the bit of each row.
func rowTable(n *netlist.Netlist) string {
	table := ""
	row := 0
	list := func(what string, ports []netlist.Port) {
		for _, p := range ports {
			table += fmt.Sprintf(" *   %-6s rows %d to %d: bit 0 to %d of %s\n", what, row, row+len(p.Nets)-1, len(p.Nets)-1,
				p.Name)
			row += len(p.Nets)
		}
	}
	list("in", n.InputPorts())
	row = 0
	list("out", buses(n))
	return table
}
