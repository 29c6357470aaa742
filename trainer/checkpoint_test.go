package trainer

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"ialgn/internal/config"
	"ialgn/internal/testkit"
)

// TestDue checks that checkpoints are written less often on a slow disk.
func TestDue(t *testing.T) {
	for _, c := range []struct {
		minutes    string
		cost, from time.Duration // 0: never
	}{
		{"5", time.Second, 5 * time.Minute},
		{"5", 15 * time.Second, 5 * time.Minute},
		{"5", time.Minute, 20 * time.Minute},
		{"1e-9", 300 * time.Millisecond, 6 * time.Second},
		{"0", time.Second, 0},
	} {
		saved := time.Now()
		s := &session{Run: Run{Config: parse(t, "train.checkpoint.minutes="+c.minutes)}, saved: saved, saveCost: c.cost}
		if c.from == 0 {
			if s.due(saved.Add(1000 * time.Hour)) {
				t.Errorf("every %s minutes: due", c.minutes)
			}
			continue
		}
		if s.due(saved.Add(c.from-1)) || !s.due(saved.Add(c.from)) {
			t.Errorf("every %s minutes at %v a checkpoint: not due from %v on", c.minutes, c.cost, c.from)
		}
	}
}

// TestLeftovers begins a run next to the temporary files of killed runs.
func TestLeftovers(t *testing.T) {
	dir := t.TempDir()
	ours := []string{".m.checkpoint.0123abcd.tmp", ".m.89abcdef.tmp"}
	others := []string{".m2.checkpoint.0123abcd.tmp", ".m2.0123abcd.tmp", ".m.tmp", "m.0123abcd.tmp"}
	for _, name := range slices.Concat(ours, others) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("half"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := (Run{Config: parse(t, "train.epochs=1"), Model: filepath.Join(dir, "m")}).Train(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, name := range ours {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
	for _, name := range others {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Errorf("%s of another run was removed: %v", name, err)
		}
	}
}

// TestSaveAllocates checks that saving a network of 26 MB allocates little memory, because arrays are written through
// a buffer.
func TestSaveAllocates(t *testing.T) {
	cfg := parse(t, "model.width=2000", "model.depth=20", "model.anchors=32")
	s := prepared(t, cfg, filepath.Join(t.TempDir(), "m"))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := s.save(); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 1<<20 {
		t.Errorf("a checkpoint allocated %d bytes, want less than a MiB", got)
	}
	info, err := os.Stat(CheckpointPath(s.Model))
	if err != nil || info.Size() < 640*40_000 {
		t.Errorf("the checkpoint has %v, error %v: the test shows nothing", info, err)
	}
}

// TestWarns puts a folder at the checkpoint's path for a while. The run must warn, go on and write its last
// checkpoint.
func TestWarns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m")
	stone := filepath.Join(CheckpointPath(path), "stone")
	warned := 0
	r := Run{Config: parse(t, "train.checkpoint.minutes=1e-9"), Model: path}
	r.Progress = func(p Progress) {
		if p.Epoch == 1 && p.Batch == 1 {
			os.Remove(CheckpointPath(path))
			if err := os.MkdirAll(stone, 0o777); err != nil {
				t.Error(err)
			}
		}
		if p.Epoch == 2 {
			os.RemoveAll(filepath.Dir(stone))
		}
	}
	if _, err := r.Train(t.Context()); err == nil {
		t.Error("no error without anybody to warn")
	}
	os.RemoveAll(filepath.Dir(stone))
	r.Warn = func(err error) {
		warned++
		if !strings.Contains(err.Error(), CheckpointPath(path)) {
			t.Errorf("warning %v names no file", err)
		}
	}
	if _, err := r.Train(t.Context()); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(CheckpointPath(path)); warned == 0 || err != nil || !info.Mode().IsRegular() {
		t.Errorf("%d warnings, checkpoint %v, error %v", warned, info, err)
	}
}

// TestDiverged trains with numbers that are not finite. Training must end at the next checkpoint or at the end of the
// epoch, and leave no file. The error must say where training diverged and name a remedy.
func TestDiverged(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, c := range []struct {
		name, set string
		harm      func(s *session)
		want      string
	}{
		{
			"parameter", "train.checkpoint.minutes=1e-9", func(s *session) { s.m.Sections[1].Pins[1].Logits[7] = nan },
			"training diverged in epoch 1 by batch 1: section1.b.logits: NaN among the numbers, want finite ones; train anew " +
				"with a smaller train.optimizer.lr or model.depth, or with a larger model.tau",
		},
		{
			"moment", "train.checkpoint.minutes=1e-9", func(s *session) { s.eng.Moments()[3].Data[5] = inf },
			"training diverged in epoch 1 by batch 1: section0.a.logits.v: +Inf among the moments; train anew",
		},
		{
			"no checkpoints", "train.checkpoint.minutes=0", func(s *session) { s.m.Sections[0].Ops[3] = nan },
			"training diverged in epoch 1 by batch 39: section0.ops: NaN among the numbers",
		},
	} {
		path := filepath.Join(t.TempDir(), "m")
		s := prepared(t, parse(t, c.set), path)
		s.Warn = func(err error) { t.Errorf("%s: warned of %v", c.name, err) }
		c.harm(s)
		err := s.train(t.Context())
		wantError(t, err, c.want)
		if files, _ := filepath.Glob(path + "*"); len(files) > 0 {
			t.Errorf("%s: left %q", c.name, files)
		}
	}
}

// TestNegativeMoment checks that a checkpoint with a negative second moment is refused.
func TestNegativeMoment(t *testing.T) {
	cfg := parse(t)
	s := prepared(t, cfg, filepath.Join(t.TempDir(), "m"))
	s.eng.Moments()[1].Data[7] = -1e-9
	if err := s.save(); err != nil {
		t.Fatal(err)
	}
	_, err := Run{Config: cfg, Model: s.Model, Resume: true}.Train(t.Context())
	if err == nil || !strings.Contains(err.Error(), "section0.ops.v[7]") {
		t.Errorf("error %v, want one about section0.ops.v[7]", err)
	}
}

// killed and killedKind name the environment variables that make TestChild train a model. The first holds the model's
// path, and the second holds a key of killedRuns.
const killed, killedKind = "IALGN_TEST_CHILD", "IALGN_TEST_CHILD_KIND"

// killedRuns holds the overrides of runs that take about a second. The run with a validation set also writes a file
// with its best epoch. It writes this file often, because almost every early epoch is the best so far.
var killedRuns = map[string][]string{
	"plain":      nil,
	"validation": {"train.validation.share=0.3", "train.validation.patience=30"},
}

func killedConfig(t *testing.T, kind string, sets ...string) config.Config {
	t.Helper()
	all := []string{"model.width=200", "model.depth=20", "model.anchors=32", "train.epochs=35"}
	return parse(t, slices.Concat(all, killedRuns[kind], sets)...)
}

// TestChild is the process that TestKill kills. It checkpoints as often as possible.
func TestChild(t *testing.T) {
	path := os.Getenv(killed)
	if path == "" {
		t.Skip("TestKill runs it")
	}
	r := Run{Config: killedConfig(t, os.Getenv(killedKind), "train.checkpoint.minutes=1e-9"), Model: path, Threads: 2}
	_, err := os.Stat(CheckpointPath(path))
	r.Resume = err == nil
	if _, err := r.Train(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestKill kills a training process with SIGKILL at random times, while a file is being written, and when a
// checkpoint has just been renamed. It resumes the run until training ends. The model must have the bytes of an
// undisturbed run, and no other file may be left. By default, the test kills only the run with a validation set,
// which writes one more file. The long test tier kills both runs, and more often.
func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("takes several seconds")
	}
	kinds, kills := []string{"validation"}, 12
	if testkit.Whole() {
		kinds, kills = []string{"plain", "validation"}, 32
	}
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			whole := Run{Config: killedConfig(t, kind), Model: filepath.Join(t.TempDir(), "whole"), Threads: 2}
			train(t, whole)
			path := filepath.Join(t.TempDir(), "m")
			killOften(t, kind, path, kills)
			if !bytes.Equal(read(t, path), read(t, whole.Model)) {
				t.Error("the model differs from an undisturbed run's")
			}
			if left := leftovers(t, path); len(left) > 0 {
				t.Errorf("files left next to the model: %q", left)
			}
		})
	}
}

