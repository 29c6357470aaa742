package verify

import (
	"math/rand/v2"

	"ialgn/internal/encoding"
)

// RandomSamples returns samples of random feature words. Calls with the same arguments return the same samples. A
// word can have any value that fits in its bits, even a value that is larger than all values in the data.
func RandomSamples(enc *encoding.Encoder, samples int) Samples {
	s := Samples{
		Levels: encoding.NewPacked(enc.Features(), enc.LevelBits()),
		Words:  encoding.NewPacked(enc.Features(), enc.BitsIn),
	}
	r := rand.New(rand.NewPCG(1, 3))
	words, levels := make([]uint16, enc.Features()), make([]uint16, enc.Features())
	for range samples {
		for f := range words {
			words[f] = uint16(r.Uint64N(1 << enc.BitsIn))
		}
		enc.Levels(levels, words)
		s.Levels.Append(levels, 0)
		s.Words.Append(words, 0)
	}
	return s
}

// Mask returns the mask of the first n bits of a word.
func Mask(n int) uint64 {
	if n >= 64 {
		return ^uint64(0)
	}
	return 1<<max(0, n) - 1
}
