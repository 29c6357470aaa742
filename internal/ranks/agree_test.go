package ranks_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"ialgn/internal/ranks"
)

// TestAgree lets three ranks agree. Some of the ranks fail or end early.
func TestAgree(t *testing.T) {
	full := errors.New("the disk is full")
	for _, test := range []struct {
		name   string
		failed []error // by rank
		want   string
	}{
		{"none", []error{nil, nil, nil}, ""},
		{"one", []error{nil, full, nil}, "rank 1: the disk is full"},
		{"several", []error{nil, errors.New("no such folder"), full}, "rank 1: no such folder"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for rank, got := range agreed(3, func(c ranks.Comm) error {
				said, err := ranks.Agree(c, fmt.Append(nil, "I am ", c.Rank()), test.failed[c.Rank()])
				if err == nil && (len(said) != 3 || string(said[2]) != "I am 2") {
					t.Errorf("rank %d heard %q", c.Rank(), said)
				}
				if err != nil && test.want == "rank 1: the disk is full" && errors.Is(err, full) != (c.Rank() == 1) {
					t.Errorf("rank %d: its own error is not wrapped, or another rank's is: %v", c.Rank(), err)
				}
				return err
			}) {
				if text := fmt.Sprint(got); text != test.want && (got != nil || test.want != "") {
					t.Errorf("rank %d: %v, want %q", rank, got, test.want)
				}
			}
		})
	}
	all, end := ranks.Local(2)
	end()
	if _, err := ranks.Agree(all[1], nil, full); !errors.Is(err, full) {
		t.Errorf("after the end: %v", err)
	}
	if _, err := ranks.Agree(all[1], nil, nil); !errors.Is(err, ranks.ErrEnded) {
		t.Errorf("after the end, without an error of its own: %v", err)
	}
	if _, err := ranks.Agree(ranks.Alone{}, nil, full); !errors.Is(err, full) || err.Error() != full.Error() {
		t.Errorf("alone: %v", err)
	}
	if said, err := ranks.Agree(ranks.Alone{}, []byte("x"), nil); err != nil || len(said) != 1 || string(said[0]) != "x" {
		t.Errorf("alone: %q, %v", said, err)
	}
}

// agreed calls do for each rank, in its own goroutine, and returns the errors.
func agreed(size int, do func(ranks.Comm) error) []error {
	all, _ := ranks.Local(size)
	errs := make([]error, size)
	var done sync.WaitGroup
	for _, c := range all {
		done.Go(func() { errs[c.Rank()] = do(c) })
	}
	done.Wait()
	return errs
}
