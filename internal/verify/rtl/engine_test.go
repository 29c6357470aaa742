package rtl

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ialgn/compiler"
	"ialgn/internal/folded"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/internal/verify"
	"ialgn/internal/verify/proof"
	"ialgn/internal/verify/verifytest"
	"ialgn/netlist"
)

// writeEngine writes the folded engine of a model.
func writeEngine(t *testing.T, f *model.Frozen, lanes int) (verify.Design, verify.EngineFiles) {
	t.Helper()
	d := verifytest.NewDesign(t, f, netlist.Full, compiler.LevelRepeat)
	e, err := folded.NewChains(d.Product, folded.Options{Core: "net", Lanes: lanes, Thresholds: f.Encoder.Thresholds})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files := verify.EngineFiles{Module: e.Module, Lanes: lanes, Verilog: filepath.Join(dir, e.Module+".v")}
	verifytest.Create(t, files.Verilog, func(w io.Writer) error { return e.WriteVerilog(w, nil) })
	for _, m := range e.Memories() {
		path := filepath.Join(dir, m.File)
		if verifytest.Create(t, path, m.Write); m.Thresholds {
			files.Thresholds = path
		} else {
			files.Programs = append(files.Programs, path)
		}
	}
	return d, files
}

// quantiles changes a model so that each feature has different thresholds.
func quantiles(f *model.Frozen) *model.Frozen {
	for i := range f.Encoder.Thresholds {
		f.Encoder.Thresholds[i] = slices.Clone(f.Encoder.Thresholds[i])
		f.Encoder.Thresholds[i][0] = uint16(i % int(f.Encoder.Thresholds[i][1]))
	}
	return f
}

// TestFold compares programs and engines with the trainer. The checks must find a change in a word of the program,
// in the thresholds, or in the engine.
func TestFold(t *testing.T) {
	verifytest.Needs(t, "iverilog", "vvp", "abc", "yosys")
	f := netgen.Frozen(1, netgen.FrozenOptions{
		Width: 60, Depth: 8, Features: 12, Bits: 5, Classes: 3, ShareA: 0.3,
		ShareBinary: 0.6,
	})
	for _, c := range []struct {
		model *model.Frozen
		lanes int
	}{{f, 1}, {f, 4}, {quantiles(netgen.Frozen(2, netgen.FrozenOptions{Width: 60, Depth: 4})), 2}} {
		d, files := writeEngine(t, c.model, c.lanes)
		s := verifytest.RandomSamples(c.model, 300)
		r, err := verify.CheckProgram(t.Context(), d, s, files)
		if err != nil || r.Mismatches != 0 || r.Checked != 300 || r.Steps == 0 {
			t.Fatalf("%d lanes: the program: %+v, %v", c.lanes, r, err)
		}
		rtl, err := CheckEngine(t.Context(), d, s, files, "iverilog", 20)
		if err != nil || rtl.Mismatches != 0 || rtl.Checked != 20 {
			t.Fatalf("%d lanes: the engine: %+v, %v", c.lanes, rtl, err)
		}
	}

	d, files := writeEngine(t, f, 2)
	s := verifytest.RandomSamples(f, 300)
	if r, err := proof.ProveProgram(t.Context(), d, files); err != nil || !r.Proved {
		t.Fatalf("the proof: %+v, %v", r, err)
	}
	found, refuted := 0, 0
	for line := range 12 {
		change(t, files.Programs[0], func(text string) string {
			lines := strings.Split(text, "\n")
			word := []byte(lines[line])
			word[1] = "123456789abcdef0"[strings.IndexByte("0123456789abcdef", word[1])]
			lines[line] = string(word)
			return strings.Join(lines, "\n")
		}, func() {
			if r, err := verify.CheckProgram(t.Context(), d, s, files); err != nil || r.Mismatches > 0 {
				found++
			}
			if r, err := proof.ProveProgram(t.Context(), d, files); err != nil || r.Verdict == "different" {
				refuted++
			} else if r.Proved {
				t.Logf("line %d is proved all the same", line+1)
			}
		})
	}
	if found < 8 || refuted < found {
		t.Errorf("of 12 changed words, %d are found, and %d refuted", found, refuted)
	}
	change(t, files.Verilog, func(text string) string { return strings.Replace(text, "total > best", "total >= best", 1) },
		func() {
			if r, err := CheckEngine(t.Context(), d, s, files, "iverilog", 40); err != nil || r.Mismatches == 0 ||
				!strings.Contains(r.First[0].What, "the Verilog differs") {
				t.Errorf("ties go to the last class, and no difference is found: %+v, %v", r, err)
			}
		})
}

