package trainer

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ialgn/internal/config"
	"ialgn/internal/dataset"
	"ialgn/internal/testkit"
)

// fewDigits returns a function that adds data keys to the keys of a network. The data are the first digits of both
// parts, as images in array files. There are 630 training samples (twelve batches of 50 and one of 30) and 200 test
// samples. Tests use this subset where training on all digits would not test anything more. Because an epoch has only
// 13 batches, a network needs a high learning rate to learn anything.
func fewDigits(t *testing.T) func(network ...string) []string {
	t.Helper()
	set, err := dataset.Open(t.Context(), config.Data{Set: "digits"}, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	dir, sets := t.TempDir(), []string{
		"data.set=arrays", "encoder.bits_in=5", "encoder.raw=true", "train.batch=50", "train.optimizer.lr=0.1",
	}
	for part, keep := range map[dataset.Part]int{dataset.Train: 630, dataset.Test: 200} {
		var pixels, labels []byte
		err := set.Read(t.Context(), part, func(values []uint16, label int) error {
			if len(labels) < keep {
				for _, v := range values {
					pixels = append(pixels, byte(v))
				}
				labels = append(labels, byte(label))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		key := [2]string{"train", "test"}[part]
		for key, file := range map[string][]byte{
			key:             testkit.NPY("|u1", fmt.Sprint(keep, ", 8, 8"), pixels),
			key + "_labels": testkit.NPY("|u1", fmt.Sprint(keep, ","), labels),
		} {
			path := filepath.Join(dir, key+".npy")
			if err := os.WriteFile(path, file, 0o666); err != nil {
				t.Fatal(err)
			}
			sets = append(sets, fmt.Sprintf("data.%s=%s", key, path))
		}
	}
	shapes := map[string][]string{"conv": {"model.image=1,8,8"}, "recurrent": {"model.steps=8"}} // the files lack a shape
	return func(network ...string) []string {
		return slices.Concat(sets, network, shapes[parse(t, network...).Model.Topology])
	}
}
