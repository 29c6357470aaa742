package trainer

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"ialgn/internal/config"
	"ialgn/internal/dataset"
	"ialgn/internal/testkit"
)

// fewDigits returns keys for the first digits of both parts, as images in arrays: the 630 training samples are six
// batches of 100 and one of 30. Tests use them where the digits' 39 batches show no more.
func fewDigits(t *testing.T) []string {
	t.Helper()
	set, err := dataset.Open(t.Context(), config.Data{Set: "digits"}, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	dir, sets := t.TempDir(), []string{"data.set=arrays", "encoder.bits_in=5", "encoder.raw=true"}
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
	return sets
}
