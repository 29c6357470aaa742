package model

import (
	"fmt"
	"io"
	"slices"
)

// Info is the content of a model file without its arrays.
type Info struct {
	Model      *Model            // the model without the arrays of its sections
	Checkpoint map[string]string // the metadata that a checkpoint adds; empty for other models
	Tensors    []TensorInfo      // the tensors in the order of the file
}

// TensorInfo describes a tensor of a file.
type TensorInfo struct {
	Name  string
	DType string
	Shape []int64
}

// ReadInfo reads a model file without its arrays. It checks the arrays' types and shapes, but not the checksum.
func ReadInfo(path string) (*Info, error) {
	file, size, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readInfo(path, file, size)
}

func readInfo(name string, r io.ReaderAt, size int64) (*Info, error) {
	c, m, err := openModel(name, r, size, false)
	if err != nil {
		return nil, err
	}
	return c.info(m), nil
}

// info returns the content of the file without its arrays.
func (c *container) info(m *Model) *Info {
	info := &Info{Model: m, Checkpoint: c.extraMetadata()}
	for _, name := range c.names() {
		e := c.tensors[name]
		info.Tensors = append(info.Tensors, TensorInfo{name, e.DType, slices.Clone(e.Shape)})
	}
	return info
}

// Shape returns the shape of a tensor, or nil if the file has no such tensor. The file is long enough for a tensor of
// this shape.
func (i *Info) Shape(tensor string) []int64 {
	for _, t := range i.Tensors {
		if t.Name == tensor {
			return t.Shape
		}
	}
	return nil
}

// Parameters returns the number of trained parameters, which are the logits of operations and candidates.
func (m *Model) Parameters() int {
	n := 0
	for i := range m.Sections {
		s := &m.Sections[i]
		per := s.Arity
		for k := range s.Pins {
			if s.Pins[k].K > 1 {
				per += s.Pins[k].K
			}
		}
		n += s.Width * s.Layers * per
	}
	return n
}

// String describes the tensor in one line, with name, type and shape.
func (t TensorInfo) String() string { return fmt.Sprintf("%s %s %v", t.Name, t.DType, t.Shape) }
