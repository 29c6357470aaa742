//go:build !mpi

package mpi

import (
	"context"
	"errors"
	"os"
	"time"

	"ialgn/internal/message"
)

// Available reports whether the program was built with MPI.
const Available = false

// World is the communication between the ranks of a run. Without MPI, there is only one rank.
type World struct{}

// Start returns an error that says how to build the program with MPI.
func Start(time.Duration, func(error)) (*World, error) { return nil, missing() }

func missing() error {
	return message.WithHint(errors.New("this program was built without MPI and cannot share a network among ranks"),
		"`make mpi` builds bin/ialgn-mpi, which can: mpirun -n 2 bin/ialgn-mpi train ...")
}

// Signals returns nil, because without MPI no process is a rank.
func Signals() []os.Signal { return nil }

// Cores returns 0, which means unknown.
func Cores() int { return 0 }

// Launch returns the same error as [Start].
func Launch(context.Context, int, []string) (status int, err error) { return 0, missing() }

// Rank implements [ialgn/internal/ranks.Comm].
func (*World) Rank() int { return 0 }

// Size implements [ialgn/internal/ranks.Comm].
func (*World) Size() int { return 1 }

// Sum implements [ialgn/internal/ranks.Comm].
func (*World) Sum([]int32) error { return nil }

// Gather implements [ialgn/internal/ranks.Comm].
func (*World) Gather(data []byte) ([][]byte, error) { return [][]byte{data}, nil }

// Fail ends the run.
func (*World) Fail(_ int, _ error, tell func()) { tell() }

// Finish ends the use of MPI, when all ranks are done.
func (*World) Finish() error { return nil }
