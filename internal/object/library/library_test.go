package library

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ialgn/compiler"
	"ialgn/internal/ccode"
	"ialgn/internal/encoding"
	"ialgn/internal/freeze"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/netlist"
)

// program is a C program that classifies the samples on its standard input and prints the results. At the end it sets
// all bits of a feature to 1. In this case, the function must return -1, unless the word with all bits set is valid.
const program = `#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "net.h"
int FUNCTION(const net_feature *x, size_t samples, uint16_t *class_index, uint32_t *counts, void *scratch);
static uint16_t class_index[SAMPLES], alone[SAMPLES];
static uint32_t counts[SAMPLES * NET_CLASSES];
#ifdef UNCERTAIN
int UNCERTAIN(const net_feature *x, size_t samples, uint16_t *class_index, uint32_t *counts, uint16_t *uncertain,
              void *scratch);
static uint16_t uncertain[SAMPLES];
#endif
static net_feature x[SAMPLES * NET_FEATURES];
int main(void) {
    void *scratch = aligned_alloc(NET_SCRATCH_ALIGN, NET_SCRATCH);
    size_t i;
    long word;
    for (i = 0; i < SAMPLES * NET_FEATURES; i++) {
        if (scanf("%ld", &word) != 1) return 2;
        x[i] = (net_feature)word;
    }
    printf("%d %d\n", FUNCTION(x, SAMPLES, class_index, counts, scratch), FUNCTION(x, SAMPLES, alone, 0, scratch));
    for (i = 0; i < SAMPLES; i++) printf("%d %d\n", class_index[i], alone[i]);
    for (i = 0; i < SAMPLES * NET_CLASSES; i++) printf("%d\n", (int)counts[i]);
#ifdef UNCERTAIN
    for (i = 0; i < SAMPLES * NET_CLASSES; i++) counts[i] = 0;
    printf("%d\n", UNCERTAIN(x, SAMPLES, alone, counts, 0, scratch));
    printf("%d\n", UNCERTAIN(x, SAMPLES, class_index, 0, uncertain, scratch));
    for (i = 0; i < SAMPLES; i++) printf("%d %d %d\n", class_index[i], uncertain[i], (int)counts[i * NET_CLASSES]);
    {   /* the function without the argument uncertain stores it nowhere, not even from the start of scratch on */
        enum { MANY = NET_SCRATCH / 2 + 8192, GUARD = 16384 };
        unsigned char *memory = aligned_alloc(NET_SCRATCH_ALIGN, NET_SCRATCH + GUARD);
        net_feature *zeros = calloc((size_t)MANY * NET_FEATURES, sizeof *zeros);
        uint16_t *classes = calloc(MANY, sizeof *classes);
        int changed = 0;
        memset(memory + NET_SCRATCH, 0xa5, GUARD);
        FUNCTION(zeros, MANY, classes, 0, memory);
        for (i = 0; i < GUARD; i++) changed |= memory[NET_SCRATCH + i] != 0xa5;
        printf("%d\n", changed);
        free(memory); free(zeros); free(classes);
    }
#endif
    x[SAMPLES * NET_FEATURES - 1] = (net_feature)-1;
    printf("%d\n", FUNCTION(x, SAMPLES, alone, 0, scratch));
    free(scratch);
    return 0;
}
`

// samples is the number of samples of a test. They fill one AVX-512 batch of several blocks, one more block, and a
// part of another block.
const samples = 4500

// TestLibrary links programs with the archive. It compares each variant, and the function that chooses a variant,
// with the trainer's evaluation. The networks have both scopes.
func TestLibrary(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("gcc is missing")
	}
	forms := netgen.Forms()
	for _, c := range []struct {
		f      *model.Frozen
		scope  netlist.Scope
		margin int // 0: the library does not say whether a class is uncertain
	}{
		{netgen.Frozen(1, netgen.FrozenOptions{Features: 30, Bits: 4, BitsIn: 5, Width: 90, Classes: 3}), netlist.Full, 4},
		{forms[len(forms)-1].Model().Freeze(), netlist.Core, 0},
		// The portable code takes more memory than the machine code, which does not store rows for all feature bits.
		{netgen.Frozen(1, netgen.FrozenOptions{Features: 300, Bits: 2, BitsIn: 16, Width: 3000, Depth: 3}), netlist.Full, 0},
	} {
		n, err := freeze.WithMargin(c.f, c.scope, c.margin)
		if err != nil {
			t.Fatal(err)
		}
		if n, _, err = compiler.Optimise(t.Context(), n, compiler.LevelRepeat); err != nil {
			t.Fatal(err)
		}
		checkLibrary(t, c.f, n, c.margin)
	}
}

