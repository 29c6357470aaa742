//go:build ignore
// (The line above is for Go alone, should a Go package stand in the same folder.)

/*
 * tiny_object.h: a logic gate network as machine code
 *
 */

#ifndef TINY_OBJECT_H
#define TINY_OBJECT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The memory that functions need, "scratch": TINY_SCRATCH bytes with any content, at an
 * address that is a multiple of TINY_SCRATCH_ALIGN, each thread its own. Beside it they keep
 * no state, and they call nothing.
 */
#define TINY_SCRATCH 640 /* bytes */
#define TINY_SCRATCH_ALIGN 64 /* bytes */

#define TINY_WORDS 8 /* words of a row */
#define TINY_INPUTS 4 /* rows of the inputs */
#define TINY_OUTPUTS 6 /* rows of the outputs */

/*
 * Computes a block of 64 * TINY_WORDS samples. Row r of "in" is in[r * TINY_WORDS] and the
 * words after it, bit i of word w is sample 64 * w + i; "out" likewise. The rows are:
 *
 *   in     rows 0 to 3: bit 0 to 3 of x
 *   out    rows 0 to 2: bit 0 to 2 of count
 *   out    rows 3 to 5: bit 0 to 2 of fixed
 *
 * No two of the three may overlap. Returns 0.
 */
int tiny_run(const uint64_t *in, uint64_t *out, void *scratch);

#ifdef __cplusplus
}
#endif

#endif
