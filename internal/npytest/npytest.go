// Package npytest reads NumPy's .npy files for tests. It takes the files that tests come with as they are: what it does
// not know fails the test.
package npytest

import (
	"encoding/binary"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Array is an array in C order.
type Array struct {
	Shape []int
	Kind  string // its elements' type as NumPy has it, such as "<f4" or "|u1"

	data []byte
}

var header = regexp.MustCompile(`'descr': *'([^']*)'.*'fortran_order': *False.*'shape': *\(([0-9, ]*)\)`)

// Read reads a file in version 1 of the format.
func Read(t testing.TB, path string) *Array {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(data) < 10 || string(data[:8]) != "\x93NUMPY\x01\x00" {
		t.Fatalf("%s: not an array in version 1 of the format", path)
	}
	end := 10 + int(binary.LittleEndian.Uint16(data[8:]))
	said := header.FindStringSubmatch(string(data[10:end]))
	if said == nil {
		t.Fatalf("%s: header %q", path, data[10:end])
	}
	a := &Array{Kind: said[1], data: data[end:]}
	for field := range strings.SplitSeq(said[2], ",") {
		if n, err := strconv.Atoi(strings.TrimSpace(field)); err == nil {
			a.Shape = append(a.Shape, n)
		}
	}
	return a
}

// Row returns how many elements an entry of the first dimension has.
func (a *Array) Row() int {
	n := 1
	for _, d := range a.Shape[1:] {
		n *= d
	}
	return n
}

// Floats returns all elements as float32.
func (a *Array) Floats(t testing.TB) []float32 {
	t.Helper()
	var out []float32
	switch a.Kind {
	case "<f4":
		for i := 0; i < len(a.data); i += 4 {
			out = append(out, math.Float32frombits(binary.LittleEndian.Uint32(a.data[i:])))
		}
	case "|u1", "|b1":
		for _, v := range a.data {
			out = append(out, float32(v))
		}
	default:
		t.Fatalf("elements of type %s", a.Kind)
	}
	return out
}

// Ints returns all elements as int64.
func (a *Array) Ints(t testing.TB) []int64 {
	t.Helper()
	if a.Kind != "<i8" {
		t.Fatalf("elements of type %s, want <i8", a.Kind)
	}
	out := make([]int64, len(a.data)/8)
	for i := range out {
		out[i] = int64(binary.LittleEndian.Uint64(a.data[8*i:]))
	}
	return out
}
