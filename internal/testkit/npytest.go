// This file reads and writes NumPy arrays in tests.

package testkit

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var header = regexp.MustCompile(`'descr': '([^']*)', 'fortran_order': False, 'shape': \(([0-9, ]*)\)`)

// ReadNPY returns the shape and the elements, in C order, of a .npy file with little-endian numbers. If it cannot
// read the file, it fails the test at once.
func ReadNPY(t testing.TB, path string) (shape []int, data []float64) {
	t.Helper()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(file) < 10 || !bytes.HasPrefix(file, []byte("\x93NUMPY\x01")) {
		t.Fatalf("%s: not version 1 of .npy", path)
	}
	body := file[10+int(binary.LittleEndian.Uint16(file[8:])):]
	m := header.FindSubmatch(file)
	if m == nil {
		t.Fatalf("%s: a header of another form", path)
	}
	n := 1
	for _, d := range strings.FieldsFunc(string(m[2]), func(r rune) bool { return r == ',' || r == ' ' }) {
		v, err := strconv.Atoi(d)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		shape, n = append(shape, v), n*v
	}
	size, decode := element(string(m[1]))
	if decode == nil || len(body) != n*size {
		t.Fatalf("%s: %d bytes of shape %v and type %s", path, len(body), shape, m[1])
	}
	data = make([]float64, n)
	for i := range data {
		data[i] = decode(body[i*size:])
	}
	return shape, data
}

// NPY returns the bytes of a .npy file, version 1.0. kind is the element type, such as "|u1", and shape has a form such
// as "3, 2".
func NPY(kind, shape string, elements []byte) []byte {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", kind, shape)
	header += strings.Repeat(" ", 63-(10+len(header))%64) + "\n"
	b := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(header)))
	return append(append(b, header...), elements...)
}

// element returns the size of an element type and a function that reads an element, or nil if the type is unknown.
func element(code string) (size int, decode func(b []byte) float64) {
	switch code {
	case "|u1":
		return 1, func(b []byte) float64 { return float64(b[0]) }
	case "|b1":
		return 1, func(b []byte) float64 { return float64(b[0]) }
	case "<i8":
		return 8, func(b []byte) float64 { return float64(int64(binary.LittleEndian.Uint64(b))) }
	case "<f4":
		return 4, func(b []byte) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))) }
	case "<f8":
		return 8, func(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }
	}
	return 0, nil
}
