package ccode

import (
	"fmt"
	"io"
	"strings"

	"ialgn/internal/wordcode"
	"ialgn/netlist"
)

// ObjectOptions describes machine code that this program compiled from a netlist.
type ObjectOptions struct {
	// Module and Header have the same meaning as in [Options].
	Module string
	Header []string
	// Variants lists the names of the code variants for different processors, in the order of the levels that
	// NAME_level returns, with the slowest first. If the list is empty, there is one variant and no NAME_level.
	Variants []string
	// Words is the number of words in a row of NAME_run. If it is 0, there is no NAME_run.
	Words int
	// Scratch is the size in bytes of the memory that the caller provides. It is large enough for every variant.
	// ScratchAlign is the alignment of this memory, a power of two.
	Scratch, ScratchAlign int
}

const (
	objectLevels = `
/*
 * There is code for several kinds of processors, and the functions below use the best that
 * this processor and its operating system run: that of the level that NAME_level returns. The
 * first call of any function asks the processor, and the answer is kept.
 */
`
	objectUnsupported = `int NAME_level(void);

/*
 * What the functions return at level 0, for which the library has no code. To have it,
 * compile NAME_portable.c, the network as C, and give the linker the object file itself: it
 * does not look for it in archives.WORDS_NOTE
 */
#define MACRO_UNSUPPORTED (-2)
`
	objectScratch = `
/*
 * The memory that functions need, "scratch": MACRO_SCRATCH bytes with any content, at an
 * address that is a multiple of MACRO_SCRATCH_ALIGN, each thread its own. Beside it they keep
 * no state, and they call nothing.
 */
`
	objectRun = `
/*
 * Computes a block of 64 * MACRO_WORDS samples. Row r of "in" is in[r * MACRO_WORDS] and the
 * words after it, bit i of word w is sample 64 * w + i; "out" likewise. The rows are:
 *
ROWS *
 * No two of the three may overlap. Returns 0OR_UNSUPPORTED.
 */
int NAME_run(const uint64_t *in, uint64_t *out, void *scratch);
`
	objectClassify = `
typedef FEATURE NAME_feature;

/*
` + classifyArguments + ` *
 * Returns 0COMMA_UNSUPPORTED, or -1 if a feature does not fit its bits: then class_index and
 * counts hold nothing of use.
 */
int NAME_classify(const NAME_feature *x, size_t samples, uint16_t *class_index, uint32_t *counts,
                  void *scratch);
`
	objectUncertain = `
/*
` + uncertainMeaning + ` */
int NAME_classify_uncertain(const NAME_feature *x, size_t samples, uint16_t *class_index, uint32_t *counts,
                            uint16_t *uncertain, void *scratch);
`
)

// WriteObjectHeader writes the header file, NAME_object.h, of a library of machine code that computes n. It declares
// the same functions as [WriteHeader], but these functions also take the size of their scratch memory in bytes, and
// return an int.
//
// It writes nothing to w and returns an error if the module's name is not a C identifier, if there is no function, or
// if a variant's name cannot be part of a macro's name. Otherwise it returns the errors of w.
func WriteObjectHeader(w io.Writer, n *netlist.Netlist, opt ObjectOptions) error {
	module, err := moduleName(n, opt.Module)
	if err != nil {
		return err
	}
	f := &file{
		printer: newPrinter(w, module), n: n, opt: Options{Module: module, Header: opt.Header},
		classifier: wordcode.NewClassifier(n),
	}
	if f.classifier == nil && opt.Words == 0 {
		return fmt.Errorf("c: %s is no classifier, and has no words of a row: there is no function to declare", n.Name)
	}
	for _, v := range opt.Variants {
		if !identifier.MatchString(v) {
			return fmt.Errorf("c: variant %q is no part of a macro's name, use letters, digits and _ with a letter first", v)
		}
	}
	f.objectHeader(opt)
	return f.flush()
}

func (f *file) objectHeader(opt ObjectOptions) {
	f.preface(f.opt, "_object.h", "a logic gate network as machine code")
	f.template(replace(headerTop, "MACRO_H", "MACRO_OBJECT_H"))
	or, comma := "", ""
	if len(opt.Variants) > 0 {
		or, comma = " or MACRO_UNSUPPORTED", ", MACRO_UNSUPPORTED"
		f.template(objectLevels)
		for level, name := range append([]string{"portable"}, opt.Variants...) {
			f.template(fmt.Sprintf("#define MACRO_LEVEL_%s %d\n", strings.ToUpper(name), level))
		}
		note := ""
		if opt.Words > 0 {
			note = " Define MACRO_PORTABLE_WORDS as MACRO_WORDS for it."
		}
		f.template(replace(objectUnsupported, "WORDS_NOTE", note))
	}
	f.template(objectScratch)
	f.define("SCRATCH", opt.Scratch, "bytes")
	f.define("SCRATCH_ALIGN", opt.ScratchAlign, "bytes")
	if opt.Words > 0 {
		f.text("\n")
		f.define("WORDS", opt.Words, "words of a row")
		f.define("INPUTS", bitSamples(f.n.InputPorts()), "rows of the inputs")
		f.define("OUTPUTS", bitSamples(buses(f.n)), "rows of the outputs")
		f.template(replace(replace(objectRun, "ROWS", rowTable(f.n)), "OR_UNSUPPORTED", or))
	}
	if f.classifier != nil {
		f.text("\n")
		f.classifierSizes()
		feature := fmt.Sprintf("uint%d_t ", f.classifier.FeatureType())
		f.template(strings.NewReplacer("FEATURE ", feature, "COMMA_UNSUPPORTED", comma, "TIES", tied(f.n)).
			Replace(objectClassify))
		if f.classifier.Uncertain.Count > 0 {
			f.template(objectUncertain)
		}
	}
	f.template(headerEnd)
}

// bitSamples returns the total number of bits of the ports.
func bitSamples(ports []netlist.Port) int {
	n := 0
	for _, p := range ports {
		n += len(p.Nets)
	}
	return n
}
