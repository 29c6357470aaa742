package native

import (
	"fmt"
	"math"

	"ialgn/internal/native/rows"
	"ialgn/internal/positions"
	"ialgn/internal/wordcode"
)

// In a network of convolutions, the code of each kernel exists once. The convolutions read and write images. A pixel
// has a row for each plane. The rows of a pixel are consecutive in memory, since a kernel reads several planes. The
// pixels of an image row are consecutive, and so are the image rows. Where a convolution reads beyond the edges of an
// image, rows of zeros surround the pixels, so that all positions run the same instructions. These rows are never
// written. The rows that two neighbouring positions read are always the same distance apart. Therefore a function for
// several blocks at a given distance can also compute the positions of an image row.

// Stage is a convolution. It reads one image and writes another image.
type Stage struct {
	Parts         []Part
	Rows, Columns int // numbers of rows and columns of positions

	Image int // size of the image that the stage reads, in rows of memory including rows of zeros
	In    Steps
	Out   Steps
}

// Steps says where positions read or write in an image. All values are in rows of memory.
type Steps struct {
	First  int // place of the first position
	Row    int // distance between two image rows of positions
	Column int // distance between two positions in an image row
}

// Part is a function that computes some planes for several positions in an image row. It is a [Segment] whose blocks
// are the positions.
type Part struct {
	Segment
	First     int // number of the first plane, counting only planes that are read
	Positions int // maximum number of positions in a call, so that the call ends soon
}

// Each calls do for each function call of a convolution, in order. A row has the given number of bytes. The first
// argument of do is the function's offset in the text. The next two are the byte offsets in the images at which the
// function reads and writes. The last is the number of positions.
func (s *Stage) Each(rowBytes int, do func(offset, from, to, positions int)) {
	for i := range s.Parts {
		p := &s.Parts[i]
		for row := range s.Rows {
			for column := 0; column < s.Columns; column += p.Positions {
				from := s.In.First + row*s.In.Row + column*s.In.Column
				to := s.Out.First + row*s.Out.Row + column*s.Out.Column + p.First
				do(p.Offset, from*rowBytes, to*rowBytes, min(p.Positions, s.Columns-column))
			}
		}
	}
}

// maxImages is the maximum memory for images in bytes.
const maxImages = 1 << 30

// CompileLooped returns the machine code of a network of convolutions. If f is not nil, it also compiles the input
// and output functions, as [CompileClassifier] does. It leaves out kernels whose outputs are not read. It returns an
// error if the network is too large.
//
// Compiling takes about 60 bytes of memory for each operation of a kernel. The number of positions does not matter.
func CompileLooped(n *positions.Network, isa *ISA, f *Features) (*Code, error) {
	plan, err := newPlan(n, isa)
	if err != nil {
		return nil, fmt.Errorf("native: %s: %w", n.Rest.Name, err)
	}
	if size := plan.size(); size > maxImages/isa.RowBytes {
		return nil, fmt.Errorf("native: %s needs images of %d rows, %d bytes are the most: use the simulator", n.Rest.Name,
			size, maxImages)
	}
	l := looped{isa: isa}
	for i := range n.Convolutions {
		if err := l.stage(&n.Convolutions[i], plan.parts[i], &plan.images[i], &plan.images[i+1]); err != nil {
			return nil, fmt.Errorf("native: %s: %w", n.Rest.Name, err)
		}
	}
	last := &plan.images[len(plan.images)-1]
	places := make([]int, last.Bits())
	for i := range places {
		places[i] = last.inside(last.Pixel(i))
	}
	rest, err := assemble(n.Rest.Name, plan.rest, isa, func(m *memory) { m.put(places) })
	if err != nil {
		return nil, err
	}
	c := l.join(rest, last.size())
	c.Rows = firstRows(n, &plan.images[0])
	if f == nil {
		return c, nil
	}
	return c, c.addLoopedEdges(n, f)
}

// firstRows returns the input bit of each row of the first image, or -1 for a row of zeros.
func firstRows(n *positions.Network, first *image) []int {
	bits := make([]int, first.size())
	for i := range bits {
		bits[i] = -1
	}
	for i := range first.Bits() {
		if p := first.Pixel(i); first.places[p.Plane] >= 0 {
			bits[first.inside(p)] = n.Input(p)
		}
	}
	return bits
}

func (c *Code) addLoopedEdges(n *positions.Network, f *Features) error {
	classifier := wordcode.NewClassifier(n.Rest)
	if classifier == nil || len(f.Bits) != n.Inputs() {
		return fmt.Errorf("native: %s is no classifier of %d input bits with a class and counts", n.Rest.Name, len(f.Bits))
	}
	var pairs []rows.Pair
	var places []int
	for row, bit := range c.Rows {
		if bit >= 0 {
			pairs, places = append(pairs, f.Bits[bit]), append(places, row)
		}
	}
	in := rows.NewInput(f.Count, f.Wide, pairs)
	in.Place(places)
	if err := c.addEdges(in, classifier); err != nil {
		return fmt.Errorf("native: %s: %w: use the simulator", n.Rest.Name, err)
	}
	return nil
}

// looped is the state of compiling a network of convolutions.
type looped struct {
	isa    *ISA
	text   []byte
	stages []Stage
	local  int
	cost   Cost
}

// stage adds a convolution, whose kernels are divided into the given parts.
func (l *looped) stage(c *positions.Convolution, parts []part, in, out *image) error {
	s := Stage{
		Rows: c.Out.Rows, Columns: c.Out.Columns, Image: in.size(),
		In:  Steps{0, in.pixel(c.Step, 0), in.pixel(0, c.Step)},
		Out: Steps{out.pixel(out.border, out.border), out.pixel(1, 0), out.pixel(0, 1)},
	}
	places := make([]int, len(c.Reads))
	for i, p := range c.Reads {
		places[i] = in.pixel(p.Row, p.Column) + in.places[p.Plane]
	}
	for _, part := range parts {
		ops := max(1, len(part.program.Ops))
		code, err := generate(part.program, l.isa, ops, func(m *memory) { m.put(places) })
		if err != nil {
			return err
		}
		if code.Local > math.MaxInt32/l.isa.RowBytes {
			return fmt.Errorf("%d values at a time, more than instructions reach", code.Local)
		}
		segment := Segment{l.append(code), ops}
		s.Parts = append(s.Parts, Part{segment, part.first, max(1, callBlocks*l.isa.segment/ops)})
	}
	l.stages = append(l.stages, s)
	return nil
}

// callBlocks is the maximum number of blocks in a call of a segment. The limit makes the call end soon.
const callBlocks = 8

// append appends code to the text and returns its offset.
func (l *looped) append(c *Code) (offset int) {
	for len(l.text)%entryAlignment != 0 {
		l.text = append(l.text, 0)
	}
	offset = len(l.text)
	l.text = append(l.text, c.Text...)
	l.local = max(l.local, c.Local)
	l.cost.add(c.Cost)
	return offset
}

// join returns the code of the convolutions and of the network that reads their last image. The argument last is the
// number of rows of this image.
func (l *looped) join(rest *Code, last int) *Code {
	offset := l.append(rest)
	c := *rest
	for i := range c.Segments {
		c.Segments[i].Offset += offset
	}
	c.Text, c.Stages, c.Last, c.Local, c.Cost = l.text, l.stages, last, l.local, l.cost
	return &c
}

// add adds the numbers of o to the numbers of c.
func (c *Cost) add(o Cost) {
	c.Operations += o.Operations
	c.Compute += o.Compute
	c.Loads += o.Loads
	c.Operands += o.Operands
	c.Stores += o.Stores
	c.Copies += o.Copies
}
