package model

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
)

// The metadata entry crc32c is the CRC-32C of the whole file, in eight hexadecimal digits
// that count as zeros themselves. It finds every change of up to 32 bits in a row. A
// SHA-256 takes eleven times as long.

const (
	checksumKey = "crc32c"
	noChecksum  = "00000000"
)

// checksumPlace returns where in a header the digits of its checksum stand: once, in the
// form that [Model.Write] gives them. Within a string the quotes would be escaped.
func checksumPlace(header []byte, digits string) (int, bool) {
	text := fmt.Appendf(nil, "%q:%q", checksumKey, digits)
	at := bytes.Index(header, text)
	return at + len(text) - 1 - len(noChecksum), at >= 0 && bytes.Count(header, text) == 1
}

// sign puts the checksum into a header, length included, whose tensors follow.
func sign(header []byte, tensors []Tensor, buf []byte) error {
	sum := crc32.New(castagnoli)
	if err := writeAll(sum, header, tensors, buf); err != nil {
		return err
	}
	putChecksum(header, sum.Sum32())
	return nil
}

// putChecksum puts a checksum into a header that has zeros in its place.
func putChecksum(header []byte, sum uint32) {
	at, ok := checksumPlace(header, noChecksum)
	if !ok {
		panic("model: header without a place for its checksum")
	}
	copy(header[at:], fmt.Sprintf("%08x", sum))
}

// checkSum reads the whole file and compares it with its checksum. A file without one,
// which another program has written, passes.
func (c *container) checkSum(size int64) error {
	want, found := c.meta[checksumKey]
	if !found {
		return nil
	}
	header := make([]byte, c.data)
	if _, err := c.r.ReadAt(header, 0); err != nil && err != io.EOF {
		return fmt.Errorf("%s: header: %w", c.name, err)
	}
	at, ok := checksumPlace(header, want)
	if !ok || len(want) != len(noChecksum) {
		return fmt.Errorf("%s: metadata: %s is %.20q, want one of eight digits; %s", c.name, checksumKey, want, damaged)
	}
	copy(header[at:], noChecksum)
	sum := crc32.Checksum(header, castagnoli)
	buf := make([]byte, codecBytes)
	for at := c.data; at < size; {
		n, err := c.r.ReadAt(buf[:min(size-at, int64(len(buf)))], at)
		if n == 0 {
			return fmt.Errorf("%s: byte %d: %w", c.name, at, err)
		}
		sum, at = crc32.Update(sum, castagnoli, buf[:n]), at+int64(n)
	}
	if got := fmt.Sprintf("%08x", sum); got != want {
		return fmt.Errorf("%s: checksum %s, but what the file holds has %s; %s", c.name, want, got, damaged)
	}
	return nil
}

// needSum refuses a checkpoint without a checksum.
func (c *container) needSum() error {
	if _, found := c.meta[checksumKey]; !found {
		return fmt.Errorf("%s: has no checksum, without which damage does not show: an earlier ialgn wrote it; resume "+
			"with that one, or train anew", c.name)
	}
	return nil
}
