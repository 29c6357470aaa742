package ialgn

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ialgn/backend"
	"ialgn/internal/config"
	"ialgn/internal/testkit"
)

// folder is a compiled folder. The tests change its files and then update the manifest to match.
type folder struct {
	t     *testing.T
	dir   string
	model *Model
	sound map[string][]byte // the unchanged files, by name
}

// compiled compiles a small model with real features. Features and classes have names, which appear in every file
// that contains names.
func compiled(t *testing.T, o CompileOptions) *folder {
	t.Helper()
	var data Data
	for i := range 40 {
		data.Features = append(data.Features, []float64{float64(i%7) - 2.5, float64(i%5) * 1.25, float64(i) / 3})
		data.Labels = append(data.Labels, i%2)
	}
	data.FeatureNames, data.Classes = []string{"mass", "width", "age"}, []string{"good", "bad"}
	cfg := Config{
		Name: "text", Encoder: config.Encoder{Bits: 4, BitsIn: 4}, Model: config.Model{Width: 4, Depth: 2, Anchors: 4, Tau: 1},
		Train: config.Train{Epochs: 1},
	}
	cfg.Data.TestShare = 0.25
	m, err := Train(t.Context(), cfg, data, TrainOptions{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := Compile(t.Context(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	f := &folder{t: t, dir: t.TempDir(), model: m, sound: map[string][]byte{}}
	if err := d.Write(t.Context(), f.dir, WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if f.sound[e.Name()], err = os.ReadFile(filepath.Join(f.dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	if found := f.compare(nil); found != "" {
		t.Fatalf("a sound folder: %s", found)
	}
	return f
}

// compare writes changed content to some files of the folder. It returns the differences that verify finds when it
// compares the folder.
func (f *folder) compare(changed map[string][]byte) string {
	f.t.Helper()
	for name, sound := range f.sound {
		text, ok := changed[name]
		if !ok {
			text = sound
		}
		if err := os.WriteFile(filepath.Join(f.dir, name), text, 0o666); err != nil {
			f.t.Fatal(err)
		}
	}
	if err := testkit.ResignFolder(f.dir); err != nil {
		f.t.Fatal(err)
	}
	out, p, err := readFolder(f.t.Context(), f.dir)
	if err != nil {
		return err.Error()
	}
	j, err := newJob(f.t.Context(), f.model, out, p, VerifyOptions{Level: "software"})
	if err != nil {
		return err.Error()
	}
	differ, _, err := j.CompareFolder(f.t.Context())
	if err != nil {
		return err.Error()
	}
	return strings.Join(differ, "\n")
}

// textForms lists options that together produce every kind of file with text.
var textForms = []CompileOptions{
	{Target: "ice40", Pipeline: "1", Wrap: "uart", Board: "hx8k-breakout", Style: "lut", Optimise: OptimiseOnce},
	{Wrap: "axis", Fold: "2", MHz: 20, Optimise: OptimiseOnce, Emit: []string{"object", "go"}},
	{Wrap: "stream", LUT: 4, Emit: []string{"blif", "c", "dot", "go"}, Optimise: OptimiseOnce},
}

// TestEveryComment changes every comment of every file and every line of NAME.json, one line of each file at a time.
// Each change must be reported with its file and its line.
func TestEveryComment(t *testing.T) {
	for _, o := range textForms {
		f := compiled(t, o)
		changes := map[string][]int{} // the lines to change, from 0
		most := 0
		for name, text := range f.sound {
			for i, line := range bytes.Split(text, []byte{'\n'}) {
				if said(name, string(bytes.TrimSpace(line))) {
					changes[name] = append(changes[name], i)
				}
			}
			most = max(most, len(changes[name]))
		}
		if len(changes) < 9 || most < 20 {
			t.Fatalf("%s: %d files have comments, at most %d in one file: the test shows nothing", o.Wrap, len(changes), most)
		}
		for i := range most {
			changed := map[string][]byte{}
			for name, lines := range changes {
				if i < len(lines) {
					changed[name] = otherLine(f.sound[name], lines[i])
				}
			}
			found := f.compare(changed)
			for refused := f.refused(found, changed, i, changes); refused != ""; {
				delete(changed, refused)
				found = f.compare(changed)
				refused = f.refused(found, changed, i, changes)
			}
			for name := range changed {
				if want := fmt.Sprintf("%s is not what ialgn %s writes for the ", name, Version); !strings.Contains(found, want) ||
					!strings.Contains(found, fmt.Sprintf(": line %d: ", changes[name][i]+1)) {
					t.Errorf("%s: line %d of %s: %s", o.Wrap, changes[name][i]+1, name, found)
				}
			}
		}
	}
}

// refused looks for a changed Verilog file that the reader refuses because the file has a comment that ialgn never
// writes. It returns the file's name. The error then names the first line of the block of fixed text that contains
// the comment. If the error in found has another reason, refused returns "".
func (f *folder) refused(found string, changed map[string][]byte, i int, changes map[string][]int) string {
	for name := range changed {
		line := 0
		_, err := fmt.Sscanf(strings.TrimPrefix(found, filepath.Join(f.dir, name)), ": line %d: ", &line)
		if err == nil && line <= changes[name][i]+1 {
			return name
		}
	}
	return ""
}

// said reports whether a line is a comment or a line of NAME.json. All lines of NAME.json count, because the file
// contains only words and figures.
func said(name, line string) bool {
	if strings.HasSuffix(name, ".hint.json") || name == "report.json" || name == "manifest.json" {
		return false
	}
	comment := strings.HasPrefix(line, "//") || strings.HasPrefix(line, "#") && !strings.HasSuffix(name, ".h") &&
		!strings.HasSuffix(name, ".c") || strings.HasPrefix(line, "--") || strings.HasPrefix(line, "/*") || strings.HasPrefix(line, "* ")
	return (comment && !strings.HasSuffix(name, ".a") || strings.HasSuffix(name, ".json")) && letter(line) >= 0
}

// letter returns the index of the last letter or digit of a line, or -1 if there is none.
func letter(line string) int {
	return strings.LastIndexFunc(line, func(r rune) bool {
		return '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	})
}

// otherLine returns a text with one letter of a line changed.
func otherLine(text []byte, line int) []byte {
	lines := bytes.Split(bytes.Clone(text), []byte{'\n'})
	at := letter(string(lines[line]))
	lines[line][at] = map[bool]byte{true: '7', false: '3'}[lines[line][at] != '7']
	return bytes.Join(lines, []byte{'\n'})
}

// leaf is a value in a JSON file.
type leaf struct {
	key string
	put func(v any) // replaces the value
	v   any
}

// leaves returns the values in a tree of JSON.
func leaves(key string, v any, put func(any)) (all []leaf) {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			at := strings.TrimPrefix(key+"."+k, ".")
			all = append(all, leaves(at, e, func(other any) { v[k] = other })...)
		}
	case []any:
		for i, e := range v {
			all = append(all, leaves(fmt.Sprintf("%s[%d]", key, i), e, func(other any) { v[i] = other })...)
		}
	default:
		return []leaf{{key, put, v}}
	}
	return all
}

// other returns another value of the same kind.
func other(v any) any {
	switch v := v.(type) {
	case float64:
		return v + 1
	case string:
		return v + "x"
	case bool:
		return !v
	}
	return "x"
}

// runFigures lists the keys of the report that are not compared: the time and memory of a run, and the reason why
// there were no test samples.
var runFigures = append([]string{"vectors.reason"}, backend.OfTheRun...)

// TestEveryFigure changes every value of report.json, ten at a time. It then deletes one value and adds one. Each
// change must be reported.
func TestEveryFigure(t *testing.T) {
	for _, o := range textForms {
		f := compiled(t, o)
		var report any
		decode := func() []leaf {
			if err := json.Unmarshal(f.sound["report.json"], &report); err != nil {
				t.Fatal(err)
			}
			return slices.DeleteFunc(leaves("", report, nil), func(l leaf) bool { return backend.Covers(runFigures, l.key) })
		}
		count := len(decode())
		if count < 60 {
			t.Fatalf("%s: only %d figures", o.Wrap, count)
		}
		for from := 0; from < count; from += 10 {
			all := decode()
			slices.SortFunc(all, func(a, b leaf) int { return strings.Compare(a.key, b.key) })
			some := all[from:min(count, from+10)]
			for _, l := range some {
				l.put(other(l.v))
			}
			text, err := json.Marshal(report)
			if err != nil {
				t.Fatal(err)
			}
			found := f.compare(map[string][]byte{"report.json": text})
			for _, l := range some {
				if !strings.Contains(found, "report.json: "+l.key+" is ") {
					t.Errorf("%s: %s: %s", o.Wrap, l.key, found)
				}
			}
		}
		for from, to := range map[string]string{
			`"gates": `:     `"gates": 7, "gates": `,
			"{\n":           "{\n\"more\": 1,\n",
			`"gates_raw": `: `"gates_rare": `,
			`"passes": [`:   `"passes": [{"name": "more"},`,
		} {
			text := strings.Replace(string(f.sound["report.json"]), from, to, 1)
			if found := f.compare(map[string][]byte{"report.json": []byte(text)}); !strings.Contains(found, "report.json: ") {
				t.Errorf("%s: %s for %s: %q", o.Wrap, to, from, found)
			}
		}
	}
}

// TestEveryEntry changes every value of manifest.json and checks that each change is found. It updates digests and
// sizes to match.
func TestEveryEntry(t *testing.T) {
	f := compiled(t, textForms[0])
	var manifest any
	decode := func() []leaf {
		if err := json.Unmarshal(f.sound["manifest.json"], &manifest); err != nil {
			t.Fatal(err)
		}
		all := slices.DeleteFunc(leaves("", manifest, nil), func(l leaf) bool {
			return strings.HasPrefix(l.key, "files") && (strings.HasSuffix(l.key, "].size") || strings.HasSuffix(l.key, "].sha256"))
		})
		slices.SortFunc(all, func(a, b leaf) int { return strings.Compare(a.key, b.key) })
		return all
	}
	for i := range decode() {
		l := decode()[i]
		if strings.HasSuffix(l.key, "].name") {
			continue // the manifest would name a missing file, whose digest cannot be computed
		}
		l.put(other(l.v))
		text, err := json.Marshal(manifest)
		if err != nil {
			t.Fatal(err)
		}
		if found := f.compare(map[string][]byte{"manifest.json": text}); found == "" {
			t.Errorf("%s: nothing is found", l.key)
		}
	}
	if found := f.compare(map[string][]byte{"manifest.json": bytes.Replace(f.sound["manifest.json"], []byte("{"),
		[]byte(`{"tools": {"yosys": "1"},`), 1)}); !strings.Contains(found, "manifest.json: tools is ") {
		t.Errorf("a key more: %s", found)
	}
}

// TestEarlierVersion compares a folder that another version wrote. Values that only a compilation can determine are
// not compared, and verify lists them as unchecked.
func TestEarlierVersion(t *testing.T) {
	f := compiled(t, textForms[0])
	d, err := OpenDesign(t.Context(), f.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		version string
		want    bool
	}{{Version, true}, {"0.0.9", false}} {
		out := *d.out
		out.Manifest.Version = c.version
		j, err := newJob(t.Context(), f.model, &out, d.plan, VerifyOptions{Level: "formal"})
		if err != nil {
			t.Fatal(err)
		}
		differ, unchecked, err := j.CompareFolder(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if checked := !backend.Covers(unchecked, "passes[0].after") && !backend.Covers(unchecked, "gates"); checked != c.want {
			t.Errorf("%s: not compared: %q", c.version, unchecked)
		}
		if said := strings.Contains(strings.Join(differ, "\n"), "compiled by ialgn 0.0.9, and this is ialgn "+Version); said == c.want {
			t.Errorf("%s: %q", c.version, differ)
		}
	}
}
