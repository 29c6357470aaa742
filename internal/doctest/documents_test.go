package doctest

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ialgn/internal/testkit"
)

// root is the root folder of the repository.
var root = filepath.Join("..", "..")

// binary is the path of the program, which is built once.
var binary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "doctest-")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "ialgn")
	if out, err := exec.Command("go", "build", "-o", binary, "ialgn/cmd/ialgn").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestLibraryExcerpt checks that the Go code in the guide is part of the example that is built and run.
func TestLibraryExcerpt(t *testing.T) {
	_, block, found := strings.Cut(read(t, "docs/guides/go.md"), "```go\n")
	block, _, closed := strings.Cut(block, "```\n")
	if !found || !closed || block == "" {
		t.Fatal("docs/guides/go.md: no block of Go")
	}
	piece := "\t" + strings.ReplaceAll(strings.TrimSuffix(block, "\n"), "\n", "\n\t") + "\n"
	if !strings.Contains(read(t, "examples/library/main.go"), "\n"+piece) {
		t.Errorf("docs/guides/go.md: this is no piece of examples/library/main.go:\n%s", block)
	}
}

var (
	figureRow = regexp.MustCompile(`(?m)^\| [^|]+ \| (.+) \| \[[^]]+\]\(([^)#]+)[^)]*\) \|$`)
	figure    = regexp.MustCompile(`\d[\d,.]*\d|\d`)
)

// TestFirstPageFigures checks each figure in the table on the first page. The same figure must be on the page that
// the table names in the figure's row.
func TestFirstPageFigures(t *testing.T) {
	rows := figureRow.FindAllStringSubmatch(read(t, "README.md"), -1)
	if len(rows) < 5 {
		t.Fatalf("README.md: %d rows of figures, want at least 5", len(rows))
	}
	for _, row := range rows {
		there := figure.FindAllString(read(t, row[2]), -1)
		for _, f := range figure.FindAllString(row[1], -1) {
			if !slices.Contains(there, f) {
				t.Errorf("README.md: %s is not in %s: %s", f, row[2], row[0])
			}
		}
	}
}

// needTools skips a test if a tool is missing that verify needs for the formal level or for the check after
// synthesis.
func needTools(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("trains; left out with -short")
	}
	for _, name := range []string{"iverilog", "yosys"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("no %[1]s (Debian package %[1]s)", name)
		}
	}
	if !slices.ContainsFunc([]string{"berkeley-abc", "abc", "yosys-abc"}, func(name string) bool {
		_, err := exec.LookPath(name)
		return err == nil
	}) {
		t.Skip("no abc (Debian package berkeley-abc)")
	}
}

// checked returns the options that make verify check the bitstream. If the run makes no bitstream, it returns no
// options.
func checked(model string) []string {
	for _, name := range []string{"nextpnr-ice40", "icebox_vlog"} {
		if _, err := exec.LookPath(name); err != nil {
			return nil
		}
	}
	return []string{"--check", model}
}

// quick holds options that make a run short but give its network some logic. With the default initialisation, the
// network only passes the input on after the first epochs.
var quick = []string{"--set", "train.epochs=3", "--set", "model.init=random", "--set", "model.width=60"}

