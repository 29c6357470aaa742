package trainer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ialgn/internal/model"
)

func wantError(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("error %v, want one with %q", err, text)
	}
}

// untrained resumes seeds and expects an error before any batch is trained. The error's text must contain want.
func untrained(t *testing.T, s Seeds, want string) {
	t.Helper()
	s.Resume = true
	s.Progress = func(Progress) {
		t.Errorf("trained, want an error with %q before that", want)
		s.Progress = nil
	}
	_, err := s.Train(t.Context())
	wantError(t, err, want)
}

// onOtherData changes the record in a model file, so that the model seems to have been trained on other data.
func onOtherData(t *testing.T, path string) {
	t.Helper()
	m := loadModel(t, path)
	m.Record.Train = m.Record.Test
	if _, err := m.Save(path); err != nil {
		t.Fatal(err)
	}
}

// TestSeedsOtherData resumes several seeds. The first or the last seed was trained on other data, for example on an
// earlier version of a table. The error must come before any seed trains.
func TestSeedsOtherData(t *testing.T) {
	s := Seeds{Run: Run{Config: parse(t, "train.epochs=1"), Model: filepath.Join(t.TempDir(), "m")}, N: 2}
	if _, err := s.Train(t.Context()); err != nil {
		t.Fatal(err)
	}
	onOtherData(t, SeedPath(s.Model, 8))
	untrained(t, s, "m.seed8: was trained on another version of data set digits than "+s.Model+
		".seed7; move the files of the run with the wrong")
	for _, file := range []string{SeedPath(s.Model, 7), CheckpointPath(SeedPath(s.Model, 7))} {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	untrained(t, s, "seed 7: "+s.Model+
		".seed8: was trained on another version of data set digits; restore the former files")
	s.Config.Train.Seed = 8
	untrained(t, s, "seed 9: "+s.Model+
		".seed8: was trained on another version of data set digits; restore the former files")
}

// TestSeedsDataChange changes the data between two seeds of one call.
func TestSeedsDataChange(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "t.csv")
	write := func(classes string) {
		if err := os.WriteFile(file, []byte(classes), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("x,y,class\n1,2,p\n2,1,q\n3,4,p\n4,2,q\n")
	cfg := parse(t, "data.set=csv", "data.train="+file, "data.test="+file, "model.width=6", "model.anchors=3",
		"train.epochs=1")
	s := Seeds{Run: Run{Config: cfg, Model: filepath.Join(dir, "m")}, N: 2}
	s.Progress = func(Progress) { write("x,y,class\n1,2,q\n2,1,q\n3,4,p\n4,2,p\n") }
	_, err := s.Train(t.Context())
	wantError(t, err, "seed 8: "+s.Model+".seed7: was trained on another version of data set t")
}

// TestSeedsOtherRun resumes several seeds, but the files of the last seed belong to another run. The error must come
// before the first seed trains, and must name a remedy.
func TestSeedsOtherRun(t *testing.T) {
	dir := t.TempDir()
	base := filepath.Join(dir, "base")
	train(t, Run{Config: parse(t, "train.epochs=1"), Model: base})
	s := Seeds{Run: Run{Config: parse(t, "train.epochs=2"), Model: filepath.Join(dir, "m")}, N: 2}
	second := Run{Config: parse(t, "train.seed=8", "train.epochs=2"), Model: SeedPath(s.Model, 8)}
	anew := "; to train this seed anew, move " + second.Model + " away, with its .checkpoint and .best"

	for _, start := range []string{"", base} { // the error must be about the configuration
		other := second
		other.Config, other.Start = parse(t, "train.seed=8", "train.epochs=2", "train.optimizer.lr=0.02"), start
		train(t, other)
		untrained(t, s, "seed 8: "+CheckpointPath(second.Model)+
			": was trained with another train.optimizer.lr; resume with the same configuration, ")
		untrained(t, s, anew)
	}
	before := read(t, second.Model)
	if err := os.Remove(CheckpointPath(second.Model)); err != nil {
		t.Fatal(err)
	}
	untrained(t, s, "seed 8: "+second.Model+": was trained with another train.optimizer.lr, and there is no checkpoint "+
		"to continue from; resume with the same configuration; ")
	if string(read(t, second.Model)) != string(before) {
		t.Error("the other run's model was overwritten")
	}

	longer := second
	longer.Config = parse(t, "train.seed=8", "train.epochs=3")
	train(t, longer)
	untrained(t, s, ".checkpoint: already has 3 epochs, more than train.epochs = 2; use more epochs")
	copyFile(t, CheckpointPath(second.Model), base)
	untrained(t, s, ".checkpoint: this is a model, not a checkpoint")
}

// TestSeedsOneEpoch resumes a seed from a checkpoint in the middle of an epoch beyond the configured end.
func TestSeedsOneEpoch(t *testing.T) {
	r := Run{Config: parse(t), Model: filepath.Join(t.TempDir(), "m")}
	long := r
	long.Model = SeedPath(r.Model, 7)
	interrupted(t, long, 2, 1)
	r.Config = parse(t, "train.epochs=1")
	untrained(t, Seeds{Run: r, N: 1},
		".checkpoint: already has 1 epoch and 1 batch, more than train.epochs = 1; use more epochs")
}

// TestSeedsAmbiguous interrupts a fine-tuning run whose output path holds a finished model. Users must then choose
// the model or the checkpoint, either with --init or by moving one of the two files away.
func TestSeedsAmbiguous(t *testing.T) {
	dir := t.TempDir()
	base := filepath.Join(dir, "base")
	train(t, Run{Config: parse(t, "train.epochs=1"), Model: base})
	setUp := func(first, second string) Seeds {
		s := Seeds{Run: Run{Config: parse(t), Model: filepath.Join(t.TempDir(), "m")}, N: 1}
		r := s.series().runs[0]
		r.Start = first
		train(t, r)
		r.Start = second
		interrupted(t, r, 2, 5)
		s.Resume = true
		return s
	}
	outcome := func(s Seeds) (before bool, start *model.Start) {
		t.Helper()
		all, err := s.Train(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return all.Runs[0].Before, loadModel(t, all.Runs[0].Model).Record.Start
	}
	for _, c := range []struct{ name, first, second, finished, other string }{
		{
			"tuned over plain", "", base, "is finished and started from drawn parameters, but ",
			"belongs to a run that started from base with SHA-256 ",
		},
		{
			"plain over tuned", base, "", "is finished and started from base with SHA-256 ",
			"belongs to a run that started from drawn parameters; ",
		},
	} {
		for _, keep := range []bool{true, false} {
			s := setUp(c.first, c.second)
			path := SeedPath(s.Model, 7)
			untrained(t, s, path+": "+c.finished)
			untrained(t, s, c.other)
			untrained(t, s, "move "+CheckpointPath(path)+" away to keep the finished model, or "+path+
				" to go on with the other run")
			away := path
			if keep {
				away = CheckpointPath(path)
			}
			if err := os.Rename(away, away+".away"); err != nil {
				t.Fatal(err)
			}
			before, start := outcome(s)
			if tuned := start != nil; before != keep || tuned != ((c.first != "") == keep) {
				t.Errorf("%s: finished before: %v, start %+v, after %s was moved away", c.name, before, start, away)
			}
		}
	}
	s := setUp("", base)
	s.Start = base
	if before, start := outcome(s); before || start == nil {
		t.Errorf("named: finished before: %v, start %+v", before, start)
	}
	s = setUp("", base)
	if err := os.WriteFile(CheckpointPath(SeedPath(s.Model, 7)), []byte("damaged"), 0o666); err != nil {
		t.Fatal(err)
	}
	if before, start := outcome(s); !before || start != nil {
		t.Errorf("next to a damaged checkpoint: finished before: %v, start %+v", before, start)
	}
}
