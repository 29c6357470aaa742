package dataset

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"ialgn/internal/interrupt"
	"ialgn/internal/message"
)

// file is a source of bytes that can be read from its beginning any number of times.
type file struct {
	name string // name of the file in errors
	open func() (io.ReadCloser, error)
}

func onDisk(path string) file {
	return file{path, func() (io.ReadCloser, error) {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		return interrupt.New(f, true), nil
	}}
}

// standardInput returns the standard input. Closing it has no effect.
func standardInput() file {
	return file{"standard input", func() (io.ReadCloser, error) { return interrupt.New(os.Stdin, false), nil }}
}

// during returns a file whose reads can be interrupted. If a read waits for a writer (on a pipe or terminal), it ends
// with an error when ctx ends. Reads can no longer be interrupted after stop is called.
func (f file) during(ctx context.Context) (interruptible file, stop func()) {
	stopped := func() bool { return true }
	return file{f.name, func() (io.ReadCloser, error) {
		raw, err := f.open()
		if r, ok := raw.(interrupter); ok && err == nil {
			stopped = context.AfterFunc(ctx, r.Interrupt)
		}
		return raw, err
	}}, func() { stopped() }
}

// interrupter is a file whose reads can be interrupted.
type interrupter interface{ Interrupt() }

func inMemory(name string, data []byte) file {
	return file{name, func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }}
}

// stream is the decoded content of a file.
type stream struct {
	*bufio.Reader
	name string
	raw  io.Closer
}

// stream opens the file. It decompresses gzip and bzip2, which it recognises by the file's first bytes.
func (f file) stream() (*stream, error) {
	raw, err := f.open()
	if err != nil {
		if at := new(fs.PathError); errors.As(err, &at) {
			return nil, fmt.Errorf("%s: %w; name a readable file", f.name, at.Err)
		}
		return nil, fmt.Errorf("%s: %w", f.name, err)
	}
	r := bufio.NewReaderSize(raw, 1<<16)
	if magic, _ := r.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(r)
		if err != nil {
			raw.Close()
			return nil, fmt.Errorf("%s: %w", f.name, damaged(err))
		}
		r = bufio.NewReaderSize(z, 1<<16)
	}
	if magic, _ := r.Peek(10); len(magic) == 10 && bytes.HasPrefix(magic, []byte("BZh")) && string(magic[4:]) == "1AY&SY" {
		r = bufio.NewReaderSize(bzip2.NewReader(r), 1<<16)
	}
	for _, p := range packed {
		if magic, _ := r.Peek(len(p.magic)); string(magic) == p.magic {
			raw.Close()
			return nil, message.WithHint(fmt.Errorf("%s: compressed with %s, want plain text, gzip or bzip2", f.name, p.by),
				"unpack it: %s", p.remedy)
		}
	}
	return &stream{r, f.name, raw}, nil
}

// packed lists the compressions that cannot be read.
var packed = []struct{ magic, by, remedy string }{
	{"\xfd7zXZ\x00", "xz", "xz -dk FILE"},
	{"\x28\xb5\x2f\xfd", "zstd", "zstd -dk FILE"},
	{"\x04\x22\x4d\x18", "lz4", "lz4 -dk FILE"},
	{"7z\xbc\xaf\x27\x1c", "7-Zip", "7z x FILE"},
	{"Rar!\x1a\x07", "RAR", "unrar x FILE"},
	{"\x1f\x9d", "compress", "gzip -dk FILE"},
}

func (s *stream) Close() error { return s.raw.Close() }

// interrupt ends reads that wait for a writer, if the file supports this.
func (s *stream) interrupt() {
	if r, ok := s.raw.(interrupter); ok {
		r.Interrupt()
	}
}

// waits reports whether a read may have to wait for a writer. This is the case if the stream is not a regular file.
func (s *stream) waits() bool {
	f, ok := s.raw.(interface{ Stat() (fs.FileInfo, error) })
	if !ok {
		return true
	}
	info, err := f.Stat()
	return err != nil || !info.Mode().IsRegular()
}

// end returns an error if bytes follow the last record, or if the gzip checksum is wrong.
func (s *stream) end(records int) error {
	switch _, err := s.ReadByte(); {
	case err == nil:
		return fmt.Errorf(
			"%s: extra bytes after the last of %d records: the file is damaged or of another kind; download it again",
			s.name, records)
	case !errors.Is(err, io.EOF):
		return fmt.Errorf("%s: after record %d: %w", s.name, records, damaged(err))
	}
	return nil
}

// fault returns an error about the record with the given number, counted from 1.
func (s *stream) fault(record int, format string, args ...any) error {
	return fmt.Errorf("%s: record %d: %w", s.name, record, fmt.Errorf(format, args...))
}

// damaged rewords errors about decompression and unexpected ends of file for users.
func damaged(err error) error {
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the file is cut short; download it again")
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader), errors.As(err, new(bzip2.StructuralError)):
		return fmt.Errorf("the file is damaged (%w); download it again", err)
	case errors.Is(err, syscall.EISDIR):
		return errors.New("a folder; name a file in it")
	}
	return err
}
