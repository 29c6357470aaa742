package runlog_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ialgn/internal/estimate"
	"ialgn/internal/model"
	"ialgn/internal/outfile"
	"ialgn/internal/runlog"
	"ialgn/trainer"
)

// line is a line of JSON.
func line(seed, epoch int, loss float64) string {
	return fmt.Sprintf(`{"time":"2026-01-01T00:00:00Z","seed":%d,"epoch":%d,"learning_rate":0.01,"loss":%g,`+
		`"train_accuracy":0.5,"test_accuracy":0.25,"seconds":1,"step_seconds":1,"gate_steps_per_second":1}`+"\n",
		seed, epoch, loss)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func extend(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(text)
	}
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
}

// losses returns a follower's runs with their losses by epoch.
func losses(f *runlog.Follower) (all []string) {
	for _, r := range f.Runs {
		text := fmt.Sprintf("%s seed %d call %d:", r.Name, *r.Seed, r.Call)
		for _, e := range r.Epochs {
			text += fmt.Sprintf(" %d=%g", e.Epoch, e.Loss)
		}
		all = append(all, text)
	}
	return all
}

// step changes a log and gives the expected state of a follower afterwards.
type step struct {
	change  func(t *testing.T, path string)
	changed bool
	want    []string
	trouble string
}

