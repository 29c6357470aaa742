package dataset_test

import (
	"context"
	"fmt"

	"ialgn/internal/config"
	"ialgn/internal/dataset"
)

func Example() {
	ctx := context.Background()
	set, err := dataset.Open(ctx, config.Data{Set: "digits"}, 8, dataset.Folders(""))
	if err != nil {
		fmt.Println(err)
		return
	}
	var ones int
	err = set.Read(ctx, dataset.Test, func(values []uint16, label int) error {
		if label == 1 {
			ones++
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d features of 0..%d, %d test samples, %d of them ones\n", set.Features, set.Max, set.TestSamples, ones)
	fmt.Println(set.Digest(dataset.Test)[:16])
	// Output:
	// 64 features of 0..16, 1797 test samples, 182 of them ones
	// 6be1151d842b0084
}
