package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ialgn/internal/target"
	"ialgn/internal/testkit"
)

// table writes a data set with few features and trains on it. With few features, a wrapper can be simulated in little
// time.
func table(t *testing.T) {
	t.Helper()
	var csv strings.Builder
	csv.WriteString("a,b,c,d,e,class\n")
	for i := range 200 {
		a, b := i%16, i*7%16
		fmt.Fprintf(&csv, "%d,%d,%d,%d,%d,%s\n", a, b, i%11, i%7, i*3%13, []string{"red", "green", "blue"}[(a+b)%3])
	}
	writeFile(t, "table.csv", csv.String())
	writeFile(t, "table.yaml", `name: net
data: {set: csv, train: table.csv, label: class, test_share: 0.5}
encoder: {bits: 4}
model: {width: 30, depth: 4, anchors: 6, tau: 2, init: random}
train: {epochs: 2, batch: 20, seed: 3, checkpoint: {minutes: 0}}
`)
	must(t, "train", "table.yaml", "-o", "m.st", "--quiet")
}

// handoverCases returns lists of options of compile. The files that compile writes with each list are given to the
// tools.
func handoverCases() (list [][]string) {
	for _, target := range append([]string{""}, target.Names()...) {
		for _, pipeline := range []string{"", "2"} {
			for _, wrap := range wrappers() {
				args := []string{"--wrap", wrap, "--freq", "24", "--vectors", "6"}
				if target != "" {
					args = append(args, "--target", target)
				}
				if pipeline != "" {
					if target == "" {
						continue
					}
					args = append(args, "--pipeline", pipeline)
				}
				list = append(list, args)
			}
		}
	}
	for _, wrap := range []string{"none", "axis", "uart", "spi", "byte"} {
		list = append(list, []string{"--wrap", wrap, "--fold", "1", "--freq", "24", "--vectors", "6"})
	}
	return append(list,
		[]string{"--scope", "core", "--wrap", "axis", "--counts", "--vectors", "6"},
		[]string{"--scope", "gates", "--wrap", "uart", "--vectors", "6", "--lut", "6", "--style", "lut"},
		[]string{"--wrap", "spi", "--board", "icebreaker", "--target", "ice40", "--style", "lut", "--vectors", "6"},
	)
}

// TestHandedOver compiles for every target with every wrapper and gives the files of each module to the tools, which
// must accept them:
//
//   - iverilog simulates the module with the file list for simulation;
//   - verilator and iverilog compile the instantiation template;
//   - yosys synthesises the module with the file list for synthesis;
//   - ghdl compiles the module's package.
//
// verify must accept every folder. A module whose files were already checked in an earlier case is skipped, for
// example the classifier itself inside another wrapper.
func TestHandedOver(t *testing.T) {
	testkit.FindTool(t, "iverilog")
	t.Chdir(t.TempDir())
	table(t)
	handed := map[[sha256.Size]byte]bool{}
	for i, args := range handoverCases() {
		if !testkit.Whole() && i%7 != 0 {
			continue
		}
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			dir, err := filepath.Abs(fmt.Sprint("out", i))
			if err != nil {
				t.Fatal(err)
			}
			must(t, append([]string{"compile", "m.st", "-o", dir, "--quiet"}, args...)...)
			must(t, "verify", "m.st", dir, "--level", "software") // verify emits all files again and compares them
			lists, err := filepath.Glob(filepath.Join(dir, "*_sim.vc"))
			if err != nil || len(lists) == 0 {
				t.Fatalf("no *_sim.vc in the folder: %v", err)
			}
			t.Run("tools", func(t *testing.T) {
				for _, list := range lists {
					top := strings.TrimSuffix(filepath.Base(list), "_sim.vc")
					sum := filesAbout(t, dir, top)
					if handed[sum] {
						continue
					}
					handed[sum] = true
					t.Run(top, func(t *testing.T) {
						t.Parallel()
						handedTo(t, dir, top)
					})
				}
			})
			if err := os.RemoveAll(dir); err != nil {
				t.Error(err)
			}
		})
	}
}

// versionWord matches a design's version word in its file lists.
var versionWord = regexp.MustCompile(`// Version word of the build: ([0-9a-f]{8})\n`)

