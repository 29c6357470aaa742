package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ialgn/internal/testkit"
	"ialgn/internal/tool"
	"ialgn/internal/wrapper"
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
	if err := testkit.Build(path, "ialgn/cmd/ialgn"); err != nil {
		t.Fatal(err)
	}
	return path
}

// blind returns a program that trains and compiles like ialgn. Its verify accepts everything.
func blind(t *testing.T, ialgn string) string {
	t.Helper()
	script := "#!/bin/sh\n[ \"$1\" = verify ] && { echo '{\"software\": {\"mismatches\": 0}, \"verified\": true}'; " +
		"exit 0; }\nexec " + ialgn + " \"$@\"\n"
	path := filepath.Join(t.TempDir(), "blind")
	if err := os.WriteFile(path, []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	return path
}

// sample matches some recorded mutants of one design. They change its wrapper, its core and its manifest.
const sample = `"(wrapper: operator|core: operator|manifest: renamed)".*"--wrap stream"`

// TestMutants tries some of the recorded mutants and one generated mutant of each kind. verify must find all of them.
func TestMutants(t *testing.T) {
	ialgn, dir := build(t), t.TempDir()
	records, err := readRecords(recorded, regexp.MustCompile(sample))
	if err != nil || len(records) == 0 {
		t.Fatalf("%d records, %v", len(records), err)
	}
	var out strings.Builder
	args := []string{"-dir", dir, "-small", "-recorded", sample, "-count", "8", "-ialgn", ialgn}
	if err := start(t.Context(), &out, args); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	for _, m := range records {
		if !strings.Contains(out.String(), "| "+m.Kind+" | ") {
			t.Errorf("%s: its kind is not in the table:\n%s", m, &out)
		}
	}
	for _, k := range kinds {
		if !strings.Contains(out.String(), "| "+k.name+" | 1 | ") {
			t.Errorf("the table does not have one mutant of kind %s:\n%s", k.name, &out)
		}
	}
	blind := blind(t, ialgn)
	t.Run("missed", func(t *testing.T) { testMissed(t, blind, dir, len(records)) })
	t.Run("stale", func(t *testing.T) { testStale(t, blind, dir) })
}

// testMissed checks that the run fails if the program under test finds nothing.
func testMissed(t *testing.T, blind, dir string, records int) {
	var out strings.Builder
	args := []string{"-dir", dir, "-small", "-recorded", sample, "-count", "2", "-ialgn", blind}
	err, n := start(t.Context(), &out, args), records+2
	want := fmt.Sprintf("verify did not find %d of %d mutants", n, n)
	if err == nil || err.Error() != want || strings.Count(out.String(), "MISSED: ") != n {
		t.Errorf("%v, want %s:\n%s", err, want, &out)
	}
}

// testStale checks that the run names the records whose text does not occur in the design, or occurs twice.
func testStale(t *testing.T, blind, dir string) {
	defer func(old string) { recorded = old }(recorded)
	recorded = `{"kind":"a","network":"tiny","options":"--wrap stream","edits":[{"file":"dut.v","find":"no such text"}]}
{"kind":"b","network":"tiny","options":"--wrap stream","edits":[{"file":"dut.v","find":"wire","put":"reg"}]}
`
	err := start(t.Context(), io.Discard, []string{"-dir", dir, "-count", "0", "-ialgn", blind})
	if !errors.Is(err, errStale) || strings.Count(err.Error(), "must be renewed") != 2 ||
		!strings.Contains(err.Error(), "mutants.jsonl:1,") || !strings.Contains(err.Error(), "mutants.jsonl:2,") {
		t.Errorf("got %v, want an error for each of the two records", err)
	}
}

// TestRecordsAreComplete reads all records. Records must not depend on the machine or the version of ialgn with which
// a model was trained.
func TestRecordsAreComplete(t *testing.T) {
	records, err := readRecords(recorded, regexp.MustCompile(""))
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string]bool{}
	machine := regexp.MustCompile(`[0-9a-f]{64}|/tmp/|"version_word": \d|ialgn [0-9]`)
	for _, m := range records {
		parts[m.Changed] = true
		known := slices.ContainsFunc(networks, func(n network) bool { return n.name == m.Network })
		if m.Kind == "" || m.Shown == "" || len(m.Edits) == 0 || !known {
			t.Errorf("%s: a field is missing, or the network is not known", m)
		}
		for _, e := range m.Edits {
			if e.File == "" || machine.MatchString(e.Find) {
				t.Errorf("%s: %q in %q would not be found elsewhere", m, e.Find, e.File)
			}
		}
	}
	for _, kind := range wrapper.Kinds() {
		if !slices.ContainsFunc(records, func(m *mutant) bool {
			return m.Changed == "wrapper" && strings.Contains(m.Options, "--wrap "+kind)
		}) {
			t.Errorf("no record changes the wrapper %s", kind)
		}
	}
	for _, part := range []string{"core", "engine", "manifest", "memory", "statement", "testbench", "Verilog, as text", "wrapper"} {
		if !parts[part] {
			t.Errorf("no record changes the part %q; there are %v", part, parts)
		}
	}
	if len(records) < 200 {
		t.Errorf("%d records, want at least 200", len(records))
	}
}

// TestArguments checks which arguments are refused.
func TestArguments(t *testing.T) {
	for want, args := range map[string][]string{
		"-count and -first must be 0 or more":    {"-count", "-1"},
		"nothing follows the options":            {"now"},
		"no mutant to try":                       {"-recorded", "^$", "-count", "0"},
		"for flag -recorded: error parsing":      {"-recorded", "("},
		"flag provided but not defined: -mutant": {"-mutant"},
	} {
		err := start(t.Context(), &strings.Builder{}, args)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", args, err, want)
		}
	}
}

// TestReport prints a table of checks, and returns an error if a mutant was missed.
func TestReport(t *testing.T) {
	results := []*mutant{
		{Kind: "tie", Changed: "netlist", check: byFormal, trained: true, rare: true},
		{Kind: "tie", Changed: "Verilog", check: byRTL},
		{Kind: "anchor", Changed: "netlist", check: bySoftware, trained: true},
	}
	var out strings.Builder
	if err := report(&out, results); err != nil {
		t.Error(err)
	}
	for _, want := range []string{
		"2 in trained networks, 1 of them rare\n",
		"| tie | 2 | 0 | 0 | 1 | 0 | 1 | 0 | 0 | 0 | 0 | 0 |\n",
		"| netlist | 2 | 0 | 1 | 0 | 0 | 1 | 0 | 0 | 0 | 0 | 0 |\n",
		"| all | 3 | 0 | 1 | 1 | 0 | 1 | 0 | 0 | 0 | 0 | 0 |\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	results[0].check = missed
	if err := report(&out, results); err == nil || err.Error() != "verify did not find 1 of 3 mutants" {
		t.Errorf("a missed mutant: %v", err)
	}
}

// TestCheck reads verdicts in the form in which verify prints them.
func TestCheck(t *testing.T) {
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
		if got := v.check(); got != want {
			t.Errorf("exit status %d, %s: %s, want %s", c.exit, c.text, got, want)
		}
	}
	if got := (&verdict{Exit: exitPanic, Message: "a fault"}).check(); got != missed {
		t.Errorf("a failed program is reported to have found the mutant: %s", got)
	}
}
