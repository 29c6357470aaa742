// Package npytest reads arrays of NumPy in tests.
package npytest

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var header = regexp.MustCompile(`'descr': '([<|=][a-z]\d)', 'fortran_order': False, 'shape': \(([0-9, ]*)\)`)

// Read returns the shape of an array and its elements in C order. The array is one of version 1 in C order, of bool,
// whole numbers or floats.
func Read(t testing.TB, path string) (shape []int, data []float64) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(b) < 10 || !bytes.HasPrefix(b, []byte("\x93NUMPY\x01")) {
		t.Fatalf("%s: no array of version 1", path)
	}
	end := 10 + int(binary.LittleEndian.Uint16(b[8:]))
	m := header.FindSubmatch(b[:end])
	if m == nil {
		t.Fatalf("%s: %s is not read", path, b[10:end])
	}
	for _, d := range strings.FieldsFunc(string(m[2]), func(r rune) bool { return r == ',' || r == ' ' }) {
		n, _ := strconv.Atoi(d)
		shape = append(shape, n)
	}
	size := int(m[1][2] - '0')
	for b = b[end:]; len(b) >= size; b = b[size:] {
		data = append(data, element(t, string(m[1][1:]), b))
	}
	return shape, data
}

func element(t testing.TB, kind string, b []byte) float64 {
	t.Helper()
	switch kind {
	case "b1", "u1":
		return float64(b[0])
	case "i4":
		return float64(int32(binary.LittleEndian.Uint32(b)))
	case "i8":
		return float64(int64(binary.LittleEndian.Uint64(b)))
	case "f4":
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	case "f8":
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	}
	t.Fatalf("elements %s are not read", kind)
	return 0
}
