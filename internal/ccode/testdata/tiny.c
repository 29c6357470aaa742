//go:build ignore
// (The line above is for Go alone, should a Go package stand in the same folder.)

/*
 * tiny.c: see tiny.h
 *
 * - a ?/ test
 */

#include "tiny.h"

#if TINY_WORDS == 1
typedef uint64_t word;
#elif defined(__GNUC__)
/* A row of a block. It lies in an array of uint64_t, aligned and accessed as those are. */
typedef uint64_t word __attribute__((vector_size(8 * TINY_WORDS), aligned(8), may_alias));
#else
#error "TINY_WORDS must be 1 with this compiler"
#endif

static const uint32_t outputs[TINY_OUTPUTS] = {
    11, 13, 14, 0, 1, 6
};

/* Writes the outputs. An element is twice a row, plus one for its complement: row 0 is the
 * constant 0, then come the inputs, then the scratch memory. */
static void write_outputs(const word *x, const word *v, word *y) {
    size_t i;
    for (i = 0; i < TINY_OUTPUTS; i++) {
        const uint32_t row = outputs[i] >> 1;
        const uint64_t flip = (uint64_t)0 - (outputs[i] & 1u);
        if (row == 0) y[i] = x[0] ^ x[0] ^ flip;
        else if (row <= TINY_INPUTS) y[i] = x[row - 1] ^ flip;
        else y[i] = v[row - 1 - TINY_INPUTS] ^ flip;
    }
}

static void part_0(const word *restrict x, word *restrict v) {
    const word t0 = x[0] & x[3];
    const word t1 = x[1] & x[2];
    const word t2 = x[0] ^ x[1];
    const word t3 = x[2] & ~x[3];
    const word t4 = t0 ^ t1;
    const word t5 = t0 & ~t1;
    const word t6 = ~t2;
    const word t7 = t4 ^ t6 ^ t3; v[0] = t7;
    const word t8 = (t4 & t6) | (t3 & (t4 ^ t6));
    const word t9 = t5 ^ t8; v[1] = t9;
    const word t10 = t5 & ~t8; v[2] = t10;
    (void)x;
    (void)v;
}

void tiny_run(const uint64_t *in, uint64_t *out, uint64_t *scratch) {
    const word *x = (const word *)in;
    word *v = (word *)scratch;
    part_0(x, v);
    write_outputs(x, v, (word *)out);
}
