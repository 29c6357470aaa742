package dataset

import (
	"context"
	"errors"
	"fmt"
	"math"

	"ialgn/trainer/encoding"
)

// scale makes the quantiser of the ranges of the training part.
func (s *csvSource) scale(ctx context.Context, set *Set, words form, r *ranged, scan *scanned) error {
	counts := make([]int, len(set.Classes))
	for i, class := range scan.labels {
		if s.split == nil || !s.split[i] {
			counts[class]++
		}
	}
	err := r.settle(words, interruptible{ctx, s}, counts)
	var bad *encoding.RangeError
	if errors.As(err, &bad) {
		return fmt.Errorf("%s: %s: %s", s.files[Train].name, s.called(&s.columns[s.from[bad.Feature]]), bad.Problem)
	}
	s.q, s.max = r.q, r.max
	r.fill(set)
	return err
}

// reals implements real. Only features of numbers have values.
func (s *csvSource) reals(part Part, fn func(class, at int, value func(f int) (float64, error)) error) error {
	return s.each(part, func(t *table) error {
		class, err := s.class(t)
		if err != nil {
			return err
		}
		return fn(class, t.at, func(f int) (float64, error) {
			x, missing, err := t.number(&t.columns[s.from[f]])
			if missing {
				x = math.NaN()
			}
			return x, err
		})
	})
}
