package model

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"sync"
	"sync/atomic"
)

// File is a model file that is opened once and read in several passes. All passes see the same bytes. A file of up to
// 4 MB is kept in memory after it is first read. For a larger file, File keeps a digest of each block. If a later
// read of a block fails or gives different bytes, the pass returns an error.
//
// If the file is replaced or changed in the meantime, a pass can therefore fail. However, [File.SHA256] always
// describes the bytes that Info, Frozen and Chains read.
//
// Several goroutines may use a File at once. It must be closed after its last use.
type File struct {
	ctx context.Context // reads end when ctx ends; if nil, they are never interrupted
	*opened
}

// opened is the state that all views of one file share.
type opened struct {
	path string
	file interface {
		io.ReaderAt
		io.Closer
	}
	size   int64
	seed   maphash.Seed
	intact atomic.Bool  // the checksum was compared, and every block is kept or has a digest
	blocks sync.Map     // by offset, the blocks that were read so far, or their digests
	room   atomic.Int64 // bytes of blocks that may still be kept
	buffer sync.Pool
}

// blockBytes is the size of a block. Each block has its own digest. Tensors are also read in pieces of this size.
const blockBytes = codecBytes

// keptBytes is the largest size of a file that is kept in memory. For a larger file, new memory costs more time than
// a second read.
const keptBytes = 4 << 20

// Open opens a model file, which must be a regular file. For a pipe, it returns an error and does not wait for the
// other end.
func Open(path string) (*File, error) {
	file, size, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	f := &opened{path: path, file: file, size: size, seed: maphash.MakeSeed()}
	if size <= keptBytes {
		f.room.Store(size)
	}
	f.buffer.New = func() any { return new([blockBytes]byte) }
	return &File{opened: f}, nil
}

// OpenBytes opens a model file that is in memory. content must not change afterwards. path is the file's name in
// errors.
func OpenBytes(path string, content []byte) *File {
	f := &opened{path: path, file: inMemory{bytes.NewReader(content)}, size: int64(len(content)), seed: maphash.MakeSeed()}
	f.buffer.New = func() any { return new([blockBytes]byte) }
	return &File{opened: f}
}

// inMemory is a file in memory. It need not be closed.
type inMemory struct{ io.ReaderAt }

func (inMemory) Close() error { return nil }

// In returns the file with a context that can interrupt its passes, because a pass may read gigabytes.
func (f *File) In(ctx context.Context) *File { return &File{ctx, f.opened} }

// Path returns the path with which the file was opened.
func (f *File) Path() string { return f.path }

// Size returns the size of the file in bytes.
func (f *File) Size() int64 { return f.size }

// Close closes the file.
func (f *File) Close() error { return f.file.Close() }

// Info is like [ReadInfo], for an open file.
func (f *File) Info() (*Info, error) { return readInfo(f.path, f, f.size) }

// Frozen is like [ReadFrozen], for an open file.
func (f *File) Frozen() (*Frozen, error) { return readFrozen(f.path, f, f.size, chunkBytes) }

// Load is like the function [Load], for an open file.
func (f *File) Load() (*Model, error) { return read(f.path, f, f.size, nil) }

// Compact reads the file and returns the network of [Model.Compact].
func (f *File) Compact() (*Compact, error) {
	m, nodes, err := readNodes(f.path, f, f.size, chunkBytes, nil, nil)
	if err != nil {
		return nil, err
	}
	return m.compact(nodes), nil
}

// Visit receives a run of consecutive chains of a section. The argument s holds these chains, and first is the number
// that the run's first chain has in the network. The arrays of s are reused after Visit returns.
type Visit func(section, first, chains int, s *Section) error

// Chains reads the raw arrays with the checks of [Load], but needs only a few megabytes of memory. It first checks
// that the file is long enough for the arrays, and calls begin with the model without its arrays. It then calls visit
// for one section after the other, in runs of chains. Several goroutines read and visit runs of a section at once. An
// error of begin or visit ends the reading and is returned.
func (f *File) Chains(begin func(m *Model) error, visit Visit) error {
	return readRuns(f.path, f, f.size, chunkBytes, begin, visit)
}

