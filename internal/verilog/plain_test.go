package verilog_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ialgn/internal/verilog"
)

// TestCheckPlain checks that all Verilog from the writer is accepted, and that statements with side effects are
// refused in any place.
func TestCheckPlain(t *testing.T) {
	golden, err := filepath.Glob("testdata/*.v")
	if err != nil || len(golden) < 5 {
		t.Fatal(golden, err)
	}
	for _, path := range golden {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		// Models of primitives are left out here, because package syntax reads them. Some of these models are only
		// for simulators.
		other := strings.HasSuffix(path, "_tb.v") || strings.Contains(string(text), verilog.SimulationOnly)
		if err := verilog.CheckPlain(bytes.NewReader(text)); (err != nil) != other {
			t.Errorf("%s: %v", path, err)
		}
	}
	for _, bad := range []string{
		`initial $system("x");`, `assign y = $c("system(0)");`, `initial $fopen("x");`, "`include \"x\"", "`define a b\n`a",
		`import "DPI-C" function int system(string s);`, `\$system ("x");`, `"\"; $x "`, "/* */ $x", "// a\n$x", "/ $x",
		"\"a\" $x", "extern x;",
	} {
		if err := verilog.CheckPlain(strings.NewReader("module m;\n" + bad + "\nendmodule\n")); err == nil ||
			!strings.HasSuffix(err.Error(), "compile again") {
			t.Errorf("%s: %v", bad, err)
		}
	}
	const memory = `initial $readmemh("a.hex", x);`
	if err := verilog.CheckPlain(strings.NewReader(memory), "b.hex", "a.hex"); err != nil {
		t.Errorf("%s: %v", memory, err)
	}
	for _, names := range [][]string{nil, {"a"}, {"a.hexx"}, {"b.hex"}} {
		if err := verilog.CheckPlain(strings.NewReader(memory), names...); err == nil ||
			!strings.HasSuffix(err.Error(), "compile again") {
			t.Errorf("%s of %q: %v", memory, names, err)
		}
	}
	for _, good := range []string{
		"// $x `include \\", "/* $x * / `y */", "assign a$b = c/d;", `(* src = "$x" *)`,
		"importing = 1;",
	} {
		if err := verilog.CheckPlain(strings.NewReader(good)); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
}
