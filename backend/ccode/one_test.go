package ccode

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ialgn/internal/modelgen"
	"ialgn/internal/netgen"
	"ialgn/netlist"
	"ialgn/netlist/freeze"
)

type writer = func(io.Writer, *netlist.Netlist, Options) error

var oneWriters = map[string]writer{"_one.c": WriteOne, "_one.h": WriteOneHeader, "_one_selftest.c": WriteOneTest}

// emitOne writes the three files for one sample into a new folder.
func emitOne(t *testing.T, n *netlist.Netlist) string {
	t.Helper()
	dir := t.TempDir()
	for suffix, write := range oneWriters {
		var b bytes.Buffer
		if err := write(&b, n, Options{}); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, n.Name+suffix), b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// compilers are those of the processors that the self-tests run on, and what runs their programs.
var compilers = []struct {
	name     string
	compiler []string
	run      []string
}{
	{"native", []string{"gcc", "-O1", "-fsanitize=undefined,address", "-fno-sanitize-recover=all"}, nil},
	{"cortex-m4", arm("cortex-m4", "-O2"), []string{"qemu-arm", "-cpu", "cortex-m4"}},
	{"cortex-m0", arm("cortex-m0", "-Os"), []string{"qemu-arm", "-cpu", "cortex-m33"}}, // qemu-arm has no M0; its code runs on all others
}

func arm(cpu, level string) []string {
	return []string{"arm-none-eabi-gcc", "-mcpu=" + cpu, "-mthumb", level, "--specs=rdimon.specs"}
}

// selftestOne compiles the self-test without a warning and runs it, by the compilers that there are.
func selftestOne(t *testing.T, dir, name, want string) {
	t.Helper()
	for _, c := range compilers {
		t.Run(c.name, func(t *testing.T) {
			for _, program := range slices.Concat(c.compiler[:1], c.run[:min(1, len(c.run))]) {
				if _, err := exec.LookPath(program); err != nil {
					t.Skipf("%v: make tools", err)
				}
			}
			args := slices.Concat(c.compiler, warnings, []string{"-o", c.name, name + "_one.c", name + "_one_selftest.c"})
			if out, err := command(t, dir, args...); err != nil || out != "" {
				t.Fatalf("%v\n%s", err, out)
			}
			if out, err := command(t, dir, slices.Concat(c.run, []string{"./" + c.name})...); err != nil || out != want {
				t.Errorf("selftest: %v\n%s", err, out)
			}
		})
	}
}

// TestOneForms compiles and runs what is written for every form of model in every scope.
func TestOneForms(t *testing.T) {
	for i, form := range modelgen.Forms() {
		for scope := range netlist.Full + 1 {
			if testing.Short() && i%5 != 0 {
				continue
			}
			t.Run(fmt.Sprintf("%s/%v", form.Name, scope), func(t *testing.T) {
				t.Parallel()
				n, err := freeze.Network(form.Model().Freeze(), scope)
				if err != nil {
					t.Fatal(err)
				}
				want := "PASS: 100 samples\n"
				if scope == netlist.Gates {
					want = "PASS: 512 samples\n"
				}
				selftestOne(t, emitOne(t, n), n.Name, want)
			})
		}
	}
}

// TestOneShapes does so for features of more than eight bits, for words of 32 bits in the code, and for random netlists.
func TestOneShapes(t *testing.T) {
	wide := netgen.FrozenOptions{Features: 640, Bits: 8, BitsIn: 8, Width: 6000, Depth: 3, Classes: 10}
	for name, o := range map[string]netgen.FrozenOptions{
		"words": {Features: 3, Bits: 3, BitsIn: 16, Classes: 2, Width: 20}, "wide": wide,
		"random-wires": {Features: 21, Bits: 4, BitsIn: 8, Classes: 10, Width: 300, Topology: netgen.Random},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := frozen(t, netlist.Full, o)
			selftestOne(t, emitOne(t, n), n.Name, "PASS: 100 samples\n")
		})
	}
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			n := netgen.Netlist(seed, netgen.NetlistOptions{Cells: 1 + int(seed*seed)*8})
			selftestOne(t, emitOne(t, n), n.Name, "PASS: 512 samples\n")
		})
	}
}

// TestOneFails holds that the self-test notices another action, another order of classes and a count that is off.
func TestOneFails(t *testing.T) {
	needGCC(t)
	n := frozen(t, netlist.Full, netgen.FrozenOptions{})
	for from, to := range map[string]string{
		`inverted \^= action`: "(void)0", `count > best`: "count >= best", `> \*t\+\+`: ">= *t++", `sum = 0`: "sum = 1",
	} {
		t.Run(from, func(t *testing.T) {
			dir := emitOne(t, n)
			path := filepath.Join(dir, n.Name+"_one.c")
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			broken := regexp.MustCompile(from).ReplaceAll(text, []byte(to))
			if bytes.Equal(broken, text) {
				t.Fatalf("no %s in the code", from)
			}
			if err := os.WriteFile(path, broken, 0o600); err != nil {
				t.Fatal(err)
			}
			if out, err := command(t, dir, "gcc", "-std=c99", "-o", "selftest", n.Name+"_one.c", n.Name+"_one_selftest.c"); err != nil {
				t.Fatalf("gcc: %v\n%s", err, out)
			}
			if out, err := command(t, dir, "./selftest"); err == nil || !strings.Contains(out, "FAIL: ") {
				t.Errorf("selftest of broken code: %v\n%s", err, out)
			}
		})
	}
}

func TestOneRefuses(t *testing.T) {
	b := netlist.NewBuilder("net")
	x := b.Input("x", 1, 1, nil)
	b.Output("y", 1, nil, []netlist.Net{b.Cell(netlist.Register, 0, netlist.Origin{}, x[0])})
	n := b.Netlist()
	for suffix, write := range oneWriters {
		var kind *netlist.KindError
		if err := write(io.Discard, n, Options{}); !errors.As(err, &kind) {
			t.Errorf("%s: got error %v, want a KindError", suffix, err)
		}
		if err := write(io.Discard, n, Options{Module: "a$b"}); err == nil {
			t.Errorf("%s: a module called a$b was written", suffix)
		}
	}
}
