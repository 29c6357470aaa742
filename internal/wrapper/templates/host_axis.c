/*
 * @NAME@: classifies the rows of a CSV file on @MODULE@_axis.
 *
 *     gcc -O2 -o @MODULE@_host @NAME@
 *     ./@MODULE@_host /dev/xdma0_h2c_0 /dev/xdma0_c2h_0 samples.csv
 *
 * The first file is written: each write of SAMPLE bytes is a packet on s_axis, whose last
 * beat has tlast. The second is read: RESULT bytes, a beat of m_axis, are a result. So work
 * the files of a DMA engine's driver, pipes to a simulation, and whatever a kernel module of
 * one's own offers; both may be the same file. A sample is written when the result of the one
 * before was read. The samples may be - for the standard input.
 *
 * Each row becomes the words that the design takes as training made them. The class is
 * printed as "ialgn predict" prints it; where there are labels, the accuracy, too. Doubles
 * must be those of IEEE 754, with each operation rounded by itself: no -ffast-math.
 *
 * Exit status: 0 done, 1 bad input or usage, 3 the device does not answer.
 */
@HEADER@
#define _POSIX_C_SOURCE 200809L
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    FEATURES = @FEATURES@,
    COLUMNS = @COLUMNS@,
    READ = @READ@,         /* columns that become features */
    CLASSES = @CLASSES@,
    TOP = @TOP@,           /* largest word */
    SCALED = @SCALED@,     /* values are real; else they are the words */
    COMMA = @COMMA@,      /* numbers have a decimal comma, unless commas separate the columns */
    THRESHOLDS = @LEVELS@, /* of a feature; 0: the design takes words, else bits that are word > threshold */
    LANE = @LANE@,         /* bits from one word, or thermometer bit, of a sample to the next */
    SAMPLE = @SAMPLE@,     /* bytes of a sample, filled up to whole beats */
    RESULT = @RESULT@      /* bytes of a result */
};

/* A number in a result has the bits from first on, as many as bits; counts follow each other by step. */
static const struct {
    unsigned first, bits, step, number;
} class_at = {@CLASSAT@}@UNCERTAINAT@, counts_at = {@COUNTSAT@};

enum kind { NUMBER, CATEGORY, LABEL, DROPPED, NONE };

static const struct {
    const char *name; /* "": there is no header */
    enum kind kind;
    int first, features;
} columns[COLUMNS] = {
@COLUMNTABLE@};

/* Word is that of a category, 0 for a number; fill is the word of a missing value, -1 where none may be missing. */
static const struct {
    @RULE@;
    int32_t fill;
    const char *word;
} features[FEATURES] = {
@FEATURETABLE@};
@THRESHOLDTABLE@
static const char *const classes[CLASSES] = {
@CLASSTABLE@};

static const char label_name[] = @LABEL@;

/* Prints a message and a remedy, and ends the program. */
static void refuse(int status, const char *remedy, const char *format, ...) {
    va_list args;
    fflush(stdout);
    va_start(args, format);
    fprintf(stderr, "@MODULE@_host: ");
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n");
    va_end(args);
    if (remedy != NULL) fprintf(stderr, "hint: %s\n", remedy);
    exit(status);
}

static void *grown(void *memory, size_t size) {
    void *bigger = realloc(memory, size);
    if (bigger == NULL) refuse(1, NULL, "out of memory");
    return bigger;
}

/* The file of samples: its current record, and where the columns are. */
static FILE *file;
static char *head; /* its first line, which is looked at for what separates the columns */
static size_t head_size, head_at;
static int head_alone; /* nothing behind it is read */
static int pushed = EOF; /* a character that was given back */
static char separator = ',';
static int comma; /* numbers have a decimal comma */
static long line = 0, next_line = 1;
static char *text;     /* the fields of the record, each ended by 0 */
static size_t *fields; /* where each begins */
static size_t size, room, number_of_fields, fields_room;
static size_t at[READ]; /* the field of each column that is read */
static long label = -1; /* the field of the label */
static size_t expected; /* fields of each record, as of the first */

static const char *field(size_t i) { return text + fields[i]; }

