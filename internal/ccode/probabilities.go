package ccode

import (
	"fmt"
	"strings"

	"ialgn/internal/softmax"
	"ialgn/internal/wordcode"
)

// probabilitiesComment is the comment of the function in the header file.
const probabilitiesComment = `
/*
 * Computes the probabilities of the classes from the counts of a sample: the softmax of
 * count / T, where T is TEMPERATURE. counts[c] is the count of class c.
 * probabilities[c] becomes its probability in units of 1/65536, rounded down; 1 becomes
 * 65535. It is less than 1/32768 away from the softmax. The function uses integers only,
 * without division, and needs the table PREFIX_powers of POWERS words.
 */
`

// probabilitiesCode is the body of the function. It repeats [softmax.Fixed].
const probabilitiesCode = `    uint32_t most = 0, sum = 0, c, bit;
    for (c = 0; c < CLASSES; c++)
        if (counts[c] > most) most = counts[c];
    for (c = 0; c < CLASSES; c++) sum += PREFIX_power(most - counts[c]);
    for (c = 0; c < CLASSES; c++) {
        uint32_t rest = PREFIX_power(most - counts[c]), quotient = 0;
        for (bit = 0; bit < 16; bit++) { /* the next bit of rest / sum */
            rest *= 2;
            quotient *= 2;
            if (rest >= sum) {
                rest -= sum;
                quotient++;
            }
        }
        probabilities[c] = (uint16_t)quotient;
    }
}
`

const probabilitiesPowers = `
static inline uint32_t PREFIX_power(uint32_t difference) {
    return difference < POWERS ? PREFIX_powers[difference] : 0;
}
`

const probabilitiesTest = `
/* Computes probabilities from the counts and returns how many are wrong. */
static int check_probabilities(void) {
    uint16_t got[CLASSES];
    int wrong = 0;
    uint32_t s, c;
    for (s = 0; s < SAMPLES; s++) {
        PREFIX_probabilities(want_counts + s * CLASSES, got);
        for (c = 0; c < CLASSES; c++) {
            if (got[c] == want_probabilities[s * CLASSES + c]) continue;
            printf("sample %d: probability %d of class %d, want %d\n", (int)s, (int)got[c], (int)c,
                   (int)want_probabilities[s * CLASSES + c]);
            wrong++;
        }
    }
    return wrong;
}
`

// scores describes the function for probabilities in C.
type scores struct {
	temperature softmax.Temperature
	table       *softmax.Table
	prefix      string // beginning of the names
	classes     string // the number of classes
}

// newScores returns the description, or nil if there is no function for probabilities.
func newScores(t *softmax.Temperature, largest int, prefix, classes string) *scores {
	if t == nil {
		return nil
	}
	return &scores{*t, softmax.New(t.Value, largest), prefix, classes}
}

// template writes a template of the function.
func (s *scores) template(p *printer, text string) {
	p.template(strings.NewReplacer("TEMPERATURE", s.temperature.String(), "PREFIX", s.prefix, "CLASSES", s.classes,
		"POWERS", fmt.Sprint(len(s.table.Powers()))).Replace(text))
}

const probabilitiesHead = "void PREFIX_probabilities(const uint32_t *counts, uint16_t *probabilities)"

// declare writes the declaration of the function.
func (s *scores) declare(p *printer) {
	if s != nil {
		s.template(p, probabilitiesComment+probabilitiesHead+";\n")
	}
}

// define writes the table and the function. The function has the given storage class.
func (s *scores) define(p *printer, comment, static string) {
	if s == nil {
		return
	}
	s.template(p, "\n/* Element d is exp(-d / T) in units of 2^-23, for a count that is d less than the largest. */\n"+
		"static const uint32_t PREFIX_powers[] = {\n")
	numbers(p, "%d", 12, s.table.Powers())
	s.template(p, "};\n"+probabilitiesPowers+comment+static+probabilitiesHead+" {\n"+probabilitiesCode)
}

// test writes the test of the function, with the probabilities of the vectors.
func (s *scores) test(p *printer, v *wordcode.Vectors) {
	if s == nil {
		return
	}
	p.text("\nstatic const uint16_t want_probabilities[] = {\n")
	numbers(p, "%d", len(v.Counts)/len(v.Class), v.Probabilities(s.table))
	p.text("};\n")
	s.template(p, replace(probabilitiesTest, "SAMPLES", fmt.Sprint(len(v.Class))))
}
