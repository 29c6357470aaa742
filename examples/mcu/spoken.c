/*
 * spoken.c: a classifier of spoken digits on a microcontroller, in bare C
 *
 * The loop reads the bytes of a sample. It answers with a line of three numbers: the class, its probability in units
 * of 1/65536, and 1 if the class is uncertain, else 0. The network is what `ialgn compile --emit c --probabilities`
 * with a margin writes for one sample at a time. Nothing is allocated. A board gives the two functions of port.h.
 */
#include "port.h"
#include "spoken_one.h"

static uint8_t sample[SPOKEN_ONE_FEATURES];
static uint32_t counts[SPOKEN_ONE_CLASSES], scratch[SPOKEN_ONE_SCRATCH];
static uint16_t probabilities[SPOKEN_ONE_CLASSES];

static void write_number(unsigned n, char end) {
    char digits[10];
    int i = 0;
    do digits[i++] = (char)('0' + n % 10);
    while ((n /= 10) > 0);
    while (i > 0) serial_write(digits[--i]);
    serial_write(end);
}

int main(void) {
    size_t f = 0;
    int c, class, uncertain;
    while ((c = serial_read()) >= 0) {
        sample[f++] = (uint8_t)c;
        if (f < SPOKEN_ONE_FEATURES) continue;
        f = 0;
        class = spoken_one_uncertain(sample, counts, &uncertain, scratch);
        spoken_one_probabilities(counts, probabilities);
        write_number((unsigned)class, ',');
        write_number(probabilities[class], ',');
        write_number((unsigned)uncertain, '\n');
    }
    return 0;
}
