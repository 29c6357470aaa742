package sim

import (
	"math/rand/v2"
	"testing"

	"ialgn/internal/netgen"
)

// TestRandom compares every net of random netlists of all kinds with the oracle, over several clocks, with full and
// partly filled blocks.
func TestRandom(t *testing.T) {
	for seed := range uint64(40) {
		checkRandom(t, seed, uint8(6*seed), uint8(7*seed))
	}
}

// FuzzSim does the same as TestRandom for netlists and samples that the fuzzer chooses.
func FuzzSim(f *testing.F) {
	f.Add(uint64(1), uint8(50), uint8(0))
	f.Add(uint64(2), uint8(255), uint8(13))
	f.Fuzz(checkRandom)
}

func checkRandom(t *testing.T, seed uint64, cells, shape uint8) {
	t.Helper()
	n := netgen.Netlist(seed, netgen.NetlistOptions{
		Cells: 1 + int(cells), Inputs: 2 + int(shape%24),
		Registers: seed%2 == 0, Margins: seed%4 < 2, Ties: seed%3 == 0,
	})
	words := 1 + int(shape%2)
	compare(t, n, words+int(shape%3), words, 3, rand.New(rand.NewPCG(seed, 3)).Uint64)
}
