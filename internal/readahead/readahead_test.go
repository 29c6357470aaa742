package readahead

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/crew"
)

// numbered returns a source of samples with two elements each. Sample n has the elements n and -n. The source returns
// parts of random size. After the samples it returns the error end.
func numbered(r *rand.Rand, samples int, end error) Source[int] {
	next := 0
	return func(dst []int) (int, error) {
		if next == samples {
			return 0, end
		}
		n := min(1+r.IntN(7), len(dst)/2, samples-next)
		for i := range n {
			dst[2*i], dst[2*i+1] = next+i, -next-i
		}
		if next += n; next == samples && r.IntN(2) == 0 {
			return n, end
		}
		return n, nil
	}
}

// TestBlocks checks that blocks contain all samples in order, and that all blocks except the last are full. If the
// source has an error, the block that was begun is dropped.
func TestBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	broken := errors.New("broken")
	for _, ahead := range []bool{false, true} {
		for _, end := range []error{io.EOF, broken} {
			for samples := range 40 {
				var got, want []int
				err := Blocks(t.Context(), Options{Sample: 2, Block: 5, Ahead: ahead}, numbered(r, samples, end),
					func(block []int) error {
						for i := 0; i < len(block); i += 2 {
							if block[i] != -block[i+1] {
								t.Fatalf("sample %d next to %d", block[i], block[i+1])
							}
							got = append(got, block[i])
						}
						if len(block) != 2*5 && len(got) != samples {
							t.Errorf("a block of %d samples of %d", len(block)/2, samples)
						}
						return nil
					})
				if errors.Is(end, io.EOF) && err != nil || errors.Is(end, broken) && !errors.Is(err, broken) {
					t.Errorf("error %v, the source has %v", err, end)
				}
				for n := range samples {
					if errors.Is(end, io.EOF) || n < samples/5*5 {
						want = append(want, n)
					}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("ahead %t, %d samples, then %v (-want +got):\n%s", ahead, samples, end, diff)
				}
			}
		}
	}
}

// TestPatience reads samples that arrive slowly. A block must end some time after its first sample, unless enough
// samples arrive to fill it.
func TestPatience(t *testing.T) {
	for name, c := range map[string]struct {
		after []time.Duration // for each sample, the time since the previous sample
		want  []string
	}{
		"all at once": {make([]time.Duration, 10), []string{"0s [0 1 2 3]", "0s [4 5 6 7]", "0s [8 9]"}},
		"slowly": {
			[]time.Duration{5, 5, 50, 50}, []string{"25ms [0 1]", "80ms [2]", "110ms [3]"},
		},
		"the rest of a block": {
			[]time.Duration{0, 30, 0, 0, 0, 0}, []string{"20ms [0]", "30ms [1 2 3]", "30ms [4 5]"},
		},
		"none": {nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n, begin := 0, time.Now()
				read := func(dst []int) (int, error) {
					if n == len(c.after) {
						return 0, io.EOF
					}
					time.Sleep(c.after[n] * time.Millisecond)
					dst[0] = n
					n++
					return 1, nil
				}
				var got []string
				o := Options{Sample: 1, Block: 4, Ahead: true, Patience: 20 * time.Millisecond}
				if err := Blocks(t.Context(), o, read, func(block []int) error {
					got = append(got, fmt.Sprint(time.Since(begin), " ", block))
					return nil
				}); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Errorf("blocks (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestAhead checks that the next block is read while a block is in use, and that the block in use does not change.
func TestAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		read := func(dst []int) (int, error) {
			time.Sleep(time.Second)
			for i := range dst {
				dst[i] = int(time.Since(begin) / time.Second)
			}
			if time.Since(begin) == 4*time.Second {
				return len(dst), io.EOF
			}
			return len(dst), nil
		}
		if err := Blocks(t.Context(), Options{Sample: 1, Block: 3, Ahead: true}, read, func(block []int) error {
			before := slices.Clone(block)
			time.Sleep(time.Second)
			if !slices.Equal(before, block) {
				t.Errorf("a block %d became %d while it was used", before, block)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begin); took != 5*time.Second {
			t.Errorf("4 blocks took %s, want 5s", took)
		}
	})
}

// TestEnd ends reading by an error of the function use, by an ended context, and by panics. The source must not be
// read afterwards.
func TestEnd(t *testing.T) {
	mine := errors.New("enough")
	for _, ahead := range []bool{false, true} {
		o := Options{Sample: 1, Block: 2, Ahead: ahead}
		reading := 0
		read := func(dst []int) (int, error) { reading++; return 1, nil }
		n := 0
		err := Blocks(t.Context(), o, read, func([]int) error {
			if n++; n == 3 {
				return mine
			}
			return nil
		})
		if !errors.Is(err, mine) || n != 3 {
			t.Errorf("error %v after %d blocks, want the user's after 3", err, n)
		}
		ctx, cancel := context.WithCancel(t.Context())
		err = Blocks(ctx, o, read, func([]int) error { cancel(); return nil })
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want the context's error", err)
		}
		before := reading
		if time.Sleep(time.Millisecond); reading != before {
			t.Error("the source is read after the end")
		}
		for name, do := range map[string]func(){
			"read": func() {
				_ = Blocks(t.Context(), o, func([]int) (int, error) { panic("read") }, func([]int) error { return nil })
			},
			"use": func() { _ = Blocks(t.Context(), o, read, func([]int) error { panic("use") }) },
		} {
			if got := panicOf(do); got != name {
				t.Errorf("ahead %t: panic %v, want %s", ahead, got, name)
			}
		}
	}
}

// panicOf returns the value with which a function panics.
func panicOf(do func()) (value any) {
	defer func() {
		value = recover()
		var fault *crew.Fault
		if err, ok := value.(error); ok && errors.As(err, &fault) {
			value = fault.Value
		}
	}()
	do()
	return nil
}
