package model

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"ialgn/internal/filekind"
	"ialgn/internal/message"
)

// A safetensors file has three parts. The first is the length of the header in 8 bytes, little-endian. The second is
// the header, a JSON object. The third is the elements of the tensors, little-endian, one tensor after the other
// without gaps. The header maps the name of each tensor to its type, shape and place. It maps the name __metadata__
// to an object of strings.

// maxHeader limits the memory that a header can take before it is checked.
const maxHeader = 16 << 20

// damaged is the advice for a file that no version of this program writes.
const damaged = "the file is damaged or was changed; take a fresh copy of it or train again"

// entry describes a tensor in the header. Offsets count from the end of the header.
type entry struct {
	DType   string   `json:"dtype"`
	Shape   []int64  `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
}

// container is an open safetensors file whose header was read and checked. The tensors are within the file and do not
// overlap.
type container struct {
	name    string // name of the file in messages
	r       io.ReaderAt
	data    int64 // offset at which the tensors begin
	meta    map[string]string
	tensors map[string]entry
}

// openContainer reads and checks the header of a file. The parameter size is the file's size in bytes.
func openContainer(name string, r io.ReaderAt, size int64) (*container, error) {
	c := &container{name: name, r: r, tensors: map[string]entry{}}
	header, err := readHeader(r, size)
	if err == nil {
		c.data = 8 + int64(len(header))
		err = c.parse(header)
	}
	if err == nil {
		err = c.checkLayout(size - c.data)
	}
	if err == nil {
		return c, nil
	}
	if other := filekind.Explain(name, filekind.Head(r), "a model file", filekind.Safetensors); other != nil {
		return nil, other
	}
	return nil, fmt.Errorf("%s: %w; %s", name, err, damaged)
}

func readHeader(r io.ReaderAt, size int64) ([]byte, error) {
	var length [8]byte
	if size < int64(len(length)) {
		return nil, fmt.Errorf("%d bytes are too few for a model file", size)
	}
	if _, err := r.ReadAt(length[:], 0); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	n := binary.LittleEndian.Uint64(length[:])
	if n > uint64(size)-8 {
		return nil, fmt.Errorf("header: length %d, but the file has %d bytes", n, size)
	}
	if n > maxHeader {
		return nil, fmt.Errorf("header: length %d, want at most %d", n, maxHeader)
	}
	header := make([]byte, n)
	if _, err := r.ReadAt(header, 8); err != nil && err != io.EOF {
		return nil, fmt.Errorf("header: %w", err)
	}
	return header, nil
}

// parse reads the header's JSON. It returns an error for duplicate names, which decoding into a map would not detect.
func (c *container) parse(header []byte) error {
	d := json.NewDecoder(bytes.NewReader(header))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return fmt.Errorf("header: not a JSON object")
	}
	for d.More() {
		if err := c.parseEntry(d); err != nil {
			return fmt.Errorf("header: %w", err)
		}
	}
	if _, err := d.Token(); err != nil {
		return fmt.Errorf("header: %w", err)
	}
	if rest := strings.Trim(string(header[d.InputOffset():]), " "); rest != "" {
		return fmt.Errorf("header: %d bytes after the JSON object", len(rest))
	}
	return nil
}

func (c *container) parseEntry(d *json.Decoder) error {
	t, err := d.Token()
	if err != nil {
		return err
	}
	name, _ := t.(string)
	if name == "__metadata__" {
		if c.meta != nil {
			return fmt.Errorf("%s occurs twice", name)
		}
		return d.Decode(&c.meta)
	}
	if _, found := c.tensors[name]; found {
		return fmt.Errorf("%s occurs twice", name)
	}
	var e entry
	if err := d.Decode(&e); err != nil {
		return fmt.Errorf("%.60s: %w", name, message.ExplainJSON(err))
	}
	c.tensors[name] = e
	return nil
}

// checkLayout checks that the tensors, in the order of their offsets, exactly fill the n bytes after the header.
func (c *container) checkLayout(n int64) error {
	at := int64(0)
	for _, name := range c.names() {
		e := c.tensors[name]
		size, err := e.bytes(n)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if e.Offsets[0] != at {
			return fmt.Errorf("%s: begins at byte %d of the data, want %d, the end of the tensor before",
				name, e.Offsets[0], at)
		}
		at += size
		if e.Offsets[1] != at {
			return fmt.Errorf("%s: ends at byte %d of the data, want %d, as its shape says", name, e.Offsets[1], at)
		}
		if at > n {
			return fmt.Errorf("%s: ends at byte %d of the data, but the file has only %d", name, at, n)
		}
	}
	if at != n {
		return fmt.Errorf("the tensors end at byte %d of the data, which has %d", at, n)
	}
	return nil
}

// names returns the tensors' names in the order of their offsets.
func (c *container) names() []string {
	names := make([]string, 0, len(c.tensors))
	for name := range c.tensors {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		x, y := c.tensors[a].Offsets, c.tensors[b].Offsets
		if d := slices.Compare(x[:], y[:]); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return names
}

// bytes returns the number of bytes that follows from type and shape, or an error if this number is above the given
// limit.
func (e *entry) bytes(limit int64) (int64, error) {
	size, known := elementSizes[e.DType]
	if !known {
		return 0, fmt.Errorf("type %.20q, want U16, U32, I64, F32 or F64", e.DType)
	}
	for _, n := range e.Shape {
		if n < 1 || size > limit/n {
			return 0, fmt.Errorf("shape %v does not fit the file", e.Shape[:min(len(e.Shape), 8)])
		}
		size *= n
	}
	return size, nil
}
