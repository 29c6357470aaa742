package model

import (
	"errors"
	"fmt"

	"ialgn/internal/ranks"
)

// A model whose Part is set is one rank's share of a network (package ranks). The share has some of the chains of
// each class, and the model's widths and arrays cover only these chains. However, Config and Record describe the
// whole network, and so does the file that all ranks write ([Model.Stage]). Only networks of private chains can be
// divided, because none of their nodes reads a node of another chain.

// wholeWidth returns the number of chains of the whole network.
func (m *Model) wholeWidth() int {
	if m.Part == nil {
		return m.Width
	}
	return m.Part.Classes * m.Part.PerClass
}

// take reduces a model of the whole network, which must have no arrays, to the part of one rank. size is the number
// of ranks. The model must be valid.
func (m *Model) take(rank, size int) error {
	perClass := m.Width / len(m.Classes)
	if size > perClass {
		return fmt.Errorf("%d ranks for %d chains per class, want at most one rank per chain", size, perClass)
	}
	if err := m.checkPrivate(); err != nil {
		return err
	}
	share := ranks.ShareOf(rank, size, len(m.Classes), perClass)
	m.Part, m.Width = &share, share.Width()
	for i := range m.Sections {
		m.Sections[i].Width = m.Width
	}
	return nil
}

// checkPart checks that the model's form matches its part.
func (m *Model) checkPart() error {
	p := m.Part
	if p == nil {
		return nil
	}
	if p.Classes != len(m.Classes) || p.From < 0 || p.From >= p.To || p.To > p.PerClass || m.Width != p.Width() {
		return fmt.Errorf("%d chains for %d classes are not the part %+v", m.Width, len(m.Classes), *p)
	}
	return m.checkPrivate()
}

// checkPrivate refuses networks that cannot be divided among ranks.
func (m *Model) checkPrivate() error {
	for i := range m.Sections {
		s := &m.Sections[i]
		if s.Width != m.Width || s.Grid != nil {
			return errNotPrivate
		}
		for k := range s.Pins {
			if s.Pins[k].Source == Previous {
				return errNotPrivate
			}
		}
	}
	return nil
}

var errNotPrivate = errors.New("its nodes read nodes of other chains, so it cannot be shared among ranks; train " +
	"it as one process")

// Run is a sequence of consecutive elements of a tensor.
type Run struct {
	At     int // index of the first element
	Length int
}

// InFile returns tensor t with the shape that the tensor has in the file. t has a row for each of the model's chains,
// [width][...]. If the model is a part of a network, t has only some rows of the whole network's tensor.
func (m *Model) InFile(t Tensor) Tensor {
	if m.Part == nil {
		return t
	}
	size := int(product(t.Shape[1:]))
	t.Runs = ChainRuns(*m.Part, 0, m.wholeWidth(), 0, size)
	t.Shape = append([]int{m.wholeWidth()}, t.Shape[1:]...)
	return t
}

// ChainRuns returns the runs of a tensor that belong to a rank. The tensor covers the chains in the range from ..
// to-1 of the network. The parameter size is the number of its elements for each chain. The parameter at is the index
// of the first element that belongs to these chains. The result may be empty.
func ChainRuns(s ranks.Share, from, to, at, size int) []Run {
	runs := []Run{} // not nil, because a tensor with nil runs is whole
	for class := range s.Classes {
		begin := class*s.PerClass + s.From
		first, end := max(begin, from), min(begin+s.Own(), to)
		if first >= end {
			continue
		}
		r := Run{at + (first-from)*size, (end - first) * size}
		if n := len(runs); n > 0 && runs[n-1].At+runs[n-1].Length == r.At {
			runs[n-1].Length += r.Length
		} else {
			runs = append(runs, r)
		}
	}
	return runs
}

// checkLength checks that a tensor has the number of elements that follows from its shape and runs.
func (t *Tensor) checkLength() error {
	all, got := product(t.Shape), int64(length(t.Data))
	want := all
	if t.Runs != nil {
		want = 0
		for i, end := 0, 0; i < len(t.Runs); i++ {
			r := t.Runs[i]
			if r.At < end || r.Length < 1 || int64(r.At) > all-int64(r.Length) {
				return fmt.Errorf("%s: run %d, %+v, of %d elements, after element %d", t.Name, i, r, all, end)
			}
			end = r.At + r.Length
			want += int64(r.Length)
		}
	}
	if got != want || all == 0 {
		return fmt.Errorf("%s: %d elements for shape %v, want %d", t.Name, got, t.Shape, want)
	}
	return nil
}

// runs calls the function do for each run of a tensor. It passes the index of the run's first element, and the run's
// elements. It returns the first error.
func (t *Tensor) runs(do func(at int, data any) error) error {
	if t.Runs == nil {
		return do(0, t.Data)
	}
	from := 0
	for _, r := range t.Runs {
		if err := do(r.At, slice(t.Data, from, from+r.Length)); err != nil {
			return err
		}
		from += r.Length
	}
	return nil
}
