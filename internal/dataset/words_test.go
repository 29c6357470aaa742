package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/config"
	"ialgn/internal/encoding"
)

// readers lists the ways in which the bytes of a file can arrive.
var readers = map[string]func(io.Reader) io.Reader{
	"at once":     func(r io.Reader) io.Reader { return r },
	"one by one":  iotest.OneByteReader,
	"by halves":   iotest.HalfReader,
	"end at once": iotest.DataErrReader,
}

// readBlocks reads all samples from a reader with [ReadWords]. The parameter room is the largest number of samples
// that one call reads.
func readBlocks[T uint8 | uint16](r io.Reader, enc *encoding.Encoder, label string, room int) (all [][]uint16, err error) {
	f := file{"in", func() (io.ReadCloser, error) { return io.NopCloser(r), nil }}
	s, err := openSamples(f, enc, config.Data{Label: label})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	block := make([]T, room*enc.Features())
	for {
		n, err := ReadWords(s, block)
		for sample := range slices.Chunk(block[:n*enc.Features()], enc.Features()) {
			values := make([]uint16, len(sample))
			for f, v := range sample {
				values[f] = uint16(v)
			}
			all = append(all, values)
		}
		if errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return all, err
		}
		if n < 1 {
			return all, errors.New("neither a sample nor an error")
		}
	}
}

// checkBlocks checks that [ReadWords] and [Samples.Next] read the same samples and return the same error.
func checkBlocks(t *testing.T, what string, r io.Reader, data []byte, enc *encoding.Encoder, label string, room int) {
	t.Helper()
	want, wantErr := readSamples(data, enc.Features(), enc.Names, label, enc.Quantiser, enc.Max)
	read := readBlocks[uint16]
	if enc.Max < 256 {
		read = readBlocks[uint8]
	}
	got, err := read(r, enc, label, room)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: samples (-want +got):\n%s", what, diff)
	}
	if fmt.Sprint(err) != fmt.Sprint(wantErr) {
		t.Errorf("%s: error %v, want %v", what, err, wantErr)
	}
}

// TestReadWords reads valid and damaged files in blocks. It compares the samples with the same samples, read one by
// one.
func TestReadWords(t *testing.T) {
	q := &encoding.Quantiser{Offset: []float64{-1, 0, 2}, Scale: []float64{10, 2, 1}}
	r := rand.New(rand.NewPCG(3, 4))
	pixels := make([]byte, 3*200)
	for i := range pixels {
		pixels[i] = byte(r.IntN(16))
	}
	large := bytes.Clone(pixels)
	large[3*77+1] = 16
	images := idxBytes(pixels, 200, 3)
	for name, c := range map[string]struct {
		data []byte
		q    *encoding.Quantiser
		max  uint32
	}{
		"images":                    {images, nil, 255},
		"images of few bits":        {images, nil, 15},
		"images, gzip":              {gzipped(images), nil, 15},
		"images, quantised":         {images, q, 15},
		"images for wide words":     {images, nil, 1000},
		"bytes":                     {npyBytes("|u1", "200, 3", pixels), nil, 15},
		"another order":             {npyBytes("|u1", "50, 2, 2, 3", pixels), nil, 15},
		"truth":                     {npyBytes("|b1", "200, 3", pixels), nil, 15},
		"words":                     {npyBytes("<u2", "2, 3", []uint16{1, 2, 300, 4, 5, 6}), nil, 511},
		"CSV":                       {[]byte("1,2,3\n4,5,6\n7,8,9\n"), nil, 15},
		"none":                      {idxBytes(nil, 0, 3), nil, 15},
		"cut":                       {images[:len(images)-4], nil, 15},
		"cut at a record":           {images[:len(images)-3], nil, 15},
		"cut before the first one":  {idxBytes(nil, 200, 3), nil, 15},
		"cut, gzip":                 {gzipped(images)[:100], nil, 15},
		"wrong checksum":            {flipped(gzipped(images), -8), nil, 15},
		"too long":                  {append(bytes.Clone(images), 1), nil, 15},
		"too large":                 {idxBytes(large, 200, 3), nil, 15},
		"too large, cut after that": {idxBytes(large, 201, 3), nil, 15},
		"cut before the large one":  {idxBytes(large[:77*3], 200, 3), nil, 15},
		"CSV, too large":            {[]byte("1,2,3\n4,5,16\n"), nil, 15},
	} {
		features := 3
		if name == "another order" {
			features = 12
		}
		enc := encoderOf(features, nil, c.q, c.max)
		for way, reader := range readers {
			for _, room := range []int{1, 7, 500} {
				what := fmt.Sprintf("%s, %s, %d at a time", name, way, room)
				checkBlocks(t, what, reader(bytes.NewReader(c.data)), c.data, enc, "", room)
			}
		}
	}
}

