// Package draw makes the random choices of training. It has streams of random numbers that are keyed by (seed,
// purpose, layer, gate), so the draws of a gate do not depend on the order of construction, on threads or on the
// engine.
//
// Streams come from PCG (math/rand/v2), whose sequence is specified. Everything derived from it (bounded integers,
// normals, permutations) is implemented here, because the library's derivations may change between versions of Go.
package draw

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"ialgn/internal/detmath"
)

// Purpose keeps the streams of different uses apart.
type Purpose uint64

// These are the purposes of draws. Every trained model depends on their numbers, so a number must never be reused.
const (
	FirstWires    Purpose = iota + 1 // candidates of the first layer's A pin
	AnchorWires                      // candidates of the B pin
	FirstLogits                      // selection logits of the first layer's A pin
	AnchorLogits                     // selection logits of the B pin
	OpLogits                         // initial operation logits, or noise on them
	Shuffle                          // order of the samples in an epoch
	Validation                       // which training samples are held out for validation
	HiddenWires                      // candidates of pin A among hidden gates
	HiddenLogits                     // selection logits of the HiddenWires candidates
	RandomWireA                      // wire of pin A of a random-wired gate
	RandomWireB                      // wire of pin B
	BalancedWires                    // all wires of a layer or of a class in it
	CreditSample                     // gates of a class that the credit diagnostics sample
	Replacement                      // candidates that replace weak candidates
	GumbelNoise                      // noise on all choices of a node in a step
	Dither                           // dither of gradients that are rounded to 8 bits
	Augmentation                     // how an image is changed in an epoch
	PatchWires                       // inputs in a patch that the leaves of a kernel read
	ScoredSources                    // sources that a window scores for pins
)

// These are the first purposes of the ranges that are indexed by pin.
const (
	pinWires  Purpose = 64
	pinLogits Purpose = 72
)

// Sequences is the purpose of samples in data sets that the program generates.
const Sequences Purpose = 80

// PinWires returns the purpose for the candidates of pin C (number 2) or a later pin.
func PinWires(pin int) Purpose { return pinWires + Purpose(pin) }

// PinLogits returns the purpose for the selection logits of pin C (number 2) or a later pin.
func PinLogits(pin int) Purpose { return pinLogits + Purpose(pin) }

// Stream is a sequence of random numbers. It is not safe for concurrent use.
type Stream struct {
	src   rand.PCG
	spare float64
	full  bool
}

// New returns the stream for a seed, purpose, layer and gate.
func New(seed uint64, p Purpose, layer, gate int) *Stream {
	var s Stream
	a := mix(seed ^ mix(uint64(p)))
	b := mix(a ^ uint64(layer)<<40 ^ uint64(gate))
	s.src.Seed(b, mix(b^a))
	return &s
}

// InStep returns the stream for a seed, purpose, layer and gate in one step of training.
func InStep(seed uint64, p Purpose, step, layer, gate int) *Stream {
	return New(mix(seed^mix(uint64(step))), p, layer, gate)
}

// Inside returns a uniform number between 0 and 1, both excluded: an odd multiple of 2^-53.
func (s *Stream) Inside() float64 { return (float64(s.src.Uint64()>>12) + 0.5) / (1 << 52) }

// mix is SplitMix64 (Steele, Lea and Flood, 2014): its increment followed by its finaliser.
func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Below returns a uniform integer in [0, n), without bias (Lemire, 2019). It panics
// if n < 1.
func (s *Stream) Below(n int) int {
	if n < 1 {
		panic("draw: Below needs n >= 1")
	}
	hi, lo := bits.Mul64(s.src.Uint64(), uint64(n))
	if lo < uint64(n) {
		for least := -uint64(n) % uint64(n); lo < least; {
			hi, lo = bits.Mul64(s.src.Uint64(), uint64(n))
		}
	}
	return int(hi)
}

// Distinct fills dst with distinct integers in [0, n). All ordered choices are equally likely. It panics if n <
// len(dst).
func (s *Stream) Distinct(dst []uint32, n int) {
	if n < len(dst) {
		panic("draw: Distinct needs n >= len(dst)")
	}
	if n < 4*len(dst) {
		s.partialShuffle(dst, n)
		return
	}
	for i := range dst {
	again:
		v := uint32(s.Below(n))
		for _, w := range dst[:i] {
			if v == w {
				goto again
			}
		}
		dst[i] = v
	}
}

func (s *Stream) partialShuffle(dst []uint32, n int) {
	all := make([]uint32, n)
	for i := range all {
		all[i] = uint32(i)
	}
	for i := range dst {
		j := i + s.Below(n-i)
		all[i], all[j] = all[j], all[i]
	}
	copy(dst, all)
}

// Permutation fills dst with a uniform permutation of 0 .. len(dst)-1.
func (s *Stream) Permutation(dst []int32) {
	for i := range dst {
		j := s.Below(i + 1)
		dst[i] = dst[j]
		dst[j] = int32(i)
	}
}

// Normal returns a standard normal sample, by the polar method of Marsaglia.
func (s *Stream) Normal() float32 {
	if s.full {
		s.full = false
		return float32(s.spare)
	}
	for {
		u, v := s.signed(), s.signed()
		q := float64(u*u) + float64(v*v)
		if q >= 1 || q == 0 {
			continue
		}
		f := math.Sqrt(-2 * detmath.Log(q) / q)
		s.spare, s.full = float64(v*f), true
		return float32(u * f)
	}
}

// signed returns a uniform multiple of 2^-52 in [-1, 1).
func (s *Stream) signed() float64 { return float64(int64(s.src.Uint64())>>11) / (1 << 52) }
