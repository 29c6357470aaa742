package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"ialgn/internal/model"
	"ialgn/internal/tool"
	"ialgn/internal/topology"
	"ialgn/internal/verify"
)

// fuzzer runs the cases of consecutive seeds.
type fuzzer struct {
	w     io.Writer
	first uint64
	count int
	plan  depths
	limit time.Duration // time limit of the run, or 0 for none
	ialgn string        // the program with which some cases run from end to end, or ""
	bug   fault

	mu     sync.Mutex
	begin  time.Time        // start of this run
	next   int              // number of cases that were started
	done   map[int]fuzzCase // finished cases that wait for earlier cases
	failed error
	sum    summary
}

// depths says how often each additional check runs. With the value N, one of N cases gets the check. With 0, no case
// gets the check.
type depths struct {
	Formal, Reference, RTL, Synth, Around, Program int
}

// of returns the checks of a seed.
func (p depths) of(seed uint64) depth {
	every := func(n int) bool { return n > 0 && seed%uint64(n) == 0 }
	return depth{every(p.Formal), every(p.Reference), every(p.RTL), every(p.Synth), every(p.Around), every(p.Program)}
}

// fuzzCase holds everything that is determined by a seed.
type fuzzCase struct {
	seed     uint64
	network  *model.Frozen
	model    *model.Model // a model whose frozen form is the network
	topology string
	options  options
	deep     depth
	program  string // the program to test, or "" for none
	bug      fault
	took     time.Duration
}

// aroundStream is the random stream of drawAround. It was chosen so that the seeds of TestOldSeeds keep their
// networks and targets.
const aroundStream = 0x61726f75ac7f

// cutsStream is the random stream of cutFeatures. It was chosen in the same way as aroundStream.
const cutsStream = 0x63757473

// headStream is the random stream of drawHead. It was chosen in the same way as aroundStream.
const headStream = 0x686561a1

// tiesStream is the random stream of drawTies. It was chosen in the same way as aroundStream.
const tiesStream = 0x746965b0

// wrapStream is the random stream of drawWrap. It was chosen in the same way as aroundStream.
const wrapStream = 0x77726170

// firstNodes is the first seed whose networks have nodes with one to six pins. Smaller seeds still give networks of
// gates, as they did before such nodes were added.
const firstNodes = 1 << 32

// firstShared is the first seed whose networks are convolutions.
const firstShared = 1 << 33

// topologies returns the topologies of the networks for a seed and the seeds after it.
func topologies(seed uint64) []string {
	switch {
	case seed >= firstShared:
		return sharedTopologies
	case seed >= firstNodes:
		return nodeTopologies
	}
	return gateTopologies
}

func newCase(seed uint64) fuzzCase {
	r := rand.New(rand.NewPCG(seed, 0x66757a7a))
	c := fuzzCase{seed: seed}
	switch {
	case seed >= firstShared:
		c.model = drawShared(r)
		c.network, c.topology = c.model.Freeze(), topology.Conv
	case seed >= firstNodes:
		drawNetwork(r) // the result is discarded; the call keeps the later random choices unchanged
		c.network, c.topology = drawNodes(r)
	default:
		c.network, c.topology = drawNetwork(r)
	}
	if cutFeatures(rand.New(rand.NewPCG(seed, cutsStream)), c.network); c.model != nil {
		c.model.Encoder = c.network.Encoder
	}
	c.options = drawOptions(r)
	c.drawAround(rand.New(rand.NewPCG(seed, aroundStream)))
	c.drawWrap(rand.New(rand.NewPCG(seed, wrapStream)))
	c.drawHead(rand.New(rand.NewPCG(seed, headStream)))
	c.drawTies(rand.New(rand.NewPCG(seed, tiesStream)))
	if c.model == nil {
		c.model = newModel(rand.New(rand.NewPCG(seed, 0x6d6f64656c)), c.network)
	}
	return c
}

