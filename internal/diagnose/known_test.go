package diagnose

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/netgen"
	"ialgn/internal/outfile"
)

// TestKnown probes networks that read the same input. The input must be probed only once. It must be probed again
// only if a label, a sample or the protocol differs.
func TestKnown(t *testing.T) {
	p := Protocol{Epochs: 3, Batch: 50, Rate: 0.01, Starts: 2, Seed: 1}
	a, b, labels, samples := probeNetwork(4), probeNetwork(5), probeNetwork(4), probeNetwork(4)
	labels.Test.Labels[7] ^= 1
	samples.Train = netgen.Samples(&samples.Encoder, samples.Train.Len(), 3, 3)
	longer := p
	longer.Epochs++
	known := new(Known)
	for i, tt := range []struct {
		n       ProbeNetwork
		p       Protocol
		layers  int // number of layers that are not known yet and are trained
		results int // number of known results after the run
	}{
		{a, p, 2, 2}, {a, p, 0, 2}, {b, p, 1, 3}, {labels, p, 2, 5}, {samples, p, 2, 7}, {a, longer, 2, 9},
	} {
		tt.n.Known = new(Known)
		want, err := tt.n.Run(t.Context(), []int{0, 1}, tt.p, 2, func(int, int) {})
		if err != nil {
			t.Fatal(err)
		}
		tt.n.Known = known
		calls := 0
		got, err := tt.n.Run(t.Context(), []int{0, 1}, tt.p, 1, func(done, all int) {
			if calls++; done != calls || all != tt.layers*tt.p.Epochs {
				t.Errorf("run %d, call %d: %d of %d epochs", i, calls, done, all)
			}
		})
		if err != nil || calls != tt.layers*tt.p.Epochs {
			t.Fatalf("run %d: %v after %d epochs", i, err, calls)
		}
		if diff := cmp.Diff(want, got); diff != "" || len(known.results) != tt.results {
			t.Errorf("run %d: %d layers known, want %d; alone and with what was known:\n%s", i, len(known.results), tt.results,
				diff)
		}
	}
}

// TestKnownAtOnce probes layers with the same bits at the same time. One goroutine trains and the others wait. If the
// training goroutine fails, another one must train instead.
func TestKnownAtOnce(t *testing.T) {
	f := netgen.Model(netgen.ModelOptions{Width: 99, Depth: 6, Features: 9, Seed: 4, ShareA: 1}).Freeze()
	n := probeNetwork(4)
	n.Frozen, n.Known = f, new(Known)
	p := Protocol{Epochs: 3, Batch: 50, Rate: 0.01, Starts: 2, Seed: 1}
	calls := 0
	got, err := n.Run(t.Context(), []int{1, 2, 3, 4, 5, 6}, p, 4, func(int, int) { calls++ })
	if err != nil || calls != p.Epochs || len(n.Known.results) != 1 {
		t.Errorf("%v, %d epochs, %d results", err, calls, len(n.Known.results))
	}
	for i := range got {
		if diff := cmp.Diff(got[0], got[i]); diff != "" {
			t.Errorf("layer %d: %s", i+1, diff)
		}
	}

	failed := errors.New("failed")
	first, waits := make(chan struct{}), make(chan error)
	var k Known
	go k.do(t.Context(), task{}, func() ([]float64, error) {
		close(first)
		<-waits
		return nil, failed
	})
	<-first
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := k.do(ctx, task{}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("waiting without an end: %v", err)
	}
	close(waits)
	accuracies, known, err := k.do(t.Context(), task{}, func() ([]float64, error) { return []float64{1}, nil })
	if known || err != nil || len(accuracies) != 1 {
		t.Errorf("after another's failure: %v, known %v, %v", accuracies, known, err)
	}
}

// TestVersion compares results with recorded figures. If the results change, the constant version must change too,
// because existing files contain the old results.
func TestVersion(t *testing.T) {
	got, err := probeNetwork(4).Run(t.Context(), []int{0, 6}, Protocol{Epochs: 3, Batch: 50, Rate: 0.01, Starts: 2, Seed: 1}, 1,
		func(int, int) {})
	if diff := cmp.Diff([][]float64{{0.8233333333333334, 0.7166666666666667}, {0.6633333333333333, 0.6666666666666666}},
		got); diff != "" || err != nil {
		t.Errorf("%v; if this is meant, increase version, so that figures of before are not taken from files (-version %d "+
			"+now):\n%s", err, version, diff)
	}
}

// open opens a file of results. If writing to it fails, the test fails.
func open(t *testing.T, path string) *Known {
	t.Helper()
	k, err := OpenKnown(path, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestKept interrupts a run after its first layer and resumes it. The resumed run must use the results in the file.
func TestKept(t *testing.T) {
	p := Protocol{Epochs: 3, Batch: 50, Rate: 0.01, Starts: 2, Seed: 1}
	path := filepath.Join(t.TempDir(), "kept.jsonl")
	n := probeNetwork(4)
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
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, link} {
		if _, err := OpenKnown(name, nil); !errors.Is(err, outfile.ErrHeld) {
			t.Errorf("a second process by %s: %v", name, err)
		}
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

	// The file gets numbers that no run computes. Results with these numbers show that the file was read.
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

// TestKeptUnwritable removes the folder. The run must continue, and report the failure for each layer.
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
	n := probeNetwork(4)
	n.Known = k
	got, err := n.Run(t.Context(), []int{0, 1}, Protocol{Epochs: 1, Batch: 50, Starts: 1}, 1, func(int, int) {})
	if err != nil || len(got) != 2 || warnings != 2 {
		t.Errorf("%v, %v, %d warnings", got, err, warnings)
	}
}

// TestOpenKnown checks that files that are not files of results are refused.
func TestOpenKnown(t *testing.T) {
	const good = `{"version":1,"train_digest":"a","test_digest":"b","classes":3,"epochs":1,"batch":50,"rate":0.01,"starts":2,"seed":1,"accuracies":[0.5,1]}`
	for _, tt := range []struct{ text, want string }{
		{good + "\n" + good[:40], "line 2: unexpected EOF"},
		{good + "\n\n" + good, "line 2: is empty"},
		{"{}", "line 1: 0 accuracies of 0 starts"},
		{good + good, "line 1: byte 137: something follows the result"},
		{good + "\n" + strings.Replace(good, "0.5,", "", 1), "line 2: 1 accuracies of 2 starts"},
		{strings.Replace(good, "0.5", "-0.5", 1), "line 1: accuracies [-0.5 1] are not all between 0 and 1"},
		{strings.Replace(good, "0.5", "5", 1), "line 1: accuracies [5 1] are not all between 0 and 1"},
		{strings.Replace(good, "seed", "sead", 1), `line 1: json: unknown field "sead"`},
		{good + "\n" + strings.Replace(good, "0.5", `"x"`, 1), "line 2: accuracies: string has no place there (byte 133)"},
		{good + "\n" + strings.Replace(good, "0.5", "x", 1), "line 2: byte 131: invalid character"},
		{"\x80PNG", "line 1: byte 1: invalid character"},
		{strings.Repeat("[", 2<<20), "line 1: bufio.Scanner: token too long"},
	} {
		path := filepath.Join(t.TempDir(), "kept.jsonl")
		if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second open succeeds only if the first file was closed
			if _, err := OpenKnown(path, nil); err == nil || !strings.Contains(err.Error(), path+": "+tt.want) {
				t.Errorf("%.300s: %v, want %s", tt.text, err, tt.want)
			}
		}
	}
	if _, err := OpenKnown(t.TempDir(), nil); err == nil {
		t.Error("a folder was opened")
	}
}