// TestFollow changes logs between two reads in every possible way.
func TestFollow(t *testing.T) {
	put := func(text string) func(*testing.T, string) {
		return func(t *testing.T, path string) { write(t, path, text) }
	}
	add := func(text string) func(*testing.T, string) {
		return func(t *testing.T, path string) { extend(t, path, text) }
	}
	nothing := func(*testing.T, string) {}
	one, two := "seed 7 call 1: 1=3", "seed 7 call 1: 1=3 2=2"
	begin := step{put(line(7, 1, 3)), true, []string{" " + one}, ""}
	for _, c := range []struct {
		name  string
		steps []step
	}{
		{"appears later", []step{
			{nothing, true, nil, "is not there yet"},
			{nothing, false, nil, "is not there yet"},
			{put(""), true, nil, ""},
			{add(line(7, 1, 3)), true, []string{" " + one}, ""},
			{nothing, false, []string{" " + one}, ""},
		}},
		{"a line in pieces", []step{
			begin,
			{add(line(7, 2, 2)[:30]), true, []string{" " + one}, ""},
			{add(line(7, 2, 2)[30:]), true, []string{" " + two}, ""},
		}},
		{"seeds between each other", []step{
			begin,
			{add(line(8, 1, 9) + line(7, 2, 2) + line(8, 2, 8)), true, []string{" " + two, " seed 8 call 1: 1=9 2=8"}, ""},
		}},
		{"another call", []step{
			{put(line(7, 1, 3) + line(7, 2, 2) + line(7, 1, 4)), true, []string{" " + two, " seed 7 call 2: 1=4"}, ""},
		}},
		{"resumed from a checkpoint before the last epoch", []step{
			{put(line(7, 1, 3) + line(7, 2, 2) + line(7, 3, 1)), true, []string{" " + two + " 3=1"}, ""},
			{add(line(7, 2, 2) + line(7, 3, 1) + line(7, 4, 0.5)), true, []string{" " + two + " 3=1 4=0.5"}, ""},
		}},
		{"cut", []step{
			{put(line(7, 1, 3) + line(7, 2, 2)), true, []string{" " + two}, ""},
			{put(line(7, 1, 3)), true, []string{" " + one}, ""},
			{put(""), true, nil, ""},
		}},
		{"written anew and longer", []step{
			begin,
			{put(strings.Repeat(line(9, 1, 5), 1) + line(9, 2, 4)), true, []string{" seed 9 call 1: 1=5 2=4"}, ""},
		}},
		{"replaced by another file", []step{
			begin,
			{func(t *testing.T, path string) {
				write(t, path+".new", line(7, 1, 3)+line(7, 2, 2))
				if err := os.Rename(path+".new", path); err != nil {
					t.Fatal(err)
				}
			}, true, []string{" " + two}, ""},
		}},
		{"gone and back", []step{
			begin,
			{
				func(t *testing.T, path string) { os.Remove(path) }, true,
				[]string{" " + one},
				"is gone; what was read of it is shown",
			},
			{put(line(7, 1, 3) + line(7, 2, 2)), true, []string{" " + two}, ""},
		}},
		{"a folder", []step{{func(t *testing.T, path string) {
			if err := os.Mkdir(path, 0o777); err != nil {
				t.Fatal(err)
			}
		}, true, nil, "is no file"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &runlog.Follower{Path: filepath.Join(t.TempDir(), "log.jsonl")}
			for i, s := range c.steps {
				s.change(t, f.Path)
				if changed := f.Update(); changed != s.changed {
					t.Errorf("step %d: changed %t, want %t", i, changed, s.changed)
				}
				if diff := cmp.Diff(s.want, losses(f), cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("step %d (-want +got):\n%s", i, diff)
				}
				if f.Trouble != s.trouble {
					t.Errorf("step %d: trouble %q, want %q", i, f.Trouble, s.trouble)
				}
				if len(f.Problems) > 0 {
					t.Errorf("step %d: problems %v", i, f.Problems)
				}
			}
		})
	}
}

// TestProblems checks that each invalid line is reported, and that all other lines are read.
func TestProblems(t *testing.T) {
	csv := "run,seed,time,epoch,loss,train_accuracy,test_accuracy\n"
	for _, c := range []struct{ name, text, want string }{
		{"no JSON", "hello\n", "1: byte 1: invalid character 'h' looking for beginning of value"},
		{"a line within another", line(7, 1, 3)[:40] + line(7, 2, 2), "1: byte 41: invalid character '{' looking for beginning of object key string"},
		{"another log", `{"version":1,"train_digest":"a"}` + "\n", "1: has no epoch, loss, train_accuracy and test_accuracy: is no line of a training log"},
		{"a list", "[1]\n", "1: the value: array has no place there (byte 1)"},
		{"text for a number", strings.Replace(line(7, 1, 3), `"loss":3`, `"loss":"low"`, 1), "1: loss: string has no place there"},
		{"epoch 0", line(7, 0, 3), "1: epoch: is 0, want 1 to 1000000000"},
		{"too accurate", strings.Replace(line(7, 1, 3), "0.25", "1.5", 1), "1: test_accuracy: is 1.5, want a share from 0 to 1"},
		{"too large", strings.Replace(line(7, 1, 3), `"loss":3`, `"loss":1e999`, 1), "1: loss: number 1e999 has no place there"},
		{"too long", line(7, 1, 3) + `{"time":"` + strings.Repeat("x", 1<<17) + "\"}\n", "2: is longer than 65536 bytes"},
		{"no field", csv + "a,1,t\n", "2: has 3 fields, want 7"},
		{"quotes", csv + "a,1,t,1,2,0.5,\"0.5\n", "2: is no line of CSV"},
		{"a word", csv + "a,1,t,first,2,0.5,0.5\n", `2: epoch: "first" has no place there`},
		{"no number", csv + "a,1,t,1,NaN,0.5,0.5\n", "2: loss: is NaN, want a number"},
		{"another table", "run,seed,epoch\na,1,1\n" + csv, "2: has no epoch, loss, train_accuracy and test_accuracy"},
		{"a seed", csv + "a,-1,t,1,2,0.5,0.5\n", `2: seed: "-1" has no place there`},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "log")
			text := c.text
			if !strings.HasPrefix(text, "run,") {
				text += line(5, 1, 1)
			} else {
				text += "a,5,t,1,1,0.5,0.5\n"
			}
			write(t, path, text)
			f := &runlog.Follower{Path: path}
			f.Update()
			if len(f.Problems) != 1 || !strings.HasPrefix(fmt.Sprintf("%d: %s", f.Problems[0].Line, f.Problems[0].Text), c.want) {
				t.Errorf("problems %v, want %s", f.Problems, c.want)
			}
			if n := len(f.Runs); n == 0 || *f.Runs[n-1].Seed != 5 || f.Runs[n-1].Epochs[0].Loss != 1 {
				t.Errorf("the last line was not read: %v", losses(f))
			}
		})
	}
	path := filepath.Join(t.TempDir(), "log")
	write(t, path, strings.Repeat("no\n", 30))
	f := &runlog.Follower{Path: path}
	if f.Update(); len(f.Problems) != 20 || f.More != 10 {
		t.Errorf("%d problems and %d more, want 20 and 10", len(f.Problems), f.More)
	}
}

// epochs returns two epochs: one with all optional fields, and one with only the required fields.
func epochs() []runlog.Epoch {
	seed, relaxed := uint64(7), 0.125
	p := trainer.Progress{
		Epoch: 3, Loss: 0.1, TrainAccuracy: 0.5, LearningRate: 1e-05, GateStepsRate: 2.5e6, InStep: time.Second,
		Finished: &model.Epoch{TestCorrect: 1, TestSamples: 3, ValidationCorrect: 3, ValidationSamples: 4}, Relaxed: &relaxed,
		LUTs: &estimate.LUTs{Inputs: 6, Gates: 1, Head: 2, Encoder: 3, Total: 6},
	}
	all := runlog.Of(p, time.Now())
	p.Epoch, p.Relaxed, p.LUTs, p.Finished = 4, nil, nil, &model.Epoch{TestCorrect: 3, TestSamples: 3}
	few := runlog.Of(p, time.Now())
	all.Seed, few.Seed = &seed, &seed
	return []runlog.Epoch{all, few}
}

