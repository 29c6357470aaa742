// Package python compares the Python package in this folder with the program and the trainer. The Python package also
// has its own tests.
package python

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ialgn/internal/doctest"
	"ialgn/internal/encoding"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/internal/softmax"
	"ialgn/internal/testkit"

	"github.com/google/go-cmp/cmp"
)

// bin is the folder into which the program is built when a test first needs it.
var bin string

var build = sync.OnceValue(func() error { return testkit.Build(bin, "ialgn/cmd/ialgn") })

func TestMain(m *testing.M) {
	var err error
	if bin, err = os.MkdirTemp("", "python-"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(bin)
	os.Exit(code)
}

// interpreter returns a Python with numpy, or skips the test.
func interpreter(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"/usr/bin/python3", "python3"} {
		if exec.Command(name, "-c", "import numpy").Run() == nil {
			return name
		}
	}
	t.Skip("no python3 with numpy (Debian package python3-numpy)")
	return ""
}

// TestPackage runs the Python package's own tests with all reference files for comparison, and then reads the models
// that these tests wrote.
func TestPackage(t *testing.T) {
	python := interpreter(t)
	if err := build(); err != nil {
		t.Fatal(err)
	}
	forms, written := t.TempDir(), t.TempDir()
	for _, form := range append(netgen.Unshared(), netgen.ConvForms()...) {
		writeForm(t, forms, form)
	}
	cmd := exec.CommandContext(t.Context(), python, "-m", "unittest", "discover", "-s", "tests")
	cmd.Env = append(os.Environ(), "PYTHONPATH=.", "PYTHONDONTWRITEBYTECODE=1",
		"IALGN="+filepath.Join(bin, "ialgn"), "IALGN_FORMS="+forms, "IALGN_WRITTEN="+written)
	if folder, ok := fixtures(); ok {
		cmd.Env = append(cmd.Env, "IALGN_FIXTURES="+folder)
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
	compareWritten(t, written)
}

// TestMissingWords checks that the Python package and the trainer have the same words for a missing value.
func TestMissingWords(t *testing.T) {
	const show = `import json
from ialgn.table import MISSING_NUMBERS, MISSING_WORDS
print(json.dumps([MISSING_WORDS, MISSING_NUMBERS]))`
	var got [2][]string
	printed(t, &got, show)
	var want [2][]string
	for i, words := range [][]string{encoding.MissingWords, encoding.MissingNumbers} {
		for _, w := range words {
			want[i] = append(want[i], strings.ToLower(w))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("words of python/ialgn/table.py (-trainer +Python):\n%s", diff)
	}
}

// TestPowers checks that the Python package and the program have the same tables of powers.
func TestPowers(t *testing.T) {
	temperatures := []float64{5e-324, 1e-6, 0.01, 0.1, 0.3, 1, 1.5, 2.0 / 3, 4.1, 8, 8.25, 17.3, 30, 100, 12345.678}
	const show = `import json, sys
from ialgn.softmax import powers
print(json.dumps([powers(t, 2000).tolist() for t in json.loads(sys.argv[1])]))`
	argument, err := json.Marshal(temperatures)
	if err != nil {
		t.Fatal(err)
	}
	var got, want [][]uint32
	printed(t, &got, show, string(argument))
	for _, temperature := range temperatures {
		want = append(want, softmax.New(temperature, 2000).Powers())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("powers (-program +Python):\n%.2000s", diff)
	}
}

// printed stores what a script of Python prints as JSON at value.
func printed(t *testing.T, value any, script string, arguments ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), interpreter(t), append([]string{"-c", script}, arguments...)...)
	cmd.Env = append(os.Environ(), "PYTHONPATH=.", "PYTHONDONTWRITEBYTECODE=1")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, value); err != nil {
		t.Fatal(err)
	}
}

// fixtures returns the path of a folder next to the repository with checkpoints of other frameworks, and whether the
// folder exists.
func fixtures() (string, bool) {
	folder, err := filepath.Abs(filepath.Join("..", "..", "shared", "reference", "import"))
	if err != nil {
		return "", false
	}
	_, err = os.Stat(filepath.Join(folder, "README.md"))
	return folder, err == nil
}