// BenchmarkReadWords reads 10,000 images of MNIST's size in blocks, from the page cache.
func BenchmarkReadWords(b *testing.B) {
	const images, features = 10_000, 28 * 28
	path := filepath.Join(b.TempDir(), "images.idx")
	if err := os.WriteFile(path, idxBytes(make([]byte, images*features), images, 28, 28), 0o666); err != nil {
		b.Fatal(err)
	}
	enc := encoderOf(features, nil, nil, 255)
	for _, room := range []int{1, 1024, 4096} {
		b.Run(fmt.Sprintf("room=%d", room), func(b *testing.B) {
			block := make([]uint8, room*features)
			for b.Loop() {
				s, err := OpenSamples(b.Context(), path, enc, config.Data{})
				for err == nil {
					_, err = ReadWords(s, block)
				}
				if !errors.Is(err, io.EOF) {
					b.Fatal(err)
				}
				s.Close()
			}
			b.ReportMetric(images*float64(b.N)/b.Elapsed().Seconds(), "images/s")
		})
	}
}

// TestReadWordsThenNext alternates between blocks and single samples. One read of the file must end in the middle of
// a sample.
func TestReadWordsThenNext(t *testing.T) {
	data := idxBytes([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, 4, 3)
	r := io.MultiReader(bytes.NewReader(data[:len(data)-8]), bytes.NewReader(data[len(data)-8:]))
	f := file{"in", func() (io.ReadCloser, error) { return io.NopCloser(r), nil }}
	s, err := openSamples(f, encoderOf(3, nil, nil, 255), config.Data{})
	if err != nil {
		t.Fatal(err)
	}
	block, next := make([]uint8, 6), make([]uint16, 3)
	if n, err := ReadWords(s, block); n != 1 || err != nil || !slices.Equal(block[:3], []uint8{1, 2, 3}) {
		t.Fatalf("%d samples %d, error %v, want one", n, block, err)
	}
	if err := s.Next(next); err != nil || !slices.Equal(next, []uint16{4, 5, 6}) {
		t.Fatalf("sample %d, error %v", next, err)
	}
	if n, err := ReadWords(s, block); n != 2 || err != nil || !slices.Equal(block, []uint8{7, 8, 9, 10, 11, 12}) {
		t.Fatalf("%d samples %d, error %v, want two", n, block, err)
	}
}

// TestReadWordsPanics calls ReadWords with too little room for one sample, and with elements that are too small for
// its words.
func TestReadWordsPanics(t *testing.T) {
	for name, read := range map[string]func(*Samples){
		"room":  func(s *Samples) { _, _ = ReadWords(s, make([]uint16, 1)) },
		"words": func(s *Samples) { _, _ = ReadWords(s, make([]uint8, 2)) },
	} {
		s, err := openSamples(inMemory("in", []byte("1,2\n")), encoderOf(2, nil, nil, 256), config.Data{})
		if err != nil {
			t.Fatal(err)
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			read(s)
		}()
	}
}

// TestWaitsExceptForFiles distinguishes regular files from inputs that another process may still be writing.
func TestWaitsExceptForFiles(t *testing.T) {
	data := idxBytes([]byte{1, 2}, 1, 2)
	dir := writeFiles(t, map[string][]byte{
		"in.idx": data, "in.gz": gzipped(data), "in.csv": []byte("1,2\n"),
	})
	for _, name := range []string{"in.idx", "in.gz", "in.csv"} {
		s, err := OpenSamples(t.Context(), dir+"/"+name, encoderOf(2, nil, nil, 255), config.Data{})
		if err != nil {
			t.Fatal(err)
		}
		if s.Waits() {
			t.Errorf("Waits is true for %s, a regular file", name)
		}
		s.Close()
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	w.Close()
	for name, in := range map[string]io.ReadCloser{"pipe": r, "reader": io.NopCloser(bytes.NewReader(data))} {
		f := file{name, func() (io.ReadCloser, error) { return in, nil }}
		s, err := openSamples(f, encoderOf(2, nil, nil, 255), config.Data{})
		if err != nil {
			t.Fatal(err)
		}
		if !s.Waits() {
			t.Errorf("Waits is false for a %s", name)
		}
	}
}
