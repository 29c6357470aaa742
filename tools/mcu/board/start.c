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

__attribute__((section(".vectors"), used)) static const void *const vectors[] = {
    stack_top, (const void *)_start, (const void *)fault, (const void *)fault,
};
