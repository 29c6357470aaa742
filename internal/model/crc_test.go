package model_test

import (
	"bytes"
	"hash/crc32"
	"math"
	"testing"

	"ialgn/internal/model"
)

// sumOf returns the CRC-32C of data, computed from pieces. Each element of cuts is the length of a piece, modulo the
// remaining length.
func sumOf(data []byte, cuts []byte) uint32 {
	sum, at := uint32(0), 0
	for i := 0; at < len(data); i++ {
		end := len(data)
		if i < len(cuts) {
			end = at + int(cuts[i])%(len(data)-at+1)
		}
		half := (at + end) / 2 // a piece may be summed up in several calls
		r := model.Remainder(model.Remainder(0, data[at:half]), data[half:end])
		sum ^= model.Contribution(r, int64(len(data)-end))
		at = end
	}
	return model.Finish(sum, int64(len(data)))
}

// FuzzPieces compares the CRC that is computed from the pieces of a file with the CRC of the whole file.
func FuzzPieces(f *testing.F) {
	f.Add([]byte{}, []byte{})
	f.Add([]byte("123456789"), []byte{4})
	f.Add([]byte("123456789"), []byte{0, 1, 0, 7})
	f.Add(make([]byte, 300), []byte{200, 99})
	f.Add(bytes.Repeat([]byte{0xff}, 1000), []byte{1, 2, 3, 4, 255})
	f.Fuzz(func(t *testing.T, data, cuts []byte) {
		if got, want := sumOf(data, cuts), crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)); got != want {
			t.Errorf("%d bytes, cuts %v: %08x, want %08x", len(data), cuts, got, want)
		}
	})
}

// TestPiecesOfLongFiles checks the contribution of a piece with many bytes after it. It compares the contribution
// with the CRC of the piece followed by zeros. If there are too many bytes after it to hold in memory, it compares
// contributions with each other.
func TestPiecesOfLongFiles(t *testing.T) {
	piece := model.Remainder(0, []byte("logic gate network"))
	zeros := make([]byte, 1<<20+3)
	if got, want := model.Contribution(piece, int64(len(zeros))), model.Remainder(piece, zeros); got != want {
		t.Errorf("%d zeros: %08x, want %08x", len(zeros), got, want)
	}
	for _, n := range []int64{1, 1 << 31, 1<<40 + 12345, math.MaxInt64 / 2} {
		twice := model.Contribution(model.Contribution(piece, n), n+1)
		if got := model.Contribution(piece, 2*n+1); got != twice {
			t.Errorf("%d bytes: %08x, in two steps %08x", 2*n+1, got, twice)
		}
	}
	if got := model.Finish(model.Remainder(0, []byte("123456789")), 9); got != 0xe3069283 { // check value of CRC-32C
		t.Errorf("check value %08x", got)
	}
}
