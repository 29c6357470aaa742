package decimal_test

import (
	"errors"
	"strconv"
	"testing"

	"ialgn/internal/decimal"
)

// TestNumbers reads each text as each of the three types of numbers.
func TestNumbers(t *testing.T) {
	syntax, tooLarge := strconv.ErrSyntax, strconv.ErrRange
	for _, c := range []struct {
		text              string
		float, int, whole error
		value             float64
	}{
		{"0", nil, nil, nil, 0},
		{"12", nil, nil, nil, 12},
		{"+12", nil, nil, nil, 12},
		{"-12", nil, nil, syntax, -12},
		{"1.50", nil, syntax, syntax, 1.5},
		{".5", nil, syntax, syntax, 0.5},
		{"5.", nil, syntax, syntax, 5},
		{"1e-3", nil, syntax, syntax, 0.001},
		{"1e400", tooLarge, syntax, syntax, 0},
		{"99999999999999999999", nil, tooLarge, tooLarge, 1e20},
	} {
		v, err := decimal.Float(c.text)
		if !errors.Is(err, c.float) || err == nil && v != c.value {
			t.Errorf("Float(%q) is %v, %v, want %v, %v", c.text, v, err, c.value, c.float)
		}
		if n, err := decimal.Int(c.text); !errors.Is(err, c.int) || err == nil && float64(n) != c.value {
			t.Errorf("Int(%q) is %v, %v, want %v, %v", c.text, n, err, c.value, c.int)
		}
		if n, err := decimal.Uint(c.text); !errors.Is(err, c.whole) || err == nil && float64(n) != c.value {
			t.Errorf("Uint(%q) is %v, %v, want %v, %v", c.text, n, err, c.value, c.whole)
		}
	}
	for _, text := range []string{
		"", " 1", "1 ", "1_000", "1,000", "1'000", "0x10", "0X10", "0b1", "0o17", "010", "00", "0x1p-2", "1e", "e1", "--1", "+-1",
		"inf", "-Inf", "Infinity", "nan", "NaN", "\u0661\u0662", "\uff11", "\u00b2", "\u096a", "1\u00a0000", "\u22125", "1\x00", "one",
	} {
		_, float := decimal.Float(text)
		_, whole := decimal.Int(text)
		_, unsigned := decimal.Uint(text)
		for _, err := range []error{float, whole, unsigned} {
			if !errors.Is(err, syntax) {
				t.Errorf("%q: %v, want an error of syntax", text, err)
			}
		}
	}
}
