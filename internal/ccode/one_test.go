package ccode

import (
	"bytes"
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

	"ialgn/internal/freeze"
	"ialgn/internal/netgen"
	"ialgn/internal/testkit"
	"ialgn/internal/wordcode"
	"ialgn/netlist"
)

type writer = func(io.Writer, *netlist.Netlist, Options) error

var oneWriters = map[string]writer{"_one.c": WriteOne, "_one.h": WriteOneHeader, "_one_selftest.c": WriteOneTest}

// emitOne writes the three files for one sample into a new folder and returns the folder.
func emitOne(t *testing.T, n *netlist.Netlist) string {
	t.Helper()
	dir := t.TempDir()
	for suffix, write := range oneWriters {
		var b bytes.Buffer
		if err := write(&b, n, probable); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, n.Name+suffix), b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// processors lists the processors for which self-tests are compiled. Each entry holds the command that compiles a
// program and the command that runs it.
var processors = map[string]struct{ compiler, run []string }{
	"native":    {compiler: []string{"gcc", "-fsanitize=undefined,address", "-fno-sanitize-recover=all"}},
	"cortex-m4": {bareARM("cortex-m4", "-O2"), board},
	"cortex-m0": {bareARM("cortex-m0", "-Os"), board}, // a Cortex-M4 also runs code for the Cortex-M0
}

// board runs a program on qemu's Cortex-M4. The folder lab/mcu/board has the startup code and the memory layout.
var board = []string{
	"qemu-system-arm", "-M", "mps2-an386", "-nographic", "-semihosting-config", "enable=on,target=native", "-kernel",
}

func bareARM(cpu, level string) []string {
	folder, err := filepath.Abs("../../lab/mcu/board")
	if err != nil {
		panic(err)
	}
	return []string{
		"arm-none-eabi-gcc", "-mcpu=" + cpu, "-mthumb", level, "--specs=rdimon.specs", "-T", filepath.Join(folder, "board.ld"),
		filepath.Join(folder, "start.c"),
	}
}

// selftestOne compiles the self-test for a processor without a warning and runs it.
func selftestOne(t *testing.T, processor string, n *netlist.Netlist) {
	t.Helper()
	want := "PASS: 512 samples\n"
	if wordcode.NewClassifier(n) != nil {
		want = "PASS: 100 samples\n"
	}
	p, dir := processors[processor], emitOne(t, n)
	for _, form := range []string{"TABLES", strings.ToUpper(n.Name) + "_ONE_FAST"} { // TABLES has no effect
		args := slices.Concat(p.compiler, warnings, []string{"-D" + form, "-o", form, n.Name + "_one.c", n.Name + "_one_selftest.c"})
		if out, err := command(t, dir, args...); err != nil || out != "" {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		if out, err := command(t, dir, append(p.run[:len(p.run):len(p.run)], "./"+form)...); err != nil || out != want {
			t.Errorf("%s: %v\n%s", form, err, out)
		}
	}
}

// oneForms returns networks of every form of model by name. The inputs of most networks are feature words, and the
// inputs of the others are bits.
func oneForms(t *testing.T) map[string]*netlist.Netlist {
	forms := map[string]*netlist.Netlist{}
	for i, form := range netgen.Forms() {
		for scope := range netlist.Full + 1 {
			if scope != netlist.Full && i%8 != int(scope) {
				continue
			}
			margin := 0 // half of the forms of scope core say whether the class is uncertain
			if scope == netlist.Core {
				margin = i / 8 % 2
			}
			n, err := freeze.WithMargin(form.Model().Freeze(), scope, margin)
			if err != nil {
				t.Fatal(err)
			}
			forms[fmt.Sprintf("%s/%v", form.Name, scope)] = n
		}
	}
	return forms
}

// oneShapes returns special networks. Some have features of more than eight bits, some are too large for code words
// of 16 bits, and some have a head that is not recognised.
func oneShapes(t *testing.T) map[string]*netlist.Netlist {
	full := func(o netgen.FrozenOptions) *netlist.Netlist { return netgen.FrozenNetlist(1, o, netlist.Full, 0) }
	long := netgen.FrozenOptions{Features: 3, Bits: 3, BitsIn: 16, Classes: 2, Width: 20}
	wired := netgen.FrozenOptions{Features: 21, Bits: 4, BitsIn: 8, Classes: 10, Width: 300, Topology: netgen.Random}
	tied := netgen.FrozenOptions{Features: 8, Classes: 10, Width: 40, Ties: true}
	return map[string]*netlist.Netlist{
		"tie-order":    netgen.FrozenNetlist(1, tied, netlist.Full, 2),
		"words":        netgen.FrozenNetlist(1, long, netlist.Full, 3),
		"long-words":   longWords(),
		"wide":         full(netgen.FrozenOptions{Features: 640, Bits: 8, BitsIn: 8, Width: 6000, Depth: 3, Classes: 10}),
		"random-wires": netgen.FrozenNetlist(1, wired, netlist.Full, 3),
		"arithmetic":   netgen.Netlist(3, netgen.NetlistOptions{Cells: 80}),
		"parts":        partial(),
		"no-classes":   wordsAlone(),
	}
}

// partial returns a classifier that reads single bits of features and adds a constant to a count. It says whether the
// class is uncertain.
func partial() *netlist.Netlist {
	b := netlist.NewBuilder("partial")
	x := b.Input("x", 12, 4, nil)
	b.Classes([]uint16{0, 0, 1, 1})
	zero := netlist.Word(b.Cell(netlist.Popcount, 0, netlist.Origin{}, x[0], x[5]), 2)
	one := netlist.Word(b.Cell(netlist.Popcount, 0, netlist.Origin{}, x[9], zero[1]), 2)
	index := b.Cell(netlist.Argmax, netlist.ArgmaxParam(2, 1), netlist.Origin{}, slices.Concat(zero, one)...)
	b.Output("class_index", 1, nil, []netlist.Net{index})
	b.Output("uncertain", 1, nil, []netlist.Net{index + 1})
	b.Probe("count_0", zero)
	b.Probe("count_1", one)
	return b.Netlist()
}

// wordsAlone returns a netlist without classes that computes with the bits of words.
func wordsAlone() *netlist.Netlist {
	b := netlist.NewBuilder("words")
	x := b.Input("x", 8, 4, nil)
	b.Output("y", 1, nil, []netlist.Net{b.Cell(netlist.Function, 0b0110, netlist.Origin{}, x[0], x[5])})
	return b.Netlist()
}

// longWords returns a classifier whose features have 32 bits. One of the counts is a constant. The class is always
// uncertain.
func longWords() *netlist.Netlist {
	b := netlist.NewBuilder("long")
	x := b.Input("x", 64, 32, nil)
	var above []netlist.Net
	for _, threshold := range []uint64{1, 1 << 31, 3 << 30, 1<<32 - 2} {
		above = append(above, b.Cell(netlist.Compare, threshold, netlist.Origin{}, x[:32]...))
		above = append(above, b.Cell(netlist.Compare, threshold, netlist.Origin{}, x[32:]...))
	}
	count := netlist.Word(b.Cell(netlist.Popcount, 0, netlist.Origin{}, above...), 4)
	two := []netlist.Net{netlist.False, netlist.True, netlist.False, netlist.False}
	b.Output("class_index", 1, nil, []netlist.Net{b.Cell(netlist.Argmax, 4, netlist.Origin{}, slices.Concat(count, two)...)})
	b.Output("uncertain", 1, nil, []netlist.Net{netlist.True})
	b.Probe("count_0", count)
	b.Probe("count_1", two)
	return b.Netlist()
}

// TestOne compiles and runs the code for all special shapes and for every 30th form of model. The long test tier
// takes every sixth form. TestProgramsOfEveryForm interprets the lists of all forms.
func TestOne(t *testing.T) {
	needGCC(t)
	every := 30
	if testkit.Whole() {
		every = 6
	}
	networks, forms := oneShapes(t), oneForms(t)
	for i, name := range slices.Sorted(maps.Keys(forms)) {
		if i%every == 0 {
			networks[name] = forms[name]
		}
	}
	for _, name := range slices.Sorted(maps.Keys(networks)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			selftestOne(t, "native", networks[name])
		})
	}
}

