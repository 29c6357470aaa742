package trainer

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/config"
	"ialgn/internal/encoding"
	"ialgn/internal/engine"
	"ialgn/internal/model"
)

// TestStart starts from a model. At a tiny learning rate the parameters must stay the same. The record must name the
// model's file.
func TestStart(t *testing.T) {
	dir := t.TempDir()
	base, path := filepath.Join(dir, "base"), filepath.Join(dir, "m")
	sum := train(t, Run{Config: parse(t), Model: base}).SHA256
	train(t, Run{Config: parse(t, "train.epochs=1", "train.optimizer.lr=1e-9", "model.tau=3", "train.seed=9",
		"name=tuned"), Model: path, Start: base})
	was, m := loadModel(t, base), loadModel(t, path)
	if diff := cmp.Diff(&model.Start{Name: "base", SHA256: sum}, m.Record.Start); diff != "" || len(m.Record.Epochs) != 1 {
		t.Errorf("record %+v, start (-want +got):\n%s", m.Record, diff)
	}
	if m.Config.Model.Tau != 3 || m.Config.Name != "tuned" {
		t.Errorf("the model has the configuration %+v, not the run's", m.Config)
	}
	sameParameters(t, was, m)
}

// TestStartSettled starts from models whose pins have candidates. The new networks have the same pins without
// candidates. Each pin must read the source that it chose in the model, so both networks compute the same function.
func TestStartSettled(t *testing.T) {
	for name, c := range map[string]struct{ model, key string }{
		"conv": {"topology=conv kernels=6 levels=2 widths=20 width=20 depth=3 hidden=3", "hidden"},
		"layers behind kernels": {
			"topology=conv kernels=6 levels=2 widths=20,20 width=20 depth=4 patch_hidden=1 hidden=3", "hidden",
		},
		"kernels": {"topology=conv kernels=6 levels=2 widths=20 width=20 depth=3 hidden=1 patch_hidden=3", "patch_hidden"},
		"both":    {"topology=conv kernels=6 levels=2 widths=20,20 width=20 depth=4 patch_hidden=2 hidden=3", "hidden"},
		"chains":  {"topology=conv kernels=6,4 levels=1 widths=20 width=20 chains=2 depth=4 anchors=5 anchored=1", "anchors"},
		"steps":   {"topology=recurrent widths=20,20 width=20 depth=2 hidden=3 anchors=1", "hidden"},
		"layers":  {"topology=layered widths=20,20 width=20 depth=2 hidden=5", "hidden"},
		"private": {"topology=ialgn", "anchors"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			base, path := filepath.Join(dir, "base"), filepath.Join(dir, "m")
			keys := []string{"train.epochs=1"}
			for key := range strings.FieldsSeq(c.model) {
				keys = append(keys, "model."+key)
			}
			train(t, Run{Config: parse(t, keys...), Model: base})
			keys = append(keys, "train.optimizer.lr=1e-9", "model."+c.key+"=1")
			if c.key == "hidden" {
				keys = slices.DeleteFunc(keys, func(key string) bool { return strings.HasPrefix(key, "model.patch_hidden=") })
			}
			train(t, Run{Config: parse(t, keys...), Model: path, Start: base})
			was, m := loadModel(t, base), loadModel(t, path)
			if c.key == "hidden" { // 1 by default
				silent := slices.DeleteFunc(slices.Clone(keys), func(key string) bool {
					return strings.HasPrefix(key, "model.hidden=")
				})
				refused(t, Run{Config: parse(t, silent...), Model: path + "2", Start: base}, "with the value 1")
			}
			settled := 0
			for i := range m.Sections {
				for k, p := range m.Sections[i].Pins {
					if was.Sections[i].Pins[k].K > p.K {
						settled++
					}
				}
			}
			if settled == 0 {
				t.Error("no pin is settled")
			}
			want := was.Freeze()
			want.Name = m.Config.Name
			if diff := cmp.Diff(want, m.Freeze()); diff != "" {
				t.Errorf("frozen network (-started from +settled):\n%s", diff)
			}
		})
	}
}

// TestStartMoments starts from a checkpoint. The moments in the checkpoint must not matter. The parameters must
// become the same as after a start from the model.
func TestStartMoments(t *testing.T) {
	dir := t.TempDir()
	base, path := filepath.Join(dir, "base"), filepath.Join(dir, "m")
	train(t, Run{Config: parse(t), Model: base})
	train(t, Run{Config: parse(t, "train.epochs=1"), Model: path, Start: base})
	want := loadModel(t, path)
	train(t, Run{Config: parse(t, "train.epochs=1"), Model: path, Start: CheckpointPath(base)})
	if diff := cmp.Diff(want.Sections, loadModel(t, path).Sections); diff != "" {
		t.Errorf("parameters (-from the model +from the checkpoint):\n%s", diff)
	}
}

