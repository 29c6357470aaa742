package config

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"ialgn/internal/decimal"
	"ialgn/internal/message"
)

// These are the values of train.class_weights that are not lists. The value none is stored as empty text.
const (
	weightsNone     = "none"
	weightsBalanced = "balanced"
)

// weightLimit is the range of a class weight.
var weightLimit = limit{"train.class_weights", 0.001, 1e6}

// classWeight is an entry of a list of class weights.
type classWeight struct {
	class  string
	weight float64
}

// parseWeights reads a list of class weights, such as
//
//	S=8, V=2.5, "a, b"=3
//
// A name that contains a comma or begins with a quote is written in double quotes, as in [Names].
func parseWeights(list string) (all []classWeight, err error) {
	for rest, more := list, true; more; {
		var name, number string
		quoted := strings.HasPrefix(strings.TrimSpace(rest), `"`)
		if name, rest, err = firstName(rest); err != nil {
			return nil, err
		}
		if quoted {
			number, rest, more = strings.Cut(rest, ",")
			name += number
		} else {
			rest, more = strings.CutPrefix(rest, ",")
		}
		at := strings.LastIndexByte(name, '=')
		if at < 0 {
			return nil, fmt.Errorf("%.40q is not a class with its weight", name)
		}
		w := classWeight{class: strings.TrimSpace(name[:at])}
		number = strings.TrimSpace(name[at+1:])
		if w.weight, err = decimal.Float(number); err != nil {
			return nil, fmt.Errorf("%.20q, the weight of class %.40q, is not a number", number, w.class)
		}
		switch {
		case w.class == "":
			return nil, errors.New("a class has no name")
		case !(w.weight >= weightLimit.min && w.weight <= weightLimit.max):
			return nil, fmt.Errorf("%s, the weight of class %.40q, is outside %s", format(w.weight), w.class, weightLimit)
		case slices.ContainsFunc(all, func(o classWeight) bool { return o.class == w.class }):
			return nil, fmt.Errorf("class %.40q has two weights", w.class)
		}
		all = append(all, w)
	}
	return all, nil
}

// weightList returns the list of train.class_weights, or nil if the value is none or balanced.
func (c *Config) weightList() ([]classWeight, error) {
	switch c.Train.ClassWeights {
	case "", weightsNone, weightsBalanced:
		return nil, nil
	}
	return parseWeights(c.Train.ClassWeights)
}

// checkWeights checks the form of train.class_weights.
func (c *Config) checkWeights() error {
	_, err := c.weightList()
	if err == nil {
		return nil
	}
	return c.wrong(weightLimit.key, `use none, balanced, or a list such as 'rare=5, "very, rare"=8'`, "%s", err)
}

// CheckWeights returns an error if train.class_weights names a class that the data do not have.
func (c *Config) CheckWeights(classes []string) error {
	list, err := c.weightList()
	if err != nil {
		return c.checkWeights()
	}
	for _, w := range list {
		if !slices.Contains(classes, w.class) {
			shown := slices.Concat(classes[:min(len(classes), 10)], []string{"..."}[:min(1, max(0, len(classes)-10))])
			return message.Near(c.wrong(weightLimit.key, "the classes are "+strings.Join(shown, ", "),
				"the data have no class %.40q", w.class), w.class, classes)
		}
	}
	return nil
}

// ClassWeights returns the weight of each class in the loss, or nil if all classes weigh 1. counts has the number of
// training samples of each class.
//
// The weights of balanced are N / (K n), where N is the number of samples, K the number of classes that have samples,
// and n the number of samples of the class (scikit-learn, class_weight="balanced"). A class without samples weighs 1.
// Classes that a list does not name also weigh 1. The list must have passed [Config.CheckWeights].
func (c *Config) ClassWeights(classes []string, counts []int) []float32 {
	list, err := c.weightList()
	if err != nil {
		panic("config: class weights that were not checked: " + err.Error())
	}
	balanced := c.Train.ClassWeights == weightsBalanced
	if !balanced && list == nil {
		return nil
	}
	weights := make([]float32, len(classes))
	for i := range weights {
		weights[i] = 1
	}
	for _, w := range list {
		weights[slices.Index(classes, w.class)] = float32(w.weight)
	}
	if balanced {
		balance(weights, counts)
	}
	return weights
}

// balance sets the weights of the classes that have samples to the weights of balanced.
func balance(weights []float32, counts []int) {
	all, present := 0, 0
	for _, n := range counts {
		all += n
		present += min(n, 1)
	}
	for i, n := range counts {
		if n > 0 {
			weights[i] = float32(float64(all) / float64(present*n))
		}
	}
}

// RootBalanced returns a list for train.class_weights that is between none and balanced. The weight of a class is the
// square root of its weight with balanced, times a factor that makes the mean weight of all samples 1. Weights have
// four digits. counts has the number of training samples of each class. The list omits classes without samples.
func RootBalanced(classes []string, counts []int) string {
	weights := make([]float32, len(classes))
	balance(weights, counts)
	all, total := 0, 0.0
	for i, n := range counts {
		all += n
		total += float64(n) * math.Sqrt(float64(weights[i]))
	}
	var list []string
	for i, n := range counts {
		if n > 0 {
			weight := math.Sqrt(float64(weights[i])) * float64(all) / total
			list = append(list, fmt.Sprintf("%s=%.4g", JoinNames(classes[i:i+1]), weight))
		}
	}
	return strings.Join(list, ", ")
}
