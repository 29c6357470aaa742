package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"ialgn/internal/dataset"
	"ialgn/internal/message"
)

// mostClipped limits the lists of features with clipped values, and of columns with unknown words.
const mostClipped = 5

// clippedText writes which features have training values outside the encoder's ranges.
func clippedText(w io.Writer, all []dataset.Clipped, samples int) {
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(w, "values outside the ranges of %s are clipped:\n",
		message.Plural(len(all), "feature", "features"))
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b dataset.Clipped) int { return cmp.Compare(b.Below+b.Above, a.Below+a.Above) })
	for _, c := range all[:min(len(all), mostClipped)] {
		fmt.Fprintf(w, "  %-20.20s %s of the training samples, outside %.6g to %.6g; the most extreme is %.6g\n", c.Name,
			percent(float64(c.Below+c.Above)/float64(max(1, samples))), c.Low, c.High, c.Value)
	}
	if more := len(all) - mostClipped; more > 0 {
		fmt.Fprintf(w, "  and %d more\n", more)
	}
}

// unknownText writes which columns of the training samples have words that are no features, because they are rare or
// the start model does not know them.
func unknownText(w io.Writer, all []dataset.Unknown, samples int) {
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(w, "words in %s that are rare or unknown set no feature:\n",
		message.Plural(len(all), "column", "columns"))
	for _, u := range all[:min(len(all), mostClipped)] {
		fmt.Fprintf(w, "  %-20.20s %s of the training samples, the first %q in line %d\n", u.Name,
			percent(float64(u.Count)/float64(max(1, samples))), u.Word, u.At)
	}
	if more := len(all) - mostClipped; more > 0 {
		fmt.Fprintf(w, "  and %d more\n", more)
	}
}
