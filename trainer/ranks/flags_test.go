package ranks_test

import (
	"errors"
	"slices"
	"strconv"
	"testing"

	"ialgn/trainer/ranks"
)

// TestFlagged has one rank raise a flag at some step, and all agree at the same.
func TestFlagged(t *testing.T) {
	steps := make([]int, 5)
	for rank, err := range agreed(5, func(c ranks.Comm) error {
		f := ranks.NewFlagged(c)
		for step := range 100 {
			if c.Rank() == 3 && step == 7 {
				f.Raise(ranks.Save)
			}
			if c.Rank() == 1 && step == 9 {
				f.Raise(ranks.Stop)
			}
			counts := []int32{int32(step), 1}
			if err := f.Sum(counts); err != nil {
				return err
			}
			if !slices.Equal(counts, []int32{5 * int32(step), 5}) {
				return errors.New("wrong sums")
			}
			if f.Agreed(ranks.Save) != (step == 7) {
				return errors.New("save at step " + strconv.Itoa(step))
			}
			f.Clear(ranks.Save)
			if f.Agreed(ranks.Stop) {
				steps[c.Rank()] = step
				return nil
			}
		}
		return nil
	}) {
		if err != nil || steps[rank] != 9 {
			t.Errorf("rank %d stopped at step %d, want 9; error %v", rank, steps[rank], err)
		}
	}
}
