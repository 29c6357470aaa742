//go:build !mpi

package mpi

import (
	"errors"
	"time"

	"ialgn/internal/hint"
)

// Available reports whether the program was built with MPI.
const Available = false

// World is what the ranks of a run talk by. Without MPI there is none.
type World struct{}

// Start returns an error that says how to build the program with MPI.
func Start(time.Duration, func(error)) (*World, error) {
	return nil, hint.With(errors.New("this program was built without MPI and cannot share a network among ranks"),
		"`make mpi` builds bin/ialgn-mpi, which can: mpirun -n 2 bin/ialgn-mpi train ...")
}

// Rank implements [ialgn/trainer/ranks.Comm].
func (*World) Rank() int { return 0 }

// Size implements [ialgn/trainer/ranks.Comm].
func (*World) Size() int { return 1 }

// Sum implements [ialgn/trainer/ranks.Comm].
func (*World) Sum([]int32) error { return nil }

// Gather implements [ialgn/trainer/ranks.Comm].
func (*World) Gather(data []byte) ([][]byte, error) { return [][]byte{data}, nil }

// Fail ends the run.
func (*World) Fail(_ int, tell func()) { tell() }

// FailLater ends the run.
func (*World) FailLater(_ int, tell func()) { tell() }

// Finish ends the use of MPI, when all ranks are done.
func (*World) Finish() error { return nil }
