package memory

import (
	"testing"
	"unsafe"
)

// TestMake checks the length, the alignment and the zeros of short and long arrays, including arrays in memory that
// was used before.
func TestMake(t *testing.T) {
	places := map[uintptr]bool{}
	for range 3 {
		for _, n := range []int{0, 1, small/4 - 1, small / 4, 20000, size/4 - 1, size / 4, size/4 + 1, 3*size/4 + 17} {
			x := MakeHuge[float32](n)
			if len(x) != n || cap(x) != n {
				t.Fatalf("%d words: length %d, capacity %d", n, len(x), cap(x))
			}
			if n >= small/4 {
				place := uintptr(unsafe.Pointer(&x[0])) % small
				if places[place] || place%64 != 0 {
					t.Errorf("%d words: %d bytes into a page, where another array is or no cache line begins", n, place)
				}
				places[place] = true
			}
			for i := range x {
				if x[i] != 0 {
					t.Fatalf("%d words: word %d is %v", n, i, x[i])
				}
				x[i] = 1
			}
		}
	}
}
