/*
 * sketch.c: a classifier on a microcontroller, in bare C
 *
 * The loop reads a sample, numbers with commas between them and a newline behind, and answers with the number of its
 * class, or with "?" for what is no sample; the next line is a sample again. The network is what
 * `ialgn compile --emit c` writes for one sample at a time; nothing is allocated. A board gives the two functions of port.h.
 */
#include "digits_one.h"
#include "port.h"

static uint8_t sample[DIGITS_ONE_FEATURES];
static uint32_t scratch[DIGITS_ONE_SCRATCH];

/* Reads a line into sample. Returns 1, 0 if the line is none, or -1 at the end of all input, which a board never has. */
static int read_sample(void) {
    const long most = (1L << DIGITS_ONE_FEATURE_BITS) - 1;
    size_t feature = 0;
    long value = -1; /* of the number that is being read; -1: it has no digit yet */
    int good = 1, c;
    while ((c = serial_read()) >= 0) {
        if (c == '\r') continue;
        if (c >= '0' && c <= '9') {
            value = (value < 0 ? 0 : value * 10) + (c - '0');
            if (value > most) good = 0, value = most;
            continue;
        }
        if ((c != ',' && c != '\n') || value < 0 || feature == DIGITS_ONE_FEATURES) good = 0;
        else sample[feature++] = (uint8_t)value;
        value = -1;
        if (c == '\n') return good && feature == DIGITS_ONE_FEATURES;
    }
    return -1;
}

static void write_number(unsigned n) {
    if (n >= 10) write_number(n / 10);
    serial_write((char)('0' + n % 10));
}

int main(void) {
    int got;
    while ((got = read_sample()) >= 0) {
        if (got) write_number((unsigned)digits_one(sample, NULL, scratch));
        else serial_write('?');
        serial_write('\n');
    }
    return 0;
}
