package ialgn_test

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn"
	"ialgn/internal/dataset"
	"ialgn/internal/interchange/given"
	"ialgn/internal/message"
	"ialgn/internal/model"
)

// foreign returns the folders of networks that other frameworks have trained. If $IALGN_IMPORT is set, these are the
// folders in it, and the result all is true, so that the tests try every case. Otherwise, they are the folders in
// shared/reference/import.
func foreign(t *testing.T) (folders []string, all bool) {
	t.Helper()
	dir := os.Getenv("IALGN_IMPORT")
	if all = dir != ""; !all {
		dir = filepath.Join("..", "shared", "reference", "import")
	}
	facts, err := filepath.Glob(filepath.Join(dir, "*", "facts.json"))
	if err != nil || len(facts) == 0 {
		t.Skipf("no checkpoints of other frameworks in %s", dir)
	}
	for _, path := range facts {
		folders = append(folders, filepath.Dir(path))
	}
	return folders, all
}

// checkpoint is a file of a folder and the options to import it.
type checkpoint struct {
	file    string
	options ialgn.ImportOptions
	inputs  string // file of the inputs with which the framework computed its scores
	exact   bool   // the model's scores must equal the framework's scores exactly
	missing string // the fact that is missing in the file; empty: nothing is missing
}

// checkpoints returns the files of a folder. If facts are missing in a file, the result has the file once for each
// way to supply these facts.
func checkpoints(t *testing.T, dir string) (all []checkpoint) {
	t.Helper()
	has := func(pattern string) []string {
		paths, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		return paths
	}
	o := ialgn.ImportOptions{Facts: filepath.Join(dir, "facts.json")}
	if strings.HasPrefix(filepath.Base(dir), "dwn-") {
		o.Thresholds = filepath.Join(dir, "thresholds.npy")
	}
	for _, file := range slices.Concat(has("*.pt"), has("circuit*.json"), has("*.onnx")) {
		c := checkpoint{file: file, options: o, inputs: filepath.Join(dir, "inputs.npy"), exact: true}
		switch name := filepath.Base(file); {
		case strings.Contains(name, "no_indices"):
			c.missing = "wiring"
		case strings.HasPrefix(name, "circuit"): // reads thermometer bits, computes in double precision
			if c.exact = false; len(has("bits.npy")) > 0 {
				c.inputs = filepath.Join(dir, "bits.npy")
			}
		case strings.HasPrefix(filepath.Base(dir), "difflogic") && name != "model.pt":
			for _, wiring := range slices.Concat(has("wiring*.json"), has("*.c"), has("*.v")) {
				with := c
				with.options.Wiring = wiring
				all = append(all, with)
			}
			c.missing = "wiring"
		}
		all = append(all, c)
	}
	return all
}

// TestImport imports the networks of other frameworks and checks that they give the framework's scores and classes.
// It tries every file, with every way to supply a missing fact. Without the missing fact, the import must be refused.
func TestImport(t *testing.T) {
	folders, _ := foreign(t)
	for _, dir := range folders {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			for _, c := range checkpoints(t, dir) {
				checkImport(t, dir, c)
			}
		})
	}
}

// TestImportAsks imports files in the same way as a user who gives only the facts that the import asks for. It
// answers every question of the import by looking up the key that the question names. Beta and the order of the
// counted bits are given from the start, since an import never asks for these two facts.
func TestImportAsks(t *testing.T) {
	folders, _ := foreign(t)
	for _, dir := range folders {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			known := knownFacts(t, dir)
			for _, c := range checkpoints(t, dir) {
				if c.missing != "" {
					continue
				}
				c.options.Facts, c.options.Thresholds = "", ""
				for _, key := range []string{"beta", "randperm"} {
					if v := lookUp(known, []string{"group_sum", key}); v != nil {
						c.options.Fact = append(c.options.Fact, "group_sum."+key+"="+text(t, v))
					}
				}
				answer(t, dir, known, &c)
				checkImport(t, dir, c)
			}
		})
	}
}

