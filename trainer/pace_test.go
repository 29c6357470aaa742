package trainer

import (
	"slices"
	"testing"

	"ialgn/internal/config"
)

// TestPace measures networks of every engine, and refuses networks that cannot be measured.
func TestPace(t *testing.T) {
	for _, sets := range [][]string{
		{},
		{"model.topology=rwlgn"},
		{"model.hidden=4"},
		{"train.estimator=soft"},
		{"model.topology=rwlgn", "model.parametrization=light"},
		{"model.depth=1"},
	} {
		if pace, err := Pace(parse(t, sets...), 64, 10, 1); err != nil || pace < 1e3 || pace > 1e11 {
			t.Errorf("%v: %v gate steps/s, error %v", sets, pace, err)
		}
	}
	if _, err := Pace(parse(t, "model.width=61"), 64, 10, 1); err == nil {
		t.Error("61 chains were split into 10 classes")
	}
}

// TestBytes compares the estimated memory with arrays of known size.
func TestBytes(t *testing.T) {
	bytes := func(sets ...string) float64 {
		cfg, err := config.Parse("t", nil, append([]string{"data.set=cifar10", "model.width=12000"}, sets...))
		if err != nil {
			t.Fatal(err)
		}
		return float64(Bytes(&cfg, 3072, 60_000))
	}
	gate := (bytes("model.depth=100") - bytes("model.depth=50")) / (50 * 12_000)
	if gate < 640 || gate > 800 { // TestBytesPerGate measures 576 to 660
		t.Errorf("%v bytes a gate of an IALGN", gate)
	}
	soft := (bytes("model.depth=100", "train.estimator=soft") - bytes("model.depth=100")) / (100 * 12_000)
	if soft < 400 || soft > 600 { // each bit has a float32 for each of 128 samples
		t.Errorf("%v bytes a gate more for relaxed values", soft)
	}
	deep := []string{"model.depth=2", "model.inputs=6", "encoder.bits=4", "encoder.thresholds="}
	learned, uniform := slices.Clone(deep), slices.Clone(deep)
	learned[3] += "learned"
	uniform[3] += "uniform"
	// Memory for all samples' words of 8 bits, 256 sums of 8 bytes for each input, and 256 counts for each feature.
	if more, want := bytes(learned...)-bytes(uniform...), 3072*60_000+3072*3*2048+3072*1024.0; more < want || more > 1.01*want {
		t.Errorf("%v bytes for learned thresholds, want %v", more, want)
	}
	if least := bytes("model.depth=1", "model.width=10"); least < 92e6 || least > 400e6 { // the packed data
		t.Errorf("%v bytes for a tiny network", least)
	}
}
