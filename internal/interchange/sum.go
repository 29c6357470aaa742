package interchange

import (
	"errors"
	"fmt"
	"math"

	"ialgn/internal/interchange/graph"
	"ialgn/internal/model"
)

// groups returns the bits that count for each class, and the least beta. Every class gets the same number of bits. A
// class with a larger beta gets an additional constant 1 for each whole number above the least beta. Smaller groups
// are then filled up with zeros.
func groups(s *graph.Sum) (all [][]graph.Ref, beta float64, err error) {
	classes := len(s.Groups)
	switch {
	case classes < 1 || classes > model.MaxClasses:
		return nil, 0, fmt.Errorf("%d classes, want 1 to %d", classes, model.MaxClasses)
	case !(s.Tau > 0) || math.IsInf(s.Tau, 0):
		return nil, 0, fmt.Errorf("tau is %v, want a number above 0", s.Tau)
	case len(s.Beta) > 1 && len(s.Beta) != classes:
		return nil, 0, fmt.Errorf("%d betas of %d classes", len(s.Beta), classes)
	}
	beta = s.BetaOf(0)
	for c := range classes {
		b := s.BetaOf(c)
		if math.IsNaN(b) || math.IsInf(b, 0) {
			return nil, 0, fmt.Errorf("beta of class %d is %v", c, b)
		}
		beta = min(beta, b)
	}
	size := 1
	for c, group := range s.Groups {
		offset, err := wholeOffset(s.BetaOf(c) - beta)
		if err != nil {
			return nil, 0, fmt.Errorf("class %d: %w", c, err)
		}
		group = group[:len(group):len(group)]
		for range offset {
			group = append(group, graph.True)
		}
		all, size = append(all, group), max(size, len(group))
	}
	if size > math.MaxInt32/classes {
		return nil, 0, errors.New("too many bits are counted")
	}
	for c := range all {
		for len(all[c]) < size {
			all[c] = append(all[c], graph.False)
		}
	}
	return all, beta, nil
}

// maxOffset is the largest difference between the betas of two classes.
const maxOffset = 1 << 16

// wholeOffset returns the difference of two betas as a number of bits. It returns an error if the difference is not a
// whole number or is too large.
func wholeOffset(difference float64) (int, error) {
	whole := math.Round(difference)
	switch {
	case math.Abs(difference-whole) > 1e-9:
		return 0,
			fmt.Errorf("its beta is %v above the beta of another class; bits are counted, so give betas that differ by "+
				"whole numbers", difference)
	case whole > maxOffset:
		return 0, fmt.Errorf("its beta is %v above the beta of another class, want at most %d", difference, maxOffset)
	}
	return int(whole), nil
}
