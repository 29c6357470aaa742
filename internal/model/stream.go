package model

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync/atomic"

	"ialgn/internal/crew"
)

// chunkBytes is about how much of a section one goroutine of [ReadFrozen] holds: the
// chains of a chunk, one at least.
const chunkBytes = 4 << 20

// ReadFrozen reads the frozen network of a model file: [Load] and [Model.Freeze] with
// the same checks, but in the memory of the frozen network and a few megabytes.
func ReadFrozen(path string) (*Frozen, error) {
	file, size, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readFrozen(path, file, size, chunkBytes)
}

func readFrozen(name string, r io.ReaderAt, size int64, chunk int) (*Frozen, error) {
	c, m, err := openModel(name, r, size, true)
	if err != nil {
		return nil, err
	}
	f, first := m.blankStep(), 0
	for i := range m.Sections {
		layers := f.Layers[first : first+m.Sections[i].frozenLayers()]
		s := &m.Sections[i]
		nodes := s.nodesFor(layers)
		if err := c.freezeSection(m, i, nodes, chunk); err != nil {
			return nil, err
		}
		s.place(layers, nodes, m.Encoder.Bits-1)
		first += len(layers)
	}
	m.finish(f)
	m.repeat(f)
	return f, nil
}

func readRuns(name string, r io.ReaderAt, size int64, chunk int,
	begin func(*Model) error, visit func(section, first, chains int, s *Section) error,
) error {
	c, m, err := openModel(name, r, size, true)
	if err == nil {
		err = begin(m)
	}
	for i := 0; err == nil && i < len(m.Sections); i++ {
		err = c.visitSection(m, i, chunk, visit)
	}
	return err
}

// visitSection reads section i in runs of about that many bytes.
func (c *container) visitSection(m *Model, i, chunk int, visit func(section, first, chains int,
	s *Section) error,
) error {
	width := m.Sections[i].Width
	chains := min(max(1, chunk/m.chainBytes(i)), width)
	s, buf := m.allocate(i, chains), make([]byte, codecBytes)
	for first := 0; first < width; first += chains {
		n := min(chains, width-first)
		part := s.chains(0, n)
		if err := c.readChains(m, i, part, first, buf); err != nil {
			return err
		}
		if err := visit(i, first, n, &part); err != nil {
			return err
		}
	}
	return nil
}

// freezeSection streams section i in chunks of about that many bytes, one a goroutine.
func (c *container) freezeSection(m *Model, i int, layers []FrozenLayer, chunk int) error {
	width := m.Sections[i].Width
	chains := min(max(1, chunk/m.chainBytes(i)), width)
	chunks := (width + chains - 1) / chains
	var next atomic.Int64
	g, ctx := crew.NewGroup(context.Background())
	for range min(runtime.GOMAXPROCS(0), chunks) {
		g.Go(func() error {
			s, buf := m.allocate(i, chains), make([]byte, codecBytes)
			for k := int(next.Add(1)) - 1; k < chunks && ctx.Err() == nil; k = int(next.Add(1)) - 1 {
				from, to := k*chains, min((k+1)*chains, width)
				part := s.chains(0, to-from)
				if err := c.readChains(m, i, part, from, buf); err != nil {
					return err
				}
				part.freeze(layers, from)
			}
			return nil
		})
	}
	return g.Wait()
}

// chainBytes returns the memory of one chain of section i.
func (m *Model) chainBytes(i int) int {
	n := int64(0)
	for _, t := range m.sectionTensors(i) {
		n += product(t.Shape) / int64(m.Sections[i].Width) * elementSizes[dtype(t.Data)]
	}
	return int(n)
}

// readChains reads and checks the chains of section i that s has room for, the first
// of them being the network's chain from.
func (c *container) readChains(m *Model, i int, s Section, from int, buf []byte) error {
	part := Model{Encoder: m.Encoder, Sections: slices.Clone(m.Sections), Steps: m.Steps}
	part.Sections[i] = s
	for _, t := range part.sectionTensors(i) {
		name, at := t.Name, from*int(product(t.Shape)/int64(s.Width))
		if err := c.readFrom(name, at, t.Data, buf); err != nil {
			return err
		}
	}
	if where, err := m.checkValues(i, &s); err != nil {
		return fmt.Errorf("%s: section%d.%s: %w; %s", c.name, i, where, err, damaged)
	}
	return nil
}
