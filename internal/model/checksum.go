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
	sum, err := c.pieceSum(size, 0, 1)
	if err != nil {
		return err
	}
	return c.compareSum(sum, size)
}

// pieceSum reads one of so many pieces of a file of that size, and returns what it contributes to the checksum (see
// [finish]): 0 if the file has none. The header belongs to piece 0.
func (c *container) pieceSum(size int64, piece, pieces int) (uint32, error) {
	if _, found := c.meta[checksumKey]; !found {
		return 0, nil
	}
	_, header, err := c.headers()
	if err != nil {
		return 0, err
	}
	sum := uint32(0)
	if piece == 0 {
		sum = remainder(0, header)
	}
	at, end := c.data+bound(size-c.data, piece, pieces), c.data+bound(size-c.data, piece+1, pieces)
	buf := make([]byte, codecBytes)
	for at < end {
		n, err := c.r.ReadAt(buf[:min(end-at, int64(len(buf)))], at)
		if n == 0 {
			return 0, fmt.Errorf("%s: byte %d: %w", c.name, at, err)
		}
		sum, at = remainder(sum, buf[:n]), at+int64(n)
	}
	return contribution(sum, size-end), nil
}

// headers returns the bytes before the tensors, and the same with zeros in the place of the checksum.
func (c *container) headers() (header, unsigned []byte, err error) {
	header = make([]byte, c.data)
	if _, err := c.r.ReadAt(header, 0); err != nil && err != io.EOF {
		return nil, nil, fmt.Errorf("%s: header: %w", c.name, err)
	}
	sum := c.meta[checksumKey]
	place, ok := checksumPlace(header, sum)
	if !ok || len(sum) != len(noChecksum) {
		return nil, nil, fmt.Errorf("%s: metadata: %s is %.20q, want eight digits; %s", c.name, checksumKey, sum,
			damaged)
	}
	unsigned = bytes.Clone(header)
	copy(unsigned[place:], noChecksum)
	return header, unsigned, nil
}

// compareRemainder compares the checksum with the remainder of the whole file as it is.
func (c *container) compareRemainder(of uint32, size int64) error {
	if _, found := c.meta[checksumKey]; !found {
		return nil
	}
	header, unsigned, err := c.headers()
	if err != nil {
		return err
	}
	return c.compareSum(of^contribution(remainder(0, header)^remainder(0, unsigned), size-c.data), size)
}

// bound returns where piece i of so many of n bytes begins.
func bound(n int64, i, pieces int) int64 {
	return n/int64(pieces)*int64(i) + min(int64(i), n%int64(pieces))
}

// compareSum compares the checksum with the sum of what all pieces contribute to it.
func (c *container) compareSum(sum uint32, size int64) error {
	want, found := c.meta[checksumKey]
	if got := fmt.Sprintf("%08x", finish(sum, size)); found && got != want {
		return fmt.Errorf("%s: checksum %s, but the content has %s; %s", c.name, want, got, damaged)
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
