// Package mpi has the ranks of a run talk by Open MPI, where the program was built with it (`make mpi`, the build tag
// mpi); elsewhere [Start] says how to get such a program.
//
// A [World] lives from Start to Finish or Fail, one in a process. The exchanges are MPI's non-blocking ones. A rank
// that waits tests for the end without a pause for a fraction of a millisecond, and then ever more rarely, so that
// ranks which share cores do not take them from each other. Any thread may call MPI, one at a time: to hand each
// exchange to a goroutine that owns MPI took 38 us, ten times as long as the exchange of two ranks itself.
//
// Faults: each rank tells the next one that it is there, once a beat, whatever else it is doing. One that is not heard
// of for the time limit was stopped or has lost its network, and the next one says so and ends the run. Of ranks that
// fail, rank 0 chooses the first one, which alone says why.
package mpi

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

// DefaultLimit is how long a rank may be silent.
const DefaultLimit = time.Minute

// Launched returns how many ranks mpirun or srun has started, and which of them this process is, by its environment. It
// returns 1 and 0 for a process that was started by itself.
func Launched() (ranks, rank int) {
	for _, by := range []struct{ size, rank string }{
		{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
		{"SLURM_STEP_NUM_TASKS", "PMIX_RANK"}, // srun --mpi=pmix; without PMIx the ranks could not find each other
		{"PMI_SIZE", "PMI_RANK"},
	} {
		size, err := strconv.Atoi(os.Getenv(by.size))
		rank, noRank := strconv.Atoi(os.Getenv(by.rank))
		if err == nil && noRank == nil && size > 1 {
			return size, rank
		}
	}
	return 1, 0
}

// SilentError says that a rank was not heard of for the time limit.
type SilentError struct {
	Rank  int
	Host  string
	Limit time.Duration
}

func (e *SilentError) Error() string {
	return fmt.Sprintf("rank %d on %s was not heard of for %v: it was stopped, or its machine or network is down", e.Rank,
		e.Host, e.Limit)
}

// LostError says that an exchange failed, most often because another rank has ended.
type LostError struct{ Text string }

func (e *LostError) Error() string { return "the exchange with the other ranks failed: " + e.Text }
