package dataset

import (
	"context"
	"math"
	"slices"
)

// Unknown describes a column of categories with words that the model does not know. Such words set no feature. They are
// rare in the training samples, or do not occur in them.
type Unknown struct {
	Name  string `json:"name"`
	Count int    `json:"count"` // number of samples with an unknown word
	Word  string `json:"word"`  // the first unknown word
	At    int    `json:"at"`    // line of the first unknown word
}

// Unknown returns the columns of a table that have words unknown to the set's encoder. The columns have the order of
// the table.
func (s *Set) Unknown(ctx context.Context, part Part) (all []Unknown, err error) {
	src, ok := s.source.(*csvSource)
	if !ok || !slices.ContainsFunc(src.columns, func(c column) bool { return c.isCategory() }) {
		return nil, nil
	}
	found := make([]Unknown, len(src.columns))
	err = src.each(part, nil, func(r *csvRow) error {
		for i := range src.columns {
			c, x := &src.columns[i], r.values[i]
			if !c.isCategory() || math.IsNaN(x) {
				continue
			}
			if word, u := r.word(i), &found[i]; !slices.Contains(c.Categories, word) {
				if u.Count++; u.Count == 1 {
					u.Name, u.Word, u.At = c.title(), word, r.line
				}
			}
		}
		return ctx.Err()
	})
	for _, u := range found {
		if u.Count > 0 {
			all = append(all, u)
		}
	}
	return all, err
}
