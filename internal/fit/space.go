package fit

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ialgn/internal/config"
)

// dimension is one choice that the search makes. The values are ordered, and neighbouring values are similar.
type dimension struct {
	name   string
	given  []string // if the draft has one of these keys, the search does not make the choice
	values []string
	start  int // index of the value that is tried first
	keys   func(value string, s size) []string
}

// size is the size of a candidate's network.
type size struct{ width, classes int }

// candidate holds one value for every dimension.
type candidate []string

// subject holds the facts about the data and the target on which the search depends.
type subject struct {
	features, bitsIn, classes, samples int
	images                             bool
	metric                             string // train.validation.metric; empty if it is the accuracy
	rootWeights                        string // class weights between none and balanced
	family                             string
	lutInputs                          int
	keeps                              bool // like shape.keeps
}

// A data set with fewer features than fewFeatures starts with more thresholds per feature. A data set with at least
// manySamples samples starts with larger batches. Tables start with a larger tau than images. In trials, 0.6 was better
// than 0.35 on five of seven tables (mean 0.7 points), and n_b = 32 was better than 8 on four of six (mean 0.5 points).
const (
	fewFeatures = 64
	manySamples = 20_000
)

// dimensions returns the choices that the search makes for a subject. It leaves out choices that are already made by
// keys of the draft.
func dimensions(s subject, d config.Draft) []dimension {
	bits, thresholds, tauAt, batch := 1, 2, 3, 1
	if s.features < fewFeatures {
		bits = 6
	}
	if s.images { // comparing a pixel with the middle threshold gives its highest bit, without a comparator
		bits, thresholds, tauAt = 0, 0, 2
	}
	if s.samples >= manySamples {
		batch = 2
	}
	all := []dimension{
		one("inputs", "model.inputs", 1, pins(s.lutInputs)...),
		one("depth", "model.depth", 1, "1", "2", "3", "4"),
		one("bits", "encoder.bits", bits, s.bits()...),
		one("thresholds", "encoder.thresholds", thresholds, "uniform", "learned", "quantile"),
		{
			name: "tau", given: []string{"model.tau"}, start: tauAt,
			values: []string{"0.12", "0.2", "0.35", "0.6", "1", "1.6", "2.5"},
			keys:   func(value string, s size) []string { return []string{fmt.Sprintf("model.tau=%.3g", tau(value, s))} },
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
	if s.metric != "" {
		all = append(all, weights(s))
	}
	return slices.DeleteFunc(all, func(one dimension) bool { return slices.ContainsFunc(one.given, d.Given) })
}

// These are the values of the dimension of class weights.
const (
	weightsNone     = "none"
	weightsRoot     = "root" // see [config.RootBalanced]
	weightsBalanced = "balanced"
)

// weights returns the dimension of class weights. The search for the highest accuracy does not have it, because
// weights give up accuracy for rare classes.
func weights(s subject) dimension {
	const key = "train.class_weights"
	start := 1 // the other metrics count samples that are taken for a rare class by mistake, too
	if s.metric == "balanced_accuracy" {
		start = 2
	}
	return dimension{
		name: "weights", given: []string{key}, values: []string{weightsNone, weightsRoot, weightsBalanced}, start: start,
		keys: func(value string, _ size) []string {
			if value == weightsRoot {
				value = s.rootWeights
			}
			return []string{key + "=" + value}
		},
	}
}

// one returns a dimension that sets a single key.
func one(name, key string, start int, values ...string) dimension {
	return dimension{
		name: name, given: []string{key}, values: values, start: min(start, len(values)-1),
		keys: func(value string, _ size) []string { return []string{key + "=" + value} },
	}
}

// pins returns the numbers of pins per node that are tried on a target. These are the number of inputs of the
// target's LUTs and a smaller number.
func pins(lut int) []string {
	if lut <= 4 {
		return []string{"2", "4"}
	}
	return []string{"4", strconv.Itoa(lut)}
}

// usualBits is the largest n_b that is tried on data with many features. Larger values are tried if this makes at most
// manyInputs input bits.
const (
	usualBits  = 16
	manyInputs = 1024
)

// bits returns the values of n_b that are tried. All of them are possible for the feature words.
func (s subject) bits() (all []string) {
	for _, bits := range []int{2, 4, 6, 8, 12, 16, 32, 64} {
		large := bits > usualBits && s.features*(bits-1) > manyInputs
		if len(all) == 0 || bits <= 1<<s.bitsIn && !large {
			all = append(all, strconv.Itoa(bits))
		}
	}
	return all
}

// tau returns the divisor of the class counts. It is the argument value times the square root of the number of chains
// per class, because the standard deviation of a count grows with this square root.
func tau(value string, s size) float64 {
	factor, err := strconv.ParseFloat(value, 64)
	if err != nil {
		panic("fit: tau " + value)
	}
	return factor * math.Sqrt(float64(s.width)/float64(s.classes))
}

// leastPressure is the smallest pressure above 0 that the search tries.
const leastPressure = 0.006

// pressure returns the keys of a pressure towards fewer LUTs. The pressure is the argument value divided by the
// number of chains, because the number of LUTs of a network is proportional to the number of chains.
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

// For each way of changing images in training, changes has the keys.
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

// changeKeys returns all keys below train.augment.
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

// spread returns up to n different candidates, beginning with the usual one. The values of each dimension occur about
// equally often. From one candidate to the next, the position in each dimension moves by an irrational step that is
// different for each dimension (Kronecker's sequence).
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

// neighbours returns the candidates that differ from c by one step in a single dimension.
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

// text returns the values of a candidate as text.
func (c candidate) text(all []dimension) (text string) {
	for i, d := range all {
		if i > 0 {
			text += ", "
		}
		text += d.name + " " + c[i]
	}
	return text
}
