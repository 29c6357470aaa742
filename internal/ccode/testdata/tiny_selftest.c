//go:build ignore
// (The line above is for Go alone, should a Go package stand in the same folder.)

/*
 * tiny_selftest.c: a test of tiny.c against the netlist's simulator
 *
 */

#include <stdio.h>

#include "tiny.h"

enum { blocks = 8 };

static uint64_t in[TINY_INPUTS * TINY_WORDS], out[TINY_OUTPUTS * TINY_WORDS];
static uint64_t scratch[TINY_SCRATCH];

/* What the outputs of each block hash to. */
static const uint64_t hashes[blocks] = {
    0x75cc4feae1d08c24, 0x16d61706e25e1b7a, 0xdd3f444873c85b7a, 0x3521e920d90bb038,
    0x6dc41b81e04e0974, 0x225159c5854b576e, 0x922b0859377d7ff2, 0xd105c2500eebce08
};

/* SplitMix64 (Steele, Lea and Flood, 2014). */
static uint64_t mix(uint64_t z) {
    z += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* Row r of the inputs of a block of 64 samples. */
static uint64_t input_word(uint64_t block, uint64_t r) {
    const uint64_t key = block << 32 | r;
    if ((block & 3) == 1) return mix(key) & mix(~key);
    if ((block & 3) == 2) return mix(key) | mix(~key);
    return mix(key);
}

/* Runs all blocks and returns how many have other outputs than the netlist: FNV-1a hashes. */
static int check_run(void) {
    int wrong = 0;
    size_t block, r, w;
    for (block = 0; block < blocks; block += TINY_WORDS) {
        for (r = 0; r < TINY_INPUTS; r++)
            for (w = 0; w < TINY_WORDS; w++) in[r * TINY_WORDS + w] = input_word(block + w, r);
        tiny_run(in, out, scratch);
        for (w = 0; w < TINY_WORDS && block + w < blocks; w++) {
            uint64_t hash = 0xcbf29ce484222325;
            for (r = 0; r < TINY_OUTPUTS; r++) hash = (hash ^ out[r * TINY_WORDS + w]) * 0x100000001b3;
            if (hash == hashes[block + w]) continue;
            printf("block %d: wrong outputs\n", (int)(block + w));
            wrong++;
        }
    }
    return wrong;
}

int main(void) {
    const int wrong = check_run();
    if (wrong != 0) {
        printf("FAIL: %d wrong\n", wrong);
        return 1;
    }
    printf("PASS: %d samples\n", 64 * blocks);
    return 0;
}
