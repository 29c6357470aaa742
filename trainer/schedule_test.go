package trainer

import (
	"math"
	"testing"

	"ialgn/internal/config"
)

// course returns a schedule of 100 epochs of 10 batches at the rate 0.5.
func course(s config.Schedule) schedule {
	return newSchedule(&config.Train{Optimizer: config.Optimizer{LR: 0.5}, Epochs: 100, Schedule: s}, 10)
}

func TestRate(t *testing.T) {
	for _, test := range []struct {
		name     string
		schedule config.Schedule
		want     map[int]float64 // expected rate at each step
	}{
		{"constant", config.Schedule{Kind: "constant"}, map[int]float64{1: 0.5, 2: 0.5, 1000: 0.5, 5000: 0.5}},
		{"warm-up", config.Schedule{Kind: "constant", Warmup: 1}, map[int]float64{
			1: 0.05, 5: 0.25, 9: 0.45, 10: 0.5,
			11: 0.5,
		}},
		{
			"part of an epoch",
			config.Schedule{Kind: "constant", Warmup: 0.25},
			map[int]float64{1: 0.5 / 3, 2: 1.0 / 3, 3: 0.5},
		},
		{
			"step",
			config.Schedule{Kind: "step", Every: 2, Factor: 0.5},
			map[int]float64{1: 0.5, 20: 0.5, 21: 0.25, 40: 0.25, 41: 0.125, 1001: math.Pow(0.5, 51)},
		},
		{
			"step in the warm-up",
			config.Schedule{Kind: "step", Every: 2, Factor: 0.5, Warmup: 4},
			map[int]float64{20: 0.25, 30: 0.25 * 30 / 40, 40: 0.25, 41: 0.125},
		},
		{"step down to nothing", config.Schedule{Kind: "step", Every: 1, Factor: 0.001}, map[int]float64{1000: leastRate}},
		{"cosine", config.Schedule{Kind: "cosine"}, map[int]float64{
			1: 0.5, 251: 0.25 * (1 + math.Sqrt2/2), 501: 0.25,
			1000: 0.5 * math.Pow(math.Sin(math.Pi/2000), 2), 1001: leastRate,
		}},
		{
			"cosine to a tenth",
			config.Schedule{Kind: "cosine", Final: 0.1},
			map[int]float64{1: 0.5, 501: 0.275, 1001: 0.05, 1002: 0.05},
		},
		{
			"cosine after a warm-up",
			config.Schedule{Kind: "cosine", Warmup: 20},
			map[int]float64{1: 0.0025, 100: 0.25, 200: 0.5, 201: 0.5, 601: 0.25},
		},
		{"flat cosine", config.Schedule{Kind: "cosine", Final: 1}, map[int]float64{1: 0.5, 700: 0.5}},
	} {
		s := course(test.schedule)
		for step, want := range test.want {
			if got := s.rate(step); math.Abs(got-want) > 1e-12*want {
				t.Errorf("%s: rate %v at step %d, want %v", test.name, got, step, want)
			}
		}
	}
	if s := course(config.Schedule{Kind: "constant"}); s.rate(123) != 0.5 {
		t.Error("a constant rate is not exactly the one that was given")
	}
}

// TestWarmupSteps rounds decimal numbers up to whole steps, including decimals that float64 cannot represent exactly.
func TestWarmupSteps(t *testing.T) {
	for _, c := range []struct {
		epochs        float64
		batches, want int
	}{
		{0, 600, 0},
		{5, 600, 3000},
		{0.1, 30, 3},
		{0.07, 100, 7},
		{0.07, 600, 42},
		{0.07, 601, 43},
		{4.15, 60, 249},
		{8.3, 30, 249},
		{1e-9, 600, 1},
		{1.0 / 3, 3, 1},
		{999999.5, 2, 1999999},
	} {
		if got := warmupSteps(c.epochs, c.batches); got != c.want {
			t.Errorf("%v epochs of %d batches: %d steps, want %d", c.epochs, c.batches, got, c.want)
		}
	}
	s := newSchedule(&config.Train{Epochs: 1, Schedule: config.Schedule{Warmup: 0.07}}, 100)
	if s.warmup != 7 {
		t.Errorf("a schedule with a warm-up of %d steps, want 7", s.warmup)
	}
}

// TestRateBits compares rates with recorded bits. The bits of the rates decide the bytes of every trained model.
func TestRateBits(t *testing.T) {
	for _, c := range []struct {
		schedule config.Schedule
		want     uint64
	}{
		{config.Schedule{Kind: "cosine", Warmup: 3, Final: 0.01}, 0x3fd90216e654fd51},
		{config.Schedule{Kind: "step", Every: 3, Factor: 0.3}, 0x3eadb867dcfe5e41},
	} {
		s := course(c.schedule)
		if got := math.Float64bits(s.rate(333)); got != c.want {
			t.Errorf("%+v: rate with the bits %#x, want %#x", c.schedule, got, c.want)
		}
	}
}