static void put(int c) {
    enum { most = 4 << 20 };
    if (size == most) refuse(1, "close the quotes, or name a CSV file", "line %ld: longer than 4 MiB", line);
    if (size == room) text = grown(text, room = 2 * room + 4096);
    text[size++] = (char)c;
}

static void begin_field(void) {
    if (number_of_fields == fields_room) fields = grown(fields, (fields_room = 2 * fields_room + 64) * sizeof *fields);
    fields[number_of_fields++] = size;
}

/* The blanks of Unicode, in UTF-8. They are left out around a field, in quotes or not. */
static const char *const blanks[] = {
    " ", "\t", "\n", "\v", "\f", "\r", "\302\205", "\302\240", "\341\232\200", "\342\200\200", "\342\200\201",
    "\342\200\202", "\342\200\203", "\342\200\204", "\342\200\205", "\342\200\206", "\342\200\207", "\342\200\210",
    "\342\200\211", "\342\200\212", "\342\200\250", "\342\200\251", "\342\200\257", "\342\201\237", "\343\200\200"
};

/* The bytes of the blank that text[from] to text[to - 1] begin with, or end with; 0 if they do not. */
static size_t blank(size_t from, size_t to, int at_end) {
    size_t i, n;
    for (i = 0; i < sizeof blanks / sizeof blanks[0]; i++) {
        n = strlen(blanks[i]);
        if (n <= to - from && memcmp(text + (at_end ? to - n : from), blanks[i], n) == 0) return n;
    }
    return 0;
}

static void end_field(void) {
    const size_t first = fields[number_of_fields - 1];
    size_t from = first, n;
    while ((n = blank(from, size, 0)) > 0) from += n;
    while ((n = blank(from, size, 1)) > 0) size -= n;
    if (from > first) memmove(text + first, text + from, size - from);
    size -= from - first;
    put(0);
}

static int raw_char(void) {
    int c = pushed;
    pushed = EOF;
    if (c == EOF && head_at < head_size) c = (unsigned char)head[head_at++];
    else if (c == EOF && !head_alone) c = getc(file);
    if (c == 0) refuse(1, "save the table in UTF-8", "line %ld: there is a byte 0, which ends texts", next_line);
    return c;
}

static int next_char(void) {
    const int c = raw_char();
    if (c == '\n') next_line++;
    return c;
}

/* Reads what stands between quotes. */
static void read_quoted(void) {
    for (;;) {
        int c = next_char();
        if (c == EOF && head_alone) return;
        if (c == EOF) refuse(1, NULL, "line %ld: a quote is not closed", line);
        if (c == '"') {
            c = raw_char();
            if (c != '"') {
                if (c != EOF && c != separator && c != '\r' && c != '\n' && !head_alone)
                    refuse(1, NULL, "line %ld: there is text behind a closing quote", line);
                pushed = c;
                return;
            }
        }
        put(c);
    }
}

/* Reads a record that is not empty. Returns 0 at the end of the file. */
static int read_record(void) {
    for (;;) {
        int c, quoted = 0, begun = 0;
        line = next_line;
        size = number_of_fields = 0;
        begin_field();
        for (;;) {
            c = next_char();
            if (c == EOF || c == '\n' || c == separator) {
                end_field();
                if (c != separator) break;
                begin_field();
                begun = 0;
                continue;
            }
            if (!begun && c == ' ') continue;
            if (c == '"' && !begun) {
                read_quoted();
                quoted = 1;
            } else {
                put(c);
            }
            begun = 1;
        }
        if (ferror(file)) refuse(1, NULL, "samples: %s", strerror(errno));
        if (number_of_fields > 1 || field(0)[0] != 0 || quoted) return 1;
        if (c == EOF) return 0;
    }
}

/* Reads a number. Returns whether it is one. */
static int read_number(const char *s, double *x) {
    char plain[400], *end;
    const size_t length = strlen(s);
    if (length == 0 || length >= sizeof plain || strpbrk(s, comma ? ".xX" : "xX") != NULL) return 0;
    memcpy(plain, s, length + 1);
    if (comma && strchr(plain, ',') != NULL) *strchr(plain, ',') = '.';
    *x = strtod(plain, &end);
    return *end == 0;
}

