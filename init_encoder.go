package ialgn

import (
	"context"
	"fmt"
	"slices"

	"ialgn/internal/dataset"
	"ialgn/internal/message"
)

// If there are at least validatedSamples training samples, the share validationShare of these samples is held out to
// choose the best epoch. In smaller data sets, all samples are needed for training.
const (
	validationShare  = 0.1
	validatedSamples = 1000
)

// encoderFor returns the settings of section encoder for a data set.
func encoderFor(set *dataset.Set, bits int) []setting {
	all := []setting{{
		"bits", fmt.Sprint(bits),
		fmt.Sprintf("%s per feature", message.Plural(bits-1, "threshold", "thresholds")),
	}}
	if set.Quantiser != nil && bits > 2 {
		all = append(all, setting{"thresholds", "quantile", "about equal numbers of training samples between neighbours"})
	}
	if set.Whole {
		all = append(all, setting{"raw", "true", "whole numbers are compared as they are"})
	}
	return all
}

// extremes returns the features in which some values are far from all other values. It looks at the training part and
// the test part.
func extremes(ctx context.Context, set *dataset.Set) (all []dataset.Clipped, err error) {
	if set.Narrowed {
		if all, err = set.Clipped(ctx, dataset.Train); err != nil {
			return nil, err
		}
	}
	test, err := set.Clipped(ctx, dataset.Test)
	if err != nil {
		return nil, err
	}
	for _, c := range test {
		if i := slices.IndexFunc(all, func(o dataset.Clipped) bool { return o.Feature == c.Feature }); i >= 0 {
			all[i].Add(c)
		} else {
			all = append(all, c)
		}
	}
	return slices.DeleteFunc(all, func(c dataset.Clipped) bool { return !c.Far() }), nil
}

// Extreme describes the extreme values of feature c in one line of text.
func (r *Initial) Extreme(c *dataset.Clipped) string {
	place := "sample"
	if r.Set == "csv" {
		place = "line"
	}
	return fmt.Sprintf("%s: %.6g in %s %d is far from the typical values, %.6g to %.6g; %s beyond these",
		c.Name, c.Value, place, c.At, c.Low, c.High, message.Plural(c.Below+c.Above, "value is", "values are"))
}
