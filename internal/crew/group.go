package crew

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Group is an [errgroup.Group] whose Wait panics if one of its functions panicked. A panic in another goroutine would
// end the process without passing through the code that waits for it. With a Group, the panic reaches the caller, who
// may handle it.
type Group struct {
	group *errgroup.Group
	fault keeper
}

// NewGroup returns a group, and a context that ends with the first error or panic of a function.
func NewGroup(ctx context.Context) (*Group, context.Context) {
	group, ctx := errgroup.WithContext(ctx)
	return &Group{group: group}, ctx
}

// SetLimit limits how many functions run at a time.
func (g *Group) SetLimit(n int) { g.group.SetLimit(n) }

// Go calls a function in its own goroutine.
func (g *Group) Go(f func() error) {
	g.group.Go(func() error {
		err := errPanic // stays if f panics
		g.fault.try(func() { err = f() })
		return err
	})
}

// Wait waits for all functions and returns the first error.
func (g *Group) Wait() error {
	err := g.group.Wait()
	g.fault.raise()
	return err
}

// Each calls do with the numbers 0 to n-1. Every call has its own goroutine. Each returns when all calls have
// returned. It panics with a [Fault] if one of the calls panicked.
func Each(n int, do func(i int)) {
	var fault keeper
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { fault.try(func() { do(i) }) })
	}
	all.Wait()
	fault.raise()
}

// errPanic ends the context of a group in which a function panicked.
var errPanic = fmt.Errorf("crew: a panic")

// Fault is the value with which a panic of another goroutine is passed on to the caller. It holds the value and the
// stack of the original panic.
type Fault struct {
	Value any
	Stack []byte
}

// Error returns the panic's value as text.
func (f *Fault) Error() string { return fmt.Sprint(f.Value) }

// keeper keeps the first panic of several goroutines.
type keeper struct {
	once  sync.Once
	fault *Fault
}

// try calls a function and keeps its panic, if any.
func (k *keeper) try(f func()) {
	defer func() {
		if value := recover(); value != nil {
			k.once.Do(func() { k.fault = faultOf(value) })
		}
	}()
	f()
}

// faultOf returns a recovered value as a Fault. A value that is already a Fault, from a nested crew or group, is
// returned unchanged.
func faultOf(value any) *Fault {
	if f, ok := value.(*Fault); ok {
		return f
	}
	return &Fault{value, debug.Stack()}
}

// raise panics with the fault that was kept, if any. It is called when all goroutines are done.
func (k *keeper) raise() {
	if k.fault != nil {
		panic(k.fault)
	}
}
