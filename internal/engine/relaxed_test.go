package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"ialgn/internal/kernel"
	"ialgn/internal/netgen"
)

// TestRelaxedBits compares the parameters, moments and losses of networks trained with relaxed values with recorded
// digests. The digests must be the same on every SIMD path and processor, and with any number of threads.
func TestRelaxedBits(t *testing.T) {
	for _, c := range []struct {
		name    string
		options netgen.ModelOptions
		batch   int
		want    string
	}{
		{
			"ialgn/k=32",
			netgen.ModelOptions{Anchors: 32, Fixed: true},
			100,
			"1842edf4a734839689cdaadb79a8a5bc603b4e70527ad39d8d9177c344d0595b",
		},
		{
			"ialgn/k=33/first=relaxed",
			netgen.ModelOptions{Anchors: 33, Features: 2100, Bits: 33},
			77,
			"938b8e88e17bff43ad9a20f24a4760a6b0231aa119a409db2562297811b3c0c9",
		},
		{
			"ialgn/hidden=4",
			netgen.ModelOptions{Anchors: 5, Hidden: 4},
			100,
			"ca92d858168517129908660917d086a54fbcad7fff99f0f1aa61ba57bf80c394",
		},
		{
			"ialgn/hidden=4/batch=300",
			netgen.ModelOptions{Hidden: 4, Light: true},
			300,
			"34dd320e21064dfe1f8d70ae66fddb09bdc024c562fda701be8000879f8b3af0",
		},
		{
			"rwlgn",
			netgen.ModelOptions{Topology: "rwlgn"},
			100,
			"3b305195350ba860deeadc13d91f02387a33c530c8e5c950ead5eb99fafc2bea",
		},
		{
			"rwlgn-spine/batch=3",
			netgen.ModelOptions{Topology: "rwlgn-spine"},
			3,
			"2bc59e38233242c52d71bf640c354b1637bd9d94510b0a21085f6b5d70c133d2",
		},
		{
			"rwlgn-classwise/light",
			netgen.ModelOptions{Topology: "rwlgn-classwise", Light: true},
			128,
			"e71e31e9f43d5828e9c18290527aff3fc8161cb6b359bd236ab8d3a4cefa8518",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			onPaths(t, func(t *testing.T) {
				for _, threads := range []int{1, 2, 5, 66} {
					if got := relaxedBits(t, c.options, c.batch, threads); got != c.want {
						t.Errorf("threads=%d: SHA-256 %s, want %s", threads, got, c.want)
					}
				}
			})
		})
	}
}

// relaxedBits trains a random network for some steps and returns the digest of everything that a checkpoint would
// contain. Every second batch is one sample smaller. Data past the end of this batch must not count.
func relaxedBits(t *testing.T, o netgen.ModelOptions, batch, threads int) string {
	o.Width, o.Classes, o.Depth, o.Tau, o.Seed = 66, 3, 5, 3, 1
	m, r, rest := netgen.Model(o), rand.New(rand.NewPCG(5, 5)), rand.New(rand.NewPCG(uint64(threads), 6))
	m.Config.Train.Estimator = "soft"
	for i := range m.Sections { // uniform logits, because normal variates of math/rand may depend on the processor
		s := &m.Sections[i]
		for _, logits := range [][]float32{s.Ops, s.Pins[0].Logits, s.Pins[1].Logits} {
			for k := range logits {
				logits[k] = r.Float32()*4 - 2
			}
		}
	}
	e, err := New(m, batch, threads)
	if err != nil {
		t.Fatal(err)
	}
	h := sha256.New()
	for step := 1; step <= 12; step++ {
		b := Batch{X: make([]uint64, m.Encoder.Inputs()*e.Words()), Labels: make([]uint8, batch-step%2)}
		for i := range b.X {
			b.X[i] = r.Uint64()
			if past := i%e.Words()*64 + 64 - len(b.Labels); past > 0 {
				mask := ^uint64(0) << max(0, 64-past)
				b.X[i] ^= rest.Uint64() & mask
			}
		}
		for i := range b.Labels {
			b.Labels[i] = uint8(r.IntN(3))
		}
		binary.Write(h, binary.LittleEndian, e.Step(b, kernel.NewAdam(0.05, 0.9, 0.999, 1e-8, step)).Loss)
	}
	for i := range m.Sections {
		s := &m.Sections[i]
		for _, logits := range [][]float32{s.Ops, s.Pins[0].Logits, s.Pins[1].Logits} {
			binary.Write(h, binary.LittleEndian, logits)
		}
	}
	for _, m := range e.Moments() {
		binary.Write(h, binary.LittleEndian, m.Data)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}