func checkLibrary(t *testing.T, f *model.Frozen, n *netlist.Netlist, margin int) {
	t.Helper()
	dir := t.TempDir()
	l, err := New(n, Options{Module: "net", Header: []string{"a test"}})
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, write func(*bytes.Buffer) error) {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("net.a", func(b *bytes.Buffer) error { return l.WriteArchive(b) })
	write("net.h", func(b *bytes.Buffer) error { return l.WriteHeader(b) })
	write("net_portable.c", func(b *bytes.Buffer) error {
		return ccode.Write(b, n, ccode.Options{Module: l.opt.Portable()})
	})
	write("net_portable.h", func(b *bytes.Buffer) error {
		return ccode.WriteHeader(b, n, ccode.Options{Module: l.opt.Portable()})
	})
	in, want := expected(t, f, len(n.InputPorts()[0].Nets) == f.Inputs(), margin)
	functions := []string{"net_classify", "net_portable_classify"}
	for _, v := range variants {
		if v.isa.Available() {
			functions = append(functions, "net_"+v.isa.Name+"_classify")
		}
	}
	for _, function := range functions {
		text := strings.ReplaceAll(strings.ReplaceAll(program, "FUNCTION", function), "SAMPLES", fmt.Sprint(samples))
		if margin > 0 {
			text = "#define UNCERTAIN " + function + "_uncertain\n" + text
		}
		write("main.c", func(b *bytes.Buffer) error { b.WriteString(text); return nil })
		cmd := exec.Command("gcc", "-Wall", "-Werror", "-o", "main", "main.c", "net_portable.c", "net.a",
			"-fsanitize=address", "-Wl,--fatal-warnings", "-z", "noexecstack")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("gcc: %v\n%.2000s", err, out)
		}
		run := exec.Command(filepath.Join(dir, "main"))
		run.Stdin = strings.NewReader(in)
		out, err := run.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%.1000s", function, err, out)
		}
		if string(out) != want {
			t.Fatalf("%s: it prints\n%.200s\nwant\n%.200s", function, out, want)
		}
	}
}

// expected returns the program's input and its expected output. The input is samples as text, either as thermometer
// bits or as feature words.
func expected(t *testing.T, f *model.Frozen, bits bool, margin int) (in, want string) {
	t.Helper()
	enc := &f.Encoder
	r, levels, row := rand.New(rand.NewPCG(1, 1)), encoding.NewPacked(enc.Features(), enc.LevelBits()),
		make([]uint16, enc.Features())
	var text strings.Builder
	for range samples {
		for i := range row {
			row[i] = uint16(r.Uint64N(uint64(enc.Max) + 1))
			for _, threshold := range enc.Thresholds[i] {
				if bits && row[i] > threshold {
					text.WriteString("1 ")
				} else if bits {
					text.WriteString("0 ")
				}
			}
			if !bits {
				fmt.Fprintf(&text, "%d ", row[i])
			}
		}
		enc.Levels(row, row)
		levels.Append(row, 0)
	}
	s, err := f.Evaluate(t.Context(), levels, 1)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	out.WriteString("0 0\n")
	for _, class := range s.Predicted {
		fmt.Fprintf(&out, "%d %d\n", class, class)
	}
	for _, count := range s.Counts {
		fmt.Fprintf(&out, "%d\n", count)
	}
	if margin > 0 {
		out.WriteString("0\n0\n")
		for i, class := range s.Predicted {
			counts := slices.Clone(s.Counts[i*s.Classes:][:s.Classes])
			first := counts[0]
			slices.Sort(counts)
			uncertain := 0
			if int(counts[s.Classes-1]-counts[s.Classes-2]) < margin {
				uncertain = 1
			}
			fmt.Fprintf(&out, "%d %d %d\n", class, uncertain, first)
		}
		out.WriteString("0\n")
	}
	if !bits && (enc.BitsIn == 8 || enc.BitsIn == 16) { // every word of 8 or 16 bits is valid
		return text.String(), out.String() + "0\n"
	}
	return text.String(), out.String() + "-1\n"
}

// TestNewRefusesNetlistsWithoutAClass checks that New refuses netlists that cannot become a library.
func TestNewRefusesNetlistsWithoutAClass(t *testing.T) {
	b := netlist.NewBuilder("net")
	b.Output("y", 1, nil, b.Input("x", 8, 8, nil)[:1])
	if _, err := New(b.Netlist(), Options{Module: "net"}); err == nil || !strings.Contains(err.Error(), "no classifier") {
		t.Errorf("error %v", err)
	}
	c := netlist.NewBuilder("core")
	x := c.Input("x", 8, 4, nil)
	count := netlist.Word(c.Cell(netlist.Popcount, 0, netlist.Origin{}, x[1], x[3], x[7]), 2)
	c.Output("class_index", 1, nil, []netlist.Net{c.Cell(netlist.Argmax, 2, netlist.Origin{}, count...)})
	c.Probe("count_0", count)
	_, err := New(c.Netlist(), Options{Module: "net"})
	if err == nil || !strings.Contains(err.Error(), "gates read bits") {
		t.Errorf("a bit that is no comparison: error %v", err)
	}
}
