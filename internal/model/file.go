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

// File is a model file that was opened once, for several passes over it. All of them see the same
// bytes: File keeps the blocks that were read, up to some megabytes, so that a usual model is read once. Of
// others it keeps a digest, and a block that later reads otherwise, or not at all, is an error. Replacing or
// changing the file meanwhile can thus make a pass fail, but never have [File.SHA256] name other bytes than
// those that Info, Frozen and Chains gave.
//
// It may be used by several goroutines at once, and must be closed when none uses it any more.
type File struct {
	ctx context.Context // reads end when it is done; nil: they are never interrupted
	*opened
}

// opened is what all views of a file share.
type opened struct {
	path string
	file interface {
		io.ReaderAt
		io.Closer
	}
	size   int64
	seed   maphash.Seed
	intact atomic.Bool  // the checksum was compared, of blocks whose digests are kept
	blocks sync.Map     // each block that was read, or its digest, by where it begins
	room   atomic.Int64 // bytes of blocks that may still be kept
	buffer sync.Pool
}

// blockBytes is how many bytes have a digest of their own: as many as tensors are read in at a time.
const blockBytes = codecBytes

// keptBytes is how long a file is at most that is kept in memory. Fresh memory costs more than a second reading of a
// longer one.
const keptBytes = 4 << 20

// Open opens a model file. It refuses anything but a regular file, without waiting for the other
// end of a pipe.
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

// OpenBytes opens a model file that is in memory, and must not be changed. The path stands for it in errors.
func OpenBytes(path string, content []byte) *File {
	f := &opened{path: path, file: inMemory{bytes.NewReader(content)}, size: int64(len(content)), seed: maphash.MakeSeed()}
	f.buffer.New = func() any { return new([blockBytes]byte) }
	return &File{opened: f}
}

// inMemory is a file in memory, which needs no closing.
type inMemory struct{ io.ReaderAt }

func (inMemory) Close() error { return nil }

// In returns the same file, whose passes end with the context: it may have gigabytes.
func (f *File) In(ctx context.Context) *File { return &File{ctx, f.opened} }

// Path returns the path that the file was opened by.
func (f *File) Path() string { return f.path }

// Size returns the number of bytes.
func (f *File) Size() int64 { return f.size }

// Close closes the file.
func (f *File) Close() error { return f.file.Close() }

// Info is [ReadInfo] of the file.
func (f *File) Info() (*Info, error) { return readInfo(f.path, f, f.size) }

// Frozen is [ReadFrozen] of the file.
func (f *File) Frozen() (*Frozen, error) { return readFrozen(f.path, f, f.size, chunkBytes) }

// Load is [Load] of the file.
func (f *File) Load() (*Model, error) { return read(f.path, f, f.size, nil) }

// Compact is [Model.Compact] of the file.
func (f *File) Compact() (*Compact, error) {
	m, nodes, err := readNodes(f.path, f, f.size, chunkBytes, nil, nil)
	if err != nil {
		return nil, err
	}
	return m.compact(nodes), nil
}

// Visit gets a run of chains of a section; first is the number in the network of the run's first chain. The arrays are
// reused: they hold until it returns.
type Visit func(section, first, chains int, s *Section) error

// Chains reads the raw arrays with the checks of [Load], but in the memory of a few megabytes: begin gets the model
// without its arrays, once the file is known to have room for them, and visit then gets one section after the other in
// runs of chains. Several goroutines read and visit runs of a section at once. An error of either ends the reading
// and is returned.
func (f *File) Chains(begin func(m *Model) error, visit Visit) error {
	return readRuns(f.path, f, f.size, chunkBytes, begin, visit)
}

// Networks is [File.Frozen], [File.Compact] and [File.Chains] with one reading of the arrays. The compact network is
// nil of a model in which neither positions nor steps share nodes.
func (f *File) Networks(begin func(m *Model) error, visit Visit) (frozen *Frozen, compact *Compact, err error) {
	m, nodes, err := readNodes(f.path, f, f.size, chunkBytes, begin, visit)
	if err != nil {
		return nil, nil, err
	}
	if m.shared() || m.Steps > 0 {
		compact = m.compact(nodes)
		for i := range nodes {
			nodes[i] = cloneLayers(nodes[i]) // the frozen network changes what it takes
		}
	}
	return m.unrolled(nodes), compact, nil
}

// SHA256 returns the SHA-256 of the whole file in hexadecimal digits. It reads all of it, and gives
// up when ctx ends. It compares the checksum as well, so that passes that follow need no pass for that; what is wrong
// with the file these say.
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

// readBlock reads what p has room for of the block that byte at is in.
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

// readWhole reads a block, and compares it with what it was when it was read before.
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

// ended returns why passes end, or nil.
func (f *File) ended() error {
	if f.ctx == nil {
		return nil
	}
	return f.ctx.Err()
}

// errChanged says that a file is not what it was when it was opened or read before.
var errChanged = fmt.Errorf("the file changed while it was read; wait until what writes it is done, and try again")
