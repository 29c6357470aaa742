package model

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ialgn/internal/encoding"
)

// Load reads a model file. It checks everything that [Model.Validate] checks. It also checks that the file holds only
// the model's tensors and the tensors of a checkpoint. Errors name the file and the tensor.
func Load(path string) (*Model, error) {
	return LoadCheckpoint(path, nil)
}

// LoadCheckpoint reads a model file together with the training state in it. It passes the content of the file,
// including the model with its arrays, to the function state. This function returns the tensors to fill, which must
// be all tensors of the file that do not belong to the model. If state is nil, LoadCheckpoint reads only the model's
// tensors.
func LoadCheckpoint(path string, state func(info *Info) ([]Tensor, error)) (*Model, error) {
	file, size, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return read(path, file, size, state)
}

// openRegular opens a regular file. It also returns the file's size.
func openRegular(path string) (*os.File, int64, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, 0, irregular(path, info)
	}
	file, err := os.Open(path)
	var cause *fs.PathError
	if errors.As(err, &cause) {
		err = cause.Err
	}
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w; name a model file written by train", path, err)
	}
	info, err := file.Stat() // a run may have just renamed its own file to this path
	if err == nil && !info.Mode().IsRegular() {
		err = irregular(path, info)
	}
	if err != nil {
		file.Close()
		return nil, 0, err
	}
	return file, info.Size(), nil
}

func irregular(path string, info os.FileInfo) error {
	if info.IsDir() {
		if _, err := os.Stat(filepath.Join(path, "manifest.json")); err == nil {
			return fmt.Errorf("%s: a folder made by compile; name the model that it was compiled from", path)
		}
		return fmt.Errorf("%s: a folder; name a model file in it", path)
	}
	return fmt.Errorf("%s: a device or pipe, which cannot be read twice; name a model file", path)
}

