package model

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"ialgn/internal/outfile"
)

// Extra is the data that a checkpoint adds to a model. The names begin with [ExtraTensors] and [ExtraMetadata].
type Extra struct {
	Metadata map[string]string
	Tensors  []Tensor
}

// Save writes the model to a file and returns the file's SHA-256 in hexadecimal. It first writes a file with a
// temporary name and then renames the file. The same model gives the same bytes.
func (m *Model) Save(path string) (string, error) {
	sum := sha256.New()
	err := outfile.Write(path, func(w io.Writer) error {
		return m.Write(io.MultiWriter(w, sum), Extra{})
	})
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// Write writes the model file to w. It reads the tensors directly from their slices, once for the checksum and once
// for w, and makes no second copy. Tensors with larger elements come first, so that each tensor begins at a multiple
// of its element size. Write returns an error if the model is not valid. It panics if the model is a part of a
// network, because all ranks write such a file together (see [Model.Stage]).
func (m *Model) Write(w io.Writer, extra Extra) error {
	if m.Part != nil && m.Part.Own() != m.Part.PerClass {
		panic("model: Write of a part of a network")
	}
	header, tensors, err := m.layout(extra)
	if err != nil {
		return err
	}
	buf := make([]byte, codecBytes)
	if err := sign(header, tensors, buf); err != nil {
		return err
	}
	return writeAll(w, header, tensors, buf)
}

// layout checks the model and extra. It returns the header of the file and the tensors in the order of the file. The
// header includes its length, and has zeros in place of the checksum.
func (m *Model) layout(extra Extra) (header []byte, tensors []Tensor, err error) {
	if err := m.Validate(); err != nil {
		return nil, nil, err
	}
	meta, err := m.metadata()
	if err != nil {
		return nil, nil, err
	}
	if err := extra.addTo(meta); err != nil {
		return nil, nil, err
	}
	tensors = append(m.tensors(), extra.Tensors...)
	slices.SortStableFunc(tensors, func(a, b Tensor) int {
		return int(elementSizes[dtype(b.Data)] - elementSizes[dtype(a.Data)])
	})
	header, err = encodeHeader(meta, tensors)
	return header, tensors, err
}

// writeAll writes a file through buf. The file consists of the header, including its length, and the tensors.
func writeAll(w io.Writer, header []byte, tensors []Tensor, buf []byte) error {
	if _, err := w.Write(header); err != nil {
		return err
	}
	for _, t := range tensors {
		if err := writeElements(w, t.Data, buf); err != nil {
			return err
		}
	}
	return nil
}

// addTo checks the names and lengths of the data that a checkpoint adds. It adds the metadata to the map meta.
func (x *Extra) addTo(meta map[string]string) error {
	for key, value := range x.Metadata {
		if !strings.HasPrefix(key, ExtraMetadata) {
			return fmt.Errorf("extra metadata %q, want a name that begins with %q", key, ExtraMetadata)
		}
		meta[key] = value
	}
	names := map[string]bool{}
	for _, t := range x.Tensors {
		if !strings.HasPrefix(t.Name, ExtraTensors) || names[t.Name] {
			return fmt.Errorf("extra tensor %q, want names that begin with %q and differ", t.Name, ExtraTensors)
		}
		if err := t.checkLength(); err != nil {
			return fmt.Errorf("extra tensor %w", err)
		}
		names[t.Name] = true
	}
	return nil
}

// encodeHeader returns the length and the header. The header is padded with spaces to a multiple of 8 bytes, and has
// zeros in place of the checksum.
func encodeHeader(meta map[string]string, tensors []Tensor) ([]byte, error) {
	meta[checksumKey] = noChecksum
	b := bytes.NewBuffer(make([]byte, 8, 1<<10))
	text, err := json.Marshal(meta) // encoding/json sorts the keys
	if err != nil {
		return nil, fmt.Errorf("metadata: %w", err)
	}
	fmt.Fprintf(b, `{"__metadata__":%s`, text)
	describe(b, tensors)
	b.WriteByte('}')
	for b.Len()%8 != 0 {
		b.WriteByte(' ')
	}
	n := b.Len() - 8
	if n > maxHeader {
		return nil, fmt.Errorf("metadata of %d bytes, want at most %d; shorten the feature names", n, maxHeader)
	}
	binary.LittleEndian.PutUint64(b.Bytes(), uint64(n))
	return b.Bytes(), nil
}

// describe writes the entries of the tensors in a header, in the order of the file. It returns the total number of
// bytes of the tensors.
func describe(w io.Writer, tensors []Tensor) (size int64) {
	for i := range tensors {
		t := &tensors[i]
		end := size + t.bytes()
		shape := strings.Join(strings.Fields(fmt.Sprint(t.Shape)), ",")
		fmt.Fprintf(w, `,%q:{"dtype":%q,"shape":%s,"data_offsets":[%d,%d]}`, t.Name, dtype(t.Data), shape, size, end)
		size = end
	}
	return size
}
