//go:build ignore
// (The line above is for Go alone, should a Go package stand in the same folder.)

/*
 * tiny.c: see tiny.h
 *
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
    19, 17, 22, 0, 1, 6
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

static const uint64_t table[] = {
    0x60000000003, 0x70000100002, 0x3000080000000001, 0x1000090000200003, 0x30000a0000600007, 0x10000b0000600007, 0x1000070000400008, 0x4000090000a00007,
    0x600008, 0x3000070000b00006, 0x10000a0000b00006
};

/* Runs the table. Rows are numbered from the first input on; 4 is all ones. */
void tiny_run(const uint64_t *in, uint64_t *out, uint64_t *scratch) {
    /* a & b, a & ~b, a | b, a ^ b: which of a, b and a & b are added modulo 2 */
    static const uint64_t parts[4][3] = {
        {0, 0, ~(uint64_t)0},
        {~(uint64_t)0, 0, ~(uint64_t)0},
        {~(uint64_t)0, ~(uint64_t)0, ~(uint64_t)0},
        {~(uint64_t)0, ~(uint64_t)0, 0}
    };
    const word *x = (const word *)in;
    word *v = (word *)scratch;
    const uint64_t *p = table, *const end = table + sizeof table / sizeof table[0];
    size_t i;
    for (i = 0; i < TINY_INPUTS; i++) v[i] = x[i];
    v[4] = ~(x[0] ^ x[0]);
    while (p < end) {
        const uint64_t code = *p++;
        const word a = v[code >> 20 & 0xfffff], b = v[code & 0xfffff];
        if (code >> 60 < 4) {
            const uint64_t *part = parts[code >> 60];
            v[code >> 40 & 0xfffff] = (a & part[0]) ^ (b & ((a & part[2]) ^ part[1]));
        } else {
            const word c = v[code >> 40 & 0xfffff], half = a ^ b;
            const uint64_t to = *p++;
            v[to & 0xfffff] = half ^ c;
            v[to >> 20] = (a & b) | (half & c);
        }
    }
    write_outputs(x, v + TINY_INPUTS, (word *)out);
}
