package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"ialgn/internal/kernel"
	"ialgn/internal/netgen"
	"ialgn/internal/testkit"
)

// onPaths runs a test on every SIMD path that the processor has.
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

// onPathInTurn runs a test on one path, chosen by the number of the test. The long test tier runs it on all SIMD
// paths.
func onPathInTurn(t *testing.T, number int, test func(t *testing.T)) {
	if testkit.Whole() {
		onPaths(t, test)
		return
	}
	before, err := kernel.Path()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kernel.Use(before) })
	paths := kernel.Paths()
	if err := kernel.Use(paths[number%len(paths)]); err != nil {
		t.Fatal(err)
	}
	test(t)
}

// TestTrainedBits compares the parameters, moments and losses of trained networks with recorded digests. The digests
// must be the same on every SIMD path and processor, and with any number of threads.
func TestTrainedBits(t *testing.T) {
	for _, c := range []struct {
		name    string
		options netgen.ModelOptions
		batch   int
		want    string
		rounded bool // gradients of pins are rounded to 8 bits
	}{
		{
			"k=32/batch=100",
			netgen.ModelOptions{Anchors: 32},
			100,
			"b52c18a33d0c08774d9b4b5396149577ca4e93326dbc7cf64f218a6ac6dc1334",
			false,
		},
		{
			"k=32/batch=128/fixed",
			netgen.ModelOptions{Anchors: 32, Fixed: true},
			128,
			"749c1d3b6536dba894fce45684bc6b2b2b513ac59838111ad4de1d546540b31d",
			false,
		},
		{
			"k=32/batch=50/wide",
			netgen.ModelOptions{Anchors: 32, Features: 2100, Bits: 33},
			50,
			"e2e3fc392cfc007fd048c5fe8eaabbcad8139a3280dba0e1c82384dca49f7428",
			false,
		},
		{
			"k=7/batch=200",
			netgen.ModelOptions{Anchors: 7},
			200,
			"2ad5d53fe57684d8fb1eb9d0bbb2289eb46e6cae9189c549388eefe013a8b318",
			false,
		},
		{
			"k=100/batch=100/wide",
			netgen.ModelOptions{Anchors: 100, Features: 2100, Bits: 33},
			100,
			"a420211238f94b2c1fc0c360d84083e508264466d40d43ffac7dff44dd7ef6b6",
			false,
		},
		{
			"rwlgn/batch=100",
			netgen.ModelOptions{Topology: "rwlgn"},
			100,
			"385b22bbe2a74bd11996b3a6f551c9f64847f3619bfeda58f355b1049f6133f3",
			false,
		},
		{
			"rwlgn/batch=128/light",
			netgen.ModelOptions{Topology: "rwlgn", Light: true},
			128,
			"38fca04216d993b12f18b7dcd3a25f638cef4a71becfd23535be60729ff559ed",
			false,
		},
		{
			"rwlgn/batch=300",
			netgen.ModelOptions{Topology: "rwlgn"},
			300,
			"2f9367edc816db03e9ef325f0e59bc135605fcf05b1d7f50ce399d9a67337955",
			false,
		},
		{
			"rwlgn-spine/batch=50",
			netgen.ModelOptions{Topology: "rwlgn-spine"},
			50,
			"5538d8e1538a597949fe72af0a93c0842ed5199a5267971b312691792ec67ce0",
			false,
		},
		{
			"rwlgn-classwise/batch=113",
			netgen.ModelOptions{Topology: "rwlgn-classwise"},
			113,
			"db80a761b54ad78f17f74b114025452d66e3e313cb33e63f501398bd9804a676",
			false,
		},
		{
			"hidden=4/batch=100",
			netgen.ModelOptions{Hidden: 4, Anchors: 32},
			100,
			"9b4f6f881885c51b5a7a447ece9bd3aefc86b4481f86a4f6440c0e5f82918ab4",
			false,
		},
		{
			"hidden=4/batch=200/light",
			netgen.ModelOptions{Hidden: 4, Anchors: 7, Light: true},
			200,
			"dc06d846b651e7170f0f5488962d07fd48f5a21980a069a2c56dbbd4ace3adc6",
			false,
		},
		{
			"k=32/batch=100/light",
			netgen.ModelOptions{Anchors: 32, Light: true},
			100,
			"a1b25873dcd466d6a2b023a8991f328dae3ea15a4fa258e494eefaa239e461bf",
			false,
		},
		{
			"k=33/batch=1000",
			netgen.ModelOptions{Anchors: 33},
			1000,
			"ace2bb447f0040ff29a7cc7741649c8c525c0342d56225ba08f31f087bff855f",
			false,
		},
		{
			"int8/k=32/batch=100",
			netgen.ModelOptions{Anchors: 32},
			100,
			"2e93a23f1f951b28c63c5e09cc2980648c754309c41c2253dea36776bcde4762",
			true,
		},
		{
			"int8/k=32/batch=128/fixed",
			netgen.ModelOptions{Anchors: 32, Fixed: true},
			128,
			"bcc22092bd844e7836391a8e6e0f01d3cf2f8fe037e18faa54e903be6f83894b",
			true,
		},
		{
			"int8/k=32/batch=50/wide",
			netgen.ModelOptions{Anchors: 32, Features: 2100, Bits: 33},
			50,
			"0bf6e0e0a11da70ad9d796be17d667a0e9514aaf4ca0bfefaab6eec608a00ebc",
			true,
		},
		{
			"int8/k=7/batch=200",
			netgen.ModelOptions{Anchors: 7},
			200,
			"5318488e637ebd5229eb9154061827c05c3288bbb3414d0f2b566860e47bd2c1",
			true,
		},
		{
			"int8/k=32/batch=100/light",
			netgen.ModelOptions{Anchors: 32, Light: true},
			100,
			"71d46e91f6c1c0fb77814d725be9a0e41dfb03b91bd47804dca38c876d0c316a",
			true,
		},
		{
			"int8/k=33/batch=1000",
			netgen.ModelOptions{Anchors: 33},
			1000,
			"2349fef09e170ad8a8670869d6719c2b433031e30b2bea9ce7f4cea32986bd96",
			true,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			onPaths(t, func(t *testing.T) {
				if got := trainedBits(t, c.options, c.batch, c.rounded); got != c.want {
					t.Errorf("SHA-256 %s, want %s", got, c.want)
				}
			})
		})
	}
}

