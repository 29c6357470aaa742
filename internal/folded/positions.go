// This file writes a classifier with convolutions as an engine that computes one position in each
// clock. The kernels of each convolution exist once, as combinational logic or as a pipeline,
// behind a line buffer and the pixels of a patch.
//
// A sample is loaded word by word, plane by plane, into one of two buffers. It is read pixel by pixel, all planes at
// once, while the next sample is loaded into the other buffer. So a scan never waits for words, and a packet of a
// wrong length has no effect on later samples.
//
// A convolution steps through the image row by row. Each step takes a pixel of the image or of the padding: Padding
// columns of zeros follow each row, and Padding rows of zeros follow each image. The same zeros come before the next
// row or image, so nothing in the line buffer or the patch needs a mask. A convolution of n x m pixels takes (n +
// Padding) (m + Padding) steps. The convolution waits if pixels come more slowly, or if the logic behind it accepts
// outputs more slowly. A line buffer holds the pixels of the Side-1 rows above the current step, column by column.
// Each step is the last pixel of a patch. The patch belongs to a position unless the stride skips the patch or the
// patch would reach beyond the padding. The outputs of the last convolution are collected in a register, whose bits
// the dense layers read all at once. The register has an enable for each position. If it were a shift register, the
// inputs of the dense layers would switch in every clock.
//
// If a later convolution reads input bits, these bits pass through the earlier convolutions, as planes in addition to
// the planes of the kernels.
//
// An engine does not know what its kernels compute. Kernels and dense layers are separate modules
// with the ports of scopes gates and core. [PositionsShape.WriteVerilog] writes the logic around
// them, and [PositionsShape.Clocks] returns the number of clocks.

package folded

import (
	"errors"
	"fmt"
	"math/bits"
)

// Convolution is the shape of a convolution's hardware.
type Convolution struct {
	Planes, Rows, Columns int // size of the image that the convolution reads; each plane is one bit of a pixel
	Side, Stride, Padding int // size, stride and padding of patches, in pixels
	Pool                  int // with 2, each output is the OR of two by two positions; with 1, of a single position
	Kernels               int

	// Carried is the number of input bits that the module outputs next to the kernels' outputs.
	// They bypass the pooling and become planes of the next image: a pixel's value is the value at
	// the last of the pooled positions.
	Carried int

	Part
}

// Part is a module that the engine instantiates.
type Part struct {
	Module string `json:"module"`
	Stages int    `json:"stages,omitempty"` // number of register stages; 0 if the module has no clock
}

// PositionsShape holds everything on which the Verilog of an engine depends.
type PositionsShape struct {
	Frame
	Planes, Rows, Columns int // size of the image of a sample's features
	Convolutions          []Convolution
	Dense                 Part
}

// DenseSuffix ends the name of the dense layers' module.
const DenseSuffix = Suffix + "_dense"

// ConvolutionSuffix returns the end of the name of a convolution's kernel module. The first
// convolution has number 1.
func ConvolutionSuffix(number int) string { return fmt.Sprintf("%s_conv%d", Suffix, number) }

// Check returns an error if the sizes of the parts do not match.
func (s *PositionsShape) Check() error {
	if err := s.Frame.Check(); err != nil {
		return err
	}
	if len(s.Convolutions) == 0 {
		return errors.New("positions: there are no convolutions")
	}
	if n := s.Planes * s.Rows * s.Columns; n != len(s.Thresholds) || n == 0 {
		return fmt.Errorf("positions: %d features for %d planes of %d x %d", len(s.Thresholds), s.Planes, s.Rows, s.Columns)
	}
	planes, rows, columns := s.Planes*s.PerFeature(), s.Rows, s.Columns
	for i := range s.Convolutions {
		c := &s.Convolutions[i]
		y, x := c.pooled()
		if c.Planes != planes || c.Rows != rows || c.Columns != columns || y < 1 || x < 1 || c.Padding >= c.Side {
			return fmt.Errorf("positions: convolution %d %+v reads %d planes of %d x %d", i+1, *c, planes, rows, columns)
		}
		planes, rows, columns = c.outputs(), y, x
	}
	if s.last().Carried > 0 {
		return errors.New("positions: the last convolution carries input bits to none")
	}
	return nil
}

