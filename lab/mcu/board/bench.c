/*
 * bench.c: how many instructions a sample takes, in qemu, which counts them
 *
 * bench.h has samples[SAMPLES][FEATURES], classes[SAMPLES] and classify(x). With -icount shift=0 qemu's clock moves on
 * by the same time in each instruction; the timer SysTick tells it, and a loop of known length what its ticks are worth.
 */
#include <stdio.h>

#include "bench.h"

enum { loops = 1000000, painted = 4096 };

#define SYSTICK ((volatile uint32_t *)0xE000E010)

static uint32_t now(void) { return SYSTICK[2]; } /* counts down, 24 bits */

static uint32_t since(uint32_t start) { return (start - now()) & 0xffffff; }

/* Runs 2 * loops instructions. */
static uint32_t calibrate(void) {
    uint32_t n = loops;
    const uint32_t start = now();
    __asm volatile(".syntax unified\n1: subs %0, #1\n bne 1b" : "+l"(n) : : "cc");
    return since(start);
}

/* Fills the words of the stack below this function, or returns how many bytes of them have been used since. */
static __attribute__((noinline)) uint32_t stack(int paint) {
    volatile uint32_t *const low = (volatile uint32_t *)__builtin_frame_address(0) - painted - 4;
    uint32_t i = 0;
    if (paint)
        for (; i < painted; i++) low[i] = 0x5a5a5a5a;
    else
        while (i < painted && low[i] == 0x5a5a5a5a) i++;
    return 4 * (painted + 4 - i);
}

int main(void) {
    uint32_t i, start, ticks, wrong = 0, known;
    double instructions = 0;
    SYSTICK[1] = 0xffffff;
    SYSTICK[2] = 0;
    SYSTICK[0] = 5; /* on, by the processor's clock */
    known = calibrate();
    stack(1);
    wrong += (uint32_t)classify(samples[0]) != classes[0];
    i = stack(0);
    printf("memory %u\n", memory);
    printf("stack %lu\n", (unsigned long)(i == 16 ? 0 : i));
    for (i = 0; i < SAMPLES; i++) {
        start = now();
        wrong += (uint32_t)classify(samples[i]) != classes[i];
        ticks = since(start);
        instructions += (double)ticks * 2 * loops / known;
    }
    printf("instructions %.0f\nwrong %lu\n", instructions / SAMPLES, (unsigned long)wrong);
    return 0;
}
