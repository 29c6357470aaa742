/* Prints the level and what the chosen function says, and then what the compiler's own library thinks of the
   processor. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

int m_level(void);
int m_classify(const uint8_t *x, size_t samples, uint16_t *class_index, uint32_t *counts, void *scratch);
int m_run(const uint64_t *in, uint64_t *out, void *scratch);

#ifdef WITH_PORTABLE
int m_portable_classify(const uint8_t *x, size_t samples, uint16_t *class_index, uint32_t *counts, void *scratch) {
    class_index[0] = (uint16_t)(x[0] ^ x[1]);
    return counts == NULL && samples == 1 && scratch != NULL ? 0 : 77;
}
void m_portable_run(const uint64_t *in, uint64_t *out, void *scratch) { *out = *in ^ (scratch != NULL); }
#endif

int main(void) {
    static _Alignas(64) unsigned char scratch[64];
    static const uint8_t x[2] = {5, 3};
    uint64_t in = 40, out = 0;
    uint16_t class_index = 9;
    int result = m_classify(x, 1, &class_index, NULL, scratch); /* before anything has asked for the level */
    int level = m_level(), want = 0;
    if (__builtin_cpu_supports("avx2")) want = 1;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")) want = 2;
    printf("level %d of %d, again %d: classify %d, class %d; ", level, want, m_level(), result, class_index);
    if (level == 0) printf("run %d, ", m_run(&in, &out, scratch));
    printf("out %d\n", (int)out);
    return level != want;
}
