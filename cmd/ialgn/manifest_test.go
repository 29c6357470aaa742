package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ialgn/internal/testkit"
)

// manifestFile is the manifest of a folder, which a test changes and signs again.
type manifestFile struct {
	path  string
	sound []byte
	all   map[string]any
	files []any
}

func openManifest(t *testing.T, dir string) *manifestFile {
	t.Helper()
	m := &manifestFile{path: filepath.Join(dir, "manifest.json")}
	var err error
	if m.sound, err = os.ReadFile(m.path); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(m.sound, &m.all); err != nil {
		t.Fatal(err)
	}
	m.files = m.all["files"].([]any)
	return m
}

// with writes the manifest with the given list of files and signs it.
func (m *manifestFile) with(t *testing.T, files []any) {
	t.Helper()
	m.all["files"] = files
	text, err := json.Marshal(m.all)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, m.path, string(text))
	if err := testkit.ResignFolder(filepath.Dir(m.path)); err != nil {
		t.Fatal(err)
	}
}

// withValue returns a copy of an entry in the manifest's list. The copy has the given value for the key.
func withValue(of any, key, value string) map[string]any {
	e := map[string]any{}
	for k, v := range of.(map[string]any) {
		e[k] = v
	}
	e[key] = value
	return e
}

// forms lists options of compile that together produce all kinds of files.
var forms = []string{
	"--wrap stream --lut 6 --emit aiger,blif,c,dot,go,yosys-json",
	"--wrap uart --board hx8k-breakout --target ice40 --style lut --pipeline 2",
	"--wrap axis --fold 2",
	"--emit object,go",
	"--scope gates",
	"--scope gates --lut 6",
}

// tinyModel trains a network into m.st in a new working folder. The network is so small that compile and verify take
// hundredths of a second.
func tinyModel(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	writeFile(t, "small.yaml", small)
	must(t, "train", "small.yaml", "-o", "m.st", "--quiet", "--set", "train.epochs=1", "--set", "model.width=20", "--set",
		"model.depth=2")
}

// TestManifestEntries leaves out, duplicates, renames and swaps every entry of manifests. The contents of a folder
// follow from its netlist and its options, so verify must refuse each change.
func TestManifestEntries(t *testing.T) {
	tinyModel(t)
	for i, form := range forms {
		if i%3 != 0 && !testkit.Whole() {
			continue
		}
		dir := fmt.Sprintf("out%d", i)
		must(t, slices.Concat([]string{"compile", "m.st", "-o", dir, "--quiet"}, strings.Fields(form))...)
		must(t, "verify", "m.st", dir, "--level", "software")
		m := openManifest(t, dir)
		refused := func(what string, files []any) {
			m.with(t, files)
			code, stdout, stderr := runProgram(t, "verify", "m.st", dir, "--level", "software")
			if code != exitUsage || stdout != "" || !strings.HasPrefix(stderr, "ialgn: "+dir) ||
				strings.Count(stderr, "\n") > 2 {
				t.Errorf("%s: %s: exit status %d, %s%s", form, what, code, stdout, stderr)
			}
		}
		for k, e := range m.files {
			name := e.(map[string]any)["name"].(string)
			refused("without "+name, slices.Delete(slices.Clone(m.files), k, k+1))
			refused("twice "+name, slices.Insert(slices.Clone(m.files), k, e))
			changed := slices.Clone(m.files)
			changed[k] = withValue(e, "format", "verilog-header")
			refused("another role of "+name, changed)
			other := m.files[(k+1)%len(m.files)].(map[string]any)
			changed[k], changed[(k+1)%len(m.files)] = withValue(e, "name", other["name"].(string)),
				withValue(other, "name", name)
			refused("swapped "+name, changed)
		}
		writeFile(t, m.path, string(m.sound))
		must(t, "verify", "m.st", dir, "--level", "software")
	}
}