// size returns the number of rows and columns of positions.
func (c *Convolution) size() (rows, columns int) {
	along := func(n int) int { return (n+2*c.Padding-c.Side)/c.Stride + 1 }
	return along(c.Rows), along(c.Columns)
}

// pooled returns the number of rows and columns of the convolution's output.
func (c *Convolution) pooled() (rows, columns int) {
	rows, columns = c.size()
	return rows / c.Pool, columns / c.Pool
}

// outputs returns the number of planes of the convolution's output.
func (c *Convolution) outputs() int { return c.Kernels + c.Carried }

// first is the number of the first row, and of the first column, in which a step can end a patch that belongs to a
// position.
func (c *Convolution) first() int { return c.Side - 1 - c.Padding }

// lineBits is the number of bits of the line buffer.
func (c *Convolution) lineBits() int { return (c.Side - 1) * c.Planes * (c.Columns + c.Padding) }

// poolBits is the number of bits that wait for the next row of positions to be pooled.
func (c *Convolution) poolBits() int {
	if c.Pool == 1 {
		return 0
	}
	_, columns := c.size()
	return halfDepth(columns) * c.Kernels
}

// halfDepth is the depth of a memory that holds half a row of positions.
func halfDepth(columns int) int { return 1 << (bits.Len(uint(columns-1)) - 1) }

// pixelBits is the width in bits of a pixel's number.
func (s *PositionsShape) pixelBits() int { return Width(s.Rows * s.Columns) }

// imageBits is the number of bits that the levels of two samples take.
func (s *PositionsShape) imageBits() int { return s.Planes * s.LevelBits() << (s.pixelBits() + 1) }

// last returns the last convolution.
func (s *PositionsShape) last() *Convolution { return &s.Convolutions[len(s.Convolutions)-1] }

// Gathered returns the number of bits that the last convolution outputs for a sample.
func (s *PositionsShape) Gathered() int {
	rows, columns := s.last().pooled()
	return rows * columns * s.last().Kernels
}

// PositionsCost holds the amounts of memory and time that an engine takes.
type PositionsCost struct {
	Cycles       int               `json:"cycles"`         // minimum number of clocks from one sample to the next
	Latency      int               `json:"latency_cycles"` // clocks from a sample to its result; see package wrapper
	ImageBits    int               `json:"image_bits"`     // levels of two samples
	GatheredBits int               `json:"gathered_bits"`  // the bits that the dense layers read
	Convolutions []ConvolutionCost `json:"convolutions"`
}

// ConvolutionCost holds the amounts of memory and time that a convolution takes.
type ConvolutionCost struct {
	Kernels   int `json:"kernels"`
	Positions int `json:"positions"`
	Steps     int `json:"steps"` // clocks for an image if nothing waits
	PatchBits int `json:"patch_bits"`
	LineBits  int `json:"line_bits"` // of the line buffer
	PoolBits  int `json:"pool_bits"` // of half a row of positions
}

// Cost returns the memory and the time that the engine takes.
func (s *PositionsShape) Cost() PositionsCost {
	t := s.Clocks()
	c := PositionsCost{Cycles: int(t.Cycles), Latency: t.Latency, ImageBits: s.imageBits(), GatheredBits: s.Gathered()}
	for i := range s.Convolutions {
		v := &s.Convolutions[i]
		rows, columns := v.size()
		c.Convolutions = append(c.Convolutions, ConvolutionCost{
			Kernels: v.Kernels, Positions: rows * columns, Steps: (v.Rows + v.Padding) * (v.Columns + v.Padding),
			PatchBits: v.Side * v.Side * v.Planes, LineBits: v.lineBits(), PoolBits: v.poolBits(),
		})
	}
	return c
}
