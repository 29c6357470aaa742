package dataset

import (
	"context"
	"slices"
	"strings"
)

// Unknown is a column of categories with words that are none of the model's: they set no feature.
type Unknown struct {
	Name  string `json:"name"`
	Count int    `json:"count"` // samples with such a word
	Word  string `json:"word"`  // the first one
	At    int    `json:"at"`    // its line
}

// Unknown returns the columns of a table with words that the set's encoder does not know, in order. It reads the part
// once more, if there are columns of categories.
func (s *Set) Unknown(ctx context.Context, part Part) (all []Unknown, err error) {
	from := s.source
	if l, ok := from.(*labelledSource); ok {
		from = l.source
	}
	src, ok := from.(*csvSource)
	if !ok || !slices.ContainsFunc(src.columns, func(c column) bool { return c.isCategory() }) {
		return nil, nil
	}
	found := make([]Unknown, len(src.columns))
	err = src.each(part, func(t *table) error {
		for i := range t.columns {
			if err := found[i].look(t, &t.columns[i]); err != nil {
				return err
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

// look counts the word of a column in the current record, if it is unknown.
func (u *Unknown) look(t *table, c *column) error {
	if !c.isCategory() {
		return nil
	}
	word, missing, err := t.category(c)
	if err != nil || missing || slices.Contains(c.Categories, word) {
		return err
	}
	if u.Count++; u.Count == 1 {
		u.Name, u.Word, u.At = c.title(), strings.Clone(word), t.at
	}
	return nil
}
