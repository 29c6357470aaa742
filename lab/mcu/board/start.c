/*
 * start.c: the vector table of a Cortex-M processor for programs that end by semihosting
 */
#include <stdint.h>

extern uint32_t stack_top[];
extern void _start(void); /* of newlib */

static void fault(void) {
    for (;;) {
    }
}

__attribute__((section(".vectors"), used)) static const struct {
    uint32_t *stack;
    void (*handlers[3])(void); /* reset and faults */
} vectors = {stack_top, {_start, fault, fault}};
