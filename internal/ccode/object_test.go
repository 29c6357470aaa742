package ccode

import (
	"bytes"
	"debug/elf"
	"fmt"
	"io"
	"strings"
	"testing"

	"ialgn/internal/netgen"
	"ialgn/internal/object"
	"ialgn/internal/object/objecttest"
	"ialgn/netlist"
)

// library declares a classifier with code for two kinds of processors, and enough memory for the portable code of
// small classifiers.
var library = ObjectOptions{
	Module: "net", Header: []string{"a */ test"}, Variants: []string{"avx2", "avx512"}, Words: 8, Scratch: 1 << 20,
	ScratchAlign: 64,
}

// userC is a program that classifies 100 samples with the library's functions and with the portable code. In this
// program, the library's functions must fall back to the portable code.
const userC = `
#include <stdio.h>
#include <string.h>
#include "net.h"
#include "net_portable.h"

static uint64_t scratch[NET_SCRATCH / 8];
static uint64_t in[NET_INPUTS * NET_WORDS], out[2][NET_OUTPUTS * NET_WORDS];
static net_feature x[100 * NET_FEATURES];
static uint16_t class_index[2][100];
static uint32_t counts[2][100 * NET_CLASSES];

int main(void) {
    uint32_t seed = 1;
    size_t i;
    if (sizeof scratch / 8 < NET_PORTABLE_CLASSIFY_SCRATCH || net_level() != NET_LEVEL_PORTABLE) return 1;
    for (i = 0; i < 100 * NET_FEATURES; i++) {
        seed = seed * 1664525 + 1013904223;
        x[i] = (net_feature)(seed >> (32 - NET_FEATURE_BITS));
    }
    for (i = 0; i < NET_INPUTS * NET_WORDS; i++) in[i] = (uint64_t)seed * i * 0x9e3779b97f4a7c15u;
    if (net_classify(x, 100, class_index[0], counts[0], scratch) != 0) return 2;
    if (net_portable_classify(x, 100, class_index[1], counts[1], scratch) != 0) return 3;
    if (net_run(in, out[0], scratch) != 0) return 4;
    net_portable_run(in, out[1], scratch);
    printf("%d %d %d\n", memcmp(class_index[0], class_index[1], sizeof class_index[0]),
           memcmp(counts[0], counts[1], sizeof counts[0]), memcmp(out[0], out[1], sizeof out[0]));
    return 0;
}
`

// emitLibrary writes a library with the dispatcher. The variants in the library stop the program if they are called.
func emitLibrary(t *testing.T, dir string) {
	t.Helper()
	d := object.Dispatcher{
		Module: "net", Variants: []object.Variant{
			{Name: "avx2", Needs: object.AVX2}, {Name: "avx512", Needs: object.AVX512F},
		},
		Functions: []object.DispatchedFunction{{Name: "classify"}, {Name: "run", Void: true}},
	}
	chooser, err := d.Object()
	if err != nil {
		t.Fatal(err)
	}
	var codes []object.Function
	for _, v := range d.Variants {
		for _, f := range d.Functions {
			codes = append(codes, object.Function{Name: object.SymbolName("net", v.Name, f.Name), Code: []byte{0xcc}})
		}
	}
	var members []object.Member
	for i, f := range []*object.File{chooser, object.Functions(elf.EM_X86_64, codes...)} {
		members = append(members, object.Member{Name: fmt.Sprint(i, ".o"), Data: objecttest.Bytes(t, f), Symbols: f.Defined()})
	}
	b, err := object.Bytes(members)
	if err != nil {
		t.Fatal(err)
	}
	objecttest.Write(t, dir, "libnet.a", b)
}

// TestObjectHeader compiles a C program that uses a library through its header, on a processor for which the library
// only has portable code. It checks that the declarations of WriteObjectHeader agree with the definitions of package
// dispatch and with the code of Write.
func TestObjectHeader(t *testing.T) {
	needGCC(t)
	objecttest.OnAMD64(t)
	dir := t.TempDir()
	o := netgen.FrozenOptions{Features: 13, Bits: 5, BitsIn: 11, Classes: 4, Width: 80}
	n := netgen.FrozenNetlist(1, o, netlist.Full, 0)
	emitLibrary(t, dir)
	for name, write := range map[string]func(io.Writer) error{
		"net.h":          func(w io.Writer) error { return WriteObjectHeader(w, n, library) },
		"net_portable.h": func(w io.Writer) error { return WriteHeader(w, n, Options{Module: "net_portable"}) },
		"net_portable.c": func(w io.Writer) error { return Write(w, n, Options{Module: "net_portable"}) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		objecttest.Write(t, dir, name, b.Bytes())
	}
	objecttest.Write(t, dir, "user.c", []byte(userC))
	if out, err := command(t, dir, "gcc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-static",
		"-Wl,--fatal-warnings", "-DNET_PORTABLE_WORDS=8", "-o", "user", "user.c", "net_portable.c", "libnet.a"); err != nil ||
		out != "" {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	out, err := command(t, dir, "qemu-x86_64", "-cpu", "Nehalem", "./user")
	if err != nil && strings.Contains(err.Error(), "executable file not found") {
		t.Skip("qemu-x86_64 is not installed: apt-get install qemu-user")
	}
	if first, _, _ := strings.Cut(out, "\n"); !strings.HasSuffix(out, "0 0 0\n") || err != nil {
		t.Errorf("the user's program: %v, %s", err, first)
	}
}

func TestObjectHeaderRefuses(t *testing.T) {
	for _, tt := range []struct {
		opt  ObjectOptions
		want string
	}{
		{ObjectOptions{Module: "a b", Words: 1}, `c: module name: "a b" is no beginning`},
		{ObjectOptions{}, "c: tiny is no classifier, and has no words of a row"},
		{ObjectOptions{Words: 1, Variants: []string{"avx-512"}}, `c: variant "avx-512" is no part of a macro's name`},
	} {
		var b bytes.Buffer
		err := WriteObjectHeader(&b, tiny(), tt.opt)
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) || b.Len() > 0 {
			t.Errorf("got %v and %d bytes, want an error that begins %q", err, b.Len(), tt.want)
		}
	}
}
