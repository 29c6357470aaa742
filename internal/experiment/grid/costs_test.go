package grid

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"ialgn/internal/config"
	"ialgn/trainer"
)

// trained quickly trains a model and returns its path and its checksum.
func trained(t *testing.T) (path, sum string) {
	t.Helper()
	cfg, err := config.Parse("tiny", nil, []string{
		"data.set=digits", "encoder.bits=4", "model.width=60", "model.depth=2", "model.anchors=8", "model.tau=2",
		"model.init=random", "train.epochs=1",
	})
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "tiny.safetensors")
	summary, err := trainer.Run{Config: cfg, Model: path}.Train(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return path, summary.SHA256
}

// TestCosts counts the LUTs for a family and stores the counts in the result. For another family the LUTs must be
// counted again. A family with LUTs of four inputs needs more LUTs.
func TestCosts(t *testing.T) {
	path, sum := trained(t)
	without, err := (&Plan{}).resultOf(t.Context(), path, sum)
	if err != nil || without.Costs != nil {
		t.Fatalf("without a target: %+v, error %v", without, err)
	}
	of := func(target string) Costs {
		t.Helper()
		r, err := (&Plan{Target: target}).resultOf(t.Context(), path, sum)
		if err != nil {
			t.Fatal(err)
		}
		return *r.Costs
	}
	six := of(UsualTarget)
	if six.Target != "" || six.Full() < 1 || six.Full() != six.Gates+six.Head+six.Encoder {
		t.Errorf("%+v", six)
	}
	if four := of("ice40"); four.Target != "ice40" || four.Full() <= six.Full() {
		t.Errorf("of four inputs %+v, of six %+v", four, six)
	}
	if again := of(UsualTarget); again != six {
		t.Errorf("first %+v, then %+v", six, again)
	}
	kept, err := os.ReadFile(ResultPath(path))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (&Plan{}).resultOf(t.Context(), path, sum); err != nil {
		t.Fatal(err)
	}
	if now, err := os.ReadFile(ResultPath(path)); err != nil || string(now) != string(kept) {
		t.Errorf("without a target the costs are dropped: %s, error %v", now, err)
	}
}

// TestCostsRefuse checks that counting returns an error with a cancelled context, and for a file that is not a model.
func TestCostsRefuse(t *testing.T) {
	path, _ := trained(t)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := costsOf(ended, path, UsualTarget); !errors.Is(err, trainer.ErrInterrupted) {
		t.Errorf("a context that ended: error %v", err)
	}
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := costsOf(t.Context(), path, UsualTarget); err == nil {
		t.Error("costs of an empty file")
	}
}
