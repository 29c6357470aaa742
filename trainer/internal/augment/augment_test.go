package augment

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ialgn/internal/config"
	"ialgn/internal/crew"
	"ialgn/internal/dataset"
	"ialgn/internal/encoding"
)

var shape = dataset.Shape{Planes: 2, Height: 9, Width: 11}

// noise returns images of random pixels.
func noise(n int) *encoding.Packed {
	r := rand.New(rand.NewPCG(7, 8))
	p, sample := encoding.NewPacked(shape.Planes*shape.Height*shape.Width, 8), make([]uint16, shape.Planes*shape.Height*shape.Width)
	for range n {
		for i := range sample {
			sample[i] = uint16(r.UintN(256))
		}
		p.Append(sample, 0)
	}
	return p
}

// apply returns one plane of an image after a change.
func apply(s dataset.Shape, pixels []byte, c change) []byte {
	m, dst := newImage(s), make([]byte, len(pixels)+writeSlack)
	m.load(pixels)
	m.change(dst, &c)
	return dst[:len(pixels)]
}

// TestWholePixels checks shifts and mirroring pixel by pixel.
func TestWholePixels(t *testing.T) {
	pixels := make([]byte, shape.Height*shape.Width)
	for i := range pixels {
		pixels[i] = byte(100 + i)
	}
	seen := map[[3]int]bool{}
	for epoch := range 400 {
		c := drawChange(&config.Augment{Shift: 2, Flip: true, Share: 1}, shape, 1, epoch, 3)
		flip := c.xu < 0
		// (dx, dy) is the source of the first pixel in the first row. If the image is mirrored, it is the source of
		// the last pixel in this row.
		dx, dy := c.x0/one, c.y0/one
		if flip {
			dx -= shape.Width - 1
		}
		if max(dx, -dx, dy, -dy) > 2 {
			t.Fatalf("epoch %d: shifted by %d, %d", epoch, dx, dy)
		}
		seen[[3]int{dx, dy, c.xu}] = true
		got := apply(shape, pixels, c)
		for y := range shape.Height {
			for x := range shape.Width {
				from, want := x, byte(0)
				if flip {
					from = shape.Width - 1 - x
				}
				if from, v := from+dx, y+dy; from >= 0 && from < shape.Width && v >= 0 && v < shape.Height {
					want = pixels[v*shape.Width+from]
				}
				if got[y*shape.Width+x] != want {
					t.Fatalf("epoch %d: shift %d, %d, mirrored %v: pixel %d, %d is %d, want %d", epoch, dx, dy, flip, x, y,
						got[y*shape.Width+x], want)
				}
			}
		}
	}
	if len(seen) != 50 {
		t.Errorf("%d of 50 shifts and mirrorings in 400 epochs", len(seen))
	}
}

// TestAffine compares changed images with bilinear interpolation in floating point at the positions that the
// definition of a change gives.
func TestAffine(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	s := dataset.Shape{Planes: 1, Height: 20, Width: 24}
	pixels := make([]byte, s.Height*s.Width)
	for i := range pixels {
		pixels[i] = byte(r.UintN(256))
	}
	pixel := func(x, y float64) float64 {
		if x < 0 || y < 0 || x >= float64(s.Width) || y >= float64(s.Height) {
			return 0
		}
		return float64(pixels[int(y)*s.Width+int(x)])
	}
	keys := config.Augment{Shift: 2, Rotate: 40, Scale: 0.2, Shear: 0.3, Share: 1}
	var widest [4]float64
	for epoch := range 200 {
		c := drawChange(&keys, s, 1, epoch, 0)
		// By definition, a change turns, scales and shears the image about its centre and then shifts the image.
		scale := math.Hypot(float64(c.xu), float64(c.yu)) / one
		angle := math.Atan2(float64(c.yu), float64(c.xu))
		shear := float64(c.xv)/one + scale*math.Sin(angle)
		cx, cy := float64(s.Width-1)/2, float64(s.Height-1)/2
		tx := float64(c.x0)/one - (cx - scale*math.Cos(angle)*cx - float64(c.xv)/one*cy)
		if math.Abs(float64(c.yv)/one-scale*math.Cos(angle)) > 1e-4 {
			t.Fatalf("epoch %d: %+v is no turn, scale and shear", epoch, c)
		}
		for i, v := range []float64{angle * 180 / math.Pi / keys.Rotate, (scale - 1) / keys.Scale, shear / keys.Shear, tx / 2} {
			widest[i] = max(widest[i], math.Abs(v))
		}
		got := apply(s, pixels, c)
		for v := range s.Height {
			for u := range s.Width {
				x := (float64(c.x0) + float64(c.xu*u+c.xv*v)) / one
				y := (float64(c.y0) + float64(c.yu*u+c.yv*v)) / one
				x0, y0 := math.Floor(x), math.Floor(y)
				fx, fy := math.Floor((x-x0)*64)/64, math.Floor((y-y0)*64)/64
				want := (pixel(x0, y0)*(1-fx)+pixel(x0+1, y0)*fx)*(1-fy) + (pixel(x0, y0+1)*(1-fx)+pixel(x0+1, y0+1)*fx)*fy
				if d := math.Abs(want - float64(got[v*s.Width+u])); d > 0.5001 {
					t.Fatalf("epoch %d, pixel %d, %d from %.3f, %.3f: %d, want %.2f", epoch, u, v, x, y, got[v*s.Width+u], want)
				}
			}
		}
	}
	for i, v := range widest {
		if v < 0.95 || v > 1.001 {
			t.Errorf("number %d of 200 epochs goes up to %.3f of its largest", i, v)
		}
	}
}