// filesAbout returns a digest of the files of one module that the tools read. These are the files in its lists, its
// template, its package, and the files that these may include. The digest leaves out the version word, which depends
// on the whole folder.
func filesAbout(t *testing.T, dir, top string) [sha256.Size]byte {
	t.Helper()
	names := []string{
		top + "_sim.vc", top + ".vc", top + "_inst.vh", top + "_pkg.vhd", "net_cells.v", "net_vectors.txt",
	}
	for _, list := range names[:2] {
		for line := range strings.Lines(read(t, filepath.Join(dir, list))) {
			if !strings.HasPrefix(line, "//") {
				names = append(names, strings.TrimSpace(line))
			}
		}
	}
	others, err := filepath.Glob(filepath.Join(dir, "*.hex"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range others {
		names = append(names, filepath.Base(path))
	}
	var all []byte
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		all = fmt.Appendf(all, "%s %d\n%s", name, len(text), text)
	}
	word := versionWord.FindSubmatch(all)
	if word == nil {
		t.Fatalf("%s.vc: no version word", top)
	}
	return sha256.Sum256(bytes.ReplaceAll(all, word[1], nil))
}

// handedTo runs the tools on the files of one module.
func handedTo(t *testing.T, dir, top string) {
	t.Helper()
	program := top + ".vvp"
	testkit.RunSilent(t, dir, "iverilog", "-g2001", "-Wall", "-o", program, "-s", top+"_tb", "-f", top+"_sim.vc")
	if out, err := testkit.TryTool(t, dir, "vvp", "-n", program); err != nil || out != "PASS: 6 vectors\n" {
		t.Errorf("%s: %v: %s", top, err, out)
	}
	user := top + "_user.v"
	writeFile(t, filepath.Join(dir, user), "`default_nettype none\nmodule "+top+"_user;\n`include \""+top+
		"_inst.vh\"\nendmodule\n`default_nettype wire\n")
	testkit.RunSilent(t, dir, append([]string{
		"iverilog", "-g2001", "-o", program, "-s", top + "_user", "-f", top + ".vc",
		user,
	}, primitivesOf(dir, top)...)...)
	testkit.RunSilent(t, dir, append([]string{
		"verilator", "--lint-only", "-Wall", "-Wno-UNDRIVEN", "-Wno-UNUSED", "-Wno-PINCONNECTEMPTY", "--top-module", top +
			"_user", "-F", top + ".vc", user,
	}, primitivesOf(dir, top)...)...)
	var sources []string
	for line := range strings.Lines(read(t, filepath.Join(dir, top+".vc"))) {
		if !strings.HasPrefix(line, "//") {
			sources = append(sources, strings.TrimSpace(line))
		}
	}
	yosys := testkit.FindTool(t, "yosys")
	primitives := ""
	if more := primitivesOf(dir, top); len(more) > 0 {
		primitives = "read_verilog -nosynthesis -lib " + more[0] + "; "
	}
	testkit.RunTool(t, yosys, dir, "-q", "-e", "undriven|multiple drivers", "-p",
		primitives+"read_verilog "+strings.Join(sources, " ")+"; hierarchy -check -top "+top+"; proc; check -assert")
	if out, err := testkit.TryOtherTool(t, dir, "ghdl", "-s", "--std=93", top+"_pkg.vhd"); err != nil || out != "" {
		t.Errorf("ghdl: %v: %s", err, out)
	}
}

// primitivesOf returns the file with models of the family's primitives. It returns nothing if the list for synthesis
// names this file already. The list usually leaves the file out, because synthesisers have their own models.
func primitivesOf(dir, top string) []string {
	list, err := os.ReadFile(filepath.Join(dir, top+".vc"))
	if _, missing := os.Stat(filepath.Join(dir, "net_cells.v")); missing != nil || err != nil ||
		strings.Contains(string(list), "_cells.v") {
		return nil
	}
	return []string{"net_cells.v"}
}

// TestClockOfWrapper checks that the constraints name the clock of the module that they belong to.
func TestClockOfWrapper(t *testing.T) {
	t.Chdir(t.TempDir())
	table(t)
	for target, c := range map[string]struct{ file, want string }{
		"xilinx7": {"net_axis.xdc", "create_clock -name aclk -period 20.833 [get_ports aclk]"},
		"gowin":   {"net_axis.sdc", "create_clock -name aclk -period 20.833 [get_ports aclk]"},
		"ecp5":    {"net_axis.lpf", `FREQUENCY PORT "aclk" 48 MHZ;`},
		"ice40":   {"net_axis.pcf", "set_frequency aclk 48"},
	} {
		must(t, "compile", "m.st", "-o", "out", "--target", target, "--wrap", "axis", "--freq", "48", "--quiet")
		if text := read(t, filepath.Join("out", c.file)); !strings.Contains(text, "\n"+c.want+"\n") {
			t.Errorf("%s: no %q in\n%s", c.file, c.want, text)
		}
	}
	// With a board, the pin file holds the clock.
	must(t, "compile", "m.st", "-o", "out", "--target", "ice40", "--wrap", "uart", "--board", "icebreaker", "--quiet")
	if text := read(t, "out/net_uart.pcf"); !strings.Contains(text, "\nset_frequency clk 12\nset_io clk 35 ") {
		t.Errorf("net_uart.pcf:\n%s", text)
	}
}

// TestVectors checks the number and the source of the vectors in testbenches. The vectors come from the test set. If
// there is no test set, they are random samples.
func TestVectors(t *testing.T) {
	t.Chdir(t.TempDir())
	table(t)
	lines := func() int { return strings.Count(read(t, "out/net_vectors.txt"), "\n") }
	must(t, "compile", "m.st", "-o", "out")
	if text := read(t, "out/report.json"); lines() != 64 || !strings.Contains(text, `"source": "table"`) ||
		strings.Contains(text, `"reason"`) {
		t.Errorf("%d vectors: %s", lines(), text)
	}
	must(t, "compile", "m.st", "-o", "out", "--vectors", "1000")
	if all := must(t, "eval", "m.st", "--json"); !strings.Contains(all, fmt.Sprintf(`"samples": %d,`, lines())) {
		t.Errorf("%d vectors, want one per test sample: %s", lines(), all)
	}
	if err := os.Remove("table.csv"); err != nil {
		t.Fatal(err)
	}
	out := must(t, "compile", "m.st", "-o", "out", "--vectors", "200", "--wrap", "axis")
	if lines() != 200 || !strings.Contains(out,
		"\nvectors: 200 random samples, because there are no test samples: data set csv: not found: ") {
		t.Errorf("%d vectors: %s", lines(), out)
	}
	testkit.RunSilent(t, "out", "iverilog", "-g2001", "-o", "a.vvp", "-f", "net_axis_sim.vc")
	if out, err := testkit.TryTool(t, "out", "vvp", "-n", "a.vvp"); err != nil || out != "PASS: 200 vectors\n" {
		t.Errorf("%v: %s", err, out)
	}
	for _, n := range []string{"0", "-3", "2000000"} {
		if code, _, stderr := runProgram(t, "compile", "m.st", "-o", "out", "--vectors", n); code != exitUsage ||
			stderr != "ialgn: --vectors "+n+": give 1 to 1048576\n" {
			t.Errorf("--vectors %s: exit status %d, %s", n, code, stderr)
		}
	}
}

// TestWrongVectors changes the expected results or the samples of a folder's vectors and signs the folder again.
func TestWrongVectors(t *testing.T) {
	t.Chdir(t.TempDir())
	table(t)
	must(t, "compile", "m.st", "-o", "out")
	path := "out/net_vectors.txt"
	text := read(t, path)
	line, _, _ := strings.Cut(text, "\n")
	numbers := strings.Fields(line)
	numbers[1] = map[string]string{"0": "1", "1": "2", "2": "0"}[numbers[1]]
	for wrong, want := range map[string]string{
		strings.Join(numbers, " ") + text[len(line):]: "folder: net_vectors.txt is not what ialgn 0.1.0 writes for the " +
			"netlist and the options",
		text[:len(text)-3] + "\n":           "folder: net_vectors.txt: line 64: it ends within count_2",
		"":                                  "folder: net_vectors.txt: it has 0 vectors, not 1 to 64",
		text + text[len(text)-len(line)-1:]: "folder: net_vectors.txt: it has 65 vectors, not 1 to 64",
	} {
		writeFile(t, path, wrong)
		if err := testkit.ResignFolder("out"); err != nil {
			t.Fatal(err)
		}
		code, stdout, _ := runProgram(t, "verify", "m.st", "out", "--level", "software")
		if code != exitDifference || !strings.Contains(stdout, want) {
			t.Errorf("want %s: exit status %d: %s", want, code, stdout)
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
