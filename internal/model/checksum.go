package model

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
)

// The metadata entry crc32c is the CRC-32C of the whole file, written as eight hexadecimal digits. For the
// computation, these digits are zeros. The checksum detects every burst of changes of up to 32 bits. A SHA-256 would
// take eleven times as long to compute.

const (
	checksumKey = "crc32c"
	noChecksum  = "00000000"
)

// checksumPlace returns the offset of the checksum's digits in a header. The boolean result is false unless the entry
// occurs exactly once, in the form that [Model.Write] writes. No other string of the header can look like the entry,
// because the quotes in such a string would be escaped.
func checksumPlace(header []byte, digits string) (int, bool) {
	text := fmt.Appendf(nil, "%q:%q", checksumKey, digits)
	at := bytes.Index(header, text)
	return at + len(text) - 1 - len(noChecksum), at >= 0 && bytes.Count(header, text) == 1
}

// sign computes the checksum of the header and the tensors, and writes it into the header. The header includes the 8
// bytes of its length.
func sign(header []byte, tensors []Tensor, buf []byte) error {
	sum := crc32.New(castagnoli)
	if err := writeAll(sum, header, tensors, buf); err != nil {
		return err
	}
	putChecksum(header, sum.Sum32())
	return nil
}

// putChecksum replaces the zeros in a header with the checksum.
func putChecksum(header []byte, sum uint32) {
	at, ok := checksumPlace(header, noChecksum)
	if !ok {
		panic("model: header without a place for its checksum")
	}
	copy(header[at:], fmt.Sprintf("%08x", sum))
}

// checkSum reads the whole file and compares it with its checksum. A file without a checksum is accepted. Such files
// come from other programs.
func (c *container) checkSum(size int64) error {
	sum, err := c.pieceSum(size, 0, 1)
	if err != nil {
		return err
	}
	return c.compareSum(sum, size)
}

// pieceSum reads one of the pieces into which the file is divided, counted from 0. It returns the piece's
// contribution to the checksum (see [finish]), or 0 if the file has no checksum. The header is part of piece 0.
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

// headers returns two copies of the bytes before the tensors. The first copy is unchanged, and the second has zeros
// in place of the checksum.
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

// compareRemainder compares the checksum in the header with the file. The first argument is the CRC remainder of the
// whole unchanged file, including the checksum.
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

// bound returns the offset at which piece i begins when n bytes are divided into pieces.
func bound(n int64, i, pieces int) int64 {
	return n/int64(pieces)*int64(i) + min(int64(i), n%int64(pieces))
}

// compareSum compares the checksum with the XOR of all pieces' contributions.
func (c *container) compareSum(sum uint32, size int64) error {
	want, found := c.meta[checksumKey]
	if got := fmt.Sprintf("%08x", finish(sum, size)); found && got != want {
		return fmt.Errorf("%s: checksum %s, but the content has %s; %s", c.name, want, got, damaged)
	}
	return nil
}

// needSum returns an error for a checkpoint without a checksum.
func (c *container) needSum() error {
	if _, found := c.meta[checksumKey]; !found {
		return fmt.Errorf("%s: has no checksum, without which damage does not show: an earlier ialgn wrote it; resume "+
			"with that one, or train anew", c.name)
	}
	return nil
}
