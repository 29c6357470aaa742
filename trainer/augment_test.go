package trainer

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ialgn/internal/engine"
)

// TestAugmentedEpochs checks that augmentation changes an image differently in each epoch. If an epoch is repeated,
// each image must change in the same way as the first time.
func TestAugmentedEpochs(t *testing.T) {
	cfg := parse(t, "train.augment.rotate=10")
	data, err := LoadData(t.Context(), cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &session{Run: Run{Config: cfg}, data: data, m: Initial(cfg, data.Encoder, data.Classes, 1)}
	if s.eng, err = engine.New(s.m, cfg.Train.Batch, 1); err != nil {
		t.Fatal(err)
	}
	s.rows = make([]uint64, data.Encoder.Inputs()*s.eng.Words())
	gather, index := s.batcher(), []int32{5, 17, 3}
	epoch := func(n int) []uint64 {
		s.at.Epoch = n
		gather(index)
		return slices.Clone(s.rows)
	}
	first, second := epoch(0), epoch(1)
	if slices.Equal(first, second) {
		t.Error("two epochs have the same images")
	}
	if !slices.Equal(epoch(0), first) {
		t.Error("a repeated epoch has other images")
	}
}

// TestRowsAreNoImages checks that samples are not augmented if the files hold rows instead of images.
func TestRowsAreNoImages(t *testing.T) {
	dir := t.TempDir()
	for _, part := range []string{"train", "t10k"} {
		for name, file := range map[string][]byte{
			"-images-idx3-ubyte": {0, 0, 8, 2, 0, 0, 0, 1, 0, 0, 0, 4, 1, 2, 3, 4}, // one sample of four bytes
			"-labels-idx1-ubyte": {0, 0, 8, 1, 0, 0, 0, 1, 7},
		} {
			if err := os.WriteFile(filepath.Join(dir, part+name), file, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	_, err := LoadData(t.Context(), parse(t, "data.set=mnist", "train.augment.rotate=10"), []string{dir})
	if err == nil || !strings.Contains(err.Error(), "train.augment.rotate: the samples of the data set mnist are lists of numbers") {
		t.Errorf("error %v", err)
	}
}
