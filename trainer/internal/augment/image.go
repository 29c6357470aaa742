package augment

import "ialgn/internal/dataset"

// image is a plane of pixels with a border of zeros. The border has one column and one row before the pixels, and at
// least two columns and two rows after them.
type image struct {
	width, height int
	stride        int    // bytes from one row to the next
	bytes         []byte // the pixel in row y and column x is at (y+1)*stride + x+1
	vectors       [vectorParts * vectorLanes]int32
}

// writeSlack is the number of bytes that a vector kernel may write after the last pixel.
const writeSlack = 16

func newImage(s dataset.Shape) *image {
	m := &image{width: s.Width, height: s.Height, stride: s.Width + 3}
	m.bytes = make([]byte, (s.Height+3)*m.stride+windowBytes)
	m.prepareImage()
	return m
}

// load copies the pixels of a plane, row by row.
func (m *image) load(pixels []byte) {
	for y := range m.height {
		copy(m.bytes[(y+1)*m.stride+1:], pixels[y*m.width:][:m.width])
	}
}

// change writes the changed plane to dst, which must have room for writeSlack more bytes.
func (m *image) change(dst []byte, c *change) {
	if f := m.taker(c); f != nil {
		f(&dst[0], &m.bytes[m.stride+1], m.stride, m.width, m.height, &m.vectors[0])
		return
	}
	m.take(dst, c)
}

// take is the plain path of change. A new pixel is the rounded weighted mean of the four source pixels around its
// position. The weights are multiples of 1/64. Pixels outside the image are zero.
func (m *image) take(dst []byte, c *change) {
	right, bottom := m.width*one, m.height*one
	for v := range m.height {
		x, y := c.x0+c.xv*v, c.y0+c.yv*v
		row := dst[v*m.width:][:m.width]
		for u := range row {
			px, py := min(max(x, -one), right), min(max(y, -one), bottom)
			at := (py>>16+1)*m.stride + px>>16 + 1
			upper, lower := m.bytes[at:][:2], m.bytes[at+m.stride:][:2]
			fx, fy := uint32(px)>>10&63, uint32(py)>>10&63
			above := uint32(upper[0])*(64-fx) + uint32(upper[1])*fx
			below := uint32(lower[0])*(64-fx) + uint32(lower[1])*fx
			row[u] = byte((above*(64-fy) + below*fy + 1<<11) >> 12)
			x, y = x+c.xu, y+c.yu
		}
	}
}
