package probe

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/filelock"
	"ialgn/internal/modelgen"
)

// TestKnown probes networks that read the same input: it is probed once, and anew when a label,
// a sample or the protocol is another.
func TestKnown(t *testing.T) {
	p := Protocol{Epochs: 3, Batch: 50, Rate: 0.01, Starts: 2, Seed: 1}
	a, b, labels, samples := network(4), network(5), network(4), network(4)
	labels.Test.Labels[7] ^= 1
	samples.Train = modelgen.Samples(&samples.Encoder, samples.Train.Len(), 3, 3)
	longer := p
	longer.Epochs++
	known := new(Known)
	for i, tt := range []struct {
		n    Network
		p    Protocol
		want int // what is known afterwards
	}{
		{a, p, 2}, {a, p, 2}, {b, p, 3}, {labels, p, 5}, {samples, p, 7}, {a, longer, 9},
	} {
		tt.n.Known = new(Known)
		calls := 0
		step := func(done, all int) {
			if calls++; done != calls || all != 2*tt.p.Epochs {
				t.Errorf("run %d, call %d: %d of %d epochs", i, calls, done, all)
			}
		}
		want, err := tt.n.Run(t.Context(), []int{0, 1}, tt.p, 2, step)
		if err != nil {
			t.Fatal(err)
		}
		tt.n.Known, calls = known, 0
		got, err := tt.n.Run(t.Context(), []int{0, 1}, tt.p, 2, step)
		if err != nil || calls != 2*tt.p.Epochs {
			t.Fatalf("run %d: %v after %d epochs", i, err, calls)
		}
		if diff := cmp.Diff(want, got); diff != "" || len(known.results) != tt.want {
			t.Errorf("run %d: %d layers known, want %d; alone and with what was known:\n%s", i, len(known.results), tt.want, diff)
		}
	}
	for i := range known.results {
		known.results[i].Accuracies = []float64{2}
	}
	a.Known = known
	got, err := a.Run(t.Context(), []int{0, 1}, p, 1, func(int, int) {})
	if diff := cmp.Diff([][]float64{{2}, {2}}, got); diff != "" || err != nil {
		t.Errorf("what is known was probed again: %v\n%s", err, diff)
	}
}

// open opens a file of results whose writing must not fail.
func open(t *testing.T, path string) *Known {
	t.Helper()
	k, err := OpenKnown(path, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestKept interrupts a run after its first layer, and goes on with what the file kept.
func TestKept(t *testing.T) {
	p := Protocol{Epochs: 3, Batch: 50, Rate: 0.01, Starts: 2, Seed: 1}
	path := filepath.Join(t.TempDir(), "kept.jsonl")
	n := network(4)
	n.Known = new(Known)
	want, err := n.Run(t.Context(), []int{0, 1, 6}, p, 1, func(int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	n.Known = open(t, path)
	if _, err := n.Run(ctx, []int{0, 1, 6}, p, 1, func(done, _ int) {
		if done == 4 {
			cancel()
		}
	}); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want canceled", err)
	}
	if _, err := OpenKnown(path, nil); !errors.Is(err, filelock.ErrHeld) {
		t.Errorf("a second process: %v", err)
	}
	n.Known.Close()
	text, err := os.ReadFile(path)
	if err != nil || strings.Count(string(text), "\n") != 1 {
		t.Fatalf("%v, the file has\n%s", err, text)
	}
	n.Known = open(t, path)
	got, err := n.Run(t.Context(), []int{0, 1, 6}, p, 2, func(int, int) {})
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	n.Known.Close()

	// That the file was read shows in numbers that only it has.
	text, err = os.ReadFile(path)
	if err != nil || strings.Count(string(text), "\n") != 3 {
		t.Fatalf("%v, the file has\n%s", err, text)
	}
	first, _, _ := strings.Cut(string(text), `"accuracies":`)
	_, others, _ := strings.Cut(string(text), "\n")
	if err := os.WriteFile(path, []byte(first+`"accuracies":[0.125,0.25]}`+"\n"+others), 0o600); err != nil {
		t.Fatal(err)
	}
	n.Known = open(t, path)
	defer n.Known.Close()
	want[0] = []float64{0.125, 0.25}
	got, err = n.Run(t.Context(), []int{0, 1, 6}, p, 2, func(int, int) {})
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("from an edited file: %v\n%s", err, diff)
	}
}

// TestKeptUnwritable takes the folder away: the run goes on, and says so of each layer.
func TestKeptUnwritable(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "gone")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	warnings := 0
	k, err := OpenKnown(filepath.Join(folder, "kept.jsonl"), func(error) { warnings++ })
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	n := network(4)
	n.Known = k
	got, err := n.Run(t.Context(), []int{0, 1}, Protocol{Epochs: 1, Batch: 50, Starts: 1}, 1, func(int, int) {})
	if err != nil || len(got) != 2 || warnings != 2 {
		t.Errorf("%v, %v, %d warnings", got, err, warnings)
	}
}

// TestOpenKnown opens what is no file of results.
func TestOpenKnown(t *testing.T) {
	const good = `{"train_digest":"a","test_digest":"b","classes":3,"epochs":1,"batch":50,"rate":0.01,"starts":2,"seed":1,"accuracies":[0.5,1]}`
	for _, tt := range []struct{ text, want string }{
		{good + "\n" + good[:40], "result 2: unexpected EOF"},
		{"{}", "result 1: 0 accuracies of 0 starts"},
		{good + strings.Replace(good, "0.5,", "", 1), "result 2: 1 accuracies of 2 starts"},
		{strings.Replace(good, "0.5", "-0.5", 1), "result 1: accuracies [-0.5 1] are not all between 0 and 1"},
		{strings.Replace(good, "0.5", "5", 1), "result 1: accuracies [5 1] are not all between 0 and 1"},
		{strings.Replace(good, "seed", "sead", 1), `result 1: json: unknown field "sead"`},
		{strings.Replace(good, "0.5", `"x"`, 1), "result 1: accuracies: string has no place there"},
		{"\x80PNG", "result 1: byte 1: invalid character"},
	} {
		path := filepath.Join(t.TempDir(), "kept.jsonl")
		if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second time shows that the first gave the lock back
			if _, err := OpenKnown(path, nil); err == nil || !strings.Contains(err.Error(), path+": "+tt.want) {
				t.Errorf("%s: %v, want %s", tt.text, err, tt.want)
			}
		}
	}
	if _, err := OpenKnown(t.TempDir(), nil); err == nil {
		t.Error("a folder was opened")
	}
}