// trainedBits trains a random network for some steps and returns the digest of everything that a checkpoint would
// contain.
func trainedBits(t *testing.T, o netgen.ModelOptions, batch int, rounded bool) string {
	o.Width, o.Classes, o.Depth, o.Tau, o.Seed = 66, 3, 7, 3, 1
	m, r := netgen.Model(o), rand.New(rand.NewPCG(5, 5))
	for i := range m.Sections { // uniform logits, because normal variates of math/rand may depend on the processor
		s := &m.Sections[i]
		for _, logits := range [][]float32{s.Ops, s.Pins[0].Logits, s.Pins[1].Logits} {
			for k := range logits {
				logits[k] = r.Float32()*4 - 2
			}
		}
	}
	if rounded {
		m.Config.Train.Gradients = "int8"
	}
	e, err := New(m, batch, 2)
	if err != nil {
		t.Fatal(err)
	}
	h := sha256.New()
	for step := 1; step <= 30; step++ {
		b := Batch{X: make([]uint64, m.Encoder.Inputs()*e.Words()), Labels: make([]uint8, batch-step%2), Step: step}
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
		binary.Write(h, binary.LittleEndian, s.Pins[0].Logits)
		binary.Write(h, binary.LittleEndian, s.Pins[1].Logits)
	}
	for _, m := range e.Moments() {
		binary.Write(h, binary.LittleEndian, m.Data)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}
