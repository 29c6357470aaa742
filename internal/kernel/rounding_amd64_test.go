package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRoundedWithoutIntegers checks that a processor with AVX-512 but without VNNI gets the same bits.
func TestRoundedWithoutIntegers(t *testing.T) {
	if !slices.Contains(Paths(), "avx512") || !turnsIntegers {
		t.Skip("no AVX-512 with VNNI")
	}
	before, _ := Path()
	defer Use(before)
	defer func() { turnsIntegers = true }()
	st := shape{k: 32, samples: 100, words: 2, layers: 3, rounded: true}.draw(rand.New(rand.NewPCG(8, 8)))
	want := st.run("avx512")
	turnsIntegers = false
	got := st.run("avx512")
	for name, w := range want {
		if i := firstDifference(w, got[name]); i >= 0 {
			t.Errorf("%s[%d] = %x without VNNI, %x with it", name, i, got[name][i], w[i])
		}
	}
}
