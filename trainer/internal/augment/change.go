package augment

import (
	"math"

	"ialgn/internal/config"
	"ialgn/internal/dataset"
	"ialgn/internal/detmath"
	"ialgn/internal/draw"
)

// one is the width of a pixel in the units of a [change].
const one = 1 << 16

// change says where each pixel of a changed image comes from. The pixel in column u and row v comes from the position
//
//	x = x0 + xu u + xv v
//	y = y0 + yu u + yv v
//
// of the image. All numbers are in 65,536ths of a pixel.
type change struct{ x0, xu, xv, y0, yu, yv int }

// unchanged is the identity: each pixel comes from its own position.
var unchanged = change{xu: one, yv: one}

// drawChange draws the change of a sample in an epoch.
func drawChange(keys *config.Augment, shape dataset.Shape, seed uint64, epoch, sample int) change {
	s := draw.InStep(seed, draw.Augmentation, epoch, 0, sample)
	if s.Inside() >= keys.Share {
		return unchanged
	}
	c := unchanged
	if keys.Affine() {
		angle, scale := signed(s, keys.Rotate), 1+signed(s, keys.Scale)
		cos, sin := float64(scale*cosine(angle)), float64(scale*cosine(90-angle))
		c.xu, c.yv = fixed(cos), fixed(cos)
		c.xv, c.yu = fixed(signed(s, keys.Shear)-sin), fixed(sin)
		c.x0, c.y0 = fixed(signed(s, float64(keys.Shift))), fixed(signed(s, float64(keys.Shift)))
	} else {
		c.x0, c.y0 = one*(s.Below(2*keys.Shift+1)-keys.Shift), one*(s.Below(2*keys.Shift+1)-keys.Shift)
	}
	// The image turns about its centre.
	right, bottom := shape.Width-1, shape.Height-1
	c.x0 += (one*right - c.xu*right - c.xv*bottom) / 2
	c.y0 += (one*bottom - c.yu*right - c.yv*bottom) / 2
	if keys.Flip && s.Below(2) == 1 {
		c.x0, c.xu = c.x0+c.xu*right, -c.xu
		c.y0, c.yu = c.y0+c.yu*right, -c.yu
	}
	return c
}

// signed returns a uniform number between -limit and limit.
func signed(s *draw.Stream, limit float64) float64 { return float64(limit * float64(2*s.Inside()-1)) }

// cosine returns the cosine of an angle between -90 and 270 degrees.
func cosine(degrees float64) float64 {
	if degrees = math.Abs(degrees); degrees > 180 {
		degrees = 360 - degrees
	}
	return float64(2*detmath.HalfCosine(degrees/180)) - 1
}

// fixed returns x in units of 1/65,536, rounded.
func fixed(x float64) int { return int(math.Floor(float64(one*x) + 0.5)) }
