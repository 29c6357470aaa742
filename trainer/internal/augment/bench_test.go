package augment

import (
	"math/rand/v2"
	"testing"

	"ialgn/internal/config"
	"ialgn/internal/crew"
	"ialgn/internal/dataset"
	"ialgn/internal/encoding"
)

// BenchmarkBatch encodes batches of 128 images as thermometer bits. The images are unchanged, shifted by whole
// pixels, or turned.
func BenchmarkBatch(b *testing.B) {
	for _, set := range []struct {
		name  string
		shape dataset.Shape
		bits  int
	}{{"mnist", dataset.Shape{Planes: 1, Height: 28, Width: 28}, 4}, {"cifar10", dataset.Shape{Planes: 3, Height: 32, Width: 32}, 6}} {
		pixels := set.shape.Planes * set.shape.Height * set.shape.Width
		enc, err := encoding.NewUniform(pixels, set.bits, 8, 255, nil)
		if err != nil {
			b.Fatal(err)
		}
		r := rand.New(rand.NewPCG(1, 2))
		words, levels := encoding.NewPacked(pixels, 8), encoding.NewPacked(pixels, enc.LevelBits())
		sample, level := make([]uint16, pixels), make([]uint16, pixels)
		for range 4096 {
			for i := range sample {
				sample[i] = uint16(r.UintN(256))
			}
			enc.Levels(level, sample)
			words.Append(sample, 0)
			levels.Append(level, 0)
		}
		dst, index := make([]uint64, 2*enc.Inputs()), make([]int32, 128)
		batch := func(b *testing.B, gather func(epoch int)) {
			for n := 0; b.Loop(); n++ {
				for i := range index {
					index[i] = int32(r.UintN(4096))
				}
				gather(n)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(128*pixels), "ns/pixel")
		}
		c := crew.New(1)
		b.Run(set.name+"/plain", func(b *testing.B) {
			plain := encoding.NewBatcher(enc, levels, 2, c)
			batch(b, func(int) { plain.Batch(dst, index) })
		})
		for _, a := range []struct {
			name string
			keys config.Augment
		}{
			{"shift", config.Augment{Shift: 1, Share: 0.8}},
			{"affine", config.Augment{Shift: 1, Rotate: 6, Scale: 0.06, Shear: 0.09, Share: 0.8}},
		} {
			b.Run(set.name+"/"+a.name, func(b *testing.B) {
				g := NewBatcher(&config.Train{Augment: a.keys, Seed: 1}, set.shape, enc, words, 2, c)
				batch(b, func(epoch int) { g.Batch(dst, epoch, index) })
			})
		}
	}
}