// TestManifestValues changes the entries about the model and about the options.
func TestManifestValues(t *testing.T) {
	tinyModel(t)
	must(t, "compile", "m.st", "-o", "out", "--wrap", "uart", "--board", "hx8k-breakout", "--target", "ice40",
		"--pipeline", "2", "--quiet")
	m := openManifest(t, "out")
	for from, to := range map[string]string{
		`"wrap": "uart"`:               `"wrap": "spi"`,
		`"board": "hx8k-breakout"`:     `"board": "icebreaker"`,
		`"pipeline": "2"`:              `"pipeline": "3"`,
		`"target": "ice40"`:            `"target": "ecp5"`,
		`"scope": "full"`:              `"scope": "core"`,
		`"classes": [` + "\n    \"0\"": `"classes": [` + "\n    \"zero\"",
		`"version_word": `:             `"version_word": 1`,
		`"name": "tiny"`:               `"name": "huge"`,
		`"set": "digits"`:              `"set": "mnist"`,
		`"test_sha256": "`:             `"test_sha256": "0`,
		`"bits": 4`:                    `"bits": 5`,
		`"module": "tiny"`:             `"module": "huge"`,
	} {
		changed := strings.Replace(string(m.sound), from, to, 1)
		if changed == string(m.sound) {
			t.Fatalf("the manifest lacks %s:\n%s", from, m.sound)
		}
		writeFile(t, m.path, changed)
		if code, stdout, stderr := runProgram(t, "verify", "m.st", "out", "--level", "software"); code != exitUsage &&
			code != exitDifference {
			t.Errorf("%s in place of %s: exit status %d, %s%s", to, from, code, stdout, stderr)
		}
	}
	writeFile(t, m.path, string(m.sound))
	must(t, "verify", "m.st", "out", "--level", "software")
}

// TestVerifyNamesRemovedFormat verifies a folder with files in a format that an earlier version wrote. This version
// does not write the format.
func TestVerifyNamesRemovedFormat(t *testing.T) {
	tinyModel(t)
	must(t, "compile", "m.st", "-o", "out", "--emit", "go", "--quiet")
	m := openManifest(t, "out")
	writeFile(t, m.path, strings.Replace(string(m.sound), "\"go\"\n    ]", "\"go-object\"\n    ]", 1))
	code, _, stderr := runProgram(t, "verify", "m.st", "out", "--level", "software")
	if code != exitUsage || !strings.Contains(stderr, "go-object: removed: ") {
		t.Errorf("exit status %d, want %d and the format named as removed:\n%s", code, exitUsage, stderr)
	}
}

// TestWrittenFiles changes one bit of each file that no level of verify runs, and signs the folder again. verify must
// report that compile would write another file.
func TestWrittenFiles(t *testing.T) {
	tinyModel(t)
	for i, form := range forms {
		dir := fmt.Sprintf("out%d", i)
		must(t, slices.Concat([]string{"compile", "m.st", "-o", dir, "--quiet"}, strings.Fields(form))...)
		m := openManifest(t, dir)
		for _, f := range m.files {
			name, format := f.(map[string]any)["name"].(string), f.(map[string]any)["format"].(string)
			if slices.Contains([]string{"verilog", "core", "netlist", "hint", "report", "fold-program"}, format) {
				continue // verify judges these by their function or content
			}
			path := filepath.Join(dir, name)
			sound, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			changed := slices.Clone(sound)
			at := slices.IndexFunc(changed, func(c byte) bool { return '0' <= c && c <= '8' })
			if changed[max(at, 0)]++; at < 0 {
				t.Fatalf("%s has no digit", name)
			}
			writeFile(t, path, string(changed))
			m.with(t, m.files)
			code, stdout, stderr := runProgram(t, "verify", "m.st", dir, "--level", "software")
			if code != exitDifference || !strings.Contains(stdout, "folder: "+name+" is not what ialgn") {
				t.Errorf("%s: %s: exit status %d, %s%s", form, name, code, stdout, stderr)
			}
			writeFile(t, path, string(sound))
		}
		m.with(t, m.files)
		must(t, "verify", "m.st", dir, "--level", "software")
	}
}
