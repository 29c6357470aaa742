package dataset

import (
	"bytes"
	"context"
	"math"
	"testing"

	"ialgn/internal/encoding"
)

// FuzzCIFAR reads the input as one part of CIFAR-10 or CIFAR-100. Accepted records must be exactly the bytes of the
// input.
func FuzzCIFAR(f *testing.F) {
	one := cifarRecord(3, 9)
	f.Add(one, false)
	f.Add(append(bytes.Clone(one), one...), false)
	f.Add(one[:len(one)-1], false)
	f.Add(append(bytes.Clone(one), 1), false)
	f.Add(cifarRecord(3, 10), false)
	f.Add(cifarRecord(1, 19, 99), true)
	f.Add(cifarRecord(1, 20, 99), true)
	f.Add(gzipped(one), false)
	f.Add(gzipped(one)[:20], false)
	f.Fuzz(func(t *testing.T, data []byte, fine bool) {
		labels := []int{10}
		if fine {
			labels = []int{20, 100}
		}
		plain := decoded(data)
		bounded(t, len(plain)+len(data), func() { fuzzCIFAR(t, data, plain, labels) })
	})
}

func fuzzCIFAR(t *testing.T, data, plain []byte, labels []int) {
	in, n, size := inMemory("c", data), 0, len(labels)+cifarPixels
	k, _ := findKind("cifar10")
	s := cifarSet(k, &cifarSource{files: [2][]file{{in}, {in}}, labels: labels})
	err := s.Read(context.Background(), Train, func(values []uint16, label int) error {
		if label < 0 || label >= labels[len(labels)-1] {
			t.Fatalf("label %d accepted", label)
		}
		if plain != nil { // nil if the gzip checksum is wrong, which is found only at the end
			record := plain[n*size : (n+1)*size]
			if int(record[len(labels)-1]) != label {
				t.Fatalf("record %d has label %d", n, label)
			}
			for i, v := range values {
				if uint16(record[len(labels)+i]) != v {
					t.Fatalf("pixel %d of record %d is %d, the file has %d", i, n, v, record[len(labels)+i])
				}
			}
		}
		n++
		return nil
	})
	if err == nil && (n == 0 || len(plain) != n*size) {
		t.Errorf("accepted %d records from %d bytes", n, len(plain))
	}
}

// FuzzSamples reads a file for classification by a model of few features, with and without a quantiser. Accepted
// samples must be in the model's range, and their number must be limited. Reading in blocks must give the same
// samples.
func FuzzSamples(f *testing.F) {
	for _, seed := range [][]byte{
		[]byte("1,2,3\n15,0,1\n"), []byte("a,b,c,class\n1,2,3,x\n"), []byte("class,a,b,c\nx,1,2,3\n"),
		[]byte("\ufeffa,b,c\r\n0.5,1e300,-1e300\r\n"),
		[]byte("1,2\n"), []byte("1,2,3,4,5\n"), []byte("1,2,NaN\n"), []byte("1,2,16\n"), []byte("1,2,\"3\n"), nil,
		{0, 0},
		[]byte("\n\n,,\n"),
		idxBytes([]byte{1, 2, 3, 4, 5, 6}, 2, 3), idxBytes([]byte{1, 2, 3}, 1<<32-1, 3), idxBytes(nil, 0, 3),
		idxBytes([]byte{1, 2, 3}, 1, 1, 3, 1), idxBytes(nil, 1, 1<<16, 1<<16),
	} {
		f.Add(seed, "class", uint8(4), false)
		f.Add(gzipped(seed), "", uint8(8), true)
	}
	f.Fuzz(func(t *testing.T, data []byte, label string, bits uint8, quantised bool) {
		limit := uint32(1)<<(1+bits%16) - 1
		var q *encoding.Quantiser
		if quantised {
			q = &encoding.Quantiser{Offset: []float64{-1, 0, 1e-300}, Scale: []float64{10, 0, math.MaxFloat64}}
		}
		plain := decoded(data)
		bounded(t, len(plain)+len(data), func() {
			all, err := readSamples(data, 3, []string{"a", "b", "c"}, label, q, limit)
			if len(all) > max(len(plain), len(data)*1100) {
				t.Fatalf("%d samples from %d bytes", len(all), len(data))
			}
			for i, values := range all {
				for k, v := range values {
					if uint32(v) > limit {
						t.Fatalf("sample %d: feature %d is %d of at most %d", i, k, v, limit)
					}
				}
			}
			if plain == nil && len(data) > 0 && err == nil {
				t.Fatal("a file that cannot be decoded was read to its end")
			}
		})
		checkBlocks(t, "in blocks", bytes.NewReader(data), data, encoderOf(3, []string{"a", "b", "c"}, q, limit), label, 5)
	})
}