// answer answers the questions of an import until the import asks for nothing more.
func answer(t *testing.T, dir string, known map[string]any, c *checkpoint) {
	t.Helper()
	for range 20 {
		_, err := ialgn.Import(t.Context(), c.file, c.options)
		var missing *given.Missing
		switch {
		case !errors.As(err, &missing):
			return
		case missing.What == "thresholds":
			c.options.Thresholds = filepath.Join(dir, "thresholds.npy")
			continue
		}
		key := missing.What
		v := lookUp(known, strings.Split(key, "."))
		if v == nil {
			t.Fatalf("%s asks for %s, which facts.json does not have: %v", filepath.Base(c.file), key, err)
		}
		c.options.Fact = append(c.options.Fact, key+"="+text(t, v))
		if h := message.Hint(err); !strings.Contains(h, key+"=VALUE") {
			t.Errorf("%s: hint %q of the question for %s", filepath.Base(c.file), h, key)
		}
	}
	t.Fatalf("%s: never stops asking: %v", filepath.Base(c.file), c.options.Fact)
}

// knownFacts returns all facts in a folder's facts.json. It also adds the shape of a sample and the parametrization,
// under the keys for which an import asks.
func knownFacts(t *testing.T, dir string) map[string]any {
	t.Helper()
	path := filepath.Join(dir, "facts.json")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	f, err := given.ReadFacts(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	all["input"] = map[string]any{"shape": f.Input.Shape}
	for _, l := range f.LayersInOrder {
		if l.Parametrization != "" && l.Parametrization != "raw" { // an import recognises "raw" itself
			all["parametrization"] = l.Parametrization
		}
	}
	return all
}

// lookUp returns the value at a path of keys, such as layers_in_order[1] and type, or nil if there is none.
func lookUp(in any, path []string) any {
	for _, step := range path {
		key, place, listed := strings.Cut(strings.TrimSuffix(step, "]"), "[")
		keys, _ := in.(map[string]any)
		in = keys[key]
		if listed {
			at, err := strconv.Atoi(place)
			list, _ := in.([]any)
			if err != nil || at >= len(list) {
				return nil
			}
			in = list[at]
		}
	}
	return in
}

// text formats a value for use in an option.
func text(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func checkImport(t *testing.T, dir string, c checkpoint) {
	t.Helper()
	where := fmt.Sprint(filepath.Base(c.file), " ", filepath.Base(c.options.Wiring))
	i, err := ialgn.Import(t.Context(), c.file, c.options)
	if c.missing != "" {
		if err == nil || !strings.Contains(err.Error(), c.missing+" is not known") {
			t.Errorf("%s: error %v, want that %s is missing", where, err, c.missing)
		}
		return
	}
	if err != nil {
		t.Errorf("%s: %v", where, err)
		return
	}
	path := filepath.Join(t.TempDir(), "m.safetensors")
	if err := i.Save(path); err != nil {
		t.Errorf("%s: %v", where, err)
		return
	}
	m, err := ialgn.Open(path)
	if err != nil {
		t.Errorf("%s: %v", where, err)
		return
	}
	defer m.Close()
	compareScores(t, where, dir, m, c)
}

// compareScores classifies the samples of a folder and compares the result with the framework's result.
func compareScores(t *testing.T, where, dir string, m *ialgn.Model, c checkpoint) {
	t.Helper()
	read := func(name string) []float64 {
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		_, values, err := dataset.ReadArray(name, f, 1<<24)
		if err != nil {
			t.Fatal(err)
		}
		return values
	}
	scores, classes := read("scores.npy"), read("classes.npy")
	classifier, err := m.Classifier(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	in, err := classifier.OpenFile(t.Context(), c.inputs)
	if err != nil {
		t.Errorf("%s: %v", where, err)
		return
	}
	defer in.Close()
	differ, seen := 0, 0
	err = in.Classify(t.Context(), func(first int, got []uint16, counts []int32) error {
		for i, class := range got {
			seen++
			if int(class) != int(classes[first+i]) {
				differ++
			}
		}
		at := first * len(m.Classes())
		for k, count := range counts {
			got, want := m.Score(int(count)), float32(scores[at+k])
			if c.exact && got != want || math.Abs(float64(got-want)) > 1e-6 {
				differ++
			}
		}
		return nil
	})
	if err != nil || differ > 0 || seen != len(classes) {
		t.Errorf("%s: %d scores and classes of %d samples differ, %v", where, differ, seen, err)
	}
}

// TestImportProved simulates networks of other frameworks, compiles them to Verilog and proves them. It takes one
// file of each folder if $IALGN_IMPORT is set, otherwise only some of the small folders.
func TestImportProved(t *testing.T) {
	folders, all := foreign(t)
	for _, dir := range folders {
		name := filepath.Base(dir)
		if !all && !slices.Contains([]string{"dwn-n4-learn", "qonnx-2bit"}, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := checkpoints(t, dir)[0]
			i, err := ialgn.Import(t.Context(), c.file, c.options)
			if err != nil {
				t.Fatal(err)
			}
			folder := t.TempDir()
			path := filepath.Join(folder, "m.safetensors")
			if err := i.Save(path); err != nil {
				t.Fatal(err)
			}
			m, err := ialgn.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			designs := []ialgn.CompileOptions{{Target: "xilinx7"}, {}}
			if !all {
				designs = designs[:1]
			}
			for _, o := range designs {
				d, err := ialgn.Compile(t.Context(), m, o)
				if err != nil {
					t.Fatal(err)
				}
				certificate, err := ialgn.Verify(t.Context(), m, d, ialgn.VerifyOptions{Level: "formal", Samples: 256})
				if err != nil {
					t.Errorf("%+v: %v (%+v)", o, err, certificate)
				}
			}
		})
	}
}

// TestImportSays checks which options an import refuses, and which findings it reports.
func TestImportSays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "n.blif")
	err := os.WriteFile(path, []byte(".model n\n.inputs a b\n.outputs x y\n.names a x\n0 1\n.names b y\n0 1\n.end\n"), 0o666)
	if err != nil {
		t.Fatal(err)
	}
	with := func(fact ...string) ialgn.ImportOptions {
		return ialgn.ImportOptions{Fact: append([]string{"group_sum.k=2", "group_sum.tau=1"}, fact...)}
	}
	named := with()
	named.Classes = []string{"a", "a"}
	blank := with()
	blank.Classes = []string{"a", " "}
	for want, o := range map[string]ialgn.ImportOptions{
		`classes: "a" is the name of class 0 and of class 1`: named,
		"a class without a name":                             blank,
		"input.divisor is 255, but input.bits is not said":   with("input.divisor=255"),
	} {
		if _, err := ialgn.Import(t.Context(), path, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	for want, o := range map[string]ialgn.ImportOptions{
		"features whole numbers of 8 bits, used unchanged, because input.divisor is not given (the options)": with("input.bits=8"),
		"features whole numbers of 8 bits, divided by 255 for the network (the options)":                     with("input={bits: 8, divisor: 255}"),
		"beta 0: not said, group_sum.beta (the default)":                                                     with(),
		"group sum 2 classes of 1 bits, tau 1, beta 3 (the options)":                                         with("group_sum.beta=3"),
	} {
		i, err := ialgn.Import(t.Context(), path, o)
		if err != nil {
			t.Errorf("%q: %v", want, err)
			continue
		}
		var all []string
		for _, f := range i.Findings {
			all = append(all, fmt.Sprintf("%s %s (%s)", f.What, f.Is, f.From))
		}
		if !slices.Contains(all, want) {
			t.Errorf("findings %q, want %q among them", all, want)
		}
	}
}

// TestImportDigests checks that a model records the digest of each file that it was read from.
func TestImportDigests(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{
		"net.blif":   ".model net\n.inputs a b\n.outputs y z\n.names a b y\n11 1\n.names a b z\n10 1\n01 1\n.end\n",
		"facts.yaml": "group_sum: {k: 2, tau: 1}\nnote: none\n",
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	i, err := ialgn.Import(t.Context(), filepath.Join(dir, "net.blif"), ialgn.ImportOptions{
		Facts: filepath.Join(dir, "facts.yaml"),
	})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "m.safetensors")
	if err := i.Save(path); err != nil {
		t.Fatal(err)
	}
	m, err := model.ReadInfo(path)
	if err != nil {
		t.Fatal(err)
	}
	var want []model.Start
	for _, name := range []string{"net.blif", "facts.yaml"} {
		want = append(want, model.Start{Name: name, SHA256: fmt.Sprintf("%x", sha256.Sum256([]byte(files[name])))})
	}
	if diff := cmp.Diff(want, m.Model.Record.Origin.Files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}