// TestStartSameBytes fine-tunes with several numbers of threads. It also resumes an interrupted fine-tuning run with
// and without the name of the start model, and after the start model was renamed.
func TestStartSameBytes(t *testing.T) {
	dir := t.TempDir()
	base, whole := filepath.Join(dir, "base"), filepath.Join(dir, "whole")
	train(t, Run{Config: parse(t), Model: base})
	cfg := parse(t, "train.epochs=2", "train.schedule.kind=cosine", "train.validation.share=0.1")
	train(t, Run{Config: cfg, Model: whole, Start: base, Threads: 1})
	renamed := filepath.Join(dir, "renamed")
	copyFile(t, renamed, base)
	for i, start := range []string{"", base, renamed} {
		path := filepath.Join(dir, fmt.Sprint(i))
		interrupted(t, Run{Config: cfg, Model: path, Start: base, Threads: 2}, 2, 5)
		train(t, Run{Config: cfg, Model: path, Start: start, Threads: 3, Resume: true})
		if string(read(t, path)) != string(read(t, whole)) {
			t.Errorf("resumed with --init %q, the model differs from the uninterrupted one", start)
		}
	}
}

func TestStartRefuses(t *testing.T) {
	dir := t.TempDir()
	base := filepath.Join(dir, "base")
	train(t, Run{Config: parse(t, "train.epochs=1"), Model: base})
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte("no model at all"), 0o666); err != nil {
		t.Fatal(err)
	}
	forged := func(name string, change func(m *model.Model)) string {
		m := loadModel(t, base)
		change(m)
		path := filepath.Join(dir, name)
		if _, err := m.Save(path); err != nil {
			t.Fatal(err)
		}
		return path
	}
	anchors := forged("anchors", func(m *model.Model) { m.Config.Model.Anchors = 9 })
	thresholds := forged("thresholds", func(m *model.Model) { m.Encoder.Thresholds[3][0]++ })
	features := forged("features", func(m *model.Model) { m.Encoder.Max++ })
	for _, c := range []struct{ start, set, want string }{
		{anchors, "model.anchors=9", "section 0: 1 layers with 8 candidates (input) for a pin, but its configuration says " +
			"1 with 9 (input)"},
		{thresholds, "name=x", "have different thresholds"},
		{features, "name=x", "have different features (64 of 5 bits up to 17, and 64 of 5 bits up to 16)"},
		{base, "model.width=70", "another model.width than"},
		{base, "model.depth=5", "another model.depth than"},
		{base, "model.anchors=9", "another model.anchors than"},
		{base, "model.first_pin=fixed", "another model.first_pin than"},
		{base, "encoder.bits=5", "another encoder.bits than"},
		{base, "encoder.thresholds=quantile", "another encoder.thresholds than"},
		{text, "name=x", "text: "},
		{filepath.Join(dir, "none"), "name=x", "none: no such file"},
		{dir, "name=x", "a folder; name a model file in it"},
		{os.DevNull, "name=x", os.DevNull + ": a device or pipe, "},
	} {
		path := filepath.Join(dir, "m")
		refused(t, Run{Config: parse(t, c.set), Model: path, Start: c.start}, c.want)
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s: a model was written", c.want)
		}
	}
	tuned, other := filepath.Join(dir, "tuned"), filepath.Join(dir, "other")
	train(t, Run{Config: parse(t, "train.epochs=1"), Model: tuned, Start: base})
	train(t, Run{Config: parse(t, "train.epochs=1", "train.seed=5"), Model: other})
	refused(t, Run{Config: parse(t), Model: tuned, Start: other, Resume: true}, "started from another file than")
	refused(t, Run{Config: parse(t), Model: base, Start: other, Resume: true}, "did not start from a model")
}