// TestQuarterTurn turns a square by 90 degrees, which moves pixels without changing their values.
func TestQuarterTurn(t *testing.T) {
	s := dataset.Shape{Planes: 1, Height: 5, Width: 5}
	pixels := make([]byte, 25)
	for i := range pixels {
		pixels[i] = byte(10 * (i + 1))
	}
	c := change{xv: -one * int(cosine(0)), yu: one, x0: 4 * one, y0: 0}
	got := apply(s, pixels, c)
	for y := range 5 {
		for x := range 5 {
			if got[y*5+x] != pixels[x*5+4-y] {
				t.Fatalf("%d", got)
			}
		}
	}
	for _, degrees := range []float64{-90, -30, 0, 17, 60, 90, 150, 180, 265} {
		if want := math.Cos(degrees * math.Pi / 180); math.Abs(cosine(degrees)-want) > 1e-12 {
			t.Errorf("cosine of %v: %v, want %v", degrees, cosine(degrees), want)
		}
	}
}

// TestBatch compares a batch, computed on one goroutine and on three, with samples that are changed and encoded one
// by one. All planes of a sample must change in the same way.
func TestBatch(t *testing.T) {
	set, size := noise(40), shape.Height*shape.Width
	enc, err := encoding.NewUniform(set.Features, 5, 8, 255, nil)
	if err != nil {
		t.Fatal(err)
	}
	cfg := config.Train{Seed: 3, Augment: config.Augment{Shift: 1, Rotate: 20, Share: 0.5}}
	index := []int32{7, 7, 39, 0, 12, 3, 21, 8, 30, 11, 2, 5}
	const epoch = 4
	want, sample := make([]uint64, enc.Inputs()*2), make([]uint16, set.Features)
	same := 0
	for k, i := range index {
		set.Values(sample, int(i))
		c := drawChange(&cfg.Augment, shape, cfg.Seed, epoch, int(i))
		if c == unchanged {
			same++
		}
		for p := range shape.Planes {
			pixels := make([]byte, size)
			for j := range pixels {
				pixels[j] = byte(sample[p*size+j])
			}
			for j, v := range apply(shape, pixels, c) {
				for l := range enc.Level(p*size+j, uint16(v)) {
					want[((p*size+j)*(enc.Bits-1)+int(l))*2] |= 1 << k
				}
			}
		}
	}
	if same < 2 || same > 10 {
		t.Fatalf("%d of %d samples unchanged", same, len(index))
	}
	before := set.Row(7)
	kept := slices.Clone(before)
	for _, members := range []int{1, 3} {
		b := NewBatcher(&cfg, shape, enc, set, 2, crew.New(members))
		got := make([]uint64, len(want))
		b.Batch(got, 1, index) // leaves another epoch's samples in the working memory
		if slices.Equal(got, want) {
			t.Error("two epochs are alike")
		}
		b.Batch(got, epoch, index)
		if !slices.Equal(got, want) {
			t.Errorf("%d goroutines: other bits than sample by sample", members)
		}
		again := make([]uint64, len(want))
		encoding.NewWordBatcher(enc, b.Words(), 2, crew.New(1)).Batch(again, []int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})
		if !slices.Equal(again, want) {
			t.Errorf("%d goroutines: the words differ from the batch's", members)
		}
	}
	if !slices.Equal(before, kept) {
		t.Error("the training set itself was changed")
	}
}

// TestShare checks the share of images that are changed.
func TestShare(t *testing.T) {
	changed := 0
	for sample := range 10000 {
		if drawChange(&config.Augment{Rotate: 5, Share: 0.8}, shape, 1, 0, sample) != unchanged {
			changed++
		}
	}
	if changed < 7850 || changed > 8150 {
		t.Errorf("%d of 10000 images changed, want about 8000", changed)
	}
}

// TestShapes checks that samples which are not images of the shape cause a panic.
func TestShapes(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	set := noise(1)
	enc, err := encoding.NewUniform(set.Features, 5, 8, 255, nil)
	if err != nil {
		t.Fatal(err)
	}
	NewBatcher(&config.Train{}, dataset.Shape{Planes: 1, Height: 9, Width: 11}, enc, set, 1, crew.New(1))
}
