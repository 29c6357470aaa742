package crew

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
)

// caught returns the value with which a function panics.
func caught(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

// TestPanics makes a goroutine panic in each kind of group. The panic must reach the caller after all other
// goroutines are done, with the stack of its origin.
func TestPanics(t *testing.T) {
	wrong := func(i int) { _ = make([]int, 1)[i] }
	for name, run := range map[string]func(done *atomic.Int32){
		"crew": func(done *atomic.Int32) { New(3).Run(func(i int) { defer done.Add(1); wrong(i) }) },
		"each": func(done *atomic.Int32) { Each(3, func(i int) { defer done.Add(1); wrong(i) }) },
		"group": func(done *atomic.Int32) {
			g, _ := NewGroup(t.Context())
			for i := range 3 {
				g.Go(func() error { defer done.Add(1); wrong(i); return nil })
			}
			t.Errorf("group: no panic, but the error %v", g.Wait())
		},
		"within": func(done *atomic.Int32) {
			Each(1, func(int) { Each(3, func(i int) { defer done.Add(1); wrong(i) }) })
		},
	} {
		var done atomic.Int32
		f, ok := caught(func() { run(&done) }).(*Fault)
		if !ok || !strings.Contains(f.Error(), "index out of range") || !strings.Contains(string(f.Stack), "TestPanics") ||
			done.Load() != 3 {
			t.Errorf("%s: %+v, %d of 3 done", name, f, done.Load())
		}
	}
	if value := caught(func() { New(2).Run(func(i int) { wrong(1 - i) }) }); value == nil {
		t.Error("the caller's own panic is lost")
	}
}

// TestGroup checks that a group without panics behaves like an [errgroup.Group].
func TestGroup(t *testing.T) {
	g, ctx := NewGroup(t.Context())
	g.SetLimit(1)
	stop := errors.New("stop")
	g.Go(func() error { return stop })
	g.Go(func() error { <-ctx.Done(); return ctx.Err() })
	if err := g.Wait(); !errors.Is(err, stop) {
		t.Errorf("error %v, want the first", err)
	}
	g, ctx = NewGroup(t.Context())
	g.Go(func() error { panic("a panic ends the context") })
	<-ctx.Done()
	if !errors.Is(context.Cause(ctx), errPanic) {
		t.Errorf("the context ended for %v", context.Cause(ctx))
	}
	if value := caught(func() { _ = g.Wait() }); value == nil {
		t.Error("no panic")
	}
	sum := atomic.Int64{}
	Each(10, func(i int) { sum.Add(int64(i)) })
	Each(0, func(int) { t.Error("called for none") })
	if sum.Load() != 45 {
		t.Errorf("sum %d of 0 to 9", sum.Load())
	}
}
