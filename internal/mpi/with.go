//go:build mpi

package mpi

// #cgo pkg-config: ompi-c
// #include <unistd.h>
// #include "binding.h"
import "C"

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// Available reports whether the program was built with MPI.
const Available = true

// These are the interval of the signs of life, and the times for which ranks wait when something fails.
const (
	beat     = 250 * time.Millisecond // interval of the messages to the next rank
	answer   = 2 * time.Second        // for rank 0 to choose which rank reports the error; rank 0 may have ended
	ending   = 10 * time.Second       // for the end of the process, which another rank causes
	courtesy = 300 * time.Millisecond // before another rank reports an error that rank 0 may also report
	lostEnds = 3 * time.Second        // after a lost exchange, for mpirun to report which rank was killed
)

// settings are Open MPI settings that apply unless the user has set them. Algorithm 4 for sums is recursive doubling,
// with log2(ranks) messages one after another. The default algorithm needs twice this number.
var settings = map[string]string{"OMPI_MCA_coll_libnbc_iallreduce_algorithm": "4"}

// World is the communication between the ranks of a run. It implements [ialgn/internal/ranks.Comm].
type World struct {
	rank, size int
	limit      time.Duration
	silent     func(error)
	hosts      atomic.Pointer[[][]byte] // indexed by rank; nil until known

	over  chan struct{} // closed when the beats must end
	beats sync.WaitGroup
}

// Start joins the ranks that mpirun or srun has started. It may be called only once in a process. If no sign of life
// arrives from a rank for the time limit, Start calls the function silent in a separate goroutine. Meanwhile, ranks
// that wait for the silent rank continue to wait.
func Start(limit time.Duration, silent func(error)) (*World, error) {
	for name, value := range settings {
		if os.Getenv(name) == "" {
			_ = os.Setenv(name, value) // without this setting, sums only take longer
		}
	}
	var rank, size C.int
	if err := failed(C.ialgn_init(&rank, &size)); err != nil {
		return nil, fmt.Errorf("MPI cannot be started: %w", err)
	}
	w := &World{rank: int(rank), size: int(size), limit: limit, silent: silent, over: make(chan struct{})}
	host, _ := os.Hostname() // used only in messages
	w.beats.Go(w.beat)
	hosts, err := w.Gather([]byte(host))
	w.hosts.Store(&hosts)
	return w, err
}

// Rank implements [ialgn/internal/ranks.Comm].
func (w *World) Rank() int { return w.rank }

// Size implements [ialgn/internal/ranks.Comm].
func (w *World) Size() int { return w.size }

// Sum implements [ialgn/internal/ranks.Comm].
func (w *World) Sum(counts []int32) error {
	if len(counts) > math.MaxInt32 {
		return errors.New("more than 2^31 numbers to sum")
	}
	return failed(C.ialgn_sum((*C.int)(unsafe.Pointer(unsafe.SliceData(counts))), C.int(len(counts))))
}

// Gather implements [ialgn/internal/ranks.Comm]. The data of all ranks together may have up to 2 GB.
func (w *World) Gather(data []byte) ([][]byte, error) {
	sizes := make([]C.long, w.size)
	if err := failed(C.ialgn_sizes(C.long(len(data)), &sizes[0])); err != nil {
		return nil, err
	}
	counts, starts, total := make([]C.int, w.size), make([]C.int, w.size), 0
	for rank, n := range sizes {
		if total+int(n) > math.MaxInt32 {
			return nil, fmt.Errorf("the ranks have more than 2 GB to tell each other")
		}
		counts[rank], starts[rank] = C.int(n), C.int(total)
		total += int(n)
	}
	joined := make([]byte, total)
	if err := failed(C.ialgn_gather(unsafe.Pointer(unsafe.SliceData(data)), C.int(len(data)),
		unsafe.Pointer(unsafe.SliceData(joined)), &counts[0], &starts[0])); err != nil {
		return nil, err
	}
	all := make([][]byte, w.size)
	for rank, n := range counts {
		from := int(starts[rank])
		all[rank] = joined[from : from+int(n) : from+int(n)]
	}
	return all, nil
}

// beat sends the next rank a sign of life until the world is over, and watches the previous rank. It measures silence
// by counting its own beats instead of time. Therefore a rank that was itself stopped for some time does not conclude
// that the previous rank is silent.
func (w *World) beat() {
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for missed := 0; ; missed++ {
		select {
		case <-w.over:
			return
		case <-tick.C:
		}
		var heard, first C.int
		if C.ialgn_beat(&heard, &first) != C.MPI_SUCCESS {
			return // the exchange fails as well and reports the error
		}
		if heard > 0 {
			missed = 0
		}
		if time.Duration(missed)*beat >= w.limit && w.size > 1 {
			go w.silent(w.silence())
			return
		}
	}
}

func (w *World) silence() error {
	e := &SilentError{Rank: (w.rank + w.size - 1) % w.size, Host: "another machine", Limit: w.limit}
	if hosts := w.hosts.Load(); hosts != nil && len(*hosts) == w.size {
		e.Host = string((*hosts)[e.Rank])
	}
	return e
}

// Fail ends all ranks with an exit status because of err. It does not return. Before the end, it calls tell to report
// the error. If several ranks fail at the same time, only one of them calls tell. If all ranks fail with the same
// error, rank 0 calls tell.
func (w *World) Fail(status int, err error, tell func()) {
	var lost *LostError
	switch {
	case errors.As(err, &lost):
		time.Sleep(lostEnds) // if another rank was killed, mpirun reports it and ends this rank
	case w.rank > 0:
		time.Sleep(courtesy)
	}
	if w.chosen() {
		tell()
	} else {
		time.Sleep(ending)
	}
	C.ialgn_abort(C.int(status))
	os.Exit(status)
}

// chosen tells rank 0 that this rank has failed, and reports whether this rank is the first to fail. If rank 0 does
// not answer, chosen returns true.
func (w *World) chosen() bool {
	if C.ialgn_claim() != C.MPI_SUCCESS {
		return true
	}
	for began := time.Now(); time.Since(began) < answer; time.Sleep(10 * time.Millisecond) {
		var heard, first C.int
		if C.ialgn_beat(&heard, &first) != C.MPI_SUCCESS {
			return true
		}
		if first >= 0 {
			return int(first) == w.rank
		}
	}
	return true
}

// Finish ends the use of MPI when all ranks are done.
func (w *World) Finish() error {
	err := failed(C.ialgn_barrier())
	close(w.over)
	w.beats.Wait()
	if err == nil {
		err = failed(C.MPI_Finalize())
	}
	return err
}

// Cores returns the number of threads that each rank can use on its machine, which several ranks may share. 0 means
// unknown.
func Cores() int {
	for _, name := range []string{"OMPI_COMM_WORLD_LOCAL_SIZE", "SLURM_STEP_TASKS_PER_NODE"} {
		if ranks, err := strconv.Atoi(os.Getenv(name)); err == nil && ranks > 0 {
			return min(runtime.GOMAXPROCS(0), max(1, int(C.sysconf(C._SC_NPROCESSORS_ONLN))/ranks))
		}
	}
	return 0
}

// failed returns the error for an MPI return code, or nil for success.
func failed(code C.int) error {
	if code == C.MPI_SUCCESS {
		return nil
	}
	var text [C.MPI_MAX_ERROR_STRING]C.char
	C.ialgn_text(code, &text[0])
	return &LostError{C.GoString(&text[0])}
}