// Networks returns the results of [File.Frozen] and [File.Compact], and calls begin and visit like [File.Chains]. It
// reads the arrays only once. The compact network is nil if neither positions nor steps share nodes.
func (f *File) Networks(begin func(m *Model) error, visit Visit) (frozen *Frozen, compact *Compact, err error) {
	m, nodes, err := readNodes(f.path, f, f.size, chunkBytes, begin, visit)
	if err != nil {
		return nil, nil, err
	}
	if m.shared() || m.Steps > 0 {
		compact = m.compact(nodes)
		for i := range nodes {
			nodes[i] = cloneLayers(nodes[i]) // the frozen network changes the arrays that it gets
		}
	}
	return m.unrolled(nodes), compact, nil
}

// SHA256 returns the SHA-256 of the whole file in hexadecimal digits. If ctx ends first, it returns the error of ctx.
// SHA256 also compares the file with its checksum, so that later passes need not do so. It does not report a wrong
// checksum, but the next pass does.
func (f *File) SHA256(ctx context.Context) (string, error) {
	h, buf, crc := sha256.New(), make([]byte, blockBytes), uint32(0)
	for at := int64(0); at < f.size; {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		n, err := f.ReadAt(buf[:min(blockBytes, f.size-at)], at)
		if err != nil {
			return "", fmt.Errorf("%s: %w", f.path, err)
		}
		h.Write(buf[:n])
		crc = remainder(crc, buf[:n])
		at += int64(n)
	}
	if c, err := openContainer(f.path, f, f.size); err == nil && c.compareRemainder(crc, f.size) == nil {
		f.intact.Store(true)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// ReadAt implements [io.ReaderAt] for the bytes that the file had when it was opened.
func (f *File) ReadAt(p []byte, at int64) (n int, err error) {
	for n < len(p) && err == nil {
		var k int
		k, err = f.readBlock(p[n:], at+int64(n))
		n += k
	}
	return n, err
}

// readBlock copies bytes into p, beginning at the given offset. It stops at the end of the block or the end of p.
func (f *File) readBlock(p []byte, at int64) (int, error) {
	if at < 0 || at >= f.size {
		return 0, io.EOF
	}
	begin := at / blockBytes * blockBytes
	size := int(min(blockBytes, f.size-begin))
	if data := f.kept(begin); data != nil && f.ended() == nil {
		return copy(p, data[at-begin:]), nil
	}
	if at == begin && len(p) >= size {
		if err := f.readWhole(p[:size], begin); err != nil {
			return 0, err
		}
		return size, nil
	}
	buffer := f.buffer.Get().(*[blockBytes]byte)
	defer f.buffer.Put(buffer)
	if err := f.readWhole(buffer[:size], begin); err != nil {
		return 0, err
	}
	return copy(p, buffer[at-begin:size]), nil
}

// readWhole reads a block and compares it with the bytes of the first read.
func (f *File) readWhole(block []byte, begin int64) error {
	if err := f.ended(); err != nil {
		return err
	}
	n, err := f.file.ReadAt(block, begin)
	if n < len(block) && !errors.Is(err, io.EOF) {
		return err
	}
	if n < len(block) {
		return errChanged
	}
	if _, read := f.blocks.Load(begin); !read && f.room.Add(-int64(n)) >= 0 {
		if first, other := f.blocks.LoadOrStore(begin, bytes.Clone(block)); !other {
			return nil
		} else if data, ok := first.([]byte); ok {
			copy(block, data)
			return nil
		}
	}
	sum := maphash.Bytes(f.seed, block)
	switch first, _ := f.blocks.LoadOrStore(begin, sum); first := first.(type) {
	case []byte:
		copy(block, first)
	case uint64:
		if first != sum {
			return errChanged
		}
	}
	return nil
}

// kept returns a block that is kept in memory, or nil.
func (f *File) kept(begin int64) []byte {
	first, _ := f.blocks.Load(begin)
	data, _ := first.([]byte)
	return data
}

// ended returns the context's error if passes must end, or nil.
func (f *File) ended() error {
	if f.ctx == nil {
		return nil
	}
	return f.ctx.Err()
}

// errChanged says that a file differs from its state when it was opened or first read.
var errChanged = fmt.Errorf("the file changed while it was read; wait until what writes it is done, and try again")