// compareWritten reads the models that Python wrote. The trainer must write them with the same bytes.
func compareWritten(t *testing.T, folder string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.safetensors"))
	if err != nil || len(files) < 10 {
		t.Fatalf("%d models were written: %v", len(files), err)
	}
	for _, file := range files {
		m, err := model.Load(file)
		if err != nil {
			t.Error(err)
			continue
		}
		again := filepath.Join(t.TempDir(), "again")
		if _, err := m.Save(again); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(content(t, again), content(t, file)) {
			t.Errorf("%s: the trainer writes other bytes of the same model", filepath.Base(file))
		}
		if err := m.Config.Check(); err != nil {
			t.Errorf("%s: %v", filepath.Base(file), err)
		}
	}
}

func content(t *testing.T, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// writeForm writes a model, the input bits of some samples, the class counts that the trainer's forward pass computes
// for these samples, and their probabilities by integers.
func writeForm(t *testing.T, folder string, form netgen.Form) {
	t.Helper()
	const samples, words = 100, 2
	m := form.Model()
	base := filepath.Join(folder, form.Name)
	if _, err := m.Save(base + ".safetensors"); err != nil {
		t.Fatal(err)
	}
	p := netgen.Samples(&m.Encoder, samples, len(m.Classes), 7)
	inputs, classes := m.Encoder.Inputs(), len(m.Classes)
	in, planes := make([]uint64, inputs*words), make([]uint64, p.Rows()*words)
	p.GatherRange(planes, words, 0, samples)
	m.Encoder.Thermometer(in, planes, words)
	e := model.NewEvaluator(m.Freeze())
	e.Run(in, words, nil)
	counts := make([]int32, classes*samples)
	e.Counts(counts, samples)
	var bits, rows, probabilities []byte
	table, fixed := m.Softmax(), make([]uint16, classes)
	for s := range samples {
		for i := range inputs {
			bits = append(bits, byte(in[i*words+s/64]>>(s%64)&1))
		}
		sample := make([]int32, classes)
		for c := range classes {
			sample[c] = counts[c*samples+s]
			rows = binary.LittleEndian.AppendUint32(rows, uint32(sample[c]))
		}
		softmax.Fixed(table, fixed, sample)
		for _, p := range fixed {
			probabilities = binary.LittleEndian.AppendUint16(probabilities, p)
		}
	}
	writeArray(t, base+".bits.npy", "|u1", samples, inputs, bits)
	writeArray(t, base+".counts.npy", "<i4", samples, classes, rows)
	writeArray(t, base+".probabilities.npy", "<u2", samples, classes, probabilities)
}

// writeArray writes an array of rows and columns.
func writeArray(t *testing.T, file, kind string, rows, columns int, data []byte) {
	t.Helper()
	if err := os.WriteFile(file, testkit.NPY(kind, fmt.Sprintf("%d, %d", rows, columns), data), 0o600); err != nil {
		t.Fatal(err)
	}
}

// imports reports whether a Python has the modules that a command imports and that the package itself does not need.
func imports(python, command string) bool {
	for _, module := range []string{"pandas", "sklearn"} {
		if strings.Contains(command, module) && exec.Command(python, "-c", "import "+module).Run() != nil {
			return false
		}
	}
	return true
}

// TestReadme runs the commands of the README and compares their output with the output in the README.
func TestReadme(t *testing.T) {
	testkit.Long(t, "walks a README")
	python := interpreter(t)
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip(err)
	}
	if err := build(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, folder := range []string{"python", "examples/digits", "internal/dataset/optdigits"} {
		if err := os.CopyFS(filepath.Join(dir, folder), os.DirFS(filepath.Join("..", folder))); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.RemoveAll(filepath.Join(dir, "python", "tests")); err != nil { // TestPackage runs them
		t.Fatal(err)
	}
	steps, err := doctest.Steps(string(content(t, "README.md")))
	if err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	for _, s := range steps {
		command := strings.ReplaceAll(s.Command, "python3 ", python+" ")
		switch {
		case strings.Contains(command, "unittest"), !imports(python, command):
			continue
		case strings.Contains(command, "pip install"):
			command = strings.Replace(command, "install", "install --no-index --no-deps --target site", 1)
			env = append(env, "PYTHONPATH="+filepath.Join(dir, "site"))
			if exec.Command(python, "-m", "pip", "--version").Run() != nil {
				command = "mv python site" // pip is not installed
			}
		}
		cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
		cmd.Dir, cmd.Env = dir, env
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("README.md:%d: %s: %v\n%s", s.Line, command, err, out)
		}
		if !s.Console || strings.Contains(command, "pip install") {
			continue
		}
		if err := doctest.Compare(s.Output, strings.Split(string(out), "\n"), strings.TrimSpace); err != nil {
			t.Fatalf("README.md:%d: %s\n%v", s.Line, s.Command, err)
		}
	}
}
