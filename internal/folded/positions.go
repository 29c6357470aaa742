// This file writes a classifier with convolutions as an engine that takes one position a clock: of each
// convolution there are its kernels once, as combinational logic or as a pipeline, behind a line buffer and the pixels
// of a patch.
//
// A sample is loaded word by word, plane by plane, into one of two buffers, and scanned from it pixel by pixel, all
// planes at once, while the next one is loaded into the other. In a convolution steps go through the image row by
// row. Each takes a pixel, or makes a pixel of zeros where Padding columns follow each row, and Padding rows each
// image: they are what stands before the next one, too. So a convolution of n x m pixels takes (n + Padding) (m +
// Padding) steps, and waits where its pixels come more slowly, or where what follows takes its own more slowly. A
// line buffer has the Side-1 rows above a step, by columns. The patch that ends with a step is that of a position,
// or of none: where the stride passes it by, or where it would reach beyond the padding. What leaves the last
// convolution is gathered in a register, whose bits the dense layers take all at once.
//
// Input bits that a later convolution reads go through the ones before it as planes beside those of their kernels.
//
// An engine does not know what its kernels compute. They, and the dense layers, are modules of their own, whose ports
// are those of scopes gates and core. [PositionsShape.WriteVerilog] writes what is around them, and
// [PositionsShape.Clocks] says in how many clocks.

package folded

import (
	"errors"
	"fmt"
	"math/bits"
)

// Convolution is a convolution as hardware.
type Convolution struct {
	Planes, Rows, Columns int // of the image that it reads; the planes are bits
	Side, Stride, Padding int // of the patches
	Pool                  int // 2: what leaves it is the OR of each two by two positions; 1: of each position
	Kernels               int

	// Carried are the input bits that come out of the module with what the kernels make, and pass by the pooling: planes
	// of the next image, in which they are those of the last of the positions that are pooled.
	Carried int

	Part
}

// Part is a module that the engine has an instance of.
type Part struct {
	Module string `json:"module"`
	Stages int    `json:"stages,omitempty"` // of registers; 0: it has no clock
}

// PositionsShape is what the Verilog of an engine depends on.
type PositionsShape struct {
	Frame
	Planes, Rows, Columns int // of a sample's features
	Convolutions          []Convolution
	Dense                 Part
}

// DenseSuffix ends the name of the module of the dense layers.
const DenseSuffix = Suffix + "_dense"

// ConvolutionSuffix returns what ends the name of the module of a convolution's kernels; the first is number 1.
func ConvolutionSuffix(number int) string { return fmt.Sprintf("%s_conv%d", Suffix, number) }

// Check returns an error if the parts do not follow from each other.
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

// pooled returns the number of rows and columns of what leaves the convolution.
func (c *Convolution) pooled() (rows, columns int) {
	rows, columns = c.size()
	return rows / c.Pool, columns / c.Pool
}

// outputs are the planes of what leaves the convolution.
func (c *Convolution) outputs() int { return c.Kernels + c.Carried }

// first is the first row, or column, of steps with which a patch ends.
func (c *Convolution) first() int { return c.Side - 1 - c.Padding }

// lineBits are the bits of a line buffer.
func (c *Convolution) lineBits() int { return (c.Side - 1) * c.Planes * (c.Columns + c.Padding) }

// poolBits are the bits of what waits for a row of positions below it.
func (c *Convolution) poolBits() int {
	if c.Pool == 1 {
		return 0
	}
	_, columns := c.size()
	return halfDepth(columns) * c.Kernels
}

// halfDepth is the depth of a memory for half a row of positions.
func halfDepth(columns int) int { return 1 << (bits.Len(uint(columns-1)) - 1) }

// pixelBits is the width of a pixel's number.
func (s *PositionsShape) pixelBits() int { return Width(s.Rows * s.Columns) }

// imageBits are the bits of two samples' levels.
func (s *PositionsShape) imageBits() int { return s.Planes * s.LevelBits() << (s.pixelBits() + 1) }

// last returns the last convolution.
func (s *PositionsShape) last() *Convolution { return &s.Convolutions[len(s.Convolutions)-1] }

// Gathered returns how many bits leave the last convolution.
func (s *PositionsShape) Gathered() int {
	rows, columns := s.last().pooled()
	return rows * columns * s.last().Kernels
}

// PositionsCost is what an engine takes of memory and of time.
type PositionsCost struct {
	Cycles       int               `json:"cycles"`         // clocks from one sample to the next, at least
	Latency      int               `json:"latency_cycles"` // clocks that a sample takes, as package wrapper defines it
	ImageBits    int               `json:"image_bits"`     // levels of two samples
	GatheredBits int               `json:"gathered_bits"`  // that the dense layers read
	Convolutions []ConvolutionCost `json:"convolutions"`
}

// ConvolutionCost is what a convolution takes.
type ConvolutionCost struct {
	Kernels   int `json:"kernels"`
	Positions int `json:"positions"`
	Steps     int `json:"steps"` // clocks that an image takes, if nothing waits
	PatchBits int `json:"patch_bits"`
	LineBits  int `json:"line_bits"` // of the line buffer
	PoolBits  int `json:"pool_bits"` // of half a row of positions
}

// Cost returns what the engine takes.
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
