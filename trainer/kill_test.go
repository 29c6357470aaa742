package trainer

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// killCount is the environment variable with the number of kills of [TestKillCount].
const killCount = "IALGN_KILLS"

// TestKillCount kills training processes at random times, uniformly distributed over the duration of a run. It
// resumes each run until the run ends, and then begins the next run. It stops after the number of kills that the
// environment variable gives (`make kill-test COUNT=200`). The process checkpoints as often as possible. Each model
// must have the bytes of an undisturbed run.
func TestKillCount(t *testing.T) {
	count, err := strconv.Atoi(os.Getenv(killCount))
	if err != nil || count < 1 {
		t.Skipf("make kill-test sets %s", killCount)
	}
	for kind := range killedRuns {
		t.Run(kind, func(t *testing.T) { killUniformly(t, kind, (count+1)/2) })
	}
}

func killUniformly(t *testing.T, kind string, count int) {
	begin := time.Now()
	wholePath := filepath.Join(t.TempDir(), "m")
	kill(t, kind, wholePath, func(<-chan struct{}) {}, false)
	whole, length := read(t, wholePath), time.Since(begin)
	random := rand.New(rand.NewPCG(uint64(count), 2))
	kills, resumed, runs := 0, 0, 0
	writing := map[string]int{}
	for ; kills < count; runs++ {
		path := filepath.Join(t.TempDir(), "m")
		for {
			if _, err := os.Stat(CheckpointPath(path)); err == nil {
				resumed++
			}
			wait := delay(time.Duration(random.Int64N(int64(length))))
			if kill(t, kind, path, wait, kills < count) {
				break
			}
			kills++
			for _, name := range leftovers(t, path) {
				file, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(name), ".m."), ".")
				writing[file]++
			}
		}
		if !bytes.Equal(read(t, path), whole) {
			t.Fatalf("run %d: the model differs from an undisturbed run's", runs)
		}
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) > 0 {
			t.Errorf("run %d: files left next to the model: %q", runs, left)
		}
	}
	t.Logf("%s: %d kills over %d runs of %.1f s, %d resumed from a checkpoint, while a file was written: %v; all "+
		"models have the same bytes",
		kind, kills, runs, length.Seconds(), resumed, writing)
}
