/*
 * image.c: the loop around the network of a table of pumps whose flash docs/evidence/benchmarks.md gives: words of real values by
 * pumps_one.h, with -DBATCH by pumps.c, and with -DWORDS words as they come.
 */
#ifdef BATCH
#include "pumps.h"
#define QUANTISE(x, words) pumps_quantise(x, 1, words)
#else
#define QUANTISE pumps_one_quantise
#endif
#include "pumps_one.h"

volatile double sensor;
volatile int answer;

int main(void) {
    static double x[PUMPS_ONE_FEATURES];
    static uint8_t words[PUMPS_ONE_FEATURES];
    static uint32_t scratch[PUMPS_ONE_SCRATCH];
    for (;;) {
        size_t f;
#ifdef WORDS
        (void)x;
        for (f = 0; f < PUMPS_ONE_FEATURES; f++) words[f] = (uint8_t)answer;
#else
        for (f = 0; f < PUMPS_ONE_FEATURES; f++) x[f] = sensor;
        if (QUANTISE(x, words) != 0) continue;
#endif
        answer = pumps_one(words, NULL, scratch);
    }
}