/* What says that a value is missing: in any column and in one of numbers, in upper or lower case, and what was declared. */
static const char *const missing_words[] = {@MISSINGWORDS@NULL};
static const char *const missing_numbers[] = {@MISSINGNUMBERS@NULL};
static const char *const missing_declared[] = {@DECLARED@NULL};

/* Whether a text is one of a list, which NULL ends, in upper or lower case if that is folded. */
static int is_one_of(const char *s, const char *const *list, int folded) {
    size_t i;
    for (; *list != NULL; list++) {
        const char *word = *list;
        for (i = 0; s[i] != 0; i++)
            if (s[i] != word[i] && (!folded || toupper((unsigned char)s[i]) != toupper((unsigned char)word[i]))) break;
        if (s[i] == 0 && word[i] == 0) return 1;
    }
    return 0;
}

static int is_missing(enum kind kind, const char *s) {
    return is_one_of(s, missing_words, 1) || (kind == NUMBER && is_one_of(s, missing_numbers, 1)) ||
           is_one_of(s, missing_declared, 0);
}

/* The field with a name, -1 if there is none. */
static long named(const char *name) {
    size_t i;
    for (i = 0; i < number_of_fields; i++)
        if (name[0] != 0 && strcmp(field(i), name) == 0) return (long)i;
    return -1;
}

/* Finds the columns by the names in the first record. Returns 0 if that has not all of them. */
static int find_by_name(void) {
    size_t c, i = 0;
    for (c = 0; c < COLUMNS; c++) {
        const long where = named(columns[c].name);
        if (columns[c].features == 0) continue;
        if (where < 0) return 0;
        at[i++] = (size_t)where;
    }
    label = named(label_name);
    for (c = 0; c < COLUMNS; c++)
        if (columns[c].kind == LABEL && named(columns[c].name) >= 0) label = named(columns[c].name);
    for (c = 0; label < 0 && label_name[0] == 0 && number_of_fields == READ + 1 && c < number_of_fields; c++) {
        for (i = 0; i < READ && at[i] != c; i++) {}
        if (i == READ) label = (long)c;
    }
    return 1;
}

/* How many columns there are, but for those of two kinds. */
static size_t columns_but(enum kind a, enum kind b) {
    size_t c, n = 0;
    for (c = 0; c < COLUMNS; c++) n += columns[c].kind != a && columns[c].kind != b;
    return n;
}

/*
 * Finds the columns by their places: all those of training, these without the label, or those that
 * are read. Returns 0 if there may not be so many.
 */
static int find_by_place(void) {
    static const enum kind left_out[3][2] = {{NONE, NONE}, {LABEL, NONE}, {LABEL, DROPPED}};
    size_t form, c, i = 0, place = 0;
    label = -1;
    for (form = 0; form < 3 && columns_but(left_out[form][0], left_out[form][1]) != number_of_fields; form++) {}
    if (form == 3) { /* of numbers alone the columns are not told; the label is last */
        const long number = columns[0].name[0] == 0 ? strtol(label_name, NULL, 10) : 0;
        if (COLUMNS != READ || number_of_fields != READ + 1) return 0;
        label = number >= 1 && number <= READ + 1 ? number - 1 : READ;
        for (; i < READ; i++) at[i] = i + ((long)i >= label);
        return 1;
    }
    for (c = 0; c < COLUMNS; c++) {
        if (columns[c].kind == left_out[form][0] || columns[c].kind == left_out[form][1]) continue;
        if (columns[c].kind == LABEL) label = (long)place;
        if (columns[c].features > 0) at[i++] = place;
        place++;
    }
    return 1;
}

/* Whether the first record, whose columns were found by their places, holds values by their looks. */
static int is_data(void) {
    size_t c, i = 0, numbers = 0, data = 0, names = 0;
    double x;
    for (c = 0; c < COLUMNS; c++) {
        names += named(columns[c].name) >= 0;
        if (columns[c].kind == NUMBER) {
            numbers++;
            data += is_missing(NUMBER, field(at[i])) || read_number(field(at[i]), &x);
        }
        i += columns[c].features > 0;
    }
    return numbers > 0 ? data > 0 : names == 0;
}

