package gocode

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"go/format"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/netgen"
	"ialgn/internal/softmax"
	"ialgn/internal/testkit"
	"ialgn/internal/wordcode"
	"ialgn/netlist"
)

var update = flag.Bool("update", false, "accept what is written as the golden files")

// table returns options that write every network as a table, whatever its size.
func table(name string) Options { return Options{Package: name, straight: -1} }

// goTool runs the go command in dir and returns all that it printed.
func goTool(t *testing.T, dir string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// emit writes the package of n into a folder of a module.
func emit(t *testing.T, module string, n *netlist.Netlist, opt Options) {
	t.Helper()
	dir := filepath.Join(module, opt.Package)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for suffix, write := range map[string]func(io.Writer, *netlist.Netlist, Options) error{
		"_net.go": Write, "_net_test.go": WriteTest,
	} {
		var b bytes.Buffer
		if err := write(&b, n, opt); err != nil {
			t.Fatal(err)
		}
		formatted, err := format.Source(b.Bytes())
		if err != nil {
			t.Fatalf("%s%s: %v", opt.Package, suffix, err)
		}
		if diff := cmp.Diff(string(formatted), b.String()); diff != "" {
			t.Errorf("%s%s is not formatted (-gofmt +written):\n%s", opt.Package, suffix, diff)
		}
		if err := os.WriteFile(filepath.Join(dir, opt.Package+suffix), b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// module returns the folder of a new module.
func module(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module nets\n\ngo 1.20\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestPackages formats, vets and tests the packages written for random netlists and for classifiers, both as
// straight code and as a table. The packages' own tests use vectors from the simulator.
func TestPackages(t *testing.T) {
	dir := module(t)
	count := uint64(10)
	if !testkit.Whole() {
		count = 2
	}
	packages, classifiers, probable := 0, 0, 0
	for seed := range count {
		n := netgen.Netlist(seed, netgen.NetlistOptions{Cells: 1 + int(seed*seed)*10})
		opt := Options{Package: fmt.Sprintf("random%d", seed)}
		if seed%2 == 1 {
			opt = table(opt.Package)
		}
		emit(t, dir, n, opt)
		packages++
	}
	shapes := map[string]netgen.FrozenOptions{
		"small":    {},
		"features": {Features: 13, Bits: 5, BitsIn: 11, Classes: 4, Width: 80},
		"pixels":   {Features: 21, Bits: 4, BitsIn: 8, Classes: 10, Width: 300, Topology: netgen.Random},
		"words":    {Features: 3, Bits: 3, BitsIn: 16, Classes: 2, Width: 20},
		"one":      {Features: 2, Bits: 3, BitsIn: 3, Classes: 1, Width: 4},
	}
	for shape, o := range shapes {
		for scope := range netlist.Full + 1 {
			if scope != netlist.Full && shape != "pixels" && !testkit.Whole() {
				continue // the full scope covers the other scopes, except for ports of bits
			}
			margin := 0
			if shape == "features" && scope != netlist.Gates {
				margin = 3
			}
			n := netgen.FrozenNetlist(1, o, scope, margin)
			name := fmt.Sprintf("%s_%v", shape, scope)
			emit(t, dir, n, Options{Package: name, Probabilities: &softmax.Temperature{Value: 0.7}})
			packages++
			if scope != netlist.Gates {
				classifiers, probable = classifiers+1, probable+1
			}
			if scope == netlist.Full && (shape == "features" || testkit.Whole()) {
				emit(t, dir, n, table(name+"_table"))
				packages, classifiers = packages+1, classifiers+1
			}
		}
	}
	if out, err := goTool(t, dir, "vet", "./..."); err != nil {
		t.Errorf("go vet: %v\n%s", err, out)
	}
	out, err := goTool(t, dir, "test", "-vet=off", "-ldflags=-s -w", "-v", "./...")
	if err != nil || strings.Count(out, "--- PASS: TestRun ") != packages ||
		strings.Count(out, "--- PASS: TestClassify ") != classifiers ||
		strings.Count(out, "--- PASS: TestProbabilities ") != probable {
		t.Errorf("go test: %v, want %d packages, %d classifiers and %d with probabilities to pass\n%s", err, packages,
			classifiers, probable, out)
	}
}

// TestTestsFail checks that the written tests notice a wrong operation (in straight code and in a table), a wrong
// class and a wrong count.
func TestTestsFail(t *testing.T) {
	dir := module(t)
	n := netgen.FrozenNetlist(1, netgen.FrozenOptions{}, netlist.Full, 1)
	for _, tt := range []struct {
		name     string
		opt      Options
		from, to string
		want     string
	}{
		{"operation", Options{}, " ^ ", " | ", "--- FAIL: TestRun"},
		{"table", table(""), "{ones, ones, 0}", "{ones, 0, 0}", "--- FAIL: TestRun"},
		{"class", Options{}, "classRows = [2]int{0, 2}", "classRows = [2]int{1, 2}", "--- FAIL: TestClassify"},
		{"count", Options{}, "{{3, ", "{{4, ", "--- FAIL: TestClassify"},
		{"uncertain", Options{}, "n.out[2*", "n.out[1*", "--- FAIL: TestClassify"},
	} {
		tt.opt.Package = tt.name
		emit(t, dir, n, tt.opt)
		path := filepath.Join(dir, tt.name, tt.name+"_net.go")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		broken := bytes.ReplaceAll(text, []byte(tt.from), []byte(tt.to))
		if bytes.Equal(broken, text) {
			t.Fatalf("%s: no %s in the code", tt.name, tt.from)
		}
		if err := os.WriteFile(path, broken, 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := goTool(t, dir, "test", "-vet=off", "-ldflags=-s -w", "./"+tt.name); err == nil || !strings.Contains(out, tt.want) {
			t.Errorf("%s: go test of broken code: %v, want %s\n%s", tt.name, err, tt.want, out)
		}
	}
}

// tiny returns a netlist with two outputs. One output is a constant, and the other is an input.
func tiny() *netlist.Netlist {
	b := netlist.NewBuilder("tiny")
	x := b.Input("x", 4, 2, []string{"length", "width"})
	and := b.Function(0b1000, netlist.Origin{Layer: 1, Chain: 0}, x[0], x[3])
	nand := b.Function(0b0111, netlist.Origin{Layer: 1, Chain: 1}, x[1], x[2])
	xor := b.Function(0b0110, netlist.Origin{Layer: 1, Chain: 2}, x[0], x[1])
	implies := b.Function(0b1101, netlist.Origin{Layer: 1, Chain: 3}, x[2], x[3])
	count := netlist.Word(b.Cell(netlist.Popcount, 0, netlist.Origin{}, and, nand, xor, implies), 3)
	b.Output("count", 3, nil, count)
	b.Output("fixed", 1, nil, []netlist.Net{netlist.False, netlist.True, x[2]})
	return b.Netlist()
}

func TestGolden(t *testing.T) {
	for name, write := range map[string]func(io.Writer) error{
		"tiny":       func(w io.Writer) error { return Write(w, tiny(), Options{Header: []string{"a\ntest"}}) },
		"tiny_table": func(w io.Writer) error { return Write(w, tiny(), table("tiny")) },
		"tiny_test":  func(w io.Writer) error { return WriteTest(w, tiny(), Options{}) },
	} {
		var got bytes.Buffer
		if err := write(&got); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", name+".golden")
		if *update {
			if err := os.WriteFile(path, got.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got.String()); diff != "" {
			t.Errorf("%s (-want +got), go test -update accepts it:\n%s", path, diff)
		}
	}
}

func TestWriteRefusesWhatGoLacks(t *testing.T) {
	build := func(f func(b *netlist.Builder, x []netlist.Net)) *netlist.Netlist {
		b := netlist.NewBuilder("net")
		f(b, b.Input("x", 2, 1, nil))
		return b.Netlist()
	}
	wire := func(b *netlist.Builder, x []netlist.Net) { b.Output("y", 1, nil, x) }
	tests := []struct {
		name string
		n    *netlist.Netlist
		opt  Options
		want string
	}{
		{"register", build(func(b *netlist.Builder, x []netlist.Net) {
			b.Output("y", 1, nil, []netlist.Net{b.Cell(netlist.Register, 0, netlist.Origin{}, x[0])})
		}), Options{}, "go: cannot express register"},
		{
			"no outputs", build(func(*netlist.Builder, []netlist.Net) {}),
			Options{},
			"go: net has 2 input bits and 0 output bits",
		},
		{"injection", build(wire), Options{Package: "a\nb"}, `go: package name: "a\nb" is no name of a package`},
		{"keyword", build(wire), Options{Package: "func"}, `go: package name: "func" is taken by the language`},
		{"main", build(wire), Options{Package: "main"}, `go: package name: "main" is taken`},
		{"test", build(wire), Options{Package: "digits_test"}, `go: package name: "digits_test" is taken`},
		{"too many values", build(func(b *netlist.Builder, x []netlist.Net) {
			var y []netlist.Net
			for range wordcode.MaxRows {
				y = append(y, b.Function(0b1000, netlist.Origin{}, x...))
			}
			b.Output("y", 1, nil, y)
		}), Options{}, "go: net: 1048580 values are needed at a time, the code has room for 1048576"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, write := range []func(io.Writer, *netlist.Netlist, Options) error{Write, WriteTest} {
				var out bytes.Buffer
				err := write(&out, tt.n, tt.opt)
				if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
					t.Errorf("got error %v, want one that begins %q", err, tt.want)
				}
				if out.Len() > 0 {
					t.Errorf("%d bytes were written before the refusal", out.Len())
				}
			}
		})
	}
	var kind *netlist.KindError
	if err := Write(io.Discard, tests[0].n, Options{}); !errors.As(err, &kind) {
		t.Errorf("got error %v, want a KindError", err)
	}
}
