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

// chunkBytes is the approximate memory of one goroutine that reads runs of chains. A run has at least one chain.
const chunkBytes = 4 << 20

// ReadFrozen returns the frozen network of a model file. The result and the checks are the same as for [Load]
// followed by [Model.Freeze]. ReadFrozen needs only the memory of the frozen network and a few megabytes.
func ReadFrozen(path string) (*Frozen, error) {
	file, size, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readFrozen(path, file, size, chunkBytes)
}

func readFrozen(name string, r io.ReaderAt, size int64, chunk int) (*Frozen, error) {
	m, nodes, err := readNodes(name, r, size, chunk, nil, nil)
	if err != nil {
		return nil, err
	}
	return m.unrolled(nodes), nil
}

// readNodes returns the model without its arrays, and the nodes that [Model.selected] would return. If the functions
// begin and visit are not nil, readNodes calls them as [File.Chains] does.
func readNodes(name string, r io.ReaderAt, size int64, chunk int, begin func(*Model) error, visit Visit) (m *Model,
	nodes [][]FrozenLayer, err error,
) {
	err = readRuns(name, r, size, chunk, func(shell *Model) error {
		m, nodes = shell, shell.blankNodes()
		if begin == nil {
			return nil
		}
		return begin(shell)
	}, func(section, first, chains int, s *Section) error {
		s.freeze(nodes[section], first)
		if visit == nil {
			return nil
		}
		return visit(section, first, chains, s)
	})
	return m, nodes, err
}

func readRuns(name string, r io.ReaderAt, size int64, chunk int, begin func(*Model) error, visit Visit) error {
	c, m, err := openModel(name, r, size, true)
	if err == nil {
		err = begin(m)
	}
	for i := 0; err == nil && i < len(m.Sections); i++ {
		err = c.visitSection(m, i, chunk, visit)
	}
	return err
}

// visitSection reads section i in runs of chains. The parameter chunk is the approximate size of a run in bytes.
// Several goroutines read different runs at the same time.
func (c *container) visitSection(m *Model, i, chunk int, visit Visit) error {
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
				if err := visit(i, from, to-from, &part); err != nil {
					return err
				}
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

// readChains reads and checks chains of section i. It reads chains until s is full. The parameter from is the number
// of the first of these chains in the network.
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
