package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
	"unsafe"

	backend "ialgn/backend/native"
	"ialgn/internal/nativecall"
	"ialgn/netlist"
	"ialgn/sim"
	"ialgn/sim/native"
	"ialgn/trainer/model"
)

// codes returns what measures the machine code of a network by each instruction set of this processor, and facts about
// the code.
func codes(f *model.Frozen, n *netlist.Netlist) (all []contender, facts string, err error) {
	sets, err := native.ISAs()
	if err != nil {
		return nil, "", err
	}
	var text strings.Builder
	features := backend.FeaturesOf(f.Encoder.Thresholds, false)
	for _, isa := range sets {
		begin := time.Now()
		e, err := native.NewWords(n, isa, 1, features)
		if err != nil {
			return nil, "", err
		}
		made := time.Since(begin)
		if err := native.ClassifyWords(context.Background(), e, make([]uint8, features.Count),
			sim.Result{Classes: e.Classes(), Class: make([]uint16, 1)}); err != nil {
			return nil, "", err
		}
		c := e.Code()
		fmt.Fprintf(&text, "%s: code made in %.3f s, first class after %.3f s; %d bytes in %d segments, "+
			"%d input rows, %+v\n\n", isa.Name, made.Seconds(), time.Since(begin).Seconds(), len(c.Text), len(c.Segments),
			len(c.Rows), c.Cost)
		bits, err := packed(c)
		if err != nil {
			return nil, "", err
		}
		all = append(all, contender{isa.Name + ", packed bits to bits of class and counts", bits})
		for _, counts := range []bool{false, true} {
			name := map[bool]string{false: "class", true: "class and counts"}[counts]
			all = append(all, contender{isa.Name + ", bytes to " + name, words(e, features.Count, counts)})
		}
		for _, samples := range []int{1, 64} {
			all = append(all, contender{
				fmt.Sprintf("%s, bytes of %d images to class, a call", isa.Name, samples),
				few(e, features.Count, samples),
			})
		}
	}
	return all, text.String(), nil
}

// packed runs code over bit rows as they are laid out for it: some blocks that the second cache holds, for some
// milliseconds.
func packed(c *backend.Code) (func(context.Context) (float64, error), error) {
	const blocks, repeats = 8, 20
	mapped, err := nativecall.Map(c.Text)
	if err != nil {
		return nil, err
	}
	row := c.ISA.RowBytes
	memory := func(rows int) []uint64 {
		x, r := make([]uint64, rows*row/8+1), rand.New(rand.NewPCG(1, 1))
		for i := range x {
			x[i] = r.Uint64()
		}
		return x
	}
	in, state, local := memory(blocks*len(c.Rows)), memory(blocks*c.State), memory(c.Local)
	return func(context.Context) (float64, error) {
		begin := time.Now()
		for range repeats {
			for _, s := range c.Segments {
				nativecall.Call(mapped.Entry(s.Offset), uintptr(unsafe.Pointer(&in[0])), uintptr(unsafe.Pointer(&state[0])),
					uintptr(unsafe.Pointer(&local[0])), blocks, uintptr(c.State*row), uintptr(len(c.Rows)*row))
			}
		}
		return float64(repeats*blocks*c.ISA.Samples()) / time.Since(begin).Seconds(), nil
	}, nil
}

// setSize is as many images as the test set of MNIST has.
const setSize = 10_000

// words classifies a set of samples of random bytes.
func words(e *native.Engine, features int, counts bool) func(context.Context) (float64, error) {
	x, r := randomBytes(setSize*features), sim.Result{Classes: e.Classes(), Class: make([]uint16, setSize)}
	if counts {
		r.Counts = make([]int32, setSize*e.Classes())
	}
	return func(ctx context.Context) (float64, error) {
		begin := time.Now()
		err := native.ClassifyWords(ctx, e, x, r)
		return setSize / time.Since(begin).Seconds(), err
	}
}

// few classifies some samples a call.
func few(e *native.Engine, features, samples int) func(context.Context) (float64, error) {
	const calls = 300
	x, r := randomBytes(samples*features), sim.Result{Classes: e.Classes(), Class: make([]uint16, samples)}
	return func(ctx context.Context) (float64, error) {
		begin := time.Now()
		for range calls {
			if err := native.ClassifyWords(ctx, e, x, r); err != nil {
				return 0, err
			}
		}
		return float64(calls*samples) / time.Since(begin).Seconds(), nil
	}
}

func randomBytes(n int) []uint8 {
	x, r := make([]uint8, n), rand.New(rand.NewPCG(2, 2))
	for i := range x {
		x[i] = uint8(r.Uint32())
	}
	return x
}
