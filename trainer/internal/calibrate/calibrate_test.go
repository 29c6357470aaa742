package calibrate

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/metrics"
	"ialgn/internal/model"
)

func scores(classes int, counts []int32) *model.Scores {
	s := &model.Scores{Classes: classes, Counts: counts, Predicted: make([]uint8, len(counts)/classes)}
	s.Classify(nil)
	return s
}

// TestTemperature compares temperatures with those of lab/calibrate/golden.py.
func TestTemperature(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("testdata", "golden.json"))
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Cases []struct {
			Classes     int
			Labels      []int
			Counts      []int32
			Temperature float64
		}
	}
	if err := json.Unmarshal(b, &golden); err != nil {
		t.Fatal(err)
	}
	for i, c := range golden.Cases {
		var labels []uint8
		for _, label := range c.Labels {
			labels = append(labels, uint8(label))
		}
		got := Temperature(scores(c.Classes, c.Counts), labels)
		if math.Abs(got-c.Temperature) > 1e-5*c.Temperature {
			t.Errorf("case %d: temperature %v, scipy finds %v", i, got, c.Temperature)
		}
	}
	if len(golden.Cases) == 0 {
		t.Error("no cases")
	}
}

// TestTemperatureLimits checks counts for which the likelihood has no maximum, and the bits of one result.
func TestTemperatureLimits(t *testing.T) {
	for _, test := range []struct {
		name   string
		counts []int32
		want   float64
	}{
		{"all correct", []int32{5, 1, 0, 3}, LeastTemperature},
		{"all wrong", []int32{1, 5, 3, 0}, LargestTemperature},
		{"no difference", []int32{4, 4, 4, 4}, LargestTemperature},
		{"one of three wrong", []int32{3, 1, 1, 3, 1, 3, 3, 1}, 0},
	} {
		labels := []uint8{0, 1, 1, 1}[:len(test.counts)/2]
		got := Temperature(scores(2, test.counts), labels)
		if test.want == 0 {
			test.want = rounded(2 / math.Log(3)) // the share of right answers, 3 of 4, is 1 / (1 + exp(-2/T))
		}
		if got != test.want {
			t.Errorf("%s: temperature %v, want %v", test.name, got, test.want)
		}
	}
}

// random returns random samples of which the last class is rare, and has too small counts.
func random(r *rand.Rand, samples, classes int) (*model.Scores, []uint8) {
	counts, labels := make([]int32, samples*classes), make([]uint8, samples)
	for i := range labels {
		if labels[i] = uint8(r.IntN(classes)); int(labels[i]) == classes-1 && r.IntN(3) > 0 {
			labels[i] = 0
		}
		for c := range classes {
			counts[i*classes+c] = int32(r.IntN(5))
		}
		counts[i*classes+int(labels[i])] += 3
		counts[i*classes+classes-1] = max(0, counts[i*classes+classes-1]-3)
	}
	return scores(classes, counts), labels
}

// value classifies samples slowly, and returns their metric.
func value(s *model.Scores, labels []uint8, offsets []int, metric metrics.Func) float64 {
	with := scores(s.Classes, slices.Clone(s.Counts))
	Add(with, offsets)
	return metric(with.Confusion(labels), nil)
}

// TestOffsets compares offsets with all offsets up to the limit. No single offset may be improved, and most results
// must be as good as the best of all.
func TestOffsets(t *testing.T) {
	const limit = 6
	best, found := 0, 0
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		classes := 2 + int(seed%2)
		s, labels := random(r, 60, classes)
		name := []string{"accuracy", "balanced_accuracy", "f1_macro", "matthews_corrcoef"}[seed%4]
		metric, err := metrics.Lookup(name, classes)
		if err != nil {
			t.Fatal(err)
		}
		got := Offsets(s, labels, limit, metric)
		if got == nil {
			continue
		}
		found++
		if slices.Min(got) != 0 || slices.Max(got) > limit {
			t.Fatalf("seed %d: offsets %v", seed, got)
		}
		is, without := value(s, labels, got, metric), value(s, labels, make([]int, classes), metric)
		if !(is > without) {
			t.Errorf("seed %d: %s is %v with offsets %v, and %v without", seed, name, is, got, without)
		}
		most := math.Inf(-1)
		for all := range int(math.Pow(limit+1, float64(classes))) {
			offsets, apart := make([]int, classes), 0
			for c := range offsets {
				if offsets[c], all = all%(limit+1), all/(limit+1); offsets[c]-slices.Min(got) != got[c] {
					apart++
				}
			}
			v := value(s, labels, offsets, metric)
			most = max(most, v)
			if apart <= 1 && v > is+1e-12 {
				t.Errorf("seed %d: %s is %v with offsets %v, but %v with %v", seed, name, is, got, v, offsets)
			}
		}
		if is > most-1e-12 {
			best++
		}
	}
	if found < 20 || best < found*2/3 {
		t.Errorf("%d of 40 networks got offsets, and %d of these are the best", found, best)
	}
}

