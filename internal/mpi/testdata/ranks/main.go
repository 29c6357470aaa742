// Command ranks runs the test or measurement that its first argument names. It runs under mpirun, for the tests of
// package mpi and for measurements.
package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"syscall"
	"time"

	"ialgn/internal/mpi"
	"ialgn/internal/ranks"
)

const (
	statusFailed = 7 // of a rank that fails on purpose
	statusSilent = 3
	statusEnded  = 130
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGUSR1)
	defer stop()
	var w *mpi.World
	end := func(status int, err error) {
		w.Fail(status, err, func() { fmt.Fprintf(os.Stderr, "told by rank %d: %v\n", w.Rank(), err) })
	}
	w, err := mpi.Start(2*time.Second, func(err error) { end(statusSilent, err) })
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	err = programs[os.Args[1]](ctx, w)
	var lost *mpi.LostError
	var other *ranks.OtherError
	switch {
	case errors.Is(err, errStopped):
		if err := w.Finish(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(statusEnded)
	case errors.As(err, &lost):
		end(1, err)
	case errors.As(err, &other):
		time.Sleep(time.Minute) // wait until the other rank ends this rank
	case err != nil:
		end(statusFailed, err)
	}
	if err := w.Finish(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

var errStopped = errors.New("stopped")

var programs = map[string]func(context.Context, *mpi.World) error{
	"exchange": exchange, "kill": kill, "stop": stopRank, "flags": flags, "differ": differ, "fail": fail,
	"settle": settle, "slow": slow, "bench": bench,
}

// exchange calls Sum and Gather with data of several sizes.
func exchange(_ context.Context, w *mpi.World) error {
	for n := range 2000 {
		counts := make([]int32, n)
		for i := range counts {
			counts[i] = int32(i * (w.Rank() + 1))
		}
		if err := w.Sum(counts); err != nil {
			return err
		}
		for i, got := range counts {
			if want := int32(i * w.Size() * (w.Size() + 1) / 2); got != want {
				return fmt.Errorf("number %d of %d is %d, want %d", i, n, got, want)
			}
		}
	}
	for _, n := range []int{0, 1, 100, 1 << 20} {
		own := slices.Repeat([]byte{byte(w.Rank())}, n*w.Rank()) // rank 0 passes no data
		all, err := w.Gather(own)
		if err != nil {
			return err
		}
		for rank, got := range all {
			if !slices.Equal(got, slices.Repeat([]byte{byte(rank)}, n*rank)) {
				return fmt.Errorf("rank %d passed %d bytes, others than it has", rank, len(got))
			}
		}
	}
	if w.Rank() == 0 {
		fmt.Printf("%d ranks are right\n", w.Size())
	}
	return nil
}

// endless calls Sum until an error occurs or all ranks agree to stop. Before each step it calls the function at,
// which may kill or stop the rank.
func endless(ctx context.Context, w *mpi.World, at func(step int)) error {
	for step := 0; ; step++ {
		at(step)
		counts := make([]int32, 1000)
		counts[0] = int32(step)
		if ctx.Err() != nil {
			counts[999] = 1
		}
		if err := w.Sum(counts); err != nil {
			return err
		}
		if counts[0] != int32(step*w.Size()) {
			return fmt.Errorf("the ranks are at different steps")
		}
		if step == 0 && w.Rank() == 0 {
			fmt.Println("ready")
		}
		if counts[999] > 0 {
			all, err := w.Gather([]byte(strconv.Itoa(step)))
			if err == nil && w.Rank() == 0 {
				fmt.Printf("stopped at steps %s\n", all)
			}
			return errors.Join(errStopped, err)
		}
	}
}

func kill(ctx context.Context, w *mpi.World) error {
	return endless(ctx, w, func(step int) {
		if step == 100 && w.Rank() == 1 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
	})
}

func stopRank(ctx context.Context, w *mpi.World) error {
	return endless(ctx, w, func(step int) {
		if step == 100 && w.Rank() == 1 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		}
	})
}

func flags(ctx context.Context, w *mpi.World) error {
	return endless(ctx, w, func(int) { time.Sleep(time.Duration(w.Rank()) * time.Millisecond) })
}

func differ(_ context.Context, w *mpi.World) error {
	return ranks.Same(w, ranks.Fact{Name: "seed", Value: strconv.Itoa(max(1, w.Rank()))})
}

// fail makes all ranks except the last fail at the same time.
func fail(_ context.Context, w *mpi.World) error {
	if w.Rank() == w.Size()-1 {
		return w.Sum(make([]int32, 1000))
	}
	return fmt.Errorf("bad input")
}

func settle(_ context.Context, w *mpi.World) error {
	var own error
	if w.Rank() == 1 {
		own = errors.New("no space left")
	}
	_, err := ranks.Agree(w, nil, own)
	return err
}

// slow makes a rank compute for longer than the time limit. This is not a fault.
func slow(_ context.Context, w *mpi.World) error {
	if w.Rank() == 1 {
		for began := time.Now(); time.Since(began) < 4*time.Second; {
			_ = math.Sqrt(float64(w.Rank()))
		}
	}
	err := w.Sum(make([]int32, 1000))
	if w.Rank() == 0 {
		fmt.Println("the slow rank has come")
	}
	return err
}

// bench measures how long Sum takes. Its arguments are the numbers of elements to measure.
func bench(_ context.Context, w *mpi.World) error {
	for _, arg := range os.Args[2:] {
		n, err := strconv.Atoi(arg)
		if err != nil {
			return err
		}
		counts := make([]int32, n)
		var times []float64
		began := time.Now()
		for counts[n-1] == 0 {
			at := time.Now()
			clear(counts)
			if w.Rank() == 0 && at.Sub(began) >= 2*time.Second { // all ranks must make the same number of sums
				counts[n-1] = 1
			}
			if err := w.Sum(counts); err != nil {
				return err
			}
			times = append(times, time.Since(at).Seconds()*1e6)
		}
		mean := time.Since(began).Seconds() * 1e6 / float64(len(times))
		slices.Sort(times)
		if w.Rank() == 0 {
			fmt.Printf("%d ranks, %d numbers: mean %.1f us, median %.1f us, 90th percentile %.1f us, %d sums\n", w.Size(), n,
				mean, times[len(times)/2], times[len(times)*9/10], len(times))
		}
	}
	return nil
}
