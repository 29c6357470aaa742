package crew

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Group is an [errgroup.Group] whose Wait panics where one of its functions did. A panic in a
// goroutine of its own would end the process, whoever waits for it; so it reaches the caller, who may
// know what to say of it.
type Group struct {
	group *errgroup.Group
	fault keeper
}

// NewGroup returns a group, and a context that ends with the first error or panic of a function.
func NewGroup(ctx context.Context) (*Group, context.Context) {
	group, ctx := errgroup.WithContext(ctx)
	return &Group{group: group}, ctx
}

// SetLimit bounds how many functions run at a time.
func (g *Group) SetLimit(n int) { g.group.SetLimit(n) }

// Go calls a function in a goroutine of its own.
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

// Each calls do for each number below n, each in a goroutine of its own, and returns when all calls
// have. It panics with a [Fault] if one of them did.
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

// Fault is a panic of a goroutine, as its caller gets it: what it was, and where.
type Fault struct {
	Value any
	Stack []byte
}

// Error returns what the panic was.
func (f *Fault) Error() string { return fmt.Sprint(f.Value) }

// keeper keeps the first panic of several goroutines.
type keeper struct {
	once  sync.Once
	fault *Fault
}

// try calls a function, whose panic it keeps.
func (k *keeper) try(f func()) {
	defer func() {
		if value := recover(); value != nil {
			k.once.Do(func() { k.fault = faultOf(value) })
		}
	}()
	f()
}

// faultOf returns what was recovered as a fault, which it is if it comes from a crew or group within.
func faultOf(value any) *Fault {
	if f, ok := value.(*Fault); ok {
		return f
	}
	return &Fault{value, debug.Stack()}
}

// raise panics with what was kept. All goroutines that might keep something are done.
func (k *keeper) raise() {
	if k.fault != nil {
		panic(k.fault)
	}
}