// TestFoldOffsets checks and proves a program whose words are as wide as the counts of classes with offsets.
func TestFoldOffsets(t *testing.T) {
	verifytest.Needs(t, "abc")
	f := netgen.Frozen(1, netgen.FrozenOptions{Width: 60, Depth: 2, Features: 2, Bits: 3, Classes: 3, Offsets: true})
	d, files := writeEngine(t, f, 2)
	r, err := verify.CheckProgram(t.Context(), d, verifytest.RandomSamples(f, 300), files)
	if err != nil || r.Mismatches != 0 || r.Checked != 300 {
		t.Errorf("the program: %+v, %v", r, err)
	}
	if r, err := proof.ProveProgram(t.Context(), d, files); err != nil || !r.Proved {
		t.Errorf("the proof: %+v, %v", r, err)
	}
}

// TestFoldTies checks and proves a program with a tie order, which completes the classes in this order. An engine that
// gives the classes other numbers must differ, and so must the program of a network with another order.
func TestFoldTies(t *testing.T) {
	verifytest.Needs(t, "abc", "iverilog")
	o := netgen.FrozenOptions{Width: 15, Depth: 2, Features: 4, Bits: 3, Classes: 5, Ties: true}
	f := netgen.Frozen(1, o)
	d, files := writeEngine(t, f, 2)
	s := verifytest.RandomSamples(f, 300)
	r, err := verify.CheckProgram(t.Context(), d, s, files)
	if err != nil || r.Mismatches != 0 || r.Checked != 300 {
		t.Errorf("the program: %+v, %v", r, err)
	}
	if r, err := proof.ProveProgram(t.Context(), d, files); err != nil || !r.Proved {
		t.Errorf("the proof: %+v, %v", r, err)
	}
	if r, err := CheckEngine(t.Context(), d, s, files, "iverilog", 40); err != nil || r.Mismatches != 0 {
		t.Errorf("the engine: %+v, %v", r, err)
	}
	change(t, files.Verilog, func(text string) string {
		return strings.Replace(text, "winner <= CLASSES[number*3+:3]", "winner <= number", 1)
	}, func() {
		if r, err := CheckEngine(t.Context(), d, s, files, "iverilog", 40); err != nil || r.Mismatches == 0 {
			t.Errorf("classes in the order of the program, and no difference is found: %+v, %v", r, err)
		}
	})
	other := *f
	other.Ties = slices.Clone(f.Ties)
	slices.Reverse(other.Ties)
	_, wrong := writeEngine(t, &other, 2)
	if r, err := verify.CheckProgram(t.Context(), d, s, wrong); err == nil && r.Mismatches == 0 {
		t.Errorf("another order, and no difference is found: %+v", r)
	}
	if r, err := proof.ProveProgram(t.Context(), d, wrong); err == nil && r.Proved {
		t.Error("another order is proved")
	}
}

// change edits a file, calls the function do, and restores the file.
func change(t *testing.T, path string, edit func(string) string, do func()) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	broken := edit(string(text))
	if broken == string(text) {
		t.Fatalf("%s: nothing to change", path)
	}
	verifytest.Write(t, path, broken)
	do()
	verifytest.Write(t, path, string(text))
}

// TestFoldForm checks that two kinds of files are refused: files that are not programs, and files with thresholds
// that differ from the model's thresholds.
func TestFoldForm(t *testing.T) {
	f := quantiles(netgen.Frozen(2, netgen.FrozenOptions{Width: 60, Depth: 4}))
	d, files := writeEngine(t, f, 2)
	s := verifytest.RandomSamples(f, 10)
	for _, c := range []struct {
		name, path, want string
		edit             func(string) string
	}{
		{"no number", files.Programs[0], "is no word of", func(text string) string { return "xyz\n" + text }},
		{"too wide", files.Programs[1], "is no word of", func(text string) string { return "f" + text }},
		{
			"a lane that is longer", files.Programs[0], "lane 1 of 2 has 256 steps, lane 0 257",
			func(text string) string { return "0\n" + text },
		},
		{"nothing but loads", files.Programs[0], "completes 0 classes, the model has 3", func(text string) string {
			return strings.Repeat("0\n", strings.Count(text, "\n"))
		}},
		{
			"a class closed in another lane", files.Programs[1], "closes a class in lane 1",
			func(text string) string { return "0e0" + text[3:] },
		},
		{
			"a threshold", files.Thresholds, "line 1 does not have the thresholds",
			func(text string) string { return "123456" + text[6:] },
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			change(t, c.path, c.edit, func() {
				if _, err := verify.CheckProgram(t.Context(), d, s, files); err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("error %v, want %q in it", err, c.want)
				}
			})
		})
	}
}

// TestLongFold checks that verilator is chosen for those engines for which measurements showed that verilator
// finishes before iverilog.
func TestLongFold(t *testing.T) {
	for _, c := range []struct {
		cycles, samples, lanes int
		want                   bool
	}{{256, 1000, 2, false}, {512, 200, 1, false}, {4096, 100, 4, true}, {2048, 1000, 1, true}, {4096, 10, 4, false}} {
		if got := longFold(c.cycles, c.samples, c.lanes); got != c.want {
			t.Errorf("%+v: %t", c, got)
		}
	}
}