// TestResumeForged checks that a checkpoint is refused if its network does not fit its configuration and data.
// Another program may have written such a checkpoint.
func TestResumeForged(t *testing.T) {
	for _, c := range []struct {
		name, drawn, said string // drawn: keys of the drawn network; said: keys in its configuration
		change            func(m *model.Model)
		want              string
	}{
		{
			"candidates", "model.anchors=9", "model.anchors=8", nil,
			"section 0: 1 layers with 9 candidates (input) for a pin, but its configuration says 1 with 8 (input)",
		},
		{
			"spine", "model.topology=rwlgn-spine", "model.topology=rwlgn", nil,
			"section 1: 1 layers with 1 candidates (spine) for a pin, but its configuration says 1 with 1 (previous)",
		},
		{"more bits", "encoder.bits=6", "encoder.bits=4", nil, "have different thresholds"},
		{"fewer bits", "encoder.bits=3", "encoder.bits=4", nil, "have different thresholds"},
		{"thresholds", "name=x", "name=x", func(m *model.Model) { m.Encoder.Thresholds[3][0]++ }, "have different thresholds"},
		{"classes", "name=x", "name=x", func(m *model.Model) { m.Classes[3] = "x" }, "has the classes"},
		{"input only", "name=x", "name=x", func(m *model.Model) {
			for i := range m.Sections {
				m.Sections[i].Pins[0] = m.Sections[i].Pins[1]
			}
		}, "section 1: 3 layers with 8 candidates (input) for a pin, but its configuration says 3 with 1 (spine)"},
	} {
		s := prepared(t, parse(t, c.drawn), filepath.Join(t.TempDir(), "m"))
		s.m.Config = parse(t, c.said)
		if c.change != nil {
			c.change(s.m)
		}
		var err error
		if s.eng, err = engine.New(s.m, 100, 1); err != nil {
			t.Fatal(err)
		}
		if err := s.save(); err != nil {
			t.Fatal(err)
		}
		refused(t, Run{Config: parse(t, c.said), Model: s.Model, Resume: true}, c.want)
	}
}

// TestStartData trains on tables, starting from a model. Each table differs in one thing from the table that the
// model was trained on.
func TestStartData(t *testing.T) {
	dir := t.TempDir()
	write := func(name, header, classes string, top int) string {
		var b strings.Builder
		b.WriteString(header + "\n")
		for i := range 60 {
			fmt.Fprintf(&b, "%d,%d,%s\n", i*top/59, (i*7)%60, string(classes[i%len(classes)]))
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	table := func(file string) config.Config {
		cfg, err := config.Parse("t.yaml", []byte("data: {set: csv, train: "+file+
			"}\nencoder: {bits: 4}\nmodel: {width: 6, depth: 2, anchors: 3, tau: 1}\ntrain: {epochs: 1, batch: 10}\n"), nil)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Data.Test = file
		cfg.Data.TestShare = 0
		return cfg
	}
	base := filepath.Join(dir, "base")
	train(t, Run{Config: table(write("a.csv", "x,y,class", "pq", 59)), Model: base})
	for _, c := range []struct{ file, want string }{
		{write("classes.csv", "x,y,class", "ps", 59), `has the classes ["p" "q"], but data set classes has ["p" "s"]`},
		{write("names.csv", "x,z,class", "pq", 59), "have different names of features"},
		{write("ranges.csv", "x,y,class", "pq", 100), "have different ranges of values"},
	} {
		refused(t, Run{Config: table(c.file), Model: filepath.Join(dir, "m"), Start: base}, c.want)
	}
	train(t, Run{Config: table(write("b.csv", "x,y,class", "qqp", 59)), Model: filepath.Join(dir, "m"), Start: base})

	m := loadModel(t, base)
	enc, err := encoding.NewCuts([][]float64{{0, 1, 2}, {3, 4, 5}}, m.Encoder.Names)
	if err != nil {
		t.Fatal(err)
	}
	m.Encoder = *enc
	if _, err := m.Save(base); err != nil {
		t.Fatal(err)
	}
	refused(t, Run{Config: table(filepath.Join(dir, "a.csv")), Model: filepath.Join(dir, "m"), Start: base},
		"have different feature words (by 3 cuts of its own a feature, which come from no training part)")
}

// TestOtherGrid checks that a model is refused if its nodes are not at the positions that its configuration says. The
// check is needed because kernels read memory at addresses given by wires and positions.
func TestOtherGrid(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m")
	sets := []string{
		"model.topology=conv", "model.kernels=10,10", "model.levels=1", "model.anchored=1", "model.anchors=2",
		"model.widths=40", "model.width=40", "model.depth=3", "train.epochs=1",
	}
	train(t, Run{Config: parse(t, sets...), Model: file})
	for name, change := range map[string]func(m *model.Model){
		"another field": func(m *model.Model) { m.Sections[1].Grid.Field.Stride++ },
		"no field":      func(m *model.Model) { m.Sections[1].Grid.Field = nil },
		"other padding": func(m *model.Model) { m.Sections[0].Grid.Padding-- },
	} {
		m := loadModel(t, file)
		if err := checkSections(m); err != nil {
			t.Fatal(err)
		}
		if change(m); checkSections(m) == nil {
			t.Errorf("%s: accepted, although it differs from the configuration", name)
		}
	}
}
