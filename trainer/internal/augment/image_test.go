package augment

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"ialgn/internal/dataset"
	"ialgn/internal/kernel"
)

// TestPaths compares every SIMD path with the plain path on images of many sizes, with changes up to the largest.
func TestPaths(t *testing.T) {
	defer func(path string) { use(t, path) }(current(t))
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		s := dataset.Shape{Planes: 1, Height: 1 + r.IntN(40), Width: 1 + r.IntN(40)}
		if r.IntN(20) == 0 {
			s.Height, s.Width = 1+r.IntN(1100), 1+r.IntN(1100)
		}
		m, pixels := newImage(s), make([]byte, s.Height*s.Width)
		for i := range pixels {
			pixels[i] = byte(r.UintN(256))
		}
		m.load(pixels)
		c := change{xu: one, yv: one}
		for _, p := range []*int{&c.xu, &c.xv, &c.yu, &c.yv} {
			*p += int(r.NormFloat64() * one / float64(int(1)<<r.IntN(8)))
		}
		c.x0, c.y0 = int(r.NormFloat64()*10*one), int(r.NormFloat64()*10*one)
		want, got := make([]byte, len(pixels)+writeSlack), make([]byte, len(pixels)+writeSlack)
		m.take(want, &c)
		for _, path := range kernel.Paths() {
			use(t, path)
			m.change(got, &c)
			if !bytes.Equal(got[:len(pixels)], want[:len(pixels)]) {
				t.Fatalf("%s: image of %d x %d under %+v differs from the plain path", path, s.Height, s.Width, c)
			}
		}
	}
}

func use(t *testing.T, path string) {
	if err := kernel.Use(path); err != nil {
		t.Fatal(err)
	}
}

func current(t *testing.T) string {
	path, err := kernel.Path()
	if err != nil {
		t.Fatal(err)
	}
	return path
}
