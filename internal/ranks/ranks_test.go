package ranks

import (
	"errors"
	"fmt"
	"sync"
	"testing"
)

// TestShares checks that the ranks hold every chain once, in ascending order.
func TestShares(t *testing.T) {
	for _, perClass := range []int{1, 2, 5, 17} {
		for ranks := 1; ranks <= perClass; ranks++ {
			seen := map[int]bool{}
			for rank := range ranks {
				s := ShareOf(rank, ranks, 3, perClass)
				last := -1
				for i := range s.Width() {
					n := s.Number(i)
					if seen[n] || n <= last || n >= 3*perClass || n/perClass != i/s.Own() || s.Before(n) != i {
						t.Fatalf("%d of %d ranks, %d chains a class: chain %d has the number %d, %d before it", rank, ranks,
							perClass, i, n, s.Before(n))
					}
					seen[n], last = true, n
				}
				if s.Before(3*perClass) != s.Width() {
					t.Errorf("%d chains before the end, want %d", s.Before(3*perClass), s.Width())
				}
			}
			if len(seen) != 3*perClass {
				t.Errorf("%d ranks hold %d chains, want %d", ranks, len(seen), 3*perClass)
			}
		}
	}
	if w := ShareOf(0, 1, 3, 5); w.Width() != 15 || w.Number(7) != 7 {
		t.Errorf("the whole is %+v", w)
	}
}

func TestLocal(t *testing.T) {
	all, end := Local(5)
	var done sync.WaitGroup
	errs := make([]error, len(all))
	for _, c := range all {
		done.Go(func() {
			for step := range 100 {
				counts := []int32{int32(c.Rank()), int32(step)}
				if err := c.Sum(counts); err != nil || counts[0] != 10 || counts[1] != int32(5*step) {
					errs[c.Rank()] = fmt.Errorf("step %d: %v, %w", step, counts, err)
					return
				}
				texts, err := c.Gather(fmt.Append(nil, c.Rank(), step))
				for rank, text := range texts {
					if string(text) != fmt.Sprint(rank, step) {
						err = fmt.Errorf("rank %d passed %q", rank, text)
					}
				}
				if err != nil || len(texts) != c.Size() {
					errs[c.Rank()] = err
					return
				}
			}
			if c.Rank() == 3 {
				end()
				return
			}
			if err := c.Sum(nil); !errors.Is(err, ErrEnded) {
				errs[c.Rank()] = fmt.Errorf("after the end: %w", err)
			}
		})
	}
	done.Wait()
	for rank, err := range errs {
		if err != nil {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
}
