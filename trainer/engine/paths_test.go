package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"ialgn/internal/modelgen"
	"ialgn/trainer/kernel"
)

// onPaths runs a test on every path that the processor has.
func onPaths(t *testing.T, test func(t *testing.T)) {
	before, err := kernel.Path()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kernel.Use(before) })
	for _, path := range kernel.Paths() {
		t.Run("path="+path, func(t *testing.T) {
			if err := kernel.Use(path); err != nil {
				t.Fatal(err)
			}
			test(t)
		})
	}
}

// TestTrainedBits pins the parameters, moments and losses of trained networks: every
// path, processor and number of threads must give these.
func TestTrainedBits(t *testing.T) {
	for _, c := range []struct {
		name    string
		options modelgen.Options
		batch   int
		want    string
	}{
		{"k=32/batch=100", modelgen.Options{Anchors: 32}, 100, "b52c18a33d0c08774d9b4b5396149577ca4e93326dbc7cf64f218a6ac6dc1334"},
		{"k=32/batch=128/fixed", modelgen.Options{Anchors: 32, Fixed: true}, 128, "749c1d3b6536dba894fce45684bc6b2b2b513ac59838111ad4de1d546540b31d"},
		{"k=32/batch=50/wide", modelgen.Options{Anchors: 32, Features: 2100, Bits: 33}, 50, "e2e3fc392cfc007fd048c5fe8eaabbcad8139a3280dba0e1c82384dca49f7428"},
		{"k=7/batch=200", modelgen.Options{Anchors: 7}, 200, "2ad5d53fe57684d8fb1eb9d0bbb2289eb46e6cae9189c549388eefe013a8b318"},
		{"k=100/batch=100/wide", modelgen.Options{Anchors: 100, Features: 2100, Bits: 33}, 100, "a420211238f94b2c1fc0c360d84083e508264466d40d43ffac7dff44dd7ef6b6"},
		{"k=33/batch=1000", modelgen.Options{Anchors: 33}, 1000, "ace2bb447f0040ff29a7cc7741649c8c525c0342d56225ba08f31f087bff855f"},
	} {
		t.Run(c.name, func(t *testing.T) {
			onPaths(t, func(t *testing.T) {
				if got := trainedBits(t, c.options, c.batch); got != c.want {
					t.Errorf("SHA-256 %s, want %s", got, c.want)
				}
			})
		})
	}
}

// trainedBits trains a random network for some steps and returns the digest of all that
// a checkpoint would hold.
func trainedBits(t *testing.T, o modelgen.Options, batch int) string {
	o.Width, o.Classes, o.Depth, o.Tau, o.Seed = 66, 3, 7, 3, 1
	m, r := modelgen.New(o), rand.New(rand.NewPCG(5, 5))
	for i := range m.Sections { // normal samples of math/rand may depend on the processor
		s := &m.Sections[i]
		for _, logits := range [][]float32{s.Ops, s.A.Logits, s.B.Logits} {
			for k := range logits {
				logits[k] = r.Float32()*4 - 2
			}
		}
	}
	e, err := New(m, batch, 2)
	if err != nil {
		t.Fatal(err)
	}
	h := sha256.New()
	for step := 1; step <= 30; step++ {
		b := Batch{X: make([]uint64, m.Encoder.Inputs()*e.Words()), Labels: make([]uint8, batch-step%2)}
		for i := range b.X {
			b.X[i] = r.Uint64()
		}
		for i := range b.Labels {
			b.Labels[i] = uint8(r.IntN(3))
		}
		result := e.Step(b, kernel.NewAdam(0.05, 0.9, 0.999, 1e-8, step))
		binary.Write(h, binary.LittleEndian, result.Loss)
	}
	for i := range m.Sections {
		s := &m.Sections[i]
		binary.Write(h, binary.LittleEndian, s.Ops)
		binary.Write(h, binary.LittleEndian, s.A.Logits)
		binary.Write(h, binary.LittleEndian, s.B.Logits)
	}
	for _, m := range e.Moments() {
		binary.Write(h, binary.LittleEndian, m.Data)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}
