package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ialgn/internal/tool"
)

// build builds the program under test.
func build(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"iverilog", "vvp", "yosys", "abc"} {
		if _, err := tool.Find(name); err != nil {
			t.Skip(err)
		}
	}
	path := filepath.Join(t.TempDir(), "ialgn")
	if out, err := exec.Command("go", "build", "-o", path, "ialgn/cmd/ialgn").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// TestMutants makes some mutants of each kind, which must all be found. The same designs
// are then judged by a program that finds none, which must be noticed.
func TestMutants(t *testing.T) {
	binary, dir := build(t), t.TempDir()
	var out strings.Builder
	log := filepath.Join(dir, "log.jsonl")
	err := start(t.Context(), &out, []string{
		"-ialgn", binary, "-dir", filepath.Join(dir, "work"), "-small", "-count",
		"18", "-log", log, "-kinds", kindsOf(drawnKinds()),
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	seen := map[string]int{}
	for _, r := range readLog(t, log) {
		if len(r.Shown) == 0 || r.Level == missed {
			t.Errorf("mutant %d: shown by %v, %s", r.Number, r.Shown, r.Level)
		}
		seen[r.Kind]++
	}
	for _, k := range drawnKinds() {
		if seen[k.name] != 2 {
			t.Errorf("%d mutants of kind %s, want 2", seen[k.name], k.name)
		}
	}
	testRewrites(t, filepath.Join(dir, "work"))
	blind := filepath.Join(dir, "blind")
	script := "#!/bin/sh\n[ \"$1\" = verify ] && { echo '{\"software\": {\"mismatches\": 0}, \"verified\": true}'; " +
		"exit 0; }\nexec " + binary + " \"$@\"\n"
	if err := os.WriteFile(blind, []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	out.Reset()
	err = start(t.Context(), &out, []string{
		"-ialgn", blind, "-dir", filepath.Join(dir, "work"), "-small", "-count", "3",
		"-kinds", "class",
	})
	if err == nil || err.Error() != "verify did not find 3 of 3 mutants" || strings.Count(out.String(), "MISSED: ") != 3 {
		t.Errorf("verify that finds nothing: %v\n%s", err, &out)
	}
}

// kindsOf returns the names of kinds as -kinds takes them.
func kindsOf(list []kind) string { return strings.ReplaceAll(kindNames(list), ", ", ",") }

// TestSiteMutants makes a mutant of some kinds that have sites, and of a form of statement, and has each found.
func TestSiteMutants(t *testing.T) {
	binary, dir := build(t), t.TempDir()
	var out strings.Builder
	log := filepath.Join(dir, "log.jsonl")
	args := []string{
		"-ialgn", binary, "-dir", filepath.Join(dir, "work"), "-small", "-count", "6", "-log", log,
		"-kinds", "wrapper: comparison,engine: comparison,engine: memory," + leftOut + ",second driver",
	}
	if err := start(t.Context(), &out, args); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	places := map[place]int{}
	for _, r := range readLog(t, log) {
		if r.Level != none {
			places[r.Place]++
		}
		if r.Level != none && len(r.Shown) == 0 || r.Level == missed {
			t.Errorf("mutant %d: shown by %v, %s", r.Number, r.Shown, r.Level)
		}
	}
	for _, p := range []place{inWrapper, inEngine, inMemory, inManifest, inStatement} {
		if places[p] == 0 {
			t.Errorf("no mutant in %s:\n%s", p, &out)
		}
	}
	out.Reset()
	if err := start(t.Context(), &out, args); err != nil || strings.Contains(out.String(), "none was shown") {
		t.Errorf("a second run, with nothing left to do: %v\n%s", err, &out)
	}
}

// testRewrites holds that the rewrites of text still fit what the compiler writes, but for
// two forms that only wider designs have.
func testRewrites(t *testing.T, dir string) {
	t.Helper()
	for name, list := range map[string][]rewrite{
		"design-0/dut.v":    slices.Concat(popcountRewrites, tieRewrites),
		"design-0/dut_tb.v": benchRewrites,
		"design-3/dut.v":    registerRewrites,
	} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range list {
			wide := strings.Contains(r.from.String(), `_in\[`) || strings.Contains(r.from.String(), "tb_next_x")
			if !wide && !r.from.Match(text) {
				t.Errorf("nothing in %s is %s", name, r.from)
			}
		}
	}
}

func readLog(t *testing.T, path string) (list []result) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var r result
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		list = append(list, r)
	}
	return list
}

