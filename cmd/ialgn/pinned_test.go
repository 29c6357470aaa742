package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// pinnedDesigns lists designs. Each has the settings of a model and the options of compile. Together they cover every
// scope, family, style, wrapper, format and number of lanes.
var pinnedDesigns = []struct {
	settings string
	options  []string
}{
	{"", []string{
		"--wrap none",
		"--scope core --emit c,dot,go",
		"--scope gates --lut 6 --assume-thermometer --objective area --emit aiger,blif,c,dot,go,yosys-json",
		"--lut 4 --style lut --counts --vectors 5",
		"--target ice40 --pipeline auto --wrap stream --freq 20 --emit blif,yosys-json",
		"--target ice40 --style lut --wrap uart --board icebreaker --baud 57600",
		"--target ecp5 --pipeline 2 --counts --wrap spi --freq 48",
		"--target gowin --wrap axis --emit aiger,blif,yosys-json",
		"--target xilinx7 --pipeline auto --max-levels 1 --freq 200 --emit c,go,dot",
		"--target xilinx7 --style gates --objective depth --scope core --wrap stream",
		"--fold 1 --wrap axis",
		"--fold 4 --fold-steps 900 --wrap uart --freq 12",
	}},
	{"model.topology=rwlgn-classwise", []string{
		"-O 0 --module other",
		"--target ice40 --style gates --max-depth 2",
	}},
}

// TestPinned compares the bytes of models and of all files that compile writes with pinned digests. Users may rely on
// these bytes. If a version changes some of them, the changelog says which bytes changed and why. The report is also
// pinned, as JSON without times and memory.
func TestPinned(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "small.yaml", small)
	var got, reports strings.Builder
	for i, m := range pinnedDesigns {
		model := fmt.Sprintf("m%d.st", i)
		args := []string{"train", "small.yaml", "-o", model, "--quiet"}
		if m.settings != "" {
			args = append(args, "--set", m.settings)
		}
		must(t, args...)
		fmt.Fprintf(&got, "%s %s\n", digestOf(t, model), model)
		for j, options := range m.options {
			dir := fmt.Sprintf("m%d-%d", i, j)
			must(t, append([]string{"compile", model, "-o", dir}, strings.Fields(options)...)...)
			fmt.Fprintf(&got, "\n%s: %s\n", dir, options)
			entries, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				fmt.Fprintf(&got, "%s %s\n", digestOf(t, filepath.Join(dir, e.Name())), e.Name())
			}
			var report map[string]json.RawMessage
			text := withoutTimes(t, []byte(readFile(t, filepath.Join(dir, "report.json"))))
			if err := json.Unmarshal(text, &report); err != nil {
				t.Fatal(err)
			}
			delete(report, "passes") // the passes are too long to pin as text; the digest covers them
			fmt.Fprintf(&reports, "%s: %s\n", dir, options)
			for _, key := range slices.Sorted(maps.Keys(report)) {
				fmt.Fprintf(&reports, "  %s %s\n", key, report[key])
			}
		}
	}
	checkGolden(t, filepath.Join("testdata", "pinned_reports.txt"), reports.String())
	checkGolden(t, filepath.Join("testdata", "pinned.txt"), got.String())
}

// digestOf returns the first half of the SHA-256 of a file. For a report or manifest, times and memory are left out
// first.
func digestOf(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if name := filepath.Base(path); name == "report.json" || name == "manifest.json" {
		text = withoutTimes(t, text)
	}
	sum := sha256.Sum256(text)
	return fmt.Sprintf("%x", sum[:16])
}

// withoutTimes returns a report without the values that differ from run to run. From a manifest, it removes the size
// and the digest of the report.
func withoutTimes(t *testing.T, text []byte) []byte {
	t.Helper()
	var report any
	if err := json.Unmarshal(text, &report); err != nil {
		t.Fatal(err)
	}
	var strip func(v any)
	strip = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			delete(v, "seconds")
			delete(v, "peak_bytes")
			if v["name"] == "report.json" {
				delete(v, "size")
				delete(v, "sha256")
			}
			for _, part := range v {
				strip(part)
			}
		case []any:
			for _, part := range v {
				strip(part)
			}
		}
	}
	strip(report)
	out, err := json.Marshal(report)
	if err != nil || bytes.Equal(out, text) {
		t.Fatalf("%v: %s", err, out)
	}
	return out
}