/* Finds the columns by the first record. Returns whether it is a header. */
static int find_columns(void) {
    size_t c;
    if (find_by_name()) return 1;
    if (!find_by_place())
        refuse(1, NULL, "line %ld: its %lu columns are not those of the design", line, (unsigned long)number_of_fields);
    if (is_data()) return 0;
    for (c = 0; SCALED && c < COLUMNS; c++)
        if (columns[c].features > 0 && columns[c].name[0] != 0 && named(columns[c].name) < 0)
            refuse(1, NULL, "line %ld: there is no column \"%s\"", line, columns[c].name);
    return 1;
}

/* Finds what separates the columns: that by which the first line has the names, or a number of columns that may be. */
static void find_separator(void) {
    static const char orders[2][4] = {",;\t", ";\t,"};
    const char *choice;
    size_t room_of_head = 0;
    int c, by_place, found = 0;
    while ((c = getc(file)) != EOF) {
        if (head_size == room_of_head) head = grown(head, room_of_head = 2 * room_of_head + 4096);
        head[head_size++] = (char)c;
        if (c == '\n') break;
    }
    head_alone = 1;
    for (by_place = 0; by_place < 2 && !found; by_place++) {
        for (choice = orders[COMMA]; *choice != 0 && !found; choice++) {
            separator = *choice;
            found = read_record() && (by_place ? find_by_place() : find_by_name());
            head_at = 0;
            next_line = 1;
        }
    }
    head_alone = 0;
    pushed = EOF;
    if (!found) separator = ',';
    comma = COMMA && separator != ',';
}

@WORD@
/* The words of the features of a column. */
static void column_words(size_t c, const char *value, uint32_t *words) {
    const size_t first = (size_t)columns[c].first;
    double x;
    int k;
    if (is_missing(columns[c].kind, value)) {
        if (features[first].fill < 0)
            refuse(1, NULL, "line %ld: column %lu: \"%s\" stands for a value that is missing", line, (unsigned long)c + 1, value);
        if (columns[c].kind == NUMBER) words[first] = (uint32_t)features[first].fill;
        return;
    }
    if (columns[c].kind == CATEGORY) {
        for (k = 0; k < columns[c].features; k++)
            if (strcmp(value, features[first + (size_t)k].word) == 0) words[first + (size_t)k] = TOP;
        return;
    }
    if (!read_number(value, &x))
        refuse(1, NULL, "line %ld: column %lu: \"%.40s\" is not a number", line, (unsigned long)c + 1, value);
    if (!(x - x == 0))
        refuse(1, NULL, "line %ld: column %lu: \"%.40s\" is not a finite number", line, (unsigned long)c + 1, value);
    words[first] = word_of(x, first);
}

static void set_bits(unsigned char *bytes, size_t bit, uint32_t value) {
    for (; value != 0; value >>= 1, bit++)
        if (value & 1) bytes[bit / 8] |= (unsigned char)(1u << bit % 8);
}

/* The bytes of the current record. */
static void pack(unsigned char *sample) {
    static uint32_t words[FEATURES];
    size_t c, f, i = 0;
    memset(words, 0, sizeof words);
    memset(sample, 0, SAMPLE);
    for (c = 0; c < COLUMNS; c++)
        if (columns[c].features > 0) column_words(c, field(at[i++]), words);
    for (f = 0; f < FEATURES; f++) {
#if @LEVELS@ > 0
        size_t k;
        for (k = 0; k < THRESHOLDS; k++) set_bits(sample, (f * THRESHOLDS + k) * LANE, words[f] > thresholds[f][k]);
#else
        set_bits(sample, f * LANE, words[f]);
#endif
    }
}

static unsigned long number_at(const unsigned char *bytes, unsigned first, unsigned bits) {
    unsigned long value = 0;
    unsigned b;
    for (b = 0; b < bits; b++) value |= (unsigned long)(bytes[(first + b) / 8] >> (first + b) % 8 & 1) << b;
    return value;
}