// TestKeys compares the JSON keys of docs/reference/cli.md with the output of every command. It runs the commands for
// a correct design and for a design with a wrong gate. Slow commands use a very small network, which is trained on a
// CSV table.
func TestKeys(t *testing.T) {
	needTools(t)
	r := runner{t, t.TempDir()}
	outputs := map[string][]any{}
	small := append(slices.Clone(quick), "--set", "model.depth=4", "--set", "model.width=20")
	add := func(name string, status string, args ...string) {
		t.Helper()
		out, got := r.run(append(append([]string{binary}, args...), "--json", "--quiet")...)
		if got != status {
			t.Fatalf("ialgn %q: exit status %s, want %s", args, got, status)
		}
		for d := json.NewDecoder(strings.NewReader(out)); ; {
			var v any
			if err := d.Decode(&v); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("ialgn %q --json: %v\n%s", args, err, out)
			}
			if object, ok := v.(map[string]any); ok && object["error"] != nil && len(object) == 1 {
				outputs[commonOptions] = append(outputs[commonOptions], v) // options of all commands
				continue
			}
			outputs[name] = append(outputs[name], v)
		}
	}
	config, err := filepath.Abs(filepath.Join(root, "examples", "digits", "digits.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	samples, err := filepath.Abs(filepath.Join(root, "internal", "dataset", "optdigits", "optdigits.tes"))
	if err != nil {
		t.Fatal(err)
	}
	cells, err := filepath.Abs(filepath.Join(root, "examples", "chips", "cells.lib"))
	if err != nil {
		t.Fatal(err)
	}
	path := os.Getenv("PATH")
	if !testkit.Whole() { // no bitstream was made, so synth does not print its keys
		t.Setenv("PATH", r.links("iverilog", "vvp"))
	}
	add("demo", "0", append([]string{"demo", "-o", "d"}, small...)...)
	t.Setenv("PATH", path)
	add("train", "0", append([]string{"train", config, "-o", "m.safetensors"}, small...)...)
	add("train", "0", append([]string{
		"train", config, "-o", "v.safetensors", "--set", "train.validation.share=0.1",
	}, small...)...)
	add("train", "0", append([]string{
		"train", config, "-o", "r.safetensors", "--set", "train.estimator=soft",
	}, small...)...)
	add("train --seeds", "0", append([]string{
		"train", config, "-o", "s.safetensors", "--seeds", "2", "--log", "s.csv", "--plots", "plots",
	}, small...)...)
	add("watch", "0", "watch", "s.csv", "-o", "s.html")
	add("eval", "0", "eval", "m.safetensors")
	add("eval", "0", "eval", "m.safetensors", samples)
	add("predict", "0", "predict", "m.safetensors", samples)
	add("predict", "0", "predict", "m.safetensors", samples, "--scores", "--reject", "2")
	add("predict", "0", "predict", "m.safetensors", samples, "--probabilities")
	add("explain", "0", "explain", "m.safetensors", "--sample", "1", "-o", "page.html")
	add("compile", "0", "compile", "m.safetensors", "-o", "gates", "--scope", "gates", "--lut", "6",
		"--assume-thermometer", "--emit", "aiger")
	add("import", "0", "import", "gates/digits.aig", "-o", "aiger.safetensors", "--fact", "group_sum.k=10", "--fact",
		"group_sum.tau=1", "--fact", "note=a test")
	add("export", "0", "export", "m.safetensors", "-o", "circuit.json", "--to", "torchlogix-json")
	add("verify", "0", "verify", "m.safetensors", "gates", "--level", "software")
	add("verify", "0", "verify", "m.safetensors", "gates", "--level", "formal", "--samples", "20", "--synthesized")
	add("compile", "0", "compile", "m.safetensors", "-o", "clocked", "--target", "ice40", "--pipeline", "auto", "--wrap",
		"axis")
	add("verify", "0", "verify", "m.safetensors", "clocked", "--level", "formal", "--samples", "20")
	add("compile", "0", "compile", "m.safetensors", "-o", "folded", "--fold", "2", "--freq", "12")
	add("verify", "0", "verify", "m.safetensors", "folded", "--level", "formal", "--samples", "20")
	add("compile", "0", "compile", "m.safetensors", "-o", "out")
	add("compile", "0", "compile", "v.safetensors", "-o", "rejecting", "--reject", "1")
	add("verify", "0", "verify", "m.safetensors", "out", "--level", "formal")
	r.replace("out/digits.v", " & ", " | ")
	r.sign("out")
	add("verify", "2", "verify", "m.safetensors", "out", "--samples", "1797")
	r.replace("out/digits.netlist", "function(0x8)", "function(0xe)") // AND becomes OR
	r.sign("out")
	add("verify", "2", "verify", "m.safetensors", "out")
	table := "nr,size,colour,class\n"
	for i := range 24 {
		table += fmt.Sprintf("%d,%d,%s,%s\n", i, i%5+9999*(i/23), []string{"red", "blue"}[i%2], []string{"a", "b"}[i/2%2])
	}
	if err := os.WriteFile(filepath.Join(r.dir, "table.csv"), []byte(table), 0o666); err != nil {
		t.Fatal(err)
	}
	add("init", "0", "init", "table.csv")
	add("train", "0", append([]string{"train", "table.yaml"}, small...)...)
	add("train --folds", "0", append([]string{"train", "table.yaml", "--folds", "2", "--plots", "plots"}, small...)...)
	add("train --folds", "0", append([]string{"train", "table.yaml", "--folds", "2", "--resume"}, small...)...)
	add("eval", "0", "eval", "table.safetensors")
	add("compile", "0", "compile", "table.safetensors", "-o", "board", "--target", "ice40", "--style", "lut", "--wrap",
		"stream", "--freq", "12")
	add("synth", "0", append([]string{"synth", "board", "--target", "ice40-hx1k"}, checked("table.safetensors")...)...)
	add("compile", "0", "compile", "table.safetensors", "-o", "plain")
	add("synth", "0", "synth", "plain", "--target", "generic-lut6")
	add("compile", "0", "compile", "table.safetensors", "-o", "chip", "--target", "asic", "--pipeline", "1",
		"--emit", "fhe-lut")
	add("synth", "0", "synth", "chip", "--liberty", cells)
	add("verify", "0", "verify", "table.safetensors", "chip", "--level", "formal", "--samples", "20", "--liberty", cells)
	add("sim", "0", "sim", "m.safetensors")
	add("sim", "0", "sim", "gates", "--activity", "a.json")
	add("sim", "0", "sim", "board", "--activity", "board.json")
	add("sim", "0", "sim", "chip", "--activity", "chip.json", "--liberty", cells)
	add("analyze", "0", "analyze", "m.safetensors")
	add("train", "0", append([]string{
		"train", config, "-o", "m2.safetensors", "--set", "train.seed=2", "--plots", "plots",
	}, small...)...)
	add("analyze", "0", "analyze", "m.safetensors", "m2.safetensors", "--plots", "plots")
	add("train", "0", append([]string{"train", config, "-o", "w.safetensors", "--set", "model.topology=rwlgn"},
		small...)...)
	add("analyze", "0", "analyze", "m.safetensors", "w.safetensors", "--plots", "plots")
	add("report", "0", "report", "plain", "--model", "table.safetensors")
	add("diagnose --what credit", "0", "diagnose", config, "--what", "credit", "--sampled", "20", "--batches", "2",
		"--set", "model.init_noise=0.1")
	add("diagnose --what updates", "0", append([]string{
		"diagnose", config, "--what", "updates", "--epochs", "1", "--set",
		"model.hidden=2",
	}, small...)...)
	add("diagnose --what probes", "0", "diagnose", "m.safetensors", "--what", "probes", "--epochs", "1", "--layers",
		"0,4")
	add("diagnose --what entropy", "0", "diagnose", "m.safetensors", "--what", "entropy")
	add("fit", "0", "fit", "digits", "--target", "ice40-hx1k", "--luts", "150", "--minutes", "0.02",
		"--metric", "f1_macro")
	t.Setenv("IALGN_DATA", r.dir)
	t.Setenv("XDG_CACHE_HOME", r.dir)
	add("experiment", "1", "experiment", "baselines", "-o", "tables")
	r.writeMNIST()
	add("experiment", "0", "experiment", "baselines", "-o", "tables", "--seeds", "2")
	add("experiment", "0", "experiment", "depth-use", "-o", "tables", "--seeds", "2", "--set", "train.epochs=1")
	r.writeTable("tabular/Satellite.csv.gz", "classes")
	add("experiment", "0", "experiment", "tables", "-o", "tables", "--seeds", "2", "--only", "satellite-*", "--set",
		"train.epochs=1", "--set", "model.width=12")
	add("experiment --dry-run", "0", "experiment", "baselines", "-o", "tables", "--seeds", "2", "--dry-run", "--hours", "1")
	add("experiment --emit", "0", "experiment", "baselines", "-o", "tables", "--seeds", "2", "--emit", "slurm")
	add("experiment --index", "0", "experiment", "baselines", "-o", "tables", "--seeds", "2", "--index", "0")
	grid := []string{
		"sweep", config, "--grid", "model.width=20,60", "--grid", "train.seed=1,2", "--set", "train.epochs=1",
	}
	add("sweep", "0", append(grid, "-o", "sweep")...)
	add("sweep", "0", append(grid, "-o", "swept", "--set", "train.validation.share=0.2", "--target", "ice40")...)
	add("sweep --dry-run", "0", append(grid, "-o", "sweep", "--dry-run", "--hours", "1")...)
	add("sweep --emit", "0", append(grid, "-o", "sweep", "--emit", "slurm")...)
	add("sweep --index", "0", append(grid, "-o", "sweep", "--index", "0")...)
	add("data list", "0", "data", "list")
	add("data check", "0", "data", "check", "digits")
	add("doctor", "0", "doctor")
	add("completion", "0", "completion", "bash")
	add("man", "0", "man", "-o", "man")
	add("help", "0", "help", "exit-status")
	add("train", "1", "train", config, "--set", "model.width=301")
	page := read(t, "docs/reference/cli.md")
	for _, wrong := range Keys(page, outputs) {
		t.Errorf("docs/reference/cli.md: %s", wrong)
	}
	for command := range optionTables(page) { // TestReference compares these commands with the program
		tested := slices.ContainsFunc(slices.Collect(maps.Keys(outputs)),
			func(name string) bool { return strings.HasPrefix(name+" ", command+" ") })
		if !tested {
			t.Errorf("command %s: its keys are not tested", command)
		}
	}
}

// runner runs commands in a separate folder.
type runner struct {
	t   *testing.T
	dir string
}

// run runs a command and returns its standard output and its exit status.
func (r runner) run(command ...string) (out, status string) {
	r.t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = r.dir, &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		r.t.Fatal(err)
	}
	if err != nil && stderr.Len() > 0 {
		r.t.Logf("%s: %s", filepath.Base(command[0]), stderr.String())
	}
	return stdout.String(), fmt.Sprint(cmd.ProcessState.ExitCode())
}