func read(name string, r io.ReaderAt, size int64, state func(*Info) ([]Tensor, error)) (*Model, error) {
	c, m, err := openModel(name, r, size, true)
	if err == nil && state != nil {
		err = c.needSum()
	}
	if err != nil {
		return nil, err
	}
	m.Allocate()
	if err := c.fillSections(m); err != nil {
		return nil, err
	}
	if state != nil {
		if err := c.restore(m, state); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// openModel reads everything except the sections' arrays. It checks that the file is long enough for the arrays and
// that their types and shapes are right. If whole is true, it also reads the arrays once to compare the file with its
// checksum. For a [File], it does this only the first time, because later passes compare the blocks.
func openModel(name string, r io.ReaderAt, size int64, whole bool) (*container, *Model, error) {
	c, err := openContainer(name, r, size)
	if err == nil {
		err = c.checkVersion()
	}
	if f, _ := r.(*File); err == nil && whole && (f == nil || !f.intact.Load()) {
		if err = c.checkSum(size); err == nil && f != nil {
			f.intact.Store(true)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	m, err := c.withoutArrays()
	return c, m, err
}

// withoutArrays reads the model without its sections' arrays.
func (c *container) withoutArrays() (*Model, error) {
	m, err := c.shell()
	if err != nil {
		return nil, err
	}
	if err := c.readEncoder(&m.Encoder); err != nil {
		return nil, err
	}
	if err := m.checkForm(); err != nil {
		return nil, fmt.Errorf("%s: %w; %s", c.name, err, damaged)
	}
	return m, c.checkTensors(m)
}

// readEncoder reads the encoder's arrays.
func (c *container) readEncoder(e *encoding.Encoder) error {
	entry, found := c.tensors[thresholdsName]
	if !found {
		return fmt.Errorf("%s: %s is missing; %s", c.name, thresholdsName, damaged)
	}
	shape := entry.Shape
	if len(shape) != 2 || shape[1] != int64(e.Bits-1) {
		return fmt.Errorf("%s: %s: shape %v, want [features %d]; %s", c.name, thresholdsName, shape, e.Bits-1, damaged)
	}
	features := int(shape[0])
	if err := c.check(Tensor{Name: thresholdsName, Shape: []int{features, e.Bits - 1}, Data: []uint16(nil)}); err != nil {
		return err
	}
	flat := make([]uint16, features*(e.Bits-1))
	want := []Tensor{{Name: thresholdsName, Shape: []int{features, e.Bits - 1}, Data: flat}}
	more, err := c.quantiser(e, features)
	if err != nil {
		return err
	}
	e.Thresholds = slices.Collect(slices.Chunk(flat, e.Bits-1))
	return c.fill(append(want, more...))
}

// quantiser gives an encoder the quantiser of the file, if there is one. It returns the quantiser's tensors, which
// the caller must fill.
func (c *container) quantiser(e *encoding.Encoder, features int) (want []Tensor, err error) {
	_, cuts := c.tensors[cutsName]
	_, offsets := c.tensors[offsetName]
	n := e.Bits - 1
	switch {
	case cuts && offsets:
		return nil, fmt.Errorf("%s: both %s and %s, want only one; %s", c.name, cutsName, offsetName, damaged)
	case cuts:
		want = []Tensor{{Name: cutsName, Shape: []int{features, n}, Data: []float64(nil)}}
	case offsets:
		want = []Tensor{
			{Name: offsetName, Shape: []int{features}, Data: []float64(nil)},
			{Name: scaleName, Shape: []int{features}, Data: []float64(nil)},
		}
	default:
		return nil, nil
	}
	for _, t := range want {
		if err := c.check(t); err != nil {
			return nil, err
		}
	}
	if cuts {
		flat := make([]float64, features*n)
		e.Quantiser, want[0].Data = &encoding.Quantiser{Cuts: slices.Collect(slices.Chunk(flat, n))}, flat
		return want, nil
	}
	e.Quantiser = &encoding.Quantiser{Offset: make([]float64, features), Scale: make([]float64, features)}
	want[0].Data, want[1].Data = e.Quantiser.Offset, e.Quantiser.Scale
	return want, nil
}

// checkTensors checks that the file holds the model's tensors with the right types and shapes. The only other tensors
// may belong to a checkpoint.
func (c *container) checkTensors(m *Model) error {
	known := map[string]bool{}
	for _, t := range m.tensors() {
		if err := c.check(t); err != nil {
			return err
		}
		known[t.Name] = true
	}
	for _, name := range c.names() {
		if !known[name] && !strings.HasPrefix(name, ExtraTensors) {
			return fmt.Errorf("%s: %.60s: unknown tensor; %s", c.name, name, damaged)
		}
	}
	return nil
}

// check checks that a tensor is present and has the right type and shape.
func (c *container) check(t Tensor) error {
	e, found := c.tensors[t.Name]
	if !found {
		return fmt.Errorf("%s: %s is missing; %s", c.name, t.Name, damaged)
	}
	if want := dtype(t.Data); e.DType != want {
		return fmt.Errorf("%s: %s: type %s, want %s; %s", c.name, t.Name, e.DType, want, damaged)
	}
	same := slices.EqualFunc(e.Shape, t.Shape, func(a int64, b int) bool { return a == int64(b) })
	if !same {
		return fmt.Errorf("%s: %s: shape %v, want %v; %s", c.name, t.Name, e.Shape, t.Shape, damaged)
	}
	return nil
}

// fill reads the elements of tensors, or only of their runs. The tensors must be checked first.
func (c *container) fill(tensors []Tensor) error {
	buf := make([]byte, codecBytes)
	for _, t := range tensors {
		err := t.runs(func(at int, data any) error { return c.readFrom(t.Name, at, data, buf) })
		if err != nil {
			return err
		}
	}
	return nil
}

// readFrom fills data with elements of a tensor. The parameter at is the number of the first of these elements in the
// tensor. The tensor must be checked first.
func (c *container) readFrom(name string, at int, data any, buf []byte) error {
	offset := c.data + c.tensors[name].Offsets[0] + int64(at)*elementSizes[dtype(data)]
	if err := readElements(c.r, offset, data, buf); err != nil {
		return fmt.Errorf("%s: %s: %w", c.name, name, err)
	}
	return nil
}

// restore fills the tensors of a checkpoint's state.
func (c *container) restore(m *Model, state func(*Info) ([]Tensor, error)) error {
	tensors, err := state(c.info(m))
	if err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	wanted := map[string]bool{}
	for _, t := range tensors {
		if err := c.check(t); err != nil {
			return err
		}
		wanted[t.Name] = true
	}
	for _, name := range c.names() {
		if strings.HasPrefix(name, ExtraTensors) && !wanted[name] {
			return fmt.Errorf("%s: %.60s: unknown tensor of a checkpoint; %s", c.name, name, damaged)
		}
	}
	if err := c.fill(tensors); err != nil {
		return err
	}
	for _, t := range tensors {
		x, _ := t.Data.([]float32)
		if err := checkFinite(x); err != nil {
			return fmt.Errorf("%s: %s: %w; %s", c.name, t.Name, err, damaged)
		}
	}
	return nil
}

func (c *container) extraMetadata() map[string]string {
	extra := map[string]string{}
	for key, value := range c.meta {
		if strings.HasPrefix(key, ExtraMetadata) {
			extra[key] = value
		}
	}
	return extra
}