// run compiles and checks all cases, on all processors, and prints the summary.
func (f *fuzzer) run(ctx context.Context) error {
	f.begin, f.sum, f.done = time.Now(), newSummary(), map[int]fuzzCase{}
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for number, ok := f.take(inner); ok; number, ok = f.take(inner) {
				seed := f.first + uint64(number)
				c := newCase(seed)
				c.deep, c.bug, c.program = f.plan.of(seed), f.bug, f.ialgn
				begin := time.Now()
				err := c.run(inner, c.options)
				c.took = time.Since(begin)
				if f.finish(ctx, number, c, err) {
					cancel()
				}
			}
		})
	}
	workers.Wait()
	f.sum.print(f.w, f.first, time.Since(f.begin))
	switch {
	case f.failed != nil:
		return f.failed
	case ctx.Err() != nil:
		return fmt.Errorf("stopped after %d of %d networks: %w", f.sum.Networks, f.count, ctx.Err())
	case len(f.sum.Undecided) > 0:
		return fmt.Errorf("no mismatch, but abc came to no end in its time with the seeds %v; repeat each with -seed",
			f.sum.Undecided)
	}
	fmt.Fprintln(f.w, "no mismatch")
	return nil
}

// take returns the number of the next case. It returns false if there are no more cases, the time is over, or a
// case has failed.
func (f *fuzzer) take(ctx context.Context) (number int, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if ctx.Err() != nil || f.failed != nil || f.next >= f.count || f.limit > 0 && time.Since(f.begin) > f.limit {
		return 0, false
	}
	f.next++
	return f.next - 1, true
}

// finish adds a case to the summary when all earlier cases were added. It reports whether the case is the first case
// that failed. A case that ended because the whole run was stopped does not count. If a proof gave no verdict, the
// case is recorded and the run goes on.
func (f *fuzzer) finish(whole context.Context, number int, c fuzzCase, err error) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.failed != nil || err != nil && whole.Err() != nil:
		return false
	case errors.As(err, new(*undecided)):
		f.sum.Undecided, c.deep = append(f.sum.Undecided, c.seed), depth{reference: c.deep.reference}
	case err != nil:
		f.failed = c.explain(whole, err)
		return true
	}
	f.done[number] = c
	for c, ok := f.done[f.sum.Networks]; ok; c, ok = f.done[f.sum.Networks] {
		delete(f.done, f.sum.Networks)
		if f.sum.add(c); f.sum.Networks%1000 == 0 {
			fmt.Fprintf(f.w, "%d networks\n", f.sum.Networks)
		}
	}
	return false
}

// run compiles the network with the given options and checks the product. It returns a *mismatch in three cases: the
// product is wrong, the compiler refuses the options, or the compiler panics.
func (c fuzzCase) run(ctx context.Context, o options) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &mismatch{fmt.Sprintf("panic: %v\n%s", p, debug.Stack())}
		}
	}()
	if !sameNetwork(c.model.Freeze(), c.network) {
		return &mismatch{"freeze: the model's largest logits select another network"}
	}
	r := rand.New(rand.NewPCG(c.seed, 0x636865636b))
	var d verify.Design
	if d, err = o.compile(ctx, c.network, c.bug, r); err != nil {
		return &mismatch{"compile: " + err.Error()}
	}
	return c.check(ctx, d, o, r)
}

// explain adds to a case's error the instructions to repeat the case. It simplifies the options only for a mismatch,
// because other errors, such as a missing tool, do not depend on the options.
func (c fuzzCase) explain(ctx context.Context, err error) error {
	if missing := (*tool.MissingError)(nil); errors.As(err, &missing) {
		return err
	}
	o := c.shrink(ctx)
	return fmt.Errorf("seed %d: %w\n  %d x %d gates (%s), %d classes, %d inputs\n  compiled with %s\n  shown also with "+
		"%s\n  repeat it with: go run ./lab/fuzzcompile -seed %d",
		c.seed, err, c.network.Width, c.network.Depth(), c.topology, len(c.network.Classes), c.network.Inputs(),
		strings.Join(c.options.words(), " "), strings.Join(o.words(), " "), c.seed)
}

// shrink returns the simplest options that still show a mismatch. It changes one option at a time.
func (c fuzzCase) shrink(ctx context.Context) options {
	o := c.options
	for again := true; again; {
		again = false
		for _, p := range o.plainer() {
			if wrong := (*mismatch)(nil); errors.As(c.run(ctx, p), &wrong) {
				o, again = p, true
				break
			}
		}
	}
	return o
}