// TestWrite writes both forms and reads them back. The JSON form does not contain the run.
func TestWrite(t *testing.T) {
	for _, name := range []string{"log.jsonl", "log.csv"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), name)
			want := epochs()
			for i := range want {
				if runlog.IsCSV(name) {
					want[i].Run = `a "run", and more`
				}
				w, err := runlog.Append(path, outfile.NewGuard(false)) // a separate call for each epoch
				if err != nil {
					t.Fatal(err)
				}
				if err := w.Write(want[i]); err != nil {
					t.Error(err)
				}
				w.Close()
			}
			f := &runlog.Follower{Path: path}
			if f.Update(); len(f.Runs) != 1 || len(f.Problems) > 0 {
				t.Fatalf("runs %v, problems %v", losses(f), f.Problems)
			}
			if diff := cmp.Diff(want, f.Runs[0].Epochs); diff != "" {
				t.Errorf("read again (-want +got):\n%s", diff)
			}
			if err := outfile.NewGuard(false).Check(path, runlog.Form(path)); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestAppend checks that a line that was cut off is completed, and that a file that is not a log stays unchanged.
func TestAppend(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	write(t, path, line(7, 1, 3)+line(7, 2, 2)[:60])
	w, err := runlog.Append(path, outfile.NewGuard(false))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.Write(epochs()[0]); err != nil {
		t.Fatal(err)
	}
	f := &runlog.Follower{Path: path}
	if f.Update(); len(f.Problems) != 1 || f.Problems[0].Line != 2 || len(f.Runs[0].Epochs) != 2 {
		t.Errorf("%v, problems %v", losses(f), f.Problems)
	}
	for _, c := range []struct{ name, text, want string }{
		{"mine.csv", "a,b\n1,2\n", "mine.csv: exists, but is not a training log in CSV written by ialgn"},
		{"mine.jsonl", "{}\n", "mine.jsonl: exists, but is not a training log written by ialgn"},
		{"other.csv", "run,seed,time,epoch,learning_rate,loss\n", "other.csv: is a log with other columns"},
	} {
		path := filepath.Join(t.TempDir(), c.name)
		write(t, path, c.text)
		if _, err := runlog.Append(path, outfile.NewGuard(false)); err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %s", c.name, err, c.want)
		}
		if is, err := os.ReadFile(path); err != nil || string(is) != c.text {
			t.Errorf("%s was changed: %q, %v", c.name, is, err)
		}
	}
}

// FuzzFollow reads any file in two pieces. All epochs must have values that a run can have, and must be in ascending
// order. The result must not depend on where the first piece ends.
func FuzzFollow(f *testing.F) {
	for _, text := range []string{
		line(7, 1, 3) + line(7, 2, 2), "run,seed,epoch,loss,train_accuracy,test_accuracy\na,1,1,2,0.5,0.5\n", "{}\n\n[", "\x00",
		`{"epoch":1,"loss":1e308,"train_accuracy":0,"test_accuracy":1,"seed":-1}` + "\n",
	} {
		f.Add([]byte(text), 30)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte, at int) {
		file, err := os.CreateTemp(dir, "")
		if err != nil {
			t.Fatal(err)
		}
		defer os.Remove(file.Name())
		defer file.Close()
		pieces, whole := &runlog.Follower{Path: file.Name()}, &runlog.Follower{Path: file.Name()}
		at = max(0, min(at, len(text)))
		for _, part := range [][]byte{text[:at], text[at:]} {
			if _, err := file.Write(part); err != nil {
				t.Fatal(err)
			}
			pieces.Update()
		}
		whole.Update()
		if diff := cmp.Diff(whole.Runs, pieces.Runs); diff != "" {
			t.Errorf("runs in pieces (-whole +pieces):\n%s", diff)
		}
		if diff := cmp.Diff(whole.Problems, pieces.Problems); diff != "" {
			t.Errorf("problems in pieces (-whole +pieces):\n%s", diff)
		}
		for _, r := range whole.Runs {
			for i, e := range r.Epochs {
				if e.Epoch < 1 || i > 0 && e.Epoch <= r.Epochs[i-1].Epoch || !(e.Test >= 0 && e.Test <= 1) {
					t.Errorf("epoch %d of %+v", i, r)
				}
			}
		}
	})
}
