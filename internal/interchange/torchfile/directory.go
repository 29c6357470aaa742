package torchfile

import (
	"bytes"
	"fmt"
	"math"
)

// openArchive reads the directory at the end of the file.
func (f *file) openArchive() (*archive, error) {
	begin, size, lines, err := f.findDirectory()
	if err != nil {
		return nil, err
	}
	a := &archive{f: f, entries: map[string]entry{}, data: begin}
	src := newSource(f.r, begin, begin+size)
	for range lines {
		name, e, err := readLine(src)
		if err != nil {
			return nil, fmt.Errorf("directory of the archive: byte %d: %w", begin+src.place(), err)
		}
		if err := f.budget.take(int64(len(name))*2 + sizeEntry + lineLength); err != nil {
			return nil, err
		}
		if _, ok := a.entries[name]; ok {
			return nil, fmt.Errorf("directory of the archive: the entry %s is there twice", describe(name))
		}
		a.entries[name] = e
	}
	if src.left() > 0 {
		return nil, fmt.Errorf("directory of the archive: it has %d bytes too many: is the file damaged?", src.left())
	}
	return a, nil
}

// findDirectory returns the position of the directory, its size in bytes and its number of entries.
func (f *file) findDirectory() (begin, size int64, lines uint64, err error) {
	tail := make([]byte, min(f.size, tailLength+math.MaxUint16))
	if err := readAt(f.r, tail, f.size-int64(len(tail))); err != nil {
		return 0, 0, 0, err
	}
	i := bytes.LastIndex(tail, []byte("PK\x05\x06"))
	for i >= 0 && (i+tailLength > len(tail) || i+tailLength+int(le.Uint16(tail[i+20:])) != len(tail)) {
		i = bytes.LastIndex(tail[:i], []byte("PK\x05\x06"))
	}
	if i < 0 {
		return 0, 0, 0, fmt.Errorf("an archive without a directory at its end: was the file cut short?")
	}
	at := f.size - int64(len(tail)) + int64(i)
	n, length, from := uint64(le.Uint16(tail[i+10:])), uint64(le.Uint32(tail[i+12:])), uint64(le.Uint32(tail[i+16:]))
	if locator, ok := f.record(at-locator64Length, locator64Length, 0x07064b50); ok {
		at = int64(min(le.Uint64(locator[8:]), math.MaxInt64))
		tail64, ok := f.record(at, tail64Length, 0x06064b50)
		if !ok {
			return 0, 0, 0, fmt.Errorf("directory of the archive: byte %d: its end is missing: is the file damaged?", at)
		}
		n, length, from = le.Uint64(tail64[32:]), le.Uint64(tail64[40:]), le.Uint64(tail64[48:])
	}
	end := uint64(at)
	if from > end || length != end-from || n > length/lineLength {
		return 0, 0, 0, fmt.Errorf("directory of the archive: byte %d: %d lines in %d bytes from byte %d do not fit: "+
			"is the file damaged?", at, n, length, from)
	}
	return int64(from), int64(length), n, nil
}

// record returns n bytes at a position. The boolean result is false if they do not begin with the signature.
func (f *file) record(at, n int64, signature uint32) ([]byte, bool) {
	if at < 0 || at > f.size-n {
		return nil, false
	}
	b := make([]byte, n)
	if err := readAt(f.r, b, at); err != nil || le.Uint32(b) != signature {
		return nil, false
	}
	return b, true
}

// readLine reads one entry of the directory. It returns the entry's name and the entry.
func readLine(src *source) (string, entry, error) {
	h, err := src.take(lineLength)
	if err != nil {
		return "", entry{}, err
	}
	if le.Uint32(h) != 0x02014b50 {
		return "", entry{}, fmt.Errorf("a line does not begin as it should: is the file damaged?")
	}
	name, err := src.take(uint64(le.Uint16(h[28:])))
	if err != nil {
		return "", entry{}, err
	}
	extra, err := src.take(uint64(le.Uint16(h[30:])))
	if err != nil {
		return "", entry{}, err
	}
	if _, err := src.take(uint64(le.Uint16(h[32:]))); err != nil {
		return "", entry{}, err
	}
	e := entry{
		flags: le.Uint16(h[8:]), method: le.Uint16(h[10:]), crc: le.Uint32(h[16:]),
		stored: int64(le.Uint32(h[20:])), size: int64(le.Uint32(h[24:])), header: int64(le.Uint32(h[42:])),
	}
	return string(name), e, e.extend(extra)
}

// extend replaces numbers that do not fit into 32 bits with the 64-bit numbers in the extra field.
func (e *entry) extend(extra []byte) error {
	for len(extra) >= 4 {
		kind, n := le.Uint16(extra), int(le.Uint16(extra[2:]))
		if extra = extra[4:]; n > len(extra) {
			break
		}
		field := extra[:n]
		extra = extra[n:]
		if kind != 1 {
			continue
		}
		for _, v := range []*int64{&e.size, &e.stored, &e.header} {
			if *v != math.MaxUint32 {
				continue
			}
			if len(field) < 8 || le.Uint64(field) > math.MaxInt64 {
				return fmt.Errorf("a length of 64 bits is wrong: is the file damaged?")
			}
			*v = int64(le.Uint64(field))
			field = field[8:]
		}
	}
	return nil
}