static void send_sample(int to, const unsigned char *bytes) {
    size_t done = 0;
    while (done < SAMPLE) {
        const ssize_t n = write(to, bytes + done, SAMPLE - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) refuse(3, NULL, "writing a sample: %s", strerror(errno));
        done += (size_t)n;
    }
}

static void receive_result(int from, unsigned char *bytes) {
    size_t done = 0;
    while (done < RESULT) {
        const ssize_t n = read(from, bytes + done, RESULT - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) refuse(3, NULL, "reading a result: %s", strerror(errno));
        if (n == 0) refuse(3, NULL, "reading a result: the file has ended");
        done += (size_t)n;
    }
}

/* Prints a field of a line of CSV. */
static void print_field(const char *prefix, const char *s) {
    if (strpbrk(s, ",\"\r\n") == NULL) {
        printf(",%s%s", prefix, s);
        return;
    }
    printf(",\"%s", prefix);
    for (; *s != 0; s++) {
        if (*s == '"') putchar('"');
        putchar(*s);
    }
    putchar('"');
}

/* Classifies the current record. Returns the class. */
static const char *classify(int to, int from, unsigned long number) {
    static unsigned char sample[SAMPLE], result[RESULT];
    unsigned long class_index;
    unsigned c;
    pack(sample);
    send_sample(to, sample);
    receive_result(from, result);
    class_index = number_at(result, class_at.first, class_at.bits);
    if (class_index >= CLASSES)
        refuse(3, "does the device hold the design of this folder?", "class %lu of %d was answered", class_index, CLASSES);
    printf("%lu", number);
    print_field("", classes[class_index]);
@UNCERTAIN@    for (c = 0; c < counts_at.number; c++)
        printf(",%lu", number_at(result, counts_at.first + c * counts_at.step, counts_at.bits));
    printf("\n");
    return classes[class_index];
}

static int open_file(const char *path, int flags) {
    const int fd = open(path, flags);
    if (fd < 0) refuse(3, "name the files that the driver of the DMA engine offers", "%s: %s", path, strerror(errno));
    return fd;
}

/* Opens the samples and reads the first that is none of a header. Returns 0 if there is none. */
static int open_samples(const char *path) {
    int c;
    file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (file == NULL) refuse(1, "name a CSV file of samples, or - for the standard input", "%s: %s", path, strerror(errno));
    c = getc(file);
    if (c == 0xef) { /* a byte order mark */
        getc(file);
        getc(file);
    } else if (c != EOF) {
        ungetc(c, file);
    }
    find_separator();
    if (!read_record()) refuse(1, NULL, "%s: the file is empty", path);
    expected = number_of_fields;
    return !find_columns() || read_record();
}

int main(int argc, char **argv) {
    unsigned long done = 0, right = 0;
    unsigned c;
    int to, from, more;
    if (argc != 4) {
        fprintf(stderr, "usage: @MODULE@_host TO FROM SAMPLES\n");
        return 1;
    }
    more = open_samples(argv[3]);
    to = open_file(argv[1], strcmp(argv[1], argv[2]) == 0 ? O_RDWR : O_WRONLY);
    from = strcmp(argv[1], argv[2]) == 0 ? to : open_file(argv[2], O_RDONLY);
    printf("sample,class@UNCERTAINNAME@");
    for (c = 0; c < counts_at.number; c++) print_field("count_", classes[c]);
    printf("\n");
    for (; more; more = read_record()) {
        const char *class_name;
        if (number_of_fields != expected)
            refuse(1, NULL, "line %ld: %lu columns, want %lu as in the first line", line, (unsigned long)number_of_fields,
                   (unsigned long)expected);
        class_name = classify(to, from, done++);
        if (label >= 0) right += strcmp(field((size_t)label), class_name) == 0;
    }
    if (fflush(stdout) != 0) refuse(1, NULL, "writing the classes: %s", strerror(errno));
    fprintf(stderr, "%lu samples", done);
    if (label >= 0 && done > 0)
        fprintf(stderr, ", accuracy %.2f %% (%lu right)", 100.0 * (double)right / (double)done, right);
    fprintf(stderr, "\n");
    return 0;
}
