package dataset

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"ialgn/internal/message"
)

// idxFile returns an IDX file with elements of the given type, big-endian.
func idxFile(kind byte, dims []uint32, elements any) []byte {
	var b bytes.Buffer
	b.Write([]byte{0, 0, kind, byte(len(dims))})
	for _, part := range []any{dims, elements} {
		if err := binary.Write(&b, binary.BigEndian, part); err != nil {
			panic(err)
		}
	}
	return b.Bytes()
}

// TestTypesOfIDX reads arrays of each element type, as features and as labels.
func TestTypesOfIDX(t *testing.T) {
	for _, test := range []struct {
		name     string
		kind     byte
		dims     []uint32
		elements any
		want     []float64
	}{
		{"unsigned bytes", 8, []uint32{3, 2}, []uint8{0, 1, 2, 3, 4, 255}, []float64{0, 1, 2, 3, 4, 255}},
		{"signed bytes", 9, []uint32{3, 2}, []int8{0, 1, 2, 3, -4, -128}, []float64{0, 1, 2, 3, -4, -128}},
		{"16 bits", 11, []uint32{3, 2}, []int16{0, 1, 2, 300, -4, -32768}, []float64{0, 1, 2, 300, -4, -32768}},
		{"32 bits", 12, []uint32{3, 2}, []int32{0, 1, 2, 70000, -4, -1 << 31}, []float64{0, 1, 2, 70000, -4, -1 << 31}},
		{"float", 13, []uint32{3, 2}, []float32{0, 0.5, 2, 3, -4.25, 1e9}, []float64{0, 0.5, 2, 3, -4.25, 1e9}},
		{"double", 14, []uint32{3, 2}, []float64{0, 0.1, 2, 3, -4, 1e300}, []float64{0, 0.1, 2, 3, -4, 1e300}},
		{"labels of unsigned bytes", 8, []uint32{4}, []uint8{0, 1, 2, 1}, []float64{0, 1, 2, 1}},
		{"labels of signed bytes", 9, []uint32{4}, []int8{0, 1, -1, 1}, []float64{0, 1, -1, 1}},
		{"labels of 16 bits", 11, []uint32{4}, []int16{0, 1, 2, 1000}, []float64{0, 1, 2, 1000}},
		{"labels of 32 bits", 12, []uint32{4}, []int32{0, 1, 2, 1}, []float64{0, 1, 2, 1}},
		{"labels of float", 13, []uint32{4}, []float32{0, 1, 2, 1}, []float64{0, 1, 2, 1}},
		{"labels of double", 14, []uint32{4}, []float64{0, 1, 2, 1}, []float64{0, 1, 2, 1}},
		{"images of 16 bits", 11, []uint32{2, 2, 1}, []int16{7, 8, 9, 10}, []float64{7, 8, 9, 10}},
	} {
		t.Run(test.name, func(t *testing.T) {
			a, err := openArray(inMemory("x.idx", idxFile(test.kind, test.dims, test.elements)))
			if err != nil {
				t.Fatal(err)
			}
			defer a.Close()
			var got []float64
			row := make([]float64, a.features)
			for err = a.next(row); err == nil; err = a.next(row) {
				got = append(got, row...)
			}
			if !errors.Is(err, io.EOF) || !slices.Equal(got, test.want) || a.count != int(test.dims[0]) {
				t.Errorf("%d records, %v, error %v; want %v", a.count, got, err, test.want)
			}
		})
	}
}

// TestIDXOfBytesRefusesOtherTypes checks that data sets whose files contain bytes refuse other element types. The
// hint must name the kind of data set that can read them.
func TestIDXOfBytesRefusesOtherTypes(t *testing.T) {
	for kind, want := range map[byte]string{
		9: "elements of type i1", 11: "elements of type i2", 12: "elements of type i4", 13: "elements of type f4",
		14: "elements of type f8", 10: "00 00 0a 01 does not begin an IDX file (00 00", 0: "00 00 00 01 does not begin an IDX file (00 00",
	} {
		_, err := openIDX(inMemory("x.idx", idxFile(kind, []uint32{4}, make([]byte, 32))))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("type %d: error %v, want %q", kind, err, want)
		}
		if h := message.Hint(err); strings.HasPrefix(want, "elements") != strings.Contains(h, "data.set: arrays") {
			t.Errorf("type %d: hint %q", kind, h)
		}
	}
}

// TestTablesAreNotMistaken reads tables that begin with the same letters as files of other kinds.
func TestTablesAreNotMistaken(t *testing.T) {
	for _, head := range []string{
		"PAR1,PAR2", "MZ,x", "BZh,x", "aig 1,x", "GIF,x", "PK,x", "%PDF,x", "module a,x", ".model,x", "{a},x", "library,x",
		"#include,x", "\xc4nderung,x", "name: a,x",
	} {
		text := fmt.Sprintf("%s,class\n1,2,a\n2,3,b\n", head)
		f := inMemory("x.csv", []byte(text))
		table, err := openTable(f, layout{})
		if err != nil && strings.Contains(err.Error(), "not a table") {
			t.Errorf("%q: %v", head, err)
		}
		if err == nil {
			table.Close()
		}
	}
}
