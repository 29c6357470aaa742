package sweep

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"ialgn/internal/config"
	"ialgn/internal/decimal"
	"ialgn/internal/message"
)

// Axis is a key of the configuration with the values that the user gives it in a sweep.
type Axis struct {
	Key    string
	Values []string
}

// seedKey is the key of an axis that makes no rows. Every row is trained with each value of this axis.
const seedKey = "train.seed"

// For each key that cannot be an axis, unswept has the reason.
var unswept = map[string]string{
	"name":                     "the names of files are made by the sweep",
	"train.checkpoint.minutes": "it changes no model",
}

// ParseAxis parses KEY=V,V,... in which each V is a value or a range (see [expand]).
func ParseAxis(text string) (Axis, error) {
	key, values, ok := strings.Cut(text, "=")
	if !ok {
		return Axis{}, message.WithHint(message.Optionf("{Grid} %.60q: want KEY=V,V,...", text),
			"for example {Grid model.width=300,600}")
	}
	a, err := newAxis(key, strings.Split(values, ","))
	if err != nil {
		err = message.Optionf("{Grid} %w", err)
	}
	return a, err
}

// loadAxes reads the axes of a grid file.
func loadAxes(path string) ([]Axis, error) {
	lists, err := config.LoadLists(path)
	if err != nil {
		return nil, err
	}
	var all []Axis
	for _, l := range lists {
		values := l.Values
		if l.Single {
			values = strings.Split(values[0], ",")
		}
		a, err := newAxis(l.Key, values)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, a)
	}
	return all, nil
}

// newAxis returns the axis of a key. Some of the values may be ranges.
func newAxis(key string, values []string) (Axis, error) {
	key = strings.TrimSpace(key)
	a := Axis{Key: key}
	if why, ok := unswept[key]; ok {
		return a, fmt.Errorf("%s: cannot be swept: %s", key, why)
	}
	for _, v := range values {
		v = strings.TrimSpace(v)
		if v == "" {
			return a, message.WithHint(fmt.Errorf("%.60s: has an empty value", key), "separate values by single commas")
		}
		all, err := expand(v)
		if err != nil {
			return a, fmt.Errorf("%.60s: %w", key, err)
		}
		a.Values = append(a.Values, all...)
	}
	if len(a.Values) == 0 {
		return a, fmt.Errorf("%.60s: has no values", key)
	}
	return a, nil
}

// ranged matches a range. LOW..HIGH has all integers from LOW to HIGH. LOW..HIGH*FACTOR has LOW, LOW FACTOR, LOW
// FACTOR^2 and so on, up to HIGH.
var ranged = regexp.MustCompile(strings.ReplaceAll(`^(NUMBER)\.\.(NUMBER)(?:\*(NUMBER))?$`, "NUMBER",
	`[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]{1,2})?`))

// expand returns the values of a range, or the text itself if it is not a range. A range may have at most MaxRuns
// values.
func expand(text string) ([]string, error) {
	part := ranged.FindStringSubmatch(text)
	if part == nil {
		return []string{text}, nil
	}
	low, high, by := number(part[1]), number(part[2]), number(part[3])
	next := func(v *big.Rat) *big.Rat { return new(big.Rat).Mul(v, by) }
	if part[3] == "" {
		by = big.NewRat(1, 1)
		next = func(v *big.Rat) *big.Rat { return new(big.Rat).Add(v, by) }
	}
	switch {
	case low == nil || high == nil || by == nil:
		return nil, message.WithHint(fmt.Errorf("%.60s: is not a range of numbers", text),
			"write LOW..HIGH or LOW..HIGH*FACTOR")
	case part[3] == "" && !(low.IsInt() && high.IsInt()):
		return nil, message.WithHint(fmt.Errorf("%.60s: is a range of fractions without a factor", text),
			"write LOW..HIGH*FACTOR, for example 0.001..0.1*10, or name the values")
	case low.Cmp(high) > 0:
		return nil, message.WithHint(fmt.Errorf("%.60s: begins above its end", text), "write LOW..HIGH")
	case part[3] != "" && (by.Cmp(big.NewRat(1, 1)) <= 0 || low.Sign() == 0):
		return nil, message.WithHint(fmt.Errorf("%.60s: never comes to its end", text),
			"a factor is above 1, and what it multiplies above 0")
	}
	many := message.WithHint(fmt.Errorf("%.60s: has more values than the %d runs that a sweep may have", text, MaxRuns),
		"name fewer, for example with a factor: 100..3200*2")
	if part[3] != "" && factors(low, high, by) > MaxRuns {
		return nil, many
	}
	var all []string
	for v := low; v.Cmp(high) <= 0; v = next(v) {
		if len(all) == MaxRuns {
			return nil, many
		}
		places, _ := v.FloatPrec()
		all = append(all, v.FloatString(places))
	}
	return all, nil
}

// factors returns approximately the number of factors between low and high. This is checked first, because products
// of very many factors have very many digits.
func factors(low, high, by *big.Rat) float64 {
	ratio, _ := new(big.Rat).Quo(high, low).Float64()
	above, _ := new(big.Rat).Sub(by, big.NewRat(1, 1)).Float64()
	return math.Log(ratio) / math.Log1p(above)
}

// longest limits the length of a number in a range. The limit is needed because products are computed exactly.
const longest = 24

// number returns the decimal number that a text represents, or nil if the text is not a number.
func number(text string) *big.Rat {
	if len(text) > longest || !decimal.Valid(text) {
		return nil
	}
	n, _ := new(big.Rat).SetString(text)
	return n
}

// checkAxes returns an error if there is no axis, if a key occurs twice, or if there are too many runs. Errors
// contain the argument by, which is the name of the option with which the user gave the axes.
func checkAxes(axes []Axis, by string) error {
	if len(axes) == 0 {
		return message.WithHint(errors.New("a sweep of nothing: no key has values to try"),
			"name some, for example {Grid model.width=300,600}")
	}
	runs := 1
	for i, a := range axes {
		if slices.ContainsFunc(axes[:i], func(b Axis) bool { return b.Key == a.Key }) {
			return message.WithHint(message.Optionf("{"+by+"} %s: given twice", a.Key), "name all values of a key together")
		}
		if runs *= len(a.Values); runs > MaxRuns {
			return message.WithHint(fmt.Errorf("%s: more than the %d runs that a sweep may have", product(axes), MaxRuns),
				"try fewer values at a time, or make several sweeps, which may share a folder")
		}
	}
	return nil
}

// product returns the number of combinations as a text that names each factor.
func product(axes []Axis) string {
	var factors []string
	for _, a := range axes {
		factors = append(factors, fmt.Sprint(len(a.Values)))
	}
	return strings.Join(factors, " x ") + " combinations"
}

// combinations returns all combinations of one value for each axis. Each value is written as KEY=VALUE. The last axis
// changes fastest.
func combinations(axes []Axis) [][]string {
	all := [][]string{nil}
	for _, a := range axes {
		var longer [][]string
		for _, c := range all {
			for _, v := range a.Values {
				longer = append(longer, append(slices.Clone(c), a.Key+"="+v))
			}
		}
		all = longer
	}
	return all
}
