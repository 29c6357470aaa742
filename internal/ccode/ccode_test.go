package ccode

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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

// table holds options with which networks of any size are written as tables.
var table = Options{straight: -1}

// probable holds options with which classifiers have a function for probabilities. The table of powers is shorter than
// the differences of counts.
var probable = Options{Probabilities: &softmax.Temperature{Value: 0.7, Calibrated: true}}

// needGCC skips the test where there is no C compiler.
func needGCC(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("gcc is not installed: apt-get install gcc")
	}
}

// command runs a program in dir and returns all its output.
func command(t *testing.T, dir string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// emit writes the three files of n into a new folder and returns the folder.
func emit(t *testing.T, n *netlist.Netlist, opt Options) string {
	t.Helper()
	dir := t.TempDir()
	for name, write := range map[string]func(io.Writer, *netlist.Netlist, Options) error{
		n.Name + ".c": Write, n.Name + ".h": WriteHeader, n.Name + "_selftest.c": WriteTest,
	} {
		var b bytes.Buffer
		if err := write(&b, n, opt); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// warnings lists the compiler warnings that the written code must not cause.
var warnings = []string{
	"-std=c99", "-pedantic", "-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Wcast-qual", "-Wstrict-prototypes",
	"-Wmissing-prototypes", "-Wundef", "-Werror",
}

// compile builds the self-test. The compiler must print no warning.
func compile(t *testing.T, dir, name string, flags ...string) {
	t.Helper()
	args := append(append([]string{"gcc", "-o", "selftest"}, warnings...), flags...)
	if out, err := command(t, dir, append(args, name+".c", name+"_selftest.c")...); err != nil || out != "" {
		t.Fatalf("gcc %v: %v\n%s", flags, err, out)
	}
}

func selftest(t *testing.T, dir string) {
	t.Helper()
	if out, err := command(t, dir, "./selftest"); err != nil || out != "PASS: 512 samples\n" {
		t.Errorf("selftest: %v\n%s", err, out)
	}
}

// TestSelftest compiles and runs the code written for random netlists and for classifiers, both as straight code and
// as a table. The self-tests contain test vectors computed by the simulator.
func TestSelftest(t *testing.T) {
	needGCC(t)
	count := uint64(8)
	if !testkit.Whole() {
		count = 2
	}
	check := func(name string, n *netlist.Netlist, opt Options) {
		t.Run(name, func(t *testing.T) {
			dir := emit(t, n, opt)
			compile(t, dir, n.Name, "-fsanitize=undefined,address", "-fno-sanitize-recover=all")
			selftest(t, dir)
		})
	}
	for seed := range count {
		n := netgen.Netlist(seed, netgen.NetlistOptions{Cells: 1 + int(seed*seed)*5})
		check(fmt.Sprintf("random-%d", seed), n, []Options{{}, table}[seed%2])
	}
	shapes := map[string]netgen.FrozenOptions{
		"small":    {},
		"features": {Features: 13, Bits: 5, BitsIn: 11, Classes: 4, Width: 40},
		"pixels":   {Features: 21, Bits: 4, BitsIn: 8, Classes: 10, Width: 100, Topology: netgen.Random},
		"words":    {Features: 3, Bits: 3, BitsIn: 16, Classes: 2, Width: 20},
		"one":      {Features: 2, Bits: 3, BitsIn: 3, Classes: 1, Width: 4},
	}
	for shape, o := range shapes {
		for scope := range netlist.Full + 1 {
			if scope != netlist.Full && shape != "pixels" && !testkit.Whole() {
				continue // the other scopes differ only in having ports of bits
			}
			margin := 0
			if shape == "features" && scope != netlist.Gates {
				margin = 3
			}
			n := netgen.FrozenNetlist(1, o, scope, margin)
			check(fmt.Sprintf("%s/%v/straight", shape, scope), n, probable)
			if scope == netlist.Full && (shape == "features" || testkit.Whole()) {
				check(fmt.Sprintf("%s/%v/table", shape, scope), n, table)
			}
		}
	}
}

// TestWords runs blocks of every size, with and without vector instructions.
func TestWords(t *testing.T) {
	needGCC(t)
	o := netgen.FrozenOptions{Width: 40, Depth: 5, Classes: 10, Features: 24, BitsIn: 5}
	n := netgen.FrozenNetlist(1, o, netlist.Full, 0)
	for name, opt := range map[string]Options{"straight": {}, "table": table} {
		dir := emit(t, n, opt)
		for words, level := range map[int]string{1: "-O2", 2: "-O0", 4: "-O3", 8: "-O2"} {
			if !testkit.Whole() && (name == "table") == (words == 1 || words == 8) {
				continue // tests each block size in one form of code, and each form with and without vectors
			}
			t.Run(fmt.Sprintf("%s/%d", name, words), func(t *testing.T) {
				compile(t, dir, n.Name, level, fmt.Sprintf("-DRANDOM_WORDS=%d", words))
				selftest(t, dir)
			})
		}
	}
}

// TestSelftestFails checks that the self-test notices a wrong operation, in straight-line code and in a table. It
// also checks that the self-test notices a wrong class.
func TestSelftestFails(t *testing.T) {
	needGCC(t)
	n := netgen.FrozenNetlist(1, netgen.FrozenOptions{}, netlist.Full, 1)
	for _, tt := range []struct {
		name     string
		opt      Options
		from, to string
	}{
		{"uncertain", Options{}, `out\[2 \*`, "out[1 *"},
		{"operation", Options{}, ` \^ `, " | "},
		{"table", table, `~\(uint64_t\)0\}`, "0}"},
		{"class", Options{}, `class_rows\[2\] = \{0, 2\}`, "class_rows[2] = {1, 2}"},
		{"count", Options{}, `    \{3, `, "    {4, "},
		{"probability", probable, ` 8388608,`, " 4194304,"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := emit(t, n, tt.opt)
			path := filepath.Join(dir, n.Name+".c")
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			broken := regexp.MustCompile(tt.from).ReplaceAll(text, []byte(tt.to))
			if bytes.Equal(broken, text) {
				t.Fatalf("no %s in the code", tt.from)
			}
			if err := os.WriteFile(path, broken, 0o600); err != nil {
				t.Fatal(err)
			}
			if out, err := command(t, dir, "gcc", "-std=c99", "-o", "selftest", n.Name+".c", n.Name+"_selftest.c"); err != nil {
				t.Fatalf("gcc: %v\n%s", err, out)
			}
			if out, err := command(t, dir, "./selftest"); err == nil || !strings.Contains(out, "FAIL: ") {
				t.Errorf("selftest of broken code: %v\n%s", err, out)
			}
		})
	}
}

// TestInterface compiles a program that uses the code. The program passes a feature that is too large, a null pointer
// for counts, and zero samples.
func TestInterface(t *testing.T) {
	needGCC(t)
	n := netgen.FrozenNetlist(1, netgen.FrozenOptions{Features: 3, BitsIn: 5}, netlist.Full, 0)
	dir := emit(t, n, Options{Module: "net"})
	for _, suffix := range []string{".c", ".h", "_selftest.c"} {
		if err := os.Rename(filepath.Join(dir, n.Name+suffix), filepath.Join(dir, "net"+suffix)); err != nil {
			t.Fatal(err)
		}
	}
	program := `#include "net.h"
static uint64_t scratch[NET_CLASSIFY_SCRATCH];
int main(void) {
    static net_feature x[200 * NET_FEATURES];
    uint16_t classes[200];
    if (net_classify(x, 0, classes, NULL, scratch) != 0) return 1;
    if (net_classify(x, 200, classes, NULL, scratch) != 0) return 2;
    x[199 * NET_FEATURES + 2] = 31;
    if (net_classify(x, 200, classes, NULL, scratch) != 0) return 3;
    x[199 * NET_FEATURES + 2] = 32;
    if (net_classify(x, 200, classes, NULL, scratch) != -1) return 4;
    return net_classify(x, 199, classes, NULL, scratch) == 0 ? 0 : 5;
}
`
	if err := os.WriteFile(filepath.Join(dir, "user.c"), []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := command(t, dir, "gcc", "-std=c99", "-Wall", "-Werror", "-o", "user", "net.c", "user.c"); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	if out, err := command(t, dir, "./user"); err != nil {
		t.Errorf("the user's program: %v\n%s", err, out)
	}
}

// tiny returns a netlist with an operation of each kind. One output is a constant, and another is an input. The
// labels contain text that would end a comment.
func tiny() *netlist.Netlist {
	b := netlist.NewBuilder("tiny")
	x := b.Input("x", 4, 2, []string{"*/ length", "width"})
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
		"tiny.c":          func(w io.Writer) error { return Write(w, tiny(), Options{Header: []string{"a */ test"}}) },
		"tiny_table.c":    func(w io.Writer) error { return Write(w, tiny(), table) },
		"tiny.h":          func(w io.Writer) error { return WriteHeader(w, tiny(), Options{}) },
		"tiny_selftest.c": func(w io.Writer) error { return WriteTest(w, tiny(), Options{}) },
		"tiny_object.h": func(w io.Writer) error {
			return WriteObjectHeader(w, tiny(), ObjectOptions{Words: 8, Scratch: 640, ScratchAlign: 64})
		},
		"classifier_object.h": func(w io.Writer) error {
			return WriteObjectHeader(w, netgen.FrozenNetlist(1, netgen.FrozenOptions{}, netlist.Full, 0), library)
		},
	} {
		var got bytes.Buffer
		if err := write(&got); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", name)
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

func TestWriteRefusesWhatCLacks(t *testing.T) {
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
		}), Options{}, "c: cannot express register"},
		{
			"no outputs", build(func(*netlist.Builder, []netlist.Net) {}),
			Options{},
			"c: net has 2 input bits and 0 output bits",
		},
		{"dollar", build(wire), Options{Module: "a$b"}, `c: module name: "a$b" is no beginning of names in C`},
		{"injection", build(wire), Options{Module: "a b"}, `c: module name: "a b" is no beginning`},
		{"too many values", build(func(b *netlist.Builder, x []netlist.Net) {
			var y []netlist.Net
			for range wordcode.MaxRows {
				y = append(y, b.Function(0b1000, netlist.Origin{}, x...))
			}
			b.Output("y", 1, nil, y)
		}), Options{}, "c: net: 1048580 values are needed at a time, the code has room for 1048576"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, write := range []func(io.Writer, *netlist.Netlist, Options) error{Write, WriteHeader, WriteTest} {
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