// killOften kills a run the given number of times and then lets it end.
func killOften(t *testing.T, kind, path string, kills int) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 1))
	files := []string{"m.checkpoint"}
	if len(killedRuns[kind]) > 0 {
		files = append(files, "m.best")
	}
	resumed, writing := 0, map[string]int{}
	for i := 0; ; i++ {
		if _, err := os.Stat(CheckpointPath(path)); err == nil {
			resumed++
		}
		wait := func(<-chan struct{}) {}
		switch {
		case i < kills && i%3 == 0:
			wait = delay(time.Duration(random.IntN(120)) * time.Millisecond)
		case i < kills && i%6 == 1:
			wait = replaced(CheckpointPath(path), random.IntN(2))
		case i < kills:
			wait = temporary(filepath.Join(filepath.Dir(path), "."+files[i/3%len(files)]+".*.tmp"), random.IntN(3))
		}
		if kill(t, kind, path, wait, i < kills) {
			break
		}
		left := leftovers(t, path)
		if len(left) > len(files) {
			t.Fatalf("left-overs pile up: %q", left)
		}
		for _, name := range left {
			for _, file := range files {
				if strings.HasPrefix(filepath.Base(name), "."+file) {
					writing[file]++
				}
			}
		}
	}
	t.Logf("kills while a file was written: %v; %d resumed", writing, resumed)
	for _, file := range files {
		if writing[file] < 2 || resumed < 4 {
			t.Errorf("killed %d times while %s was written, %d resumed: the test shows nothing", writing[file], file, resumed)
		}
	}
}

