package torchfile

import (
	"fmt"
	"io"
	"sync"
)

// storage is an array of elements in the file. It is read when a tensor that uses it is first converted.
type storage struct {
	name  string // for errors
	dtype DType
	numel int64
	data  *data
}

// data holds the bytes of a storage in the file. The bytes are read at the first use and kept.
type data struct {
	r     io.ReaderAt
	at    int64 // position in r
	size  int64
	check func(b []byte) error // verifies the bytes; nil if there is nothing to verify

	once sync.Once
	b    []byte
	err  error
}

// as returns the same storage with another element type.
func (s *storage) as(d DType) *storage {
	return &storage{name: s.name, dtype: d, numel: s.numel * s.dtype.size() / d.size(), data: s.data}
}

// all returns the whole storage as a tensor of one dimension.
func (s *storage) all() *Tensor {
	return &Tensor{Shape: []int{int(s.numel)}, Stride: []int{1}, DType: s.dtype, storage: s, whole: true}
}

// bytes returns all bytes.
func (d *data) bytes() ([]byte, error) {
	d.once.Do(func() {
		d.b = make([]byte, d.size)
		d.err = readAt(d.r, d.b, d.at)
		if d.err == nil && d.check != nil {
			d.err = d.check(d.b)
		}
		if d.err != nil {
			d.b = nil
		}
	})
	return d.b, d.err
}

// storageOf returns the storage for an identifier of a value outside the pickle. The identifier is ("storage", class,
// key, device, number of elements). If the storage is new, storageOf gets the storage's data from the function make.
func (f *file) storageOf(id Tuple, make func(key string, size int64) (*data, error)) (*storage, error) {
	kind, _ := arg[string](id, 0)
	class, _ := arg[*Object](id, 1)
	key, isKey := arg[string](id, 2)
	numel, isNumber := arg[int64](id, 4)
	if kind != "storage" || class == nil || class.global == nil || class.global.dtype == Invalid || !isKey || !isNumber {
		return nil, fmt.Errorf("a value outside the pickle is no storage: is the file damaged?")
	}
	dtype := class.global.dtype
	if numel < 0 || numel > f.size/dtype.size() {
		return nil, fmt.Errorf("the storage %s of %d elements of %v is larger than the file: is the file damaged?",
			describe(key), numel, dtype)
	}
	if s, ok := f.stored[key]; ok {
		if s.dtype != dtype || s.numel != numel {
			return nil, fmt.Errorf("the storage %s has %d elements of %v here and %d of %v elsewhere",
				describe(key), numel, dtype, s.numel, s.dtype)
		}
		return s, nil
	}
	if err := f.budget.take(2*sizeObject + int64(len(key)) + sizeEntry); err != nil {
		return nil, err
	}
	if f.bytes += numel * dtype.size(); f.bytes > f.size {
		return nil, fmt.Errorf("the storages together are larger than the file: is the file damaged?")
	}
	d, err := make(key, numel*dtype.size())
	if err != nil {
		return nil, err
	}
	s := &storage{name: "storage " + describe(key), dtype: dtype, numel: numel, data: d}
	f.stored[key] = s
	return s, nil
}
