package dataset

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"math"
	"slices"
	"strings"

	"ialgn/internal/config"
	"ialgn/internal/encoding"
	"ialgn/internal/message"
)

// looked summarises the values of a column in a survey.
type looked struct {
	values, numbers, missing int
	absent                   int // number of values that mark a missing number, but are words in other kinds of columns
	numerals                 int // number of values that are numbers in any notation
	marks                    evidence
	lo, hi                   float64
	sequence                 bool // each number is larger by one than the number before
	fraction                 bool // some number is not a whole number
	last                     float64
	distinct                 map[uint64]bool // hashes of the distinct values, because values may be long and many
	words                    map[string]int  // numbers of occurrences of values; incomplete in a column of numbers
	unfit                    error           // why some value cannot be a category; nil if all values can be categories
	odd                      []Odd           // the first values that are not numbers
}

// add records a value of the column.
func (c *looked) add(field string, t *table) {
	if t.lacks(encoding.CategoryColumn, field) { // missing in any kind of column
		c.missing++
		return
	}
	c.values++
	c.remember(field)
	c.count(field)
	if looksNumeric(field) {
		c.numerals++
		c.marks.add(field, t.at)
	}
	if x, ok := t.finite(field); ok {
		c.number(x)
		return
	}
	if encoding.MissingValue(encoding.NumberColumn, field) {
		c.absent++
		return
	}
	i := slices.IndexFunc(c.odd, func(o Odd) bool { return o.Word == field })
	if i >= 0 {
		c.odd[i].Count++
	} else if len(c.odd) <= mostOdd {
		c.odd = append(c.odd, Odd{strings.Clone(field), t.at, 1})
	}
}

// hashSeed seeds the hashes of values. The hashes are only compared with each other.
var hashSeed = maphash.MakeSeed()

// remember adds a value to the set of distinct values.
func (c *looked) remember(field string) {
	hash := maphash.String(hashSeed, field)
	if len(c.distinct) == MostDistinct || c.distinct[hash] {
		return
	}
	if c.distinct == nil {
		c.distinct = map[uint64]bool{}
	}
	c.distinct[hash] = true
	if err := checkCategory(field); err != nil {
		c.unfit = cmp.Or(c.unfit, err)
	}
}

// count counts an occurrence of a value. It does not count the values of a column that has many different numbers,
// because they will not be categories. It does not count words that cannot be categories, either. Of very many words,
// it counts the first ones.
func (c *looked) count(field string) {
	n, known := c.words[field]
	switch {
	case known:
		c.words[field] = n + 1
	case len(c.words) >= maxCategories && c.numbers > c.values/2, len(c.words) == mostWords:
	case checkCategory(field) == nil:
		if c.words == nil {
			c.words = map[string]int{}
		}
		c.words[strings.Clone(field)] = 1
	}
}

func (c *looked) number(x float64) {
	if c.numbers++; c.numbers == 1 {
		c.lo, c.hi, c.sequence = x, x, x == math.Trunc(x)
	} else {
		c.lo, c.hi, c.sequence = min(c.lo, x), max(c.hi, x), c.sequence && x == c.last+1
	}
	c.last, c.fraction = x, c.fraction || x != math.Trunc(x)
}

// judge decides which kind the column has.
func (c *looked) judge(to *Surveyed) error {
	to.Distinct, to.Missing, to.Kind = len(c.distinct), c.missing, encoding.NumberColumn
	if err := c.takeMissing(to); err != nil {
		return err
	}
	words := c.values - c.numbers
	to.Constant = len(c.distinct) < 2 || words == 0 && c.lo == c.hi
	if words == 0 && c.values > 0 {
		lo, hi := c.lo, c.hi
		to.Min, to.Max = &lo, &hi
	}
	switch to.Reason = c.reason(to, words); {
	case to.Reason != "":
		to.Kind = encoding.DroppedColumn
	case words > 0 && c.unfit != nil:
		return fmt.Errorf("%s: %w", quotedColumn(to), c.unfit)
	case words > 0:
		to.Kind = encoding.CategoryColumn
		var covered int
		to.Categories, covered = frequent(c.words)
		to.Rare = c.values - covered
	}
	return nil
}

// reason returns the reason why a column is left out. It returns "" if the column is used.
func (c *looked) reason(to *Surveyed, words int) string {
	first := Odd{}
	if len(c.odd) > 0 {
		first = c.odd[0]
	}
	such := fmt.Sprintf("such as %s in line %d", shown(first.Word), first.Line)
	switch {
	case c.values == 0:
		return "has no values"
	case c.values < leastValues && to.Missing > 0:
		return "has hardly any values"
	case to.Constant:
		return "is constant"
	case words == 0 && c.sequence && c.values >= identifierRows:
		return "counts the rows, like an identifier"
	case words == 0:
		return ""
	case c.numbers > c.values/2:
		return "has words among its numbers, " + such
	case notOneNumber(first.Word) != "":
		return "has values " + such + ": " + notOneNumber(first.Word)
	case c.numerals > c.values/2 && len(c.distinct) > maxCategories:
		return "has numbers " + such + ", which other columns write in another way; write all numbers in the same way"
	}
	if reason := c.tooMany(); reason != "" || c.unfit == nil || message.Hint(c.unfit) != "" {
		return reason
	}
	return "has words that cannot be categories: " + c.unfit.Error()
}

// tooMany returns the reason why a column of words has too many different ones. It returns "" if it has not.
func (c *looked) tooMany() string {
	switch n := len(c.distinct); {
	case n > c.values/2 && c.values >= identifierRows:
		return "has a different word in most rows, like an identifier"
	case n > mostWords:
		return fmt.Sprintf("has more than %d different words", mostWords)
	case n > maxCategories && c.covered() < c.values/2:
		return fmt.Sprintf("has %d different words, and most rows have none of the %d most frequent ones", n, maxCategories)
	}
	return ""
}

// covered returns the number of values that would become features.
func (c *looked) covered() int {
	_, n := frequent(c.words)
	return n
}

// takeMissing treats the words in a column of numbers as missing values if there are few of them. Words that programs
// usually write for missing values are known. Other words must be declared in the configuration. takeMissing returns
// an error for a number in a different notation.
func (c *looked) takeMissing(to *Surveyed) error {
	values := c.values - c.absent
	odd := values - c.numbers
	few := odd <= max(1, values/oddShare) || len(c.odd) <= fewOdd && len(c.distinct) > manyDistinct
	if c.numbers <= values/2 || len(c.odd) > mostOdd || !few {
		return nil
	}
	for _, o := range c.odd {
		if looksNumeric(o.Word) {
			return fmt.Errorf("line %d: %s: %s is written in another way than the other numbers; write it in the same way",
				o.Line,
				quotedColumn(to), shown(o.Word))
		}
		if remedy := notOneNumber(o.Word); remedy != "" {
			return message.WithHint(fmt.Errorf("line %d: %s: %s is not a number", o.Line, quotedColumn(to), shown(o.Word)),
				"%s; or treat it as a missing value with data.missing_values: %s", remedy, config.JoinNames([]string{o.Word}))
		}
		if err := checkCategory(o.Word); err != nil {
			return fmt.Errorf("line %d: %s: %w", o.Line, quotedColumn(to), err)
		}
	}
	to.Missing, to.Odd = to.Missing+c.values-c.numbers, c.odd
	c.values = c.numbers
	return nil
}

// quotedColumn names a column in errors.
func quotedColumn(c *Surveyed) string {
	if c.Name == "" {
		return fmt.Sprintf("column %d", c.Number)
	}
	return fmt.Sprintf("column %d (%s)", c.Number, shown(c.Name))
}
