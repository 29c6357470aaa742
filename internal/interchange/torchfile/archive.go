package torchfile

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"strings"

	"ialgn/internal/message"
)

// archive is a zip file. Package archive/zip is not used, because it reads a directory of any length. For each entry,
// it also needs several times the memory that the entry takes in the directory.
type archive struct {
	f       *file
	entries map[string]entry
	data    int64 // where the directory begins, which is also the end of the entries
}

// entry is an entry of the directory.
type entry struct {
	header int64 // position of the local header
	size   int64
	stored int64 // number of bytes in the archive; equal to size if the entry is not compressed
	method uint16
	flags  uint16
	crc    uint32
}

// These are the lengths of the records of a zip file, without the variable-length texts.
const (
	tailLength      = 22
	locator64Length = 20
	tail64Length    = 56
	lineLength      = 46
	headerLength    = 30
)

var le = binary.LittleEndian

// readArchive reads the format of PyTorch 1.6 and later. A file in this format is a zip file with the pickle
// NAME/data.pkl and an entry NAME/data/KEY for each storage.
func (f *file) readArchive() (any, error) {
	a, err := f.openArchive()
	if err != nil {
		return nil, err
	}
	prefix, err := a.prefix()
	if err != nil {
		return nil, err
	}
	if err := a.checkOrder(prefix + "byteorder"); err != nil {
		return nil, err
	}
	name := prefix + "data.pkl"
	e := a.entries[name]
	at, err := a.locate(name, e)
	if err != nil {
		return nil, err
	}
	if err := checkSum(f.r, at, e); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	m := newMachine(newSource(f.r, at, at+e.size), &f.budget, name, func(id Tuple) (any, error) {
		s, err := f.storageOf(id, func(key string, size int64) (*data, error) { return a.storage(prefix+"data/"+key, size) })
		if err != nil {
			return nil, err
		}
		return s.all(), nil
	})
	value, err := m.run()
	if err == nil && m.left() > 0 {
		return nil, fmt.Errorf("%s: byte %d: %d bytes follow the pickle: is the file damaged?", name, m.place(), m.left())
	}
	return value, err
}

// prefix returns the folder in the archive that contains data.pkl.
func (a *archive) prefix() (string, error) {
	prefix, found := "", 0
	for name := range a.entries {
		if p, ok := strings.CutSuffix(name, "data.pkl"); ok && strings.Count(p, "/") <= 1 && (p == "" || p[len(p)-1] == '/') {
			prefix = p
			found++
		}
	}
	if found != 1 {
		return "", notTorch(fmt.Sprintf("an archive with %d entries data.pkl, not 1", found))
	}
	if _, ok := a.entries[prefix+"constants.pkl"]; ok {
		return "", message.WithHint(fmt.Errorf("an archive of TorchScript, which is not read"),
			"load it with torch.jit.load and save its state_dict() with torch.save")
	}
	return prefix, nil
}

// checkOrder returns an error for storages of big-endian machines. Only newer versions of PyTorch record the byte
// order.
func (a *archive) checkOrder(name string) error {
	e, ok := a.entries[name]
	if !ok {
		return nil
	}
	at, err := a.locate(name, e)
	if err != nil {
		return err
	}
	order := make([]byte, min(e.size, 16))
	if err := readAt(a.f.r, order, at); err != nil {
		return err
	}
	switch string(order) {
	case "little":
		return nil
	case "big":
		return bigEndian(name)
	}
	return fmt.Errorf("%s: the byte order %.16q is neither little nor big", name, order)
}

func bigEndian(place string) error {
	return message.WithHint(fmt.Errorf("%s: the numbers are in big-endian order, which is not read", place),
		"load it and save it again with PyTorch on a little-endian machine")
}

// storage returns the data of a storage with the given size in bytes.
func (a *archive) storage(name string, size int64) (*data, error) {
	e, ok := a.entries[name]
	if !ok {
		return nil, fmt.Errorf("the archive has no entry %s, a storage of a tensor", describe(name))
	}
	if e.size != size {
		return nil, fmt.Errorf("the entry %s has %d bytes, and its storage is said to have %d", describe(name), e.size, size)
	}
	at, err := a.locate(name, e)
	if err != nil {
		return nil, err
	}
	return &data{r: a.f.r, at: at, size: size, check: func(b []byte) error {
		if crc32.ChecksumIEEE(b) != e.crc {
			return wrongSum()
		}
		return nil
	}}, nil
}

// checkSum verifies the checksum of entry e, whose data begins at the given offset.
func checkSum(r io.ReaderAt, at int64, e entry) error {
	sum := crc32.NewIEEE()
	if _, err := io.Copy(sum, io.NewSectionReader(r, at, e.size)); err != nil {
		return err
	}
	if sum.Sum32() != e.crc {
		return wrongSum()
	}
	return nil
}

func wrongSum() error {
	return message.WithHint(fmt.Errorf("the checksum is wrong: the file is damaged, or written without checksums"),
		"copy the file anew, or save it with torch.serialization.set_crc32_options(True)")
}

// locate returns the position of an entry's data, which must not be compressed.
func (a *archive) locate(name string, e entry) (int64, error) {
	if e.method != 0 || e.flags&1 != 0 {
		return 0, message.WithHint(fmt.Errorf("the entry %s is compressed or encrypted, not as torch.save writes",
			describe(name)),
			"unpack the archive and pack it without compression, with zip -0")
	}
	var h [headerLength]byte
	if e.stored != e.size || e.header > a.data-headerLength {
		return 0, fmt.Errorf("the entry %s lies outside the archive's data", describe(name))
	}
	if err := readAt(a.f.r, h[:], e.header); err != nil {
		return 0, err
	}
	length := int(le.Uint16(h[26:]))
	at := e.header + headerLength + int64(length) + int64(le.Uint16(h[28:]))
	if le.Uint32(h[:]) != 0x04034b50 || length != len(name) || at > a.data-e.size {
		return 0, fmt.Errorf("the entry %s is not where the directory says: is the file damaged?", describe(name))
	}
	own := make([]byte, length)
	if err := readAt(a.f.r, own, e.header+headerLength); err != nil {
		return 0, err
	}
	if string(own) != name {
		return 0, fmt.Errorf("the entry %s is not where the directory says: is the file damaged?", describe(name))
	}
	return at, nil
}
