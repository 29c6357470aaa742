package ialgn_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ialgn"
	"ialgn/internal/config"
	"ialgn/internal/interchange"
	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/graph"
	"ialgn/internal/model"
	"ialgn/trainer"
)

// TestGoOnForeign continues the training of networks from other frameworks on their own samples. The loss must fall,
// beta must stay the same, and the resulting model must be usable like any other model.
func TestGoOnForeign(t *testing.T) {
	folders, _ := foreign(t)
	for _, dir := range folders {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			all := checkpoints(t, dir)
			at := slices.IndexFunc(all, func(c checkpoint) bool {
				return c.missing == "" && filepath.Base(c.inputs) == "inputs.npy"
			})
			samples := func(labels string) []string {
				return []string{
					"data.set=arrays", "data.train=" + absolute(t, filepath.Join(dir, "inputs.npy")),
					"data.train_labels=" + absolute(t, filepath.Join(dir, labels)),
				}
			}
			c := all[at]
			c.options.Set = samples("labels.npy")
			i, err := ialgn.Import(t.Context(), c.file, c.options)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "m.safetensors")
			if err := i.Save(path); err != nil {
				t.Fatal(err)
			}
			before := evaluate(t, path)
			out := filepath.Join(t.TempDir(), "more.safetensors")
			o := ialgn.TrainOptions{Path: out, Init: path}
			cfg, err := ialgn.LoadConfig(o, write(t,
				"train: {epochs: 12, batch: 32, optimizer: {lr: 0.05}}"), samples("labels.npy")...)
			if !i.Trainable {
				if err == nil || !strings.Contains(err.Error(), "the model cannot be trained further: "+i.Reason) {
					t.Errorf("error %v, want that training cannot go on: %s", err, i.Reason)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			goOn(t, cfg, o)
			m := loadModel(t, out)
			first, last := m.Record.Epochs[0], m.Record.Epochs[len(m.Record.Epochs)-1]
			if last.Loss >= first.Loss || last.TrainCorrect < first.TrainCorrect {
				t.Errorf("loss %v at first and %v at last, %d and %d correct", first.Loss, last.Loss, first.TrainCorrect,
					last.TrainCorrect)
			}
			if m.Record.Origin.Beta != i.Beta || m.Record.Start == nil || m.Config.Model.Tau != i.Tau {
				t.Errorf("record %+v of a network with beta %v and tau %v", m.Record, i.Beta, i.Tau)
			}
			t.Logf("accuracy %.4f before and %.4f after", before, evaluate(t, out))
		})
	}
}