// links returns a folder that contains only links to the given programs.
func (r runner) links(programs ...string) string {
	r.t.Helper()
	dir := r.t.TempDir()
	for _, name := range programs {
		path, err := exec.LookPath(name)
		if err := errors.Join(err, os.Symlink(path, filepath.Join(dir, name))); err != nil {
			r.t.Fatal(err)
		}
	}
	return dir
}

// writeMNIST writes 20 training samples and 20 test samples in files with the names and the format of MNIST.
func (r runner) writeMNIST() {
	r.t.Helper()
	const n, pixels = 20, 64
	images, labels := []byte{0, 0, 8, 2, 0, 0, 0, n, 0, 0, 0, pixels}, []byte{0, 0, 8, 1, 0, 0, 0, n}
	for i := range n {
		images = append(images, bytes.Repeat([]byte{byte(12 * i)}, pixels)...)
		labels = append(labels, byte(i%10))
	}
	dir := filepath.Join(r.dir, "mnist")
	err := os.Mkdir(dir, 0o777)
	for _, part := range []string{"train", "t10k"} {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, part+"-images-idx3-ubyte"), images, 0o666),
			os.WriteFile(filepath.Join(dir, part+"-labels-idx1-ubyte"), labels, 0o666))
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

// sign updates the manifest of a folder after its files were changed.
func (r runner) sign(dir string) {
	r.t.Helper()
	if err := testkit.ResignFolder(filepath.Join(r.dir, dir)); err != nil {
		r.t.Fatal(err)
	}
}

// replace replaces all occurrences in a file, because a single change might not affect any sample of the test set.
func (r runner) replace(name, from, to string) {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	b, err := os.ReadFile(path)
	if err != nil {
		r.t.Fatal(err)
	}
	if !bytes.Contains(b, []byte(from)) {
		r.t.Fatalf("%s: no %q in it", name, from)
	}
	if err := os.WriteFile(path, bytes.ReplaceAll(b, []byte(from), []byte(to)), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// writeTable writes a compressed table of three columns of numbers and a column of two classes.
func (r runner) writeTable(name, label string) {
	r.t.Helper()
	var text bytes.Buffer
	w := gzip.NewWriter(&text)
	fmt.Fprintf(w, "x,y,z,%s\n", label)
	for i := range 100 {
		fmt.Fprintf(w, "%d,%d,%d,%s\n", i%9, i%11, i%13, []string{"a", "b"}[i%9/5])
	}
	path := filepath.Join(r.dir, name)
	err := cmp.Or(w.Close(), os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, text.Bytes(), 0o666))
	if err != nil {
		r.t.Fatal(err)
	}
}