// TestOneCortexM runs some of the programs of TestOne in qemu. The long test tier runs more than one program for each
// processor.
func TestOneCortexM(t *testing.T) {
	for _, program := range []string{"arm-none-eabi-gcc", "qemu-system-arm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%v: make tools", err)
		}
	}
	check := func(processor, name string, n *netlist.Netlist) {
		t.Run(processor+"/"+name, func(t *testing.T) {
			t.Parallel()
			selftestOne(t, processor, n)
		})
	}
	for name, n := range oneShapes(t) {
		if name == "words" || testkit.Whole() {
			check("cortex-m4", name, n)
		}
	}
	forms := oneForms(t)
	for i, name := range []string{"ialgn-six-pins/full", "rwlgn/gates", "ialgn-first-fixed/core"} {
		if i == 0 || testkit.Whole() {
			check("cortex-m0", name, forms[name])
		}
	}
}

// TestOneFails checks that the self-test notices a changed action, a changed order of classes, and a wrong count.
func TestOneFails(t *testing.T) {
	needGCC(t)
	n := netgen.FrozenNetlist(1, netgen.FrozenOptions{Classes: 3, Width: 30}, netlist.Full, 3)
	for from, to := range map[string]string{
		`second < 3`: "second < 4", `second = best`: "second = count", `count > second`: "0",
		`inverted \^= action`: "(void)0", `count > best`: "count >= best", `parameters\[i\] - `: "parameters[i] + 1 - ", `sum = 0`: "sum = 1",
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
