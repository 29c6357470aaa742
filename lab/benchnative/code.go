package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
	"unsafe"

	"ialgn/internal/freeze"
	"ialgn/internal/model"
	backend "ialgn/internal/native"
	"ialgn/internal/nativecall"
	"ialgn/internal/runner"
	"ialgn/netlist"
	"ialgn/sim"
)

// codes returns one contender for each instruction set of this processor. Each contender runs machine code of a
// network. codes also returns facts about the code as text.
func codes(f *model.Frozen, n *netlist.Netlist) (all []contender, facts string, err error) {
	features := backend.FeaturesOf(f.Encoder.Thresholds, false)
	return engines("", features, func(isa *backend.ISA) (*runner.Engine, error) {
		return runner.NewWords(n, isa, 1, features)
	})
}

// kernels returns contenders for code that contains each convolution kernel once. For a model without convolutions,
// it returns no contenders.
func kernels(path string) (all []contender, facts string, err error) {
	file, err := model.Open(path)
	if err != nil {
		return nil, "", err
	}
	defer file.Close()
	begin := time.Now()
	c, err := file.Compact()
	if err != nil {
		return nil, "", err
	}
	read := time.Since(begin)
	n, err := freeze.Positions(c)
	if n == nil || err != nil {
		return nil, "", err
	}
	facts = fmt.Sprintf("kernels once: read in %.3f s, netlists after %.3f s\n\n", read.Seconds(),
		time.Since(begin).Seconds())
	features := backend.FeaturesOf(c.Encoder.Thresholds, false)
	all, text, err := engines(" kernels once,", features, func(isa *backend.ISA) (*runner.Engine, error) {
		return runner.NewLooped(n, isa, 1, features)
	})
	return all, facts + text, err
}

// engines returns a contender for each instruction set of this processor. Each contender runs the engine that
// makeEngine makes.
func engines(what string, features *backend.Features, makeEngine func(*backend.ISA) (*runner.Engine, error)) (
	all []contender, facts string, err error,
) {
	sets, err := runner.ISAs()
	if err != nil {
		return nil, "", err
	}
	var text strings.Builder
	for _, isa := range sets {
		begin := time.Now()
		e, err := makeEngine(isa)
		if err != nil {
			return nil, "", err
		}
		made := time.Since(begin)
		if err := runner.ClassifyWords(context.Background(), e, make([]uint8, features.Count),
			sim.Result{Classes: e.Classes(), Class: make([]uint16, 1)}); err != nil {
			return nil, "", err
		}
		c := e.Code()
		fmt.Fprintf(&text, "%s:"+what+" code made in %.3f s, first class after %.3f s; %d bytes in %d segments, "+
			"%d input rows, %+v\n\n", isa.Name, made.Seconds(), time.Since(begin).Seconds(), len(c.Text), len(c.Segments),
			len(c.Rows), c.Cost)
		bits, err := packed(c)
		if err != nil {
			return nil, "", err
		}
		all = append(all, contender{isa.Name + "," + what + " packed bits to bits of class and counts", bits})
		for _, counts := range []bool{false, true} {
			name := map[bool]string{false: "class", true: "class and counts"}[counts]
			all = append(all, contender{isa.Name + "," + what + " bytes to " + name, words(e, features.Count, counts)})
		}
		for _, samples := range []int{1, 64} {
			all = append(all, contender{
				fmt.Sprintf("%s,%s bytes of %d images to class, a call", isa.Name, what, samples),
				few(e, features.Count, samples),
			})
		}
	}
	return all, text.String(), nil
}

// packed returns a function that runs code for some milliseconds. The input is a few blocks of bit rows in the layout
// of the code. The blocks fit into the second-level cache.
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
	in, state, local := memory(blocks*c.Last), memory(blocks*c.State), memory(c.Local)
	images := make([][]uint64, len(c.Stages))
	for i := range images {
		images[i] = memory(c.Stages[i].Image)
	}
	convolve := func(block int) {
		for i := range c.Stages {
			out := in[block*c.Last*row/8:]
			if i+1 < len(images) {
				out = images[i+1]
			}
			c.Stages[i].Each(row, func(offset, from, to, count int) {
				nativecall.Call(mapped.Entry(offset), uintptr(unsafe.Pointer(&images[i][0]))+uintptr(from),
					uintptr(unsafe.Pointer(&out[0]))+uintptr(to), uintptr(unsafe.Pointer(&local[0])), uintptr(count),
					uintptr(c.Stages[i].Out.Column*row), uintptr(c.Stages[i].In.Column*row))
			})
		}
	}
	return func(context.Context) (float64, error) {
		begin := processor()
		for range repeats {
			for block := range blocks {
				convolve(block)
			}
			for _, s := range c.Segments {
				nativecall.Call(mapped.Entry(s.Offset), uintptr(unsafe.Pointer(&in[0])), uintptr(unsafe.Pointer(&state[0])),
					uintptr(unsafe.Pointer(&local[0])), blocks, uintptr(c.State*row), uintptr(c.Last*row))
			}
		}
		return float64(repeats*blocks*c.ISA.Samples()) / (processor() - begin).Seconds(), nil
	}, nil
}

// setSize is the number of images in MNIST's test set.
const setSize = 10_000

// words returns a function that classifies setSize samples of random bytes.
func words(e *runner.Engine, features int, counts bool) func(context.Context) (float64, error) {
	x, r := randomBytes(setSize*features), sim.Result{Classes: e.Classes(), Class: make([]uint16, setSize)}
	if counts {
		r.Counts = make([]int32, setSize*e.Classes())
	}
	return func(ctx context.Context) (float64, error) {
		begin := processor()
		err := runner.ClassifyWords(ctx, e, x, r)
		return setSize / (processor() - begin).Seconds(), err
	}
}

// few returns a function that classifies the given number of samples in each call of the engine.
func few(e *runner.Engine, features, samples int) func(context.Context) (float64, error) {
	const calls = 300
	x, r := randomBytes(samples*features), sim.Result{Classes: e.Classes(), Class: make([]uint16, samples)}
	return func(ctx context.Context) (float64, error) {
		begin := processor()
		for range calls {
			if err := runner.ClassifyWords(ctx, e, x, r); err != nil {
				return 0, err
			}
		}
		return float64(calls*samples) / (processor() - begin).Seconds(), nil
	}
}

func randomBytes(n int) []uint8 {
	x, r := make([]uint8, n), rand.New(rand.NewPCG(2, 2))
	for i := range x {
		x[i] = uint8(r.Uint32())
	}
	return x
}
