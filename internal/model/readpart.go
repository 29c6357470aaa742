package model

import (
	"encoding/binary"
	"fmt"
	"io"

	"ialgn/internal/ranks"
)

// LoadCheckpointPart is [LoadCheckpoint] for all ranks that train together. Each rank gets its part of the network.
// It reads no other part, except its share of the bytes for the checksum. If one rank fails, all ranks get an error.
// If c is nil, a single process gets the whole network. The tensors that state returns may have runs (see
// [Model.InFile] and [ChainRuns]).
func LoadCheckpointPart(path string, c ranks.Comm, state func(*Info) ([]Tensor, error)) (*Model, error) {
	if c == nil {
		return LoadCheckpoint(path, state)
	}
	file, size, err := openRegular(path)
	if err == nil {
		defer file.Close()
	}
	return readPart(path, file, size, c, state, err)
}

// LoadPart is [LoadCheckpointPart] for an open file, without a training state.
func (f *File) LoadPart(c ranks.Comm) (*Model, error) {
	if c == nil {
		return f.Load()
	}
	return readPart(f.path, f, f.size, c, nil, nil)
}

// readPart reads a rank's part of a file. err is the error that the rank got when it opened the file, or nil.
func readPart(name string, r io.ReaderAt, size int64, c ranks.Comm, state func(*Info) ([]Tensor, error), err error,
) (*Model, error) {
	file, err := openBy(name, r, size, c, err)
	if err != nil {
		return nil, err
	}
	m, err := file.part(c, state != nil)
	if _, err = ranks.Agree(c, nil, err); err == nil && state != nil {
		_, err = ranks.Agree(c, nil, file.restore(m, state))
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

// openBy opens a file on all ranks and compares it with its checksum. Each rank reads one piece for the checksum. If
// a rank passes an error in err, all ranks get an error.
func openBy(name string, r io.ReaderAt, size int64, c ranks.Comm, err error) (*container, error) {
	var file *container
	var sum uint32
	if err == nil {
		file, err = openContainer(name, r, size)
	}
	if err == nil {
		err = file.checkVersion()
	}
	if err == nil {
		sum, err = file.pieceSum(size, c.Rank(), c.Size())
	}
	var said []byte
	if err == nil {
		said = binary.LittleEndian.AppendUint32(nil, sum)
		said = append(binary.LittleEndian.AppendUint64(said, uint64(size)), file.meta[checksumKey]...)
	}
	all, err := ranks.Agree(c, said, err)
	if err != nil {
		return nil, err
	}
	sum = 0
	for rank, other := range all {
		if len(other) < 4 || string(other[4:]) != string(all[0][4:]) {
			return nil, fmt.Errorf("%s: rank %d reads another file than rank 0: the folder is not the same one on all "+
				"machines, or does not show what others write", name, rank)
		}
		sum ^= binary.LittleEndian.Uint32(other)
	}
	return file, file.compareSum(sum, size)
}

// part reads the part of the network that belongs to this rank.
func (c *container) part(comm ranks.Comm, checkpoint bool) (*Model, error) {
	if checkpoint {
		if err := c.needSum(); err != nil {
			return nil, err
		}
	}
	m, err := c.withoutArrays()
	if err != nil {
		return nil, err
	}
	if err := m.take(comm.Rank(), comm.Size()); err != nil {
		return nil, fmt.Errorf("%s: %w", c.name, err)
	}
	m.Allocate()
	return m, c.fillSections(m)
}

// fillSections reads the arrays of a model's sections and checks the model.
func (c *container) fillSections(m *Model) error {
	var all []Tensor
	for i := range m.Sections {
		for _, t := range m.sectionTensors(i) {
			all = append(all, m.InFile(t))
		}
	}
	if err := c.fill(all); err != nil {
		return err
	}
	if err := m.Validate(); err != nil {
		return fmt.Errorf("%s: %w; %s", c.name, err, damaged)
	}
	return nil
}

// ReloadPart is [Model.Reload] for all ranks of a run (see [LoadCheckpointPart]).
func (m *Model) ReloadPart(path string, c ranks.Comm) error {
	if c == nil {
		return m.Reload(path)
	}
	file, size, err := openRegular(path)
	if err == nil {
		defer file.Close()
	}
	from, err := openBy(path, file, size, c, err)
	if err != nil {
		return err
	}
	_, err = ranks.Agree(c, nil, from.reload(m))
	return err
}