// goOn trains a network further.
func goOn(t *testing.T, cfg ialgn.Config, o ialgn.TrainOptions) {
	t.Helper()
	m, err := ialgn.Train(t.Context(), cfg, ialgn.Data{}, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}

// evaluate returns the accuracy of a model on its test set. This accuracy must equal the accuracy in the model's
// record.
func evaluate(t *testing.T, path string) float64 {
	t.Helper()
	m, err := ialgn.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	e, err := m.Evaluate(t.Context(), ialgn.EvalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if e.Note != nil {
		t.Errorf("%s: %v", path, e.Note)
	}
	return e.Accuracy
}

func loadModel(t *testing.T, path string) *model.Model {
	t.Helper()
	m, err := model.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// write writes a file and returns its path.
func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// kind describes one kind of layer.
type kind struct {
	pins, candidates int
	softmax16        bool
}

var kinds = map[string]kind{
	"gates": {2, 1, true}, "light": {2, 1, false}, "choosing gates": {2, 5, true}, "tables": {6, 1, false},
	"choosing tables": {4, 7, false}, "wires": {1, 3, false},
}

// digitsNetwork saves a network for the embedded digits in the file format of another framework. The network's layers
// are of kind k. Its thresholds are multiples of 1/16. Multiplied by 16, they are integers with the given number of
// bits.
func digitsNetwork(t *testing.T, k kind, bits int) string {
	t.Helper()
	r := rand.New(rand.NewPCG(1, uint64(k.pins)))
	n := &graph.Network{Format: "test", Input: graph.Input{Shape: []int{64}}, Sum: graph.Sum{Tau: 2}}
	for range 64 {
		n.Input.Thresholds = append(n.Input.Thresholds, []float32{3. / 16, 6. / 16, 11.5 / 16})
	}
	before := n.Input.Bits()
	for _, width := range []int{120, 100} {
		d := graph.Dense{Width: width, Pins: k.pins, Softmax16: k.softmax16, Candidates: k.candidates}
		for range d.Width * d.Arity() {
			d.Logits = append(d.Logits, float32(r.NormFloat64()))
		}
		for range k.pins {
			var wires []uint32
			var choice []float32
			for range width * k.candidates {
				wires, choice = append(wires, uint32(r.IntN(before))), append(choice, float32(r.NormFloat64()))
			}
			d.Wires = append(d.Wires, wires)
			if k.candidates > 1 {
				d.Choice = append(d.Choice, choice)
			}
		}
		n.Dense, before = append(n.Dense, d), width
	}
	n.Sum.Groups, n.Sum.Beta = graph.Contiguous(before, 10), slices.Repeat([]float64{1.5}, 10)
	m, err := interchange.Model(n, interchange.Options{Name: "m", Words: given.InputNumbers{Bits: bits, Divisor: 16}})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "m.safetensors")
	if _, err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	return path
}

const digitsRun = `
data: {set: digits}
train: {epochs: 3, batch: 100, checkpoint: {minutes: 0}}
`

// TestGoOnKinds continues the training of networks with every kind of node, and checks that the loss falls. The
// resulting model must have the same bytes with any number of threads. It must also have the same bytes if the run is
// resumed, both with and without naming the start model again.
func TestGoOnKinds(t *testing.T) {
	for name, k := range kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start, dir := digitsNetwork(t, k, 5), t.TempDir()
			train := func(file, init string, threads int, resume bool, stop int) (string, error) {
				o := ialgn.TrainOptions{
					Path: filepath.Join(dir, file), Init: init, Threads: threads, Resume: resume,
				}
				cfg, err := ialgn.LoadConfig(o, write(t, digitsRun), "name=m")
				if err != nil {
					return "", err
				}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				o.Progress = func(p trainer.Progress) {
					if stop > 0 && p.Epoch == 2 && p.Batch == stop {
						cancel()
					}
				}
				m, err := ialgn.Train(ctx, cfg, ialgn.Data{}, o)
				if err == nil {
					err = m.Close()
				}
				return o.Path, err
			}
			whole, err := train("whole", start, 1, false, 0)
			if err != nil {
				t.Fatal(err)
			}
			m := loadModel(t, whole)
			epochs := m.Record.Epochs
			if epochs[2].Loss >= epochs[0].Loss || m.Record.Origin.Beta != 1.5 || m.Encoder.BitsIn != 5 {
				t.Errorf("losses %v and %v, origin %+v, words of %d bits", epochs[0].Loss, epochs[2].Loss, m.Record.Origin,
					m.Encoder.BitsIn)
			}
			t.Logf("accuracy %.4f", evaluate(t, whole))
			for i, init := range []string{"", start} {
				file := fmt.Sprint("cut", i)
				if _, err := train(file, start, 2, false, 3+i); !errors.Is(err, ialgn.ErrInterrupted) {
					t.Fatalf("error %v, want an interruption", err)
				}
				path, err := train(file, init, 2, true, 0)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(content(t, path), content(t, whole)) {
					t.Errorf("resumed with %q the model differs", init)
				}
			}
			if name == "gates" { // train a third model from this one
				again, err := train("again", whole, 2, false, 0)
				if err != nil {
					t.Fatal(err)
				}
				if m := loadModel(t, again); m.Record.Origin.Format != "test" || m.Record.Start.Name != "whole" {
					t.Errorf("record %+v", m.Record)
				}
			}
		})
	}
}

func content(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestGoOnConfig continues the training of networks from another framework. In each case, a key is set in the
// configuration or its value comes from the network.
func TestGoOnConfig(t *testing.T) {
	k := kinds["choosing tables"]
	five, narrow := digitsNetwork(t, k, 5), digitsNetwork(t, k, 4)
	for _, c := range []struct{ start, text, want string }{
		{five, "data: {set: digits}\ntrain: {epochs: 1}", ""},
		{five, "data: {set: digits}\nencoder: {bits: 8}\ntrain: {epochs: 1}", ""},
		{five, "data: {set: digits}\nmodel: {topology: layered, widths: '120,100', tau: 3}\ntrain: {epochs: 1}", ""},
		{five, "data: {set: digits}\nmodel: {topology: ialgn}", `model.widths: "120,100", but all layers of topology ialgn`},
		{five, "data: {set: digits}\nmodel: {anchors: 8}", "has another model.anchors than this configuration"},
		{five, "data: {set: digits}\nencoder: {thresholds: learned}", "c.yaml:2:23: encoder.thresholds: learned, but"},
		{five, "data: {set: digits}\nmodel: {tau: -1}", "model.tau: -1 is outside"},
		{
			narrow, "data: {set: digits}",
			"digits: features up to 16, but the network accepts whole numbers only up to 15; hint: import the network again with " +
				"Fact: input.bits=5",
		},
	} {
		o := ialgn.TrainOptions{Init: c.start, Path: filepath.Join(t.TempDir(), "out")}
		cfg, err := ialgn.LoadConfig(o, write(t, c.text))
		if err == nil {
			_, err = ialgn.Train(t.Context(), cfg, ialgn.Data{}, o)
		}
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.text, err)
		case c.want != "" && (err == nil || !strings.Contains(withHint(err), c.want)):
			t.Errorf("%s: error %v, want %q", c.text, withHint(err), c.want)
		}
	}
	// If the configuration is a Go value, keys that it does not set also come from the model.
	cfg := ialgn.Config{Data: config.Data{Set: "digits"}, Train: config.Train{Epochs: 1}}
	m, err := ialgn.Train(t.Context(), cfg, ialgn.Data{}, ialgn.TrainOptions{Init: five})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if got := m.Config().Model; got.Widths != "120,100" || got.Tau != 2 || got.Inputs != 4 {
		t.Errorf("keys %+v", got)
	}
}

