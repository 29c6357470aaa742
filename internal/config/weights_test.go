package config_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/config"
	"ialgn/internal/message"
)

// weighted returns a configuration with the given train.class_weights.
func weighted(weights string) (config.Config, error) {
	text := "data: {set: mnist}\ntrain:\n  class_weights: " + config.Quoted(weights)
	return config.Parse("m.yaml", []byte(text), nil)
}

// TestClassWeights checks the weights of lists and of balanced. The weights of balanced equal the results of
// scikit-learn's compute_class_weight for the same labels.
func TestClassWeights(t *testing.T) {
	classes, counts := []string{"a", "b, c", "d=e", "f"}, []int{6, 3, 1, 0}
	for weights, want := range map[string][]float32{
		"":                              nil,
		"none":                          nil,
		"balanced":                      {10. / 18, 10. / 9, 10. / 3, 1},
		"a=5":                           {5, 1, 1, 1},
		` f = 0.5 ,"b, c" = 2.5,d=e=10`: {1, 2.5, 10, 0.5},
	} {
		c, err := weighted(weights)
		if err == nil {
			err = c.CheckWeights(classes)
		}
		if err != nil {
			t.Errorf("%q: %v", weights, err)
			continue
		}
		if diff := cmp.Diff(want, c.ClassWeights(classes, counts)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", weights, diff)
		}
	}
}

// TestClassWeightsRefused checks the errors for lists in a wrong form.
func TestClassWeightsRefused(t *testing.T) {
	for weights, want := range map[string]string{
		"balance":    `"balance" is not a class with its weight`,
		"a=5,":       `"" is not a class with its weight`,
		"a=5,,b=1":   `"" is not a class with its weight`,
		"=5":         "a class has no name",
		"a=x":        `"x", the weight of class "a", is not a number`,
		"a=":         `"", the weight of class "a", is not a number`,
		"a=NaN":      `"NaN", the weight of class "a", is not a number`,
		"a=0":        `0, the weight of class "a", is outside 0.001 to 1000000`,
		"a=-1":       `-1, the weight of class "a", is outside 0.001 to 1000000`,
		"a=1e7":      `10000000, the weight of class "a", is outside 0.001 to 1000000`,
		"a=1, a=2":   `class "a" has two weights`,
		`"a=1`:       "a quote is not closed",
		`"a"1, b=2`:  `"a1" is not a class with its weight`,
		`"a", b=2`:   `"a" is not a class with its weight`,
		"a=1 b=2, c": `"c" is not a class with its weight`,
	} {
		_, err := weighted(weights)
		const hint = `use none, balanced, or a list such as 'rare=5, "very, rare"=8'`
		if place := "m.yaml:3:18: train.class_weights: "; err == nil || err.Error() != place+want || message.Hint(err) != hint {
			t.Errorf("%q: error %v, hint %q, want %s", weights, err, message.Hint(err), want)
		}
	}
}

// TestClassWeightsOfUnknownClass checks the error for a class that the data do not have.
func TestClassWeightsOfUnknownClass(t *testing.T) {
	c, err := weighted("normal=1, Dos=3")
	if err != nil {
		t.Fatal(err)
	}
	err = c.CheckWeights([]string{"normal", "dos", "probe"})
	want, hint := `m.yaml:3:18: train.class_weights: the data have no class "Dos"`,
		"did you mean dos; the classes are normal, dos, probe"
	if err == nil || err.Error() != want || message.Hint(err) != hint {
		t.Errorf("error %v, hint %q, want %s, %q", err, message.Hint(err), want, hint)
	}
}

// TestRootBalanced checks that the list is valid, that its weights are the square roots of scikit-learn's balanced
// weights up to a common factor, and that the mean weight of the samples is 1.
func TestRootBalanced(t *testing.T) {
	classes, counts := []string{"a", "b, c", `"d"=e`, "f"}, []int{900, 80, 20, 0}
	list := config.RootBalanced(classes, counts)
	c, err := weighted(list)
	if err == nil {
		err = c.CheckWeights(classes)
	}
	if err != nil {
		t.Fatal(err)
	}
	got := c.ClassWeights(classes, counts)
	mean := 0.0
	for i, n := range counts {
		mean += float64(n) * float64(got[i]) / 1000
	}
	// balanced is 1000/(3 n), so the ratio of two roots is the square root of the inverse ratio of the counts
	if r := float64(got[2] / got[0]); math.Abs(mean-1) > 1e-3 || math.Abs(r-math.Sqrt(45)) > 0.01 || got[3] != 1 {
		t.Errorf("%s: mean %v, weights %v", list, mean, got)
	}
}