// kill runs TestChild and reports whether the process ended by itself. If wait is not nil, kill calls it and then
// kills the process.
func kill(t *testing.T, kind, path string, wait func(ended <-chan struct{}), hard bool) (done bool) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	child := exec.Command(exe, "-test.run=^TestChild$")
	child.Env, child.Stdout, child.Stderr = append(os.Environ(), killed+"="+path, killedKind+"="+kind), &out, &out
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		err = child.Wait()
		close(ended)
	}()
	wait(ended)
	if hard {
		_ = child.Process.Kill() // an error means that the process has already ended
	}
	<-ended
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == -1 {
		return false
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out.Bytes())
	}
	return true
}

// delay returns a function that waits for a duration.
func delay(d time.Duration) func(<-chan struct{}) {
	return func(ended <-chan struct{}) {
		select {
		case <-ended:
		case <-time.After(d):
		}
	}
}

// temporary returns a function that waits until a file matches the pattern, and then waits some more milliseconds.
func temporary(pattern string, more int) func(<-chan struct{}) {
	old, _ := filepath.Glob(pattern)
	return func(ended <-chan struct{}) {
		for {
			names, _ := filepath.Glob(pattern)
			if len(names) > 0 && !slices.Equal(names, old) {
				delay(time.Duration(more) * time.Millisecond)(ended)
				return
			}
			select {
			case <-ended:
				return
			case <-time.After(200 * time.Microsecond):
			}
		}
	}
}

// replaced returns a function that waits until a file has been replaced the given number of times.
func replaced(path string, times int) func(<-chan struct{}) {
	old, _ := os.Stat(path)
	return func(ended <-chan struct{}) {
		for {
			is, _ := os.Stat(path)
			if is != nil && (old == nil || !os.SameFile(old, is)) {
				if times--; times < 0 {
					return
				}
				old = is
			}
			select {
			case <-ended:
				return
			case <-time.After(50 * time.Microsecond):
			}
		}
	}
}

// leftovers returns the temporary files next to a model.
func leftovers(t *testing.T, path string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".*.tmp"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}
