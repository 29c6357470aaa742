/* Gives m_level made-up processors, and compares what it says of them with the bits that <cpuid.h> names. In the code
   under test each cpuid is the instruction ud2, and each xgetbv ud2 and nop: the signal's handler is the processor. */
#define _GNU_SOURCE
#include <cpuid.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

int m_level(void);
extern uint32_t level_plus_one;

static struct {
    uint32_t last, leaf1, leaf7b, leaf7c, xcr0;
} cpu;
static int faults;

static void processor(int number, siginfo_t *info, void *context) {
    greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
    const unsigned char *at = (const unsigned char *)r[REG_RIP];
    uint32_t leaf = (uint32_t)r[REG_RAX];
    (void)number, (void)info;
    r[REG_RDX] = 0x5555;
    if (at[2] == 0x90) {
        faults += r[REG_RCX] != 0 || !(cpu.leaf1 & bit_OSXSAVE);
        r[REG_RAX] = cpu.xcr0;
        r[REG_RIP] += 3;
        return;
    }
    faults += leaf > cpu.last || (leaf == 7 && r[REG_RCX] != 0);
    r[REG_RAX] = leaf == 0 ? cpu.last : 0xabcdef;
    r[REG_RBX] = leaf == 7 ? cpu.leaf7b : 0x12345678;
    r[REG_RCX] = leaf == 7 ? cpu.leaf7c : leaf == 1 ? cpu.leaf1 : 0x9abcdef0;
    r[REG_RIP] += 2;
}

static int has(uint32_t word, uint32_t bits) { return (word & bits) == bits; }

static int want(void) {
    const uint32_t b = bit_AVX512F | bit_AVX512BW | bit_AVX512DQ | bit_AVX512VL;
    const uint32_t c = bit_AVX512VBMI | bit_AVX512VBMI2 | bit_AVX512BITALG | bit_AVX512VPOPCNTDQ | bit_GFNI;
    if (cpu.last < 7 || !has(cpu.leaf1, bit_OSXSAVE | bit_AVX)) return 0;
    if (has(cpu.xcr0, 0xe6) && has(cpu.leaf7b, b) && has(cpu.leaf7c, c)) return 3;
    if (has(cpu.xcr0, 6) && has(cpu.leaf1, bit_POPCNT) && has(cpu.leaf7b, bit_AVX2 | bit_BMI | bit_BMI2)) return 2;
    return has(cpu.xcr0, 6) && has(cpu.leaf7b, bit_AVX2);
}

/* All bits, some bits, or all but one. */
static uint32_t word(void) {
    switch (rand() % 4) {
    case 0: return (uint32_t)rand() * 3u;
    case 1: return ~(1u << rand() % 32);
    default: return 0xffffffff;
    }
}

int main(void) {
    struct sigaction action = {.sa_sigaction = processor, .sa_flags = SA_SIGINFO};
    int i, seen[4] = {0};
    sigaction(SIGILL, &action, NULL);
    srand(1);
    for (i = 0; i < 20000; i++) {
        cpu.last = rand() % 20 ? 7 + rand() % 20 : rand() % 7;
        cpu.leaf1 = word(), cpu.leaf7b = word(), cpu.leaf7c = word();
        cpu.xcr0 = rand() % 4 ? 0xe7 : rand() % 256;
        level_plus_one = 0;
        const int level = m_level();
        if (level != want() || m_level() != level) {
            printf("level %d, want %d: last leaf %u, leaf 1 %x, leaf 7 %x and %x, XCR0 %x\n", level, want(), cpu.last,
                   cpu.leaf1, cpu.leaf7b, cpu.leaf7c, cpu.xcr0);
            return 1;
        }
        cpu.last = 0; /* from now on it would be 0 */
        faults += m_level() != level;
        seen[level]++;
    }
    printf("%d faults, levels %s\n", faults, seen[0] > 99 && seen[1] > 99 && seen[2] > 99 && seen[3] > 99 ? "all" : "few");
    return 0;
}
