//go:build ignore
// (The line above is for Go alone, should a Go package stand in the same folder.)

/*
 * tiny.h: a logic gate network as C99, 64 samples a word
 *
 */

#ifndef TINY_H
#define TINY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The words of a row: a block is 64 * TINY_WORDS samples. It may be set when compiling, to
 * 1, 2, 4 or 8, the same for every file; more than 1 needs gcc or clang, and only helps where
 * registers have 64 bits or more. 4 suits AVX2 (-mavx2), 8 AVX-512.
 */
#ifndef TINY_WORDS
#if defined(__GNUC__) && UINTPTR_MAX > 0xffffffff
#define TINY_WORDS 2
#else
#define TINY_WORDS 1
#endif
#endif

#define TINY_INPUTS 4 /* rows of the inputs */
#define TINY_OUTPUTS 6 /* rows of the outputs */
#define TINY_SCRATCH (3 * TINY_WORDS) /* words of memory for a run */

/*
 * Computes a block. Row r of "in" is in[r * TINY_WORDS] and the words after it, bit i of
 * word w is sample 64 * w + i; "out" likewise. The rows are:
 *
 *   in     rows 0 to 3: bit 0 to 3 of x
 *   out    rows 0 to 2: bit 0 to 2 of count
 *   out    rows 3 to 5: bit 0 to 2 of fixed
 *
 * "scratch" is memory of TINY_SCRATCH words with any content; no two of the three may
 * overlap. The function cannot fail, keeps no state, and may run in several threads at once,
 * each with its own memory.
 */
void tiny_run(const uint64_t *in, uint64_t *out, uint64_t *scratch);

#ifdef __cplusplus
}
#endif

#endif