// TestArguments checks what is refused.
func TestArguments(t *testing.T) {
	for want, args := range map[string][]string{
		"-count and -jobs must be 1 or more":     {"-count", "0"},
		"nothing follows the options":            {"now"},
		`-kinds: "ties" is none of operation, `:  {"-kinds", "ties"},
		"a.jsonl: no such file":                  {"-merge", "a.jsonl"},
		"flag provided but not defined: -mutant": {"-mutant"},
	} {
		err := start(t.Context(), &strings.Builder{}, args)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", args, err, want)
		}
	}
}

// TestReport merges logs: a table of levels, and an error where one was missed.
func TestReport(t *testing.T) {
	dir := t.TempDir()
	var logs []string
	for i, text := range []string{
		`{"kind":"tie","place":"netlist","trained":true,"rare":true,"shown":["iverilog"],"level":"formal","unshown":2,"played":{"rtl checked":100},"apart":{"play":"not found","proof":"found: why"}}` + "\n" +
			`{"kind":"tie","place":"Verilog","shown":["iverilog","yosys"],"level":"rtl","played":{"rtl checked":50}}` + "\n",
		`{"kind":"anchor","place":"netlist","trained":true,"shown":["iverilog"],"level":"software"}` + "\n",
	} {
		logs = append(logs, filepath.Join(dir, string(rune('a'+i))))
		if err := os.WriteFile(logs[i], []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	if err := merged(&out, logs); err != nil {
		t.Error(err)
	}
	for _, want := range []string{
		"3 mutants: 2 in trained networks of 1,000 gates or more, 1 of them rare; 1 shown by yosys, too\n",
		"| tie | 2 | 0 | 0 | 1 | 0 | 1 | 0 | 0 | 0 | 0 | 0 | 0.0 % | 50.0 % | 100.0 % |\n",
		"| all | 3 | 0 | 1 | 1 | 0 | 1 | 0 | 0 | 0 | 0 | 0 | 33.3 % | 66.7 % | 100.0 % |\n",
		"| tie | 1 | 0 | 1 | 0 |\n", "| rtl checked | 2 | 50 | 100 | 100 |\n",
		"tie 2\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	if err := os.WriteFile(logs[0], []byte(`{"kind":"tie","level":"missed"}`), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := merged(&out, logs); err == nil || err.Error() != "verify did not find 1 of 2 mutants" {
		t.Errorf("a missed mutant: %v", err)
	}
}

// TestLevels reads verdicts as verify prints them.
func TestLevels(t *testing.T) {
	for want, c := range map[string]struct {
		exit int
		text string
	}{
		missed:     {0, `{"software": {"mismatches": 0}, "rtl": {"mismatches": 0}, "formal": {"proved": true}, "verified": true}`},
		refused:    {1, ``},
		bySoftware: {2, `{"software": {"mismatches": 3}}`},
		byRTL:      {2, `{"software": {"mismatches": 0}, "rtl": {"mismatches": 1}}`},
		byFormal:   {2, `{"software": {"mismatches": 0}, "rtl": {"mismatches": 0}, "formal": {"verdict": "different"}}`},
		byVerilog:  {2, `{"software": {"mismatches": 0}, "rtl": {"mismatches": 0}, "formal": {"proved": true}, "verilog": {"verdict": "different"}}`},
		byParts:    {2, `{"software": {"mismatches": 0}, "rtl": {"mismatches": 0}, "formal": {"proved": true}, "verilog": {"verdict": "equivalent"}, "core": {"verdict": "different"}}`},
		byText:     {2, `{"software": {"mismatches": 0}, "rtl": {"mismatches": 0}, "formal": {"proved": true}, "folder": ["net.v is not"]}`},
		unproved:   {3, `{"software": {"mismatches": 0}, "rtl": {"mismatches": 0}, "formal": {"verdict": "unproved"}}`},
	} {
		v := verdict{Exit: c.exit}
		if c.text != "" {
			if err := json.Unmarshal([]byte(c.text), &v); err != nil {
				t.Fatal(err)
			}
		}
		if got := v.level(); got != want {
			t.Errorf("exit status %d, %s: %s, want %s", c.exit, c.text, got, want)
		}
	}
	if got := (&verdict{Exit: exitPanic, Message: "a fault"}).level(); got != missed {
		t.Errorf("a program that failed is said to have found it: %s", got)
	}
}
