package wrapper

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/netlist"
)

// TestBytes compares the layout of Bytes with the layout in testbenches.
func TestBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, word := range []int{1, 3, 8, 9, 17} {
		words := make([]uint64, 11)
		for i := range words {
			words[i] = r.Uint64N(1 << word)
		}
		port := netlist.Port{Word: word, Nets: make([]netlist.Net, word*len(words))}
		var got []uint64
		for _, b := range Bytes([]netlist.Port{port}, func(i int) uint64 { return words[i/word] >> (i % word) }) {
			got = append(got, uint64(b))
		}
		if diff := cmp.Diff(inBytes(word, words, nil), got); diff != "" {
			t.Errorf("words of %d bits (-want +got):\n%s", word, diff)
		}
	}
}