// withHint returns the text of an error with its hint.
func withHint(err error) string {
	var h interface{ Hint() string }
	if errors.As(err, &h) {
		return err.Error() + "; hint: " + h.Hint()
	}
	return fmt.Sprint(err)
}

// TestGoOnMemory continues the training of a network from another framework on samples in memory. The classes have
// names.
func TestGoOnMemory(t *testing.T) {
	start := digitsNetwork(t, kinds["light"], 5)
	r := rand.New(rand.NewPCG(3, 4))
	data := ialgn.Data{Classes: strings.Split("null eins zwei drei vier fünf sechs sieben acht neun", " ")}
	for i := range 400 {
		row := make([]float64, 64)
		for f := range row {
			row[f] = float64(r.IntN(8))
		}
		row[i%10], row[10+i%10] = 16, 31
		data.Features, data.Labels = append(data.Features, row), append(data.Labels, i%10)
	}
	cfg := ialgn.Config{Train: config.Train{Epochs: 4}}
	m, err := ialgn.Train(t.Context(), cfg, data, ialgn.TrainOptions{Init: start})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if got := m.Classes(); !slices.Equal(got, data.Classes) {
		t.Errorf("classes %q", got)
	}
	if _, err := m.Evaluate(t.Context(), ialgn.EvalOptions{}); err != nil {
		t.Error(err)
	}
	data.Features[7][5] = 0.5
	_, err = ialgn.Train(t.Context(), cfg, data, ialgn.TrainOptions{Init: start})
	if err == nil || !strings.Contains(err.Error(), "feature 5 is 0.5, want an integer of 0..31") {
		t.Errorf("error %v", err)
	}
	data.Features[7][5], data.Classes[0] = 0, "zero"
	named := filepath.Join(t.TempDir(), "named")
	if err := m.Save(named); err != nil {
		t.Fatal(err)
	}
	_, err = ialgn.Train(t.Context(), cfg, data, ialgn.TrainOptions{Init: named})
	if err == nil || !strings.Contains(err.Error(), `classes ["zero" "eins"`) {
		t.Errorf("error %v", err)
	}
}

// TestFewerClasses evaluates an imported network on samples that do not contain one of the network's classes. It also
// continues the training on these samples. Labels must keep the network's class numbers.
func TestFewerClasses(t *testing.T) {
	dir := t.TempDir()
	save := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	gates := save("n.blif",
		".model n\n.inputs a b c\n.outputs x y z\n.names a b x\n10 1\n.names b c y\n10 1\n.names c a z\n10 1\n.end\n")
	rows := strings.Repeat("1,0,0,0\n0,0,1,2\n", 8)
	set := []string{"data.set=csv", "data.train=" + save("train.csv", rows), "data.test=" + save("test.csv", rows)}
	o := ialgn.ImportOptions{Fact: []string{"group_sum.k=3", "group_sum.tau=1"}, Set: set}
	for _, classes := range [][]string{nil, {"2", "1", "0"}} {
		o.Classes = classes
		i, err := ialgn.Import(t.Context(), gates, o)
		if err != nil {
			t.Fatal(err)
		}
		if len(i.Classes) != 3 || i.Samples != 16 {
			t.Errorf("classes %q, %d samples", i.Classes, i.Samples)
		}
		path := filepath.Join(t.TempDir(), "m.safetensors")
		if err := i.Save(path); err != nil {
			t.Fatal(err)
		}
		want := 1.0
		if classes != nil { // the two names are exchanged, so every prediction is wrong
			want = 0
		}
		if got := evaluate(t, path); got != want {
			t.Errorf("accuracy %v, want %v", got, want)
		}
		out := filepath.Join(t.TempDir(), "more.safetensors")
		run := ialgn.TrainOptions{Path: out, Init: path}
		cfg, err := ialgn.LoadConfig(run, write(t, "train: {epochs: 1, batch: 4}"), set...)
		if err != nil {
			t.Fatal(err)
		}
		goOn(t, cfg, run)
		if m := loadModel(t, out); len(m.Classes) != 3 {
			t.Errorf("classes %q", m.Classes)
		}
		evaluate(t, out)
	}
	o.Classes, o.Set[2] = nil, "data.test="+save("other.csv", rows+"1,1,1,3\n")
	if _, err := ialgn.Import(t.Context(), gates, o); err == nil {
		t.Error("a class that the network does not have was accepted")
	}
}
