package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRelaxedWithoutTurning runs the AVX-512 path as on a processor that lacks the extra instructions of meanBits.
func TestRelaxedWithoutTurning(t *testing.T) {
	const path = "avx512"
	if !slices.Contains(Paths(), path) {
		t.Skip("this processor has no AVX-512")
	}
	before, _ := Path()
	defer Use(before)
	if err := Use(path); err != nil {
		t.Fatal(err)
	}
	defer func(turns bool) { turnsBits = turns }(turnsBits)
	turnsBits = false
	r := rand.New(rand.NewPCG(18, 18))
	for _, sh := range relaxedShapes(r) {
		st := sh.draw(r)
		st.compare(t, path, slices.Clone[[]float32], st.x)
	}
}
