package torchfile

import (
	"fmt"
	"math/big"
)

// legacyMagic is the number at the beginning of a file in the format before PyTorch 1.6.
var legacyMagic, _ = new(big.Int).SetString("1950a86a20f9469cfc6c", 16)

// legacyVersion is the only version of this format.
const legacyVersion = 1001

// readLegacy reads the format before PyTorch 1.6. The file begins with five pickles, which are a magic number, a
// version, facts about the machine, the value, and the keys of the storages. The storages follow. Each storage is
// preceded by its number of elements.
func (f *file) readLegacy() (any, error) {
	src := newSource(f.r, 0, f.size)
	run := func(part string, persistent func(id Tuple) (any, error)) (any, error) {
		return newMachine(src, &f.budget, part, persistent).run()
	}
	magic, err := run("magic number", nil)
	if err != nil {
		return nil, notTorch(err.Error())
	}
	if n, ok := magic.(*big.Int); !ok || n.Cmp(legacyMagic) != 0 {
		return nil, notTorch("a pickle that does not begin with the magic number of torch.save")
	}
	version, err := run("version", nil)
	if err != nil {
		return nil, err
	}
	if version != int64(legacyVersion) {
		return nil, fmt.Errorf("version %s of the form before PyTorch 1.6: %d is read", describe(version), legacyVersion)
	}
	facts, err := run("facts about the machine", nil)
	if err != nil {
		return nil, err
	}
	if d, ok := facts.(*Dict); ok {
		if little, ok := d.Get("little_endian"); ok && little == false {
			return nil, bigEndian("facts about the machine")
		}
	}
	value, err := run("pickle", f.legacyPersistent)
	if err != nil {
		return nil, err
	}
	keys, err := run("keys of the storages", nil)
	if err != nil {
		return nil, err
	}
	return value, f.legacyStorages(src, keys)
}

// legacyPersistent returns a value outside the pickle. The value is a storage, or a class with its source text.
func (f *file) legacyPersistent(id Tuple) (any, error) {
	if kind, _ := arg[string](id, 0); kind == "module" {
		if class, ok := arg[*Object](id, 1); ok && class.global != nil {
			return class, nil
		}
	}
	if len(id) > 5 && id[5] != nil {
		return nil, fmt.Errorf("a storage that is a view of another one, as PyTorch before 0.4 wrote, is not read")
	}
	s, err := f.storageOf(id, func(_ string, size int64) (*data, error) { return &data{r: f.r, at: -1, size: size}, nil })
	if err != nil {
		return nil, err
	}
	return s.all(), nil
}

// legacyStorages finds the storages, which are at the end of the file in the order of their keys.
func (f *file) legacyStorages(src *source, keys any) error {
	list, ok := keys.(*List)
	if !ok {
		return fmt.Errorf("keys of the storages: %s, not a list", describe(keys))
	}
	for _, k := range list.Items {
		key, ok := k.(string)
		s := f.stored[key]
		if !ok || s == nil || s.data.at >= 0 {
			return fmt.Errorf("keys of the storages: %s is there twice, or no tensor's storage", describe(k))
		}
		at := src.place()
		numel, err := src.number(8)
		if err != nil {
			return fmt.Errorf("%s: byte %d: %w", s.name, at, err)
		}
		if numel != uint64(s.numel) || s.data.size > src.left() {
			return fmt.Errorf("%s: byte %d: %d elements of %v, but the pickle says %d, and %d bytes are left: "+
				"was the file cut short?", s.name, at, numel, s.dtype, s.numel, src.left())
		}
		s.data.at = src.at
		src.skip(s.data.size)
	}
	for _, s := range f.stored {
		if s.data.at < 0 {
			return fmt.Errorf("keys of the storages: %d keys, and a storage of a tensor is missing", len(list.Items))
		}
	}
	return nil
}
