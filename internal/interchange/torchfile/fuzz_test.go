package torchfile_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ialgn/internal/interchange/torchfile"
)

// examine converts the smaller tensors of a value and checks that the total number of elements is within the limit
// that Read promises.
func examine(t *testing.T, v any, size int) {
	t.Helper()
	elements := 0
	err := visit(v, func(v any) error {
		switch v := v.(type) {
		case nil, bool, int64, float64, string, []byte, *torchfile.List, torchfile.Tuple, *torchfile.Dict,
			*torchfile.Object, torchfile.Device, torchfile.DType:
		case *torchfile.Tensor:
			n := v.Elements()
			if n > size+8<<20 {
				if _, err := v.Float64(); err == nil {
					t.Errorf("converted a tensor of %d elements from a file of %d bytes", n, size)
				}
				return nil
			}
			if elements += n; n > 1<<16 {
				return nil
			}
			_, _ = line(v)
		default:
			if s := fmt.Sprintf("%T", v); s != "*big.Int" {
				t.Errorf("a value of type %s", s)
			}
		}
		return nil
	})
	if err != nil || elements > size+8<<20 {
		t.Errorf("%d elements of a file of %d bytes, error %v", elements, size, err)
	}
}

// FuzzRead checks that no file makes Read panic, take more memory than promised, or return an unexpected type.
func FuzzRead(f *testing.F) {
	for _, path := range append(own(f), besides(f)...) {
		f.Add(readFile(f, path))
	}
	for _, test := range hostile {
		if len(test.pickle) < 10000 {
			f.Add([]byte(legacyHead + begin + test.pickle))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if v, err := take(t, b); err == nil {
			examine(t, v, len(b))
		}
	})
}

// FuzzPickle fuzzes the pickle of an archive with correct checksums.
func FuzzPickle(f *testing.F) {
	for _, path := range append(own(f), besides(f)...) {
		b := readFile(f, path)
		if at, n, ok := pickleOf(b); ok {
			f.Add(string(b[at : at+n]))
		}
	}
	for _, test := range hostile {
		if len(test.pickle) < 10000 {
			f.Add(begin + test.pickle)
		}
	}
	f.Fuzz(func(t *testing.T, pickle string) {
		b := archive(t, pickle, strings.Repeat("\x01", 16), strings.Repeat("\x7f", 240))
		if v, err := take(t, b); err == nil {
			examine(t, v, len(b))
		}
	})
}

// pickleOf returns the position and length of the pickle of an archive, which is its first entry.
func pickleOf(b []byte) (at, n int, ok bool) {
	if string(b[:4]) != "PK\x03\x04" {
		return 0, 0, false
	}
	at = 30 + int(binary.LittleEndian.Uint16(b[26:])) + int(binary.LittleEndian.Uint16(b[28:]))
	line := strings.Index(string(b), "PK\x01\x02")
	return at, int(binary.LittleEndian.Uint32(b[line+24:])), true
}

// mutants is the number of damaged files that TestMutants makes.
const mutants = 2000

// TestMutants damages checkpoints at random. An archive has checksums, so reading must fail or return the same
// values. The legacy format has no checksums, so the values may differ, but Read must keep its promises.
func TestMutants(t *testing.T) {
	paths := append(own(t), foreign(t)...)
	r := rand.New(rand.NewPCG(1, 2))
	files, whole := map[string][]byte{}, map[string]string{}
	refused := 0
	for i := range mutants {
		path := paths[i%len(paths)]
		if files[path] == nil {
			files[path] = readFile(t, path)
			v, err := read(files[path])
			if err != nil {
				t.Fatal(err)
			}
			if whole[path], err = text(v); err != nil {
				t.Fatal(err)
			}
		}
		b := mutate(r, files[path])
		v, err := take(t, b)
		if err == nil {
			examine(t, v, len(b))
			var got string
			if got, err = text(v); err == nil && got != whole[path] && string(b[:2]) == "PK" {
				t.Errorf("mutant %d of %s: was read with other values", i, path)
			}
		}
		if err != nil {
			refused++
		}
	}
	if refused < mutants/4 {
		t.Errorf("only %d of %d mutants were refused", refused, mutants)
	}
}

// mutate returns the file with a few kinds of damage. It flips bits (most of them in the directory, the pickles and
// the headers), cuts the file, forges lengths and moves parts.
func mutate(r *rand.Rand, b []byte) []byte {
	b = slices.Clone(b)
	for range 1 + r.IntN(3) {
		at := r.IntN(len(b))
		switch r.IntN(4) {
		case 0:
			at = min(at, r.IntN(3000))
		case 1:
			at = max(at, len(b)-1-r.IntN(1000))
		}
		switch r.IntN(8) {
		case 0:
			b = b[:max(at, 4)]
		case 1:
			b = slices.Delete(b, at, min(len(b), at+1+r.IntN(9)))
		case 2:
			b = slices.Insert(b, at, byte(r.Uint32()))
		case 3:
			for k := range min(8, len(b)-at) {
				b[at+k] = [...]byte{0, 0x7f, 0x80, 0xff}[r.IntN(4)]
			}
		case 4:
			copy(b[at:], b[r.IntN(len(b)):])
		default:
			b[at] ^= 1 << r.IntN(8)
		}
		if len(b) < 4 {
			return append(b, "PK\x03\x04"...)
		}
	}
	return b
}
