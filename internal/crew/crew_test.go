package crew

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// TestRun gives crews many tasks, both in quick succession and after pauses in which members leave. Some members and
// the caller are slow, so that each of them has to wait for the others.
func TestRun(t *testing.T) {
	for _, size := range []int{1, 2, 3, 9} {
		c := New(size)
		if c.Size() != size {
			t.Fatalf("size %d, want %d", c.Size(), size)
		}
		for round := range 300 {
			done := make([]int, size)
			var calls atomic.Int32
			c.Run(func(i int) {
				if round%50 == 7 && i == round%size {
					time.Sleep(2 * patience)
				}
				done[i]++
				calls.Add(1)
			})
			if calls.Load() != int32(size) {
				t.Fatalf("%d of %d members had worked when Run returned", calls.Load(), size)
			}
			for i, n := range done {
				if n != 1 {
					t.Fatalf("member %d worked %d times", i, n)
				}
			}
			if round%40 == 11 {
				time.Sleep(2 * patience)
			}
		}
	}
}

// TestLate wakes a sleeping caller too early. This happens if the member that finished the previous task last was
// delayed before it woke the caller. The caller must go on waiting for the current task.
func TestLate(t *testing.T) {
	c, woken := New(2), make(chan struct{})
	go func() {
		defer close(woken)
		for !c.asleep.CompareAndSwap(true, false) {
			time.Sleep(patience)
		}
		c.wake <- struct{}{}
	}()
	var done atomic.Bool
	c.Run(func(i int) {
		if i == 1 {
			<-woken
			time.Sleep(20 * patience)
			done.Store(true)
		}
	})
	if !done.Load() {
		t.Error("Run returned before a member had worked")
	}
}

// TestLeaves checks that no goroutine is left.
func TestLeaves(t *testing.T) {
	before := runtime.NumGoroutine()
	New(5).Run(func(int) {})
	for range 200 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

func BenchmarkRun(b *testing.B) {
	c := New(2)
	for b.Loop() {
		c.Run(func(int) {})
	}
}
