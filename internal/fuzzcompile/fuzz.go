package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"ialgn/internal/tool"
	"ialgn/sim/verify"
	"ialgn/trainer/model"
)

// fuzzer runs the cases of consecutive seeds.
type fuzzer struct {
	w           io.Writer
	first       uint64
	count       int
	formal, rtl int           // every so many, 0: none
	limit       time.Duration // 0: none
	bug         fault

	mu     sync.Mutex
	begin  time.Time
	next   int // cases that were begun
	failed error
	sum    summary
}

// summary is what was done.
type summary struct {
	networks, large, gates, formal, rtl int
	options                             map[string]int
}

// fuzzCase is what a seed decides.
type fuzzCase struct {
	seed     uint64
	network  *model.Frozen
	topology string
	options  options
	deep     depth
	bug      fault
}

func newCase(seed uint64) fuzzCase {
	r := rand.New(rand.NewPCG(seed, 0x66757a7a))
	c := fuzzCase{seed: seed}
	c.network, c.topology = drawNetwork(r)
	c.options = drawOptions(r)
	return c
}

// run compiles and checks, on all processors, and prints the summary.
func (f *fuzzer) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	f.begin = time.Now()
	f.sum.options = map[string]int{}
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for seed, ok := f.take(); ok; seed, ok = f.take() {
				c := newCase(seed)
				c.deep = depth{f.formal > 0 && seed%uint64(f.formal) == 0, f.rtl > 0 && seed%uint64(f.rtl) == 0}
				if f.count == 1 {
					c.deep = depth{f.formal > 0, f.rtl > 0}
				}
				c.bug = f.bug
				if f.done(c, c.run(ctx, c.options)) {
					cancel()
				}
			}
		})
	}
	workers.Wait()
	f.sum.print(f.w, f.first, time.Since(f.begin))
	if f.failed == nil {
		fmt.Fprintln(f.w, "no mismatch")
	}
	return f.failed
}

// take returns the next seed, unless all are taken, the time is over or something
// failed.
func (f *fuzzer) take() (seed uint64, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failed != nil || f.next == f.count || f.limit > 0 && time.Since(f.begin) > f.limit {
		return 0, false
	}
	f.next++
	return f.first + uint64(f.next-1), true
}

// done counts a case and reports whether it is the first that failed.
func (f *fuzzer) done(c fuzzCase, err error) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.failed != nil:
		return false
	case err != nil:
		f.failed = c.explain(err)
		return true
	}
	if f.sum.add(c); f.sum.networks%1000 == 0 {
		fmt.Fprintf(f.w, "%d networks\n", f.sum.networks)
	}
	return false
}

// run compiles the network with some options and checks what comes out. It returns a
// *mismatch if that is wrong; a refusal and a panic of the compiler are wrong too.
func (c fuzzCase) run(ctx context.Context, o options) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &mismatch{fmt.Sprintf("panic: %v\n%s", p, debug.Stack())}
		}
	}()
	r := rand.New(rand.NewPCG(c.seed, 0x636865636b))
	var d verify.Design
	if d, err = o.compile(ctx, c.network, c.bug, r); err != nil {
		return &mismatch{"compile: " + err.Error()}
	}
	return o.check(ctx, d, r, c.deep)
}

// explain turns the error of a case into one that says how to repeat it. Only a mismatch
// has its options shrunk: a missing tool has nothing to do with them.
func (c fuzzCase) explain(err error) error {
	if missing := (*tool.MissingError)(nil); errors.As(err, &missing) {
		return err
	}
	o := c.shrink()
	return fmt.Errorf("seed %d: %w\n  %d x %d gates (%s), %d classes, %d inputs\n  compiled with %s\n  shown also with %s\n  repeat it with: go run ./internal/fuzzcompile -seed %d",
		c.seed, err, c.network.Width, c.network.Depth(), c.topology, len(c.network.Classes), c.network.Inputs(),
		strings.Join(c.options.words(), " "), strings.Join(o.words(), " "), c.seed)
}

// shrink returns the plainest options, one change after another, that show a mismatch.
func (c fuzzCase) shrink() options {
	o := c.options
	for again := true; again; {
		again = false
		for _, p := range o.plainer() {
			if wrong := (*mismatch)(nil); errors.As(c.run(context.Background(), p), &wrong) {
				o, again = p, true
				break
			}
		}
	}
	return o
}

func (s *summary) add(c fuzzCase) {
	s.networks++
	s.gates += c.network.Gates()
	if c.network.Gates() > largeGates {
		s.large++
	}
	if c.deep.formal {
		s.formal++
	}
	if c.deep.rtl {
		s.rtl++
	}
	for _, w := range append(c.options.words(), "topology "+c.topology) {
		s.options[w]++
	}
}

func (s *summary) print(w io.Writer, first uint64, took time.Duration) {
	fmt.Fprintf(w, "%d networks of the seeds from %d on, %d of them over %d gates, %d gates in all, %.0f s\n",
		s.networks, first, s.large, largeGates, s.gates, took.Seconds())
	fmt.Fprintf(w, "%d simulated, %d of them proved, %d in iverilog\n", s.networks, s.formal, s.rtl)
	for _, o := range slices.Sorted(maps.Keys(s.options)) {
		fmt.Fprintf(w, "  %-32s %7d\n", o, s.options[o])
	}
}
