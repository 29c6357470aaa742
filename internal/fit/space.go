package fit

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ialgn/internal/config"
)

// dimension is a choice of the search. Its values are in an order in which neighbours are alike.
type dimension struct {
	name   string
	given  []string // keys of the configuration that decide it, if one is given
	values []string
	start  int // number of the value that is tried first
	keys   func(value string, s size) []string
}

// size is how large a network of a candidate is.
type size struct{ width, classes int }

// candidate is a choice of every dimension, by its value.
type candidate []string

// subject is what the search knows of the data and of the target.
type subject struct {
	features, bitsIn, classes, samples int
	images                             bool
	family                             string
	lutInputs                          int
	keeps                              bool // see shape
}

// A data set with fewer features takes more thresholds for each at first; one with more samples larger batches.
const (
	fewFeatures = 64
	manySamples = 20_000
)

// dimensions returns what is searched for a subject: everything that the draft does not give.
func dimensions(s subject, d config.Draft) []dimension {
	bits, thresholds, batch := 1, 2, 1
	if s.features < fewFeatures {
		bits = 3
	}
	if s.images { // whose middle threshold is the highest bit of a pixel, which needs no comparison
		bits, thresholds = 0, 0
	}
	if s.samples >= manySamples {
		batch = 2
	}
	all := []dimension{
		one("inputs", "model.inputs", 1, pins(s.lutInputs)...),
		one("depth", "model.depth", 1, "1", "2", "3", "4"),
		one("bits", "encoder.bits", bits, bitsWithin(s.bitsIn)...),
		one("thresholds", "encoder.thresholds", thresholds, "uniform", "learned", "quantile"),
		{
			name: "tau", given: []string{"model.tau"}, values: []string{"0.12", "0.2", "0.35", "0.6", "1", "1.6"}, start: 2,
			keys: func(value string, s size) []string { return []string{fmt.Sprintf("model.tau=%.3g", tau(value, s))} },
		},
		one("lr", "train.optimizer.lr", 2, "0.005", "0.01", "0.02", "0.04"),
		one("batch", "train.batch", batch, "32", "64", "128"),
		{
			name: "cost", given: []string{"train.cost.target", "train.cost.pressure", "train.estimator"},
			values: []string{"0", fmt.Sprint(leastPressure), "0.02", "0.06"}, start: 1,
			keys: func(value string, size size) []string { return pressure(s.family, value, size) },
		},
	}
	if s.images {
		all = append(all, dimension{
			name: "images", given: changeKeys(), values: []string{"as they are", "slight", "strong", "flipped"}, start: 1,
			keys: func(value string, _ size) []string { return changes[value] },
		})
	}
	return slices.DeleteFunc(all, func(one dimension) bool { return slices.ContainsFunc(one.given, d.Given) })
}

// one returns a dimension that is a key.
func one(name, key string, start int, values ...string) dimension {
	return dimension{
		name: name, given: []string{key}, values: values, start: min(start, len(values)-1),
		keys: func(value string, _ size) []string { return []string{key + "=" + value} },
	}
}

// pins returns the pins of nodes that are tried on a target: as many as its look-up tables have inputs, and fewer.
func pins(lut int) []string {
	if lut <= 4 {
		return []string{"2", "4"}
	}
	return []string{"4", strconv.Itoa(lut)}
}

// bitsWithin returns the n_b that words of so many bits can have.
func bitsWithin(bitsIn int) (all []string) {
	for _, bits := range []int{2, 4, 6, 8, 12, 16} {
		if len(all) == 0 || bits <= 1<<bitsIn {
			all = append(all, strconv.Itoa(bits))
		}
	}
	return all
}

// tau is the divisor of the class counts: the value times the root of the chains of a class, as the standard deviation
// of a count grows.
func tau(value string, s size) float64 {
	factor, err := strconv.ParseFloat(value, 64)
	if err != nil {
		panic("fit: tau " + value)
	}
	return factor * math.Sqrt(float64(s.width)/float64(s.classes))
}

// leastPressure is the least pressure that is searched, but none.
const leastPressure = 0.006

// pressure returns the keys of a pressure towards fewer look-up tables: the value over the chains, as a network takes a
// number of look-up tables that goes with these.
func pressure(family, value string, s size) []string {
	if value == "0" {
		return nil
	}
	factor, err := strconv.ParseFloat(value, 64)
	if err != nil {
		panic("fit: pressure " + value)
	}
	return []string{"train.cost.target=" + family, fmt.Sprintf("train.cost.pressure=%.3g", factor/float64(s.width))}
}

// changes are how images are changed in training.
var changes = map[string][]string{
	"as they are": nil,
	"slight": {
		"train.augment.shift=1", "train.augment.rotate=6", "train.augment.scale=0.06", "train.augment.shear=0.09",
		"train.augment.share=0.8",
	},
	"strong": {
		"train.augment.shift=1", "train.augment.rotate=10", "train.augment.scale=0.1", "train.augment.shear=0.15",
		"train.augment.share=0.9",
	},
	"flipped": {"train.augment.shift=2", "train.augment.flip=true", "train.augment.share=0.9"},
}

// changeKeys returns the keys of train.augment.
func changeKeys() (keys []string) {
	for _, key := range config.Keys() {
		if strings.HasPrefix(key, "train.augment.") {
			keys = append(keys, key)
		}
	}
	return keys
}

// first returns the candidate that is tried first.
func first(all []dimension) candidate {
	c := make(candidate, len(all))
	for i, d := range all {
		c[i] = d.values[d.start]
	}
	return c
}

// spread returns up to n different candidates, the first of which is the usual one. The values of each dimension occur
// about equally often: those of candidate i follow an irrational step of the dimension's own (Kronecker's sequence).
func spread(all []dimension, n int) []candidate {
	list := []candidate{first(all)}
	for i := 1; len(list) < n && i < 50*n; i++ {
		c := make(candidate, len(all))
		for k, d := range all {
			_, at := math.Modf(0.5 + float64(i)*math.Sqrt(float64(primes[k%len(primes)])))
			c[k] = d.values[int(at*float64(len(d.values)))]
		}
		if !contains(list, c) {
			list = append(list, c)
		}
	}
	return list
}

var primes = []int{2, 3, 5, 7, 11, 13, 17, 19, 23}

// neighbours returns the candidates that differ from one in a single dimension, by a step.
func neighbours(all []dimension, c candidate) (list []candidate) {
	for k, d := range all {
		at := slices.Index(d.values, c[k])
		for _, next := range []int{at - 1, at + 1} {
			if next >= 0 && next < len(d.values) {
				n := slices.Clone(c)
				n[k] = d.values[next]
				list = append(list, n)
			}
		}
	}
	return list
}

func contains(list []candidate, c candidate) bool {
	return slices.ContainsFunc(list, func(other candidate) bool { return slices.Equal(other, c) })
}

// keys returns the configuration keys of a candidate.
func (c candidate) keys(all []dimension, s size) (keys []string) {
	for i, d := range all {
		keys = append(keys, d.keys(c[i], s)...)
	}
	return keys
}

// text names the values of a candidate.
func (c candidate) text(all []dimension) (text string) {
	for i, d := range all {
		if i > 0 {
			text += ", "
		}
		text += d.name + " " + c[i]
	}
	return text
}
