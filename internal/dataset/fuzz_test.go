package dataset

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"io"
	"runtime"
	"strings"
	"testing"

	"ialgn/internal/config"
)

// decoded returns a file's content after decompression, or nil if it cannot be decompressed.
func decoded(data []byte) []byte {
	if !bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		return data
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	all, err := io.ReadAll(z)
	if err != nil {
		return nil
	}
	return all
}

// bounded runs fn and fails the test if fn allocates much more memory than the input's size. The allowed additional
// memory is enough for buffers, the gzip reader and the largest record of a format.
func bounded(t *testing.T, input int, fn func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fn()
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > uint64(8<<20+400*input) {
		t.Fatalf("allocated %d bytes for an input of %d bytes", n, input)
	}
}

// FuzzIDX reads a set in MNIST's format. Its training part is the input of the fuzz test. Accepted records must be
// exactly the bytes of the input.
func FuzzIDX(f *testing.F) {
	tiny := tinyMNIST()
	images, labels := tiny["train-images-idx3-ubyte"], tiny["train-labels-idx1-ubyte"]
	f.Add(images, labels)
	f.Add(gzipped(images), labels)
	f.Add(images, gzipped(labels))
	f.Add(images[:len(images)-1], labels)
	f.Add(append(bytes.Clone(images), 0), labels)
	f.Add(idxBytes(nil, 1<<32-1, 256, 256), idxBytes(nil, 1<<32-1))
	f.Add(idxBytes(nil, 1, 1<<16, 1<<16), idxBytes([]byte{10}, 1))
	f.Add(idxBytes([]byte{1, 2}, 2), idxBytes([]byte{1, 2}, 2))
	f.Add(gzipped(images)[:20], gzipped(labels)[:20])
	k, _ := findKind("mnist")
	f.Fuzz(func(t *testing.T, images, labels []byte) {
		im, lb := decoded(images), decoded(labels)
		bounded(t, len(im)+len(lb)+len(images)+len(labels), func() {
			s, err := openMNIST(k, []file{
				inMemory("i", images), inMemory("l", labels), inMemory("i", images),
				inMemory("l", labels),
			})
			if err != nil {
				return
			}
			n := 0
			err = s.Read(context.Background(), Train, func(values []uint16, label int) error {
				checkIDXRecord(t, im, lb, n, values, label)
				n++
				return nil
			})
			if err == nil && (len(im) != 4+4*int(im[3])+n*s.Features || len(lb) != 8+n || s.TrainSamples != n) {
				t.Errorf("accepted %d records of %d features from %d and %d bytes", n, s.Features, len(im), len(lb))
			}
		})
	})
}

// checkIDXRecord compares record n with its bytes in the file. A file with a wrong gzip checksum has no decoded form.
// Its records are read before the error occurs.
func checkIDXRecord(t *testing.T, images, labels []byte, n int, values []uint16, label int) {
	if label < 0 || label > 9 {
		t.Fatalf("label %d accepted", label)
	}
	if images == nil || labels == nil {
		return
	}
	if int(labels[8+n]) != label || uint32(n) >= binary.BigEndian.Uint32(images[4:]) {
		t.Fatalf("record %d has label %d", n, label)
	}
	at := 4 + 4*int(images[3]) + n*len(values)
	for i, v := range values {
		if uint16(images[at+i]) != v {
			t.Fatalf("pixel %d of record %d is %d, the file has %d", i, n, v, images[at+i])
		}
	}
}

// FuzzCSV opens a CSV set whose only file is the fuzz input. The file is split in two parts, and both are read.
// FuzzCSV also reads the file as samples for prediction. Accepted sets must be consistent.
func FuzzCSV(f *testing.F) {
	for _, seed := range []string{
		"-1,2.5,10\n1,-2.5,2\n0,0,2\n0,1,10\n",
		"a,b c,class\n1,2,x\n3,4,x\n5,6,y\n7,8,y\n",
		"\ufeff\"a\",\"class\"\r\n\"1\",\"red soil\"\r\n2,blue\r\n3,blue\r\n4,\"red soil\"\r\n",
		"1,x\n1,\"open\n", "1,NaN\nNaN,2\n", "1e308,1\n-1e308,2\n1,1\n1,2\n", "1,1\n1,1.0\n", "", "\n\n,\n",
		"a,2,class\n1,2,x\n",
		strings.Repeat("1,", 1000) + "a\n", "5e-324,x\n0,x\n5e-324,y\n0,y\n",
	} {
		f.Add([]byte(seed), "", uint8(4))
		f.Add(gzipped([]byte(seed)), "class", uint8(16))
	}
	f.Fuzz(func(t *testing.T, data []byte, label string, bits uint8) {
		plain := decoded(data)
		bounded(t, len(plain)+len(data), func() { fuzzCSV(t, data, label, int(bits%18)) })
	})
}

func fuzzCSV(t *testing.T, data []byte, label string, bitsIn int) {
	in := inMemory("in.csv", data)
	cfg := config.Data{Set: "csv", Train: "in.csv", Label: label, TestShare: 0.5}
	s, err := openCSVFiles(context.Background(), cfg, form{bitsIn: bitsIn}, found{files: []file{in}})
	if err != nil {
		return
	}
	if len(s.Classes) < 2 || len(s.Classes) > MaxClasses || s.Features < 1 || s.Max != 1<<bitsIn-1 ||
		s.FeatureNames != nil && len(s.FeatureNames) != s.Features || len(s.Quantiser.Scale) != s.Features {
		t.Fatalf("accepted an inconsistent set: %+v", s)
	}
	seen := make([]bool, len(s.Classes))
	announced := [2]int{s.TrainSamples, s.TestSamples}
	for _, part := range []Part{Train, Test} {
		all, err := collect(s, part)
		if err != nil {
			t.Fatalf("the set was opened, but reading the %s part failed: %v", part, err)
		}
		if len(all) != announced[part] {
			t.Fatalf("%d samples in the %s part, %d announced", len(all), part, announced[part])
		}
		for _, r := range all {
			seen[r.Label] = seen[r.Label] || part == Train
			for f, v := range r.Values {
				if uint32(v) > s.Max || s.Quantiser.Scale[f] == 0 && v != 0 {
					t.Fatalf("feature %d is %d of at most %d, scale %g", f, v, s.Max, s.Quantiser.Scale[f])
				}
			}
		}
	}
	for c, ok := range seen {
		if !ok {
			t.Fatalf("class %q has no training sample", s.Classes[c])
		}
	}
	if _, err := readSamples(data, s.Features, s.FeatureNames, label, s.Quantiser, s.Max); err != nil {
		t.Fatalf("accepted for training, but refused for prediction: %v", err)
	}
}
