package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
)

// digest hashes decoded samples (see [Set.Digest]).
type digest struct {
	h   hash.Hash
	buf []byte
}

func newDigest(features, classes int) *digest {
	d := &digest{h: sha256.New(), buf: make([]byte, 0, 2*features+8)}
	d.buf = binary.LittleEndian.AppendUint32(d.buf, uint32(features))
	d.buf = binary.LittleEndian.AppendUint32(d.buf, uint32(classes))
	d.h.Write(d.buf)
	return d
}

func (d *digest) add(values []uint16, label int) {
	d.buf = d.buf[:0]
	for _, v := range values {
		d.buf = binary.LittleEndian.AppendUint16(d.buf, v)
	}
	d.buf = binary.LittleEndian.AppendUint16(d.buf, uint16(label))
	d.h.Write(d.buf)
}

func (d *digest) sum() string { return hex.EncodeToString(d.h.Sum(nil)) }
