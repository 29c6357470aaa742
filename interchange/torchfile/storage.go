package torchfile

import (
	"fmt"
	"io"
	"sync"
)

// storage is an array of elements in the file. It is read when a tensor of it is converted.
type storage struct {
	name  string // for errors
	dtype DType
	numel int64
	data  *data
}

// data is the bytes of storages.
type data struct {
	r     io.ReaderAt
	at    int64 // where in r they begin
	size  int64
	check func(b []byte) error // checks them all; nil if there is nothing to check or if it was done
	lock  sync.Mutex           // of check
}

// as returns the storage with other elements.
func (s *storage) as(d DType) *storage {
	return &storage{name: s.name, dtype: d, numel: s.numel * s.dtype.size() / d.size(), data: s.data}
}

// all returns the storage as a value: a tensor of one dimension.
func (s *storage) all() *Tensor {
	return &Tensor{Shape: []int{int(s.numel)}, Stride: []int{1}, DType: s.dtype, storage: s, whole: true}
}

// read returns the bytes from begin to end. The first call reads them all, and checks them.
func (d *data) read(begin, end int64) ([]byte, error) {
	d.lock.Lock()
	defer d.lock.Unlock()
	from, to := begin, end
	if d.check != nil {
		from, to = 0, d.size
	}
	b := make([]byte, to-from)
	if err := readAt(d.r, b, d.at+from); err != nil {
		return nil, err
	}
	if d.check != nil {
		if err := d.check(b); err != nil {
			return nil, err
		}
		d.check = nil
	}
	return b[begin-from : end-from], nil
}

// storageOf returns the storage that the name of a value outside the pickle is for: ("storage", class, key, device,
// number of elements), and makes it with make if it is met for the first time.
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
	d, err := make(key, numel*dtype.size())
	if err != nil {
		return nil, err
	}
	s := &storage{name: "storage " + describe(key), dtype: dtype, numel: numel, data: d}
	f.stored[key] = s
	return s, nil
}