// TestOffsetsOfNoise checks that counts that say nothing about the labels get no offsets, unless by chance.
func TestOffsetsOfNoise(t *testing.T) {
	got := 0
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 2))
		counts, labels := make([]int32, 50*3), make([]uint8, 50)
		for i := range counts {
			counts[i] = int32(r.IntN(6))
		}
		for i := range labels {
			labels[i] = uint8(r.IntN(3))
		}
		metric, err := metrics.Lookup("balanced_accuracy", 3)
		if err != nil {
			t.Fatal(err)
		}
		if Offsets(scores(3, counts), labels, 6, metric) != nil {
			got++
		}
	}
	if got > 24 {
		t.Errorf("%d of 40 sets of noise got offsets", got)
	}
}

// TestOffsetsWithoutSamplesOfAClass checks that a class without samples gets no low offset: the metric would be best if
// the class were never predicted.
func TestOffsetsWithoutSamplesOfAClass(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	s, labels := random(r, 200, 3)
	for name, relabel := range map[string]func(i int) uint8{
		"all": func(i int) uint8 { return labels[i] }, "two": func(i int) uint8 { return labels[i] % 2 },
		"one": func(int) uint8 { return 1 },
	} {
		seen := make([]uint8, len(labels))
		for i := range seen {
			seen[i] = relabel(i)
		}
		metric, err := metrics.Lookup("balanced_accuracy", 3)
		if err != nil {
			t.Fatal(err)
		}
		if got := Offsets(s, seen, 6, metric); (got != nil) != (name == "all") {
			t.Errorf("samples of %s classes: offsets %v", name, got)
		}
	}
	single := scores(2, []int32{1, 2})
	accuracy, err := metrics.Lookup("accuracy", 2)
	if err != nil {
		t.Fatal(err)
	}
	if got := Offsets(single, []uint8{0}, 6, accuracy); got != nil {
		t.Errorf("a single sample: offsets %v", got)
	}
	want := &model.Calibration{Samples: 1, Temperature: LargestTemperature, Leads: []int{0, 1}, Correct: []int{0, 0}}
	if diff := cmp.Diff(want, Calibration(single, []uint8{0})); diff != "" {
		t.Errorf("calibration of a single sample (-want +got):\n%s", diff)
	}
}

// flipping returns samples of two classes. A sample becomes class 0 when the offset of class 0 is at[i] larger than the
// offset of class 1.
func flipping(at ...int32) *model.Scores {
	var counts []int32
	for _, d := range at {
		counts = append(counts, 0, d)
	}
	return scores(2, counts)
}

// TestImprove has accuracies that are equally good with offset 1 and with the offsets 4 to 8. At offset 6, one sample
// becomes right and another one wrong.
func TestImprove(t *testing.T) {
	s := flipping(1, 1, 2, 4, 6, 6, 9)
	accuracy, err := metrics.Lookup("accuracy", 2)
	if err != nil {
		t.Fatal(err)
	}
	all := search{2, accuracy, &shifted{2, s.Counts, []uint8{0, 0, 1, 0, 0, 1, 1}, 12}}
	offsets := []int{0, 0}
	if value := all.improve(offsets, 0, all.value(offsets)); offsets[0] != 6 || value != 5.0/7 {
		t.Errorf("offset %d with accuracy %v, want the middle of 4 to 8 and 5/7", offsets[0], value)
	}
}

// TestOffsetsLimit has samples that need an offset of 2, or a difference of 3 the other way.
func TestOffsetsLimit(t *testing.T) {
	accuracy, err := metrics.Lookup("accuracy", 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		at     []int32
		labels []uint8
		limit  int
		want   []int
	}{
		{[]int32{2, 2, 9, 9}, []uint8{0, 0, 1, 1}, 1, nil},
		{[]int32{2, 2, 9, 9}, []uint8{0, 0, 1, 1}, 2, []int{2, 0}},
		{[]int32{-2, -2, -9, -9}, []uint8{1, 1, 0, 0}, 2, nil},
		{[]int32{-2, -2, -9, -9}, []uint8{1, 1, 0, 0}, 3, []int{0, 3}},
	} {
		if got := Offsets(flipping(test.at...), test.labels, test.limit, accuracy); !slices.Equal(got, test.want) {
			t.Errorf("differences %v, limit %d: offsets %v, want %v", test.at, test.limit, got, test.want)
		}
	}
}

// TestStep checks which value of an interval is taken.
func TestStep(t *testing.T) {
	for _, test := range []struct {
		s    step
		want int
	}{
		{step{2, 1, 0}, 2}, {step{2, 3, 0}, 3}, {step{0, 4, 0}, 1}, {step{-5, 3, 0}, -3}, {step{3, 3, 0}, 3},
	} {
		if got := (*shifted)(nil).among(test.s, nil, 0, -5, 5); got != test.want {
			t.Errorf("middle of %+v is %d, want %d", test.s, got, test.want)
		}
	}
}

// TestCalibration counts leads by hand.
func TestCalibration(t *testing.T) {
	s := scores(3, []int32{4, 4, 1, 5, 2, 0, 1, 2, 5, 0, 0, 1})
	want := &model.Calibration{
		Samples: 4, Temperature: Temperature(s, []uint8{1, 0, 2, 0}), Leads: []int{1, 1, 0, 2}, Correct: []int{0, 0, 0, 2},
	}
	if diff := cmp.Diff(want, Calibration(s, []uint8{1, 0, 2, 0})); diff != "" {
		t.Errorf("calibration (-want +got):\n%s", diff)
	}
}
