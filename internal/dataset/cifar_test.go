package dataset

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/config"
)

// cifarRecord returns a record with the given label bytes and pixels derived from seed.
func cifarRecord(seed byte, labels ...byte) []byte {
	for i := range cifarPixels {
		labels = append(labels, seed+byte(i)+byte(i/cifarPlane))
	}
	return labels
}

// tinyCIFAR10 has two images in each training batch and one test image.
func tinyCIFAR10() map[string][]byte {
	files := map[string][]byte{"test_batch.bin": cifarRecord(77, 9)}
	for b := range byte(5) {
		files[fmt.Sprintf("data_batch_%d.bin", b+1)] = append(cifarRecord(2*b, b), cifarRecord(2*b+1, b+1)...)
	}
	return files
}

func TestCIFAR10(t *testing.T) {
	files := tinyCIFAR10()
	files["data_batch_3.bin.gz"] = gzipped(files["data_batch_3.bin"])
	delete(files, "data_batch_3.bin")
	s, err := Open(context.Background(), config.Data{Set: "cifar10", Dir: writeFiles(t, files)}, 8, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := (Shape{Planes: 3, Height: 32, Width: 32}); s.Shape != want {
		t.Errorf("shape %+v, want %+v", s.Shape, want)
	}
	train, test := mustCollect(t, s, Train), mustCollect(t, s, Test)
	var labels []int
	for i, r := range train {
		labels = append(labels, r.Label)
		checkPixels(t, r.Values, byte(i))
	}
	if diff := cmp.Diff([]int{0, 1, 1, 2, 2, 3, 3, 4, 4, 5}, labels); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	if len(test) != 1 || test[0].Label != 9 {
		t.Errorf("%d test images", len(test))
	}
	if s.Samples(Train) != 10 || s.Samples(Test) != 1 {
		t.Errorf("%d + %d samples after reading, want 10 + 1", s.TrainSamples, s.TestSamples)
	}
	if got := []string{s.FeatureNames[0], s.FeatureNames[1024], s.FeatureNames[3071]}; !cmp.Equal(got,
		[]string{"red 0", "green 0", "blue 1023"}) {
		t.Errorf("feature names %q", got)
	}
}

func checkPixels(t *testing.T, values []uint16, seed byte) {
	t.Helper()
	for i, v := range values {
		if want := uint16(seed + byte(i) + byte(i/cifarPlane)); v != want {
			t.Fatalf("image of seed %d: pixel %d is %d, want %d", seed, i, v, want)
		}
	}
}

func TestCIFAR100(t *testing.T) {
	files := map[string][]byte{
		"cifar-100/train.bin": append(cifarRecord(1, 19, 99), cifarRecord(2, 0, 7)...),
		"cifar-100/test.bin":  cifarRecord(3, 4, 50),
	}
	s, err := Open(context.Background(), config.Data{Set: "cifar100"}, 8, []string{writeFiles(t, files)})
	if err != nil {
		t.Fatal(err)
	}
	train := mustCollect(t, s, Train)
	if len(train) != 2 || train[0].Label != 99 || train[1].Label != 7 {
		t.Errorf("%d training images, want fine labels 99 and 7", len(train))
	}
	checkPixels(t, train[1].Values, 2)
	if len(s.Classes) != 100 || s.Classes[0] != "apple" || s.Classes[99] != "worm" {
		t.Errorf("%d classes from %s to %s", len(s.Classes), s.Classes[0], s.Classes[len(s.Classes)-1])
	}
}

func TestCIFARFaults(t *testing.T) {
	const name = "data_batch_2.bin"
	good := tinyCIFAR10()[name]
	tests := []struct {
		name string
		data []byte
		want []string
	}{
		{"empty", nil, []string{name, "record 1", "cut short"}},
		{"cut", good[:len(good)-1], []string{name, "record 2", "3072 of 3073 bytes", "cut short"}},
		{"trailing", append(bytes.Clone(good), 1), []string{name, "record 3", "1 of 3073 bytes"}},
		{"label 10", cifarRecord(0, 10), []string{name, "record 1", "label 10, want 0..9"}},
		{"gzip cut", gzipped(good)[:40], []string{name, "cut short"}},
		{"gzip cut before its checksum", gzipped(good)[:len(gzipped(good))-8], []string{name, "record 3", "cut short"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			files := tinyCIFAR10()
			files[name] = tt.data
			s, err := Open(context.Background(), config.Data{Set: "cifar10", Dir: writeFiles(t, files)}, 8, nil)
			if err != nil {
				t.Fatal(err)
			}
			_, err = collect(s, Train)
			wantError(t, err, tt.want...)
		})
	}
}
