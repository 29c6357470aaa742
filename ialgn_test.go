package ialgn_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn"
	"ialgn/internal/config"
	"ialgn/internal/testkit"
	"ialgn/trainer"
)

// circle returns samples of two classes: points inside a circle and points outside it.
func circle() (d ialgn.Data) {
	for i := range 900 {
		x, y, label := float64(i%30)/15-1, float64(i/30)/15-1, 0
		if x*x+y*y < 0.5 {
			label = 1
		}
		d.Features, d.Labels = append(d.Features, []float64{x, y}), append(d.Labels, label)
	}
	return d
}

// small is the configuration of a network that trains quickly.
var small = ialgn.Config{
	Name: "circle", Encoder: config.Encoder{Bits: 8},
	Model: config.Model{Width: 20, Depth: 3, Anchors: 8, Tau: 3}, Train: config.Train{Epochs: 3},
}

// trained trains the small network in memory.
func trained(t *testing.T) *ialgn.Model {
	t.Helper()
	m, err := ialgn.Train(t.Context(), small, circle(), ialgn.TrainOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestTrain compares three runs, which must give the same bytes. One run is in memory, one writes a file, and one is
// interrupted and resumed.
func TestTrain(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	m := trained(t)
	if left, _ := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	sum, err := m.SHA256(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "m.st")
	ctx, stop := context.WithCancel(t.Context())
	batches := 0
	_, err = ialgn.Train(ctx, small, circle(), ialgn.TrainOptions{Path: path, Progress: func(trainer.Progress) {
		if batches++; batches == 5 {
			stop()
		}
	}})
	if !errors.Is(err, ialgn.ErrInterrupted) {
		t.Fatalf("interrupted: %v", err)
	}
	filed, err := ialgn.Train(t.Context(), small, circle(), ialgn.TrainOptions{Path: path, Resume: true, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer filed.Close()
	if got, err := filed.SHA256(t.Context()); got != sum || got != fileSum(t, path) {
		t.Errorf("%s, want %s (%v)", got, sum, err)
	}
	saved := filepath.Join(t.TempDir(), "saved.st")
	if err := m.Save(saved); err != nil || fileSum(t, saved) != sum {
		t.Errorf("saved: %v", err)
	}
	if s := m.Training(); s.Epochs != 3 || s.TestAccuracy < 0.5 || s.SHA256 != sum {
		t.Errorf("%+v", s)
	}
	ctx, stop = context.WithCancel(t.Context())
	stop()
	if _, err := ialgn.Train(ctx, small, circle(), ialgn.TrainOptions{}); !errors.Is(err, ialgn.ErrInterrupted) ||
		!strings.Contains(err.Error(), "lost") {
		t.Errorf("interrupted in memory: %v", err)
	}
}

func fileSum(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// TestConfig checks that a zero in a Config literal means the default, and that a zero in a complete configuration
// means zero.
func TestConfig(t *testing.T) {
	cfg := ialgn.DefaultConfig()
	cfg.Name, cfg.Encoder.Bits = "circle", 8
	cfg.Model.Width, cfg.Model.Depth, cfg.Model.Anchors, cfg.Model.Tau, cfg.Train.Epochs = 20, 3, 8, 3, 3
	whole, err := ialgn.Train(t.Context(), cfg, circle(), ialgn.TrainOptions{})
	if err != nil {
		t.Fatal(err)
	}
	same := func(a, b *ialgn.Model) bool {
		x, errX := a.SHA256(t.Context())
		y, errY := b.SHA256(t.Context())
		return errX == nil && errY == nil && x == y
	}
	if !same(whole, trained(t)) {
		t.Error("a literal and the defaults give other models")
	}
	cfg.Model.SkipLogit = 0
	zero, err := ialgn.Train(t.Context(), cfg, circle(), ialgn.TrainOptions{})
	if err != nil || zero.Config().Model.SkipLogit != 0 || same(whole, zero) {
		t.Errorf("an explicit zero became the default (%v)", err)
	}
	open := small
	open.Model.Width, open.Model.Depth, open.Train.Epochs = 0, 1, 1
	data := circle()
	data.Classes = []string{"a", "b", "c"} // the default width is not a multiple of 3
	m, err := ialgn.Train(t.Context(), open, data, ialgn.TrainOptions{})
	if err != nil || m.Gates()%3 != 0 {
		t.Errorf("the default width for three classes: %v", err)
	}
}

// TestClassifier classifies the same samples one by one, all at once, in an evaluation, and with a simulated netlist,
// and compares the results.
func TestClassifier(t *testing.T) {
	m, data := trained(t), circle()
	c, err := m.Classifier(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	all, err := c.ClassifyAll(t.Context(), data.Features)
	if err != nil {
		t.Fatal(err)
	}
	correct := 0
	for i, sample := range data.Features {
		one := mustClassify(t, c, sample)
		if !cmp.Equal(one, all[i]) {
			t.Fatalf("sample %d: %v, all at once %v", i, one, all[i])
		}
		if one.Class == data.Labels[i] {
			correct++
		}
	}
	e, err := m.Evaluate(t.Context(), ialgn.EvalOptions{Data: data})
	if err != nil || e.Correct != correct || e.Samples != len(data.Labels) {
		t.Errorf("evaluated: %+v (%v), want %d correct", e, err, correct)
	}
	own, err := m.Evaluate(t.Context(), ialgn.EvalOptions{})
	if err != nil || own.Samples != len(data.Labels)/5 || own.Accuracy != m.Training().TestAccuracy {
		t.Errorf("its own test part: %+v (%v)", own, err)
	}
	s, err := m.Simulate(t.Context(), ialgn.SimOptions{Data: data})
	if err != nil || s.Correct != correct {
		t.Errorf("simulated: %+v (%v)", s, err)
	}
	if mustClass(t, c, math.NaN(), math.Inf(-1)) != mustClass(t, c, -1, -1) {
		t.Error("NaN does not count as the least value")
	}
	if none, err := c.ClassifyAll(t.Context(), nil); len(none) > 0 || err != nil {
		t.Errorf("no samples: %v, %v", none, err)
	}
	const want = "1 features, but the model has 2"
	if _, err := c.Classify([]float64{1}); err == nil || err.Error() != want {
		t.Errorf("a sample of one feature: error %v", err)
	}
	if _, err := c.ClassifyAll(t.Context(), [][]float64{{1, 2}, {1}}); err == nil || err.Error() != "sample 1: "+want {
		t.Errorf("a second sample of one feature: error %v", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := c.ClassifyAll(ended, data.Features); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: error %v", err)
	}
}

func mustClass(t *testing.T, c *ialgn.Classifier, features ...float64) int {
	t.Helper()
	return mustClassify(t, c, features).Class
}

func mustClassify(t *testing.T, c *ialgn.Classifier, features []float64) ialgn.Prediction {
	t.Helper()
	p, err := c.Classify(features)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestBadData checks that training refuses unusable samples, and that the error says where the samples are wrong.
func TestBadData(t *testing.T) {
	for want, change := range map[string]func(*ialgn.Data){
		"there are no samples": func(d *ialgn.Data) {
			d.Features, d.Classes = [][]float64{},
				[]string{"a", "b"}
		},
		"features: 900 samples, but 2 labels": func(d *ialgn.Data) { d.Labels = []int{0, 1} },
		"features[7]: 3 features, want 2":     func(d *ialgn.Data) { d.Features[7] = []float64{1, 2, 3} },
		"features[8]: feature 1 is NaN":       func(d *ialgn.Data) { d.Features[8] = []float64{1, math.NaN()} },
		"features[9]: label -1, want 0 to 1":  func(d *ialgn.Data) { d.Labels[9] = -1 },
		"257 classes, want 2 to 256":          func(d *ialgn.Data) { d.Labels[9] = 1 << 40 },
		"1 classes, want 2 to 256":            func(d *ialgn.Data) { d.Classes = []string{"a"} },
		"3 names of 2 features":               func(d *ialgn.Data) { d.FeatureNames = []string{"a", "b", "c"} },
		"feature name \"a\\n\" holds control": func(d *ialgn.Data) { d.FeatureNames = []string{"a\n", "b"} },
		"test features[0]: label 5, want 0 to 1": func(d *ialgn.Data) {
			d.TestFeatures, d.TestLabels = d.Features[:1],
				[]int{5}
		},
		"features[0]: 0 features, want 1 to 65536": func(d *ialgn.Data) { d.Features[0] = nil },
		"feature 0: values from -1.7e+308 to 1.7e+308": func(d *ialgn.Data) {
			for i := range d.Features { // extreme values must be frequent, since a few would be clipped
				d.Features[i][0] = 1.7e308 * float64(1-i%2*2)
			}
		},
	} {
		data := circle()
		change(&data)
		if _, err := ialgn.Train(t.Context(), small, data, ialgn.TrainOptions{}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	bad := small
	bad.Encoder.BitsIn = 17
	if _, err := ialgn.Train(t.Context(), bad, circle(), ialgn.TrainOptions{}); err == nil ||
		!strings.Contains(err.Error(), "encoder.bits_in") {
		t.Error(err)
	}
}

// TestDesign writes a design, opens it again, and verifies both.
func TestDesign(t *testing.T) {
	m := trained(t)
	d, err := ialgn.Compile(t.Context(), m, ialgn.CompileOptions{LUT: 4, Emit: []string{"blif"}})
	if err != nil {
		t.Fatal(err)
	}
	software := ialgn.VerifyOptions{Level: "software"}
	if c, err := ialgn.Verify(t.Context(), m, d, software); err != nil || !c.Verified || c.Level != "software" {
		t.Errorf("in memory: %+v, %v", c, err)
	}
	software.Certify = true
	if _, err := ialgn.Verify(t.Context(), m, d, software); err == nil ||
		!strings.Contains(err.Error(), "call Write first") {
		t.Errorf("a certificate without a folder: %v", err)
	}
	if _, err := ialgn.Synthesise(t.Context(), d, ialgn.SynthOptions{}); err == nil ||
		!strings.Contains(err.Error(), "call Write first") {
		t.Errorf("synthesised without a folder: %v", err)
	}
	dir := filepath.Join(t.TempDir(), "out")
	if err := d.Write(t.Context(), dir, ialgn.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	opened, err := ialgn.OpenDesign(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	a, errA := d.Report()
	b, errB := opened.Report()
	if errA != nil || errB != nil || !cmp.Equal(a.LUTs, b.LUTs) || d.Module() != opened.Module() ||
		opened.Module() != "circle" || d.Dir() != dir {
		t.Errorf("%+v (%v), opened %+v (%v)", a, errA, b, errB)
	}
	for _, d := range []*ialgn.Design{d, opened} {
		if c, err := ialgn.Verify(t.Context(), m, d, software); err != nil || !c.Verified {
			t.Errorf("in its folder: %+v, %v", c, err)
		}
		if s, err := d.Simulate(t.Context(), ialgn.SimOptions{Data: circle()}); err != nil || s.Samples != 900 {
			t.Errorf("simulated: %+v, %v", s, err)
		}
	}
	if err := opened.Write(t.Context(), filepath.Join(dir, "again"), ialgn.WriteOptions{}); err == nil {
		t.Error("a folder was written again")
	}
	other, err := ialgn.Train(t.Context(), small, circle(), ialgn.TrainOptions{Path: filepath.Join(t.TempDir(),
		"other.st")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ialgn.Verify(t.Context(), other, opened, software); err != nil {
		t.Errorf("the same model in a file: %v", err)
	}
	seed := small
	seed.Train.Seed = 9
	if other, err = ialgn.Train(t.Context(), seed, circle(), ialgn.TrainOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := ialgn.Verify(t.Context(), other, opened, software); err == nil ||
		!strings.Contains(err.Error(), "but circle.safetensors has") {
		t.Errorf("another model: %v", err)
	}
}

// TestSavedWithoutSamples trains a model in memory, saves it and verifies it. The model file does not contain the
// samples, so the verification uses random samples.
func TestSavedWithoutSamples(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.st")
	if err := trained(t).Save(path); err != nil {
		t.Fatal(err)
	}
	m, err := ialgn.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	d, err := ialgn.Compile(t.Context(), m, ialgn.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := d.Report(); err != nil || r.Samples.Source != "random" ||
		!strings.Contains(r.Samples.Reason, "passed in memory by the program") {
		t.Errorf("%+v, %v", r.Samples, err)
	}
	var warned []string
	o := ialgn.VerifyOptions{Level: "software", Warn: func(err error) { warned = append(warned, err.Error()) }}
	if c, err := ialgn.Verify(t.Context(), m, d, o); err != nil || !c.Random || c.Software.Checked != 1000 ||
		len(warned) != 1 {
		t.Errorf("%+v, %v, warned %q", c, err, warned)
	}
	o.Data = circle()
	if c, err := ialgn.Verify(t.Context(), m, d, o); err != nil || c.Random || c.Software.Checked != 900 ||
		len(warned) != 1 {
		t.Errorf("with samples: %+v, %v, warned %q", c, err, warned)
	}
	if _, err := m.Evaluate(t.Context(), ialgn.EvalOptions{}); err == nil ||
		!strings.HasPrefix(ialgn.Hint(err), "pass the samples again") {
		t.Errorf("evaluated: %v, %s", err, ialgn.Hint(err))
	}
	if err := m.Save(path); err == nil {
		t.Error("a model was written over itself")
	}
}

// TestDifference verifies a folder whose Verilog was changed and whose manifest was updated to match.
func TestDifference(t *testing.T) {
	testkit.FindTool(t, "iverilog")
	wide := small
	wide.Model.Width, wide.Model.InitNoise = 60, 5 // with gates of two inputs
	m, err := ialgn.Train(t.Context(), wide, circle(), ialgn.TrainOptions{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := ialgn.Compile(t.Context(), m, ialgn.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "out")
	if err := d.Write(t.Context(), dir, ialgn.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "circle.v")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(text), " & ", " | ")), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := ialgn.OpenDesign(t.Context(), dir); err == nil || !strings.Contains(err.Error(),
		"changed since compile wrote it") {
		t.Errorf("opened: %v", err)
	}
	if err := testkit.ResignFolder(dir); err != nil {
		t.Fatal(err)
	}
	changed, err := ialgn.OpenDesign(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	c, err := ialgn.Verify(t.Context(), m, changed, ialgn.VerifyOptions{})
	if !errors.Is(err, ialgn.ErrDifference) || c.Verified || c.RTL.Mismatches == 0 {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestOptions checks that errors about options use the names of this package, also in their hints.
func TestOptions(t *testing.T) {
	m := trained(t)
	_, err := ialgn.Compile(t.Context(), m, ialgn.CompileOptions{Baud: 9600})
	if err == nil || err.Error() != "Baud 9600: there is no serial line" ||
		ialgn.Hint(err) != "omit it, or add Wrap: uart" {
		t.Errorf("%v (%s)", err, ialgn.Hint(err))
	}
	d, err := ialgn.Compile(t.Context(), m, ialgn.CompileOptions{Fold: "2", Wrap: "uart", MHz: 12})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ialgn.Verify(t.Context(), m, d, ialgn.VerifyOptions{Level: "forml"}); err == nil ||
		ialgn.Hint(err) != "did you mean formal" {
		t.Errorf("%v (%s)", err, ialgn.Hint(err))
	}
	if _, err := ialgn.Verify(t.Context(), m, d, ialgn.VerifyOptions{Samples: -1}); err == nil {
		t.Error("-1 samples")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "circle.v"), []byte("module mine;"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := d.Write(t.Context(), dir, ialgn.WriteOptions{}); err == nil || ialgn.Hint(err) != "choose another name, or give Force" {
		t.Errorf("%v (%s)", err, ialgn.Hint(err))
	}
	if err := d.Write(t.Context(), dir, ialgn.WriteOptions{Force: true}); err != nil {
		t.Error(err)
	}
}
