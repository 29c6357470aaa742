//go:build ignore
// (The line above is for Go alone, should a Go package stand in the same folder.)

/*
 * net_object.h: a logic gate network as machine code
 *
 * - a ?/ test
 */

#ifndef NET_OBJECT_H
#define NET_OBJECT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * There is code for several kinds of processors, and the functions below use the best that
 * this processor and its operating system run: that of the level that net_level returns. The
 * first call of any function asks the processor, and the answer is kept.
 */
#define NET_LEVEL_PORTABLE 0
#define NET_LEVEL_AVX2 1
#define NET_LEVEL_AVX512 2
int net_level(void);

/*
 * What the functions return at level 0, for which the library has no code. To have it,
 * compile net_portable.c, the network as C, and give the linker the object file itself: it
 * does not look for it in archives. Define NET_PORTABLE_WORDS as NET_WORDS for it.
 */
#define NET_UNSUPPORTED (-2)

/*
 * The memory that functions need, "scratch": NET_SCRATCH bytes with any content, at an
 * address that is a multiple of NET_SCRATCH_ALIGN, each thread its own. Beside it they keep
 * no state, and they call nothing.
 */
#define NET_SCRATCH 1048576 /* bytes */
#define NET_SCRATCH_ALIGN 64 /* bytes */

#define NET_WORDS 8 /* words of a row */
#define NET_INPUTS 48 /* rows of the inputs */
#define NET_OUTPUTS 14 /* rows of the outputs */

/*
 * Computes a block of 64 * NET_WORDS samples. Row r of "in" is in[r * NET_WORDS] and the
 * words after it, bit i of word w is sample 64 * w + i; "out" likewise. The rows are:
 *
 *   in     rows 0 to 47: bit 0 to 47 of x
 *   out    rows 0 to 1: bit 0 to 1 of class_index
 *   out    rows 2 to 5: bit 0 to 3 of count_0
 *   out    rows 6 to 9: bit 0 to 3 of count_1
 *   out    rows 10 to 13: bit 0 to 3 of count_2
 *
 * No two of the three may overlap. Returns 0 or NET_UNSUPPORTED.
 */
int net_run(const uint64_t *in, uint64_t *out, void *scratch);

#define NET_FEATURES 6 /* numbers of a sample */
#define NET_FEATURE_BITS 8 /* bits of each */
#define NET_CLASSES 3 /* classes */

typedef uint8_t net_feature;

/*
 * Classifies any number of samples. Feature f of sample s is x[s * NET_FEATURES + f], an
 * unsigned number of NET_FEATURE_BITS bits.
 *
 * class_index[s] is the class of sample s, the lowest where several counts are the largest.
 * counts[s * NET_CLASSES + c] is the count of class c; counts may be NULL.
 *
 * Returns 0, NET_UNSUPPORTED, or -1 if a feature does not fit its bits: then class_index and
 * counts hold nothing of use.
 */
int net_classify(const net_feature *x, size_t samples, uint16_t *class_index, uint32_t *counts,
                  void *scratch);

#ifdef __cplusplus
}
#endif

#endif
