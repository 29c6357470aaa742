package main

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/urfave/cli/v2"

	"ialgn/internal/build"
	"ialgn/internal/memory"
	"ialgn/internal/message"
	"ialgn/internal/mpi"
	"ialgn/internal/ranks"
	"ialgn/internal/screen"
)

// These flags belong to the commands that train a network in several processes.
var (
	ranksFlag = &cli.IntFlag{
		Name: "ranks", Category: "several processes",
		Usage: "share the network among `R` processes of mpirun (needs make mpi)",
	}
	rankTimeoutFlag = &cli.DurationFlag{
		Name: "rank-timeout", Value: mpi.DefaultLimit, Usage: "stop if a rank does not respond for `TIME`",
	}
)

// shortestLimit is the minimum of --rank-timeout. A rank may have to wait for its core, so a shorter time would fail
// by chance.
const shortestLimit = time.Second

// team is the connection of this process to the ranks that train a network together. If the process is alone, world
// is nil.
type team struct {
	args  []string // command-line arguments without the program's name
	world *mpi.World
	tell  func(error) // writes an error to the process's own outputs
}

// teamKey is the key of the team in the App's metadata.
const teamKey = "team"

func teamOf(c *cli.Context) *team { return c.App.Metadata[teamKey].(*team) }

// comm returns the ranks' connection for a run, or nil if the process is alone.
func (t *team) comm() ranks.Comm {
	if t.world == nil {
		return nil
	}
	return t.world
}

// leads reports whether this process is the one that shows the progress and the result.
func (t *team) leads() bool { return t.world == nil || t.world.Rank() == 0 }

// trains reports whether a command trains a single network, which ranks can share.
func trains(c *cli.Context) bool { return c.Command.Name == "train" || c.IsSet(indexFlag.Name) }

// joinRanks connects to the ranks that mpirun or srun has started, if any. After that, ranks other than 0 write
// only errors.
func joinRanks(c *cli.Context) error {
	size, rank := mpi.Launched()
	switch {
	case size == 1 || c.Command.Name != "train" && c.Command.Name != "experiment" && c.Command.Name != "sweep":
		return nil
	case !trains(c):
		return message.WithHint(fmt.Errorf("%s: ranks can share one network, not several", c.Command.Name),
			"choose a run with --index, or start the command without mpirun")
	}
	limit := cmp.Or(c.Duration(rankTimeoutFlag.Name), mpi.DefaultLimit)
	if limit < shortestLimit {
		return message.WithHint(fmt.Errorf("--rank-timeout %v: want %v or more", limit, shortestLimit),
			"each rank sends a sign of life four times a second")
	}
	t := teamOf(c)
	if rank > 0 {
		c.App.Writer, c.App.ErrWriter = io.Discard, screen.New(io.Discard)
	}
	var err error
	t.world, err = mpi.Start(limit, func(err error) { t.fail(err) })
	if err != nil {
		return err
	}
	if cores := mpi.Cores(); cores > 0 && !c.IsSet(threadsFlag.Name) {
		runtime.GOMAXPROCS(cores)
	}
	program, err := build.Digest()
	if err != nil {
		return err
	}
	return ranks.Same(t.world, ranks.Fact{Name: "program", Value: program})
}

// fail ends all ranks and does not return. One of the ranks writes the error.
func (t *team) fail(err error) {
	t.world.Fail(status(err), err, func() { t.tell(t.named(err)) })
}

// named adds the rank's number to an error, unless this is rank 0 or the error is about several ranks.
func (t *team) named(err error) error {
	var differ *ranks.DifferError
	var silent *mpi.SilentError
	if t.leads() || errors.As(err, &differ) || errors.As(err, &silent) {
		return err
	}
	return fmt.Errorf("rank %d: %w", t.world.Rank(), err)
}

// end leaves the ranks and returns the exit status. If one rank has an error, all ranks end.
func (t *team) end(err error) int {
	if t.world != nil && err == nil {
		err = t.world.Finish()
	} else if t.world != nil {
		t.fail(err)
	}
	var ended *endedError
	if err == nil || errors.As(err, &ended) {
		return status(err) // the error was already reported
	}
	if _, rank := mpi.Launched(); rank > 0 {
		time.Sleep(politeness) // rank 0 most likely reports the same error, and mpirun ends the others
	}
	t.tell(err)
	return status(err)
}

// politeness is the time that a rank waits before it reports an error, so that rank 0 can report the same error
// first.
const politeness = 500 * time.Millisecond

// endedError reports the exit status of processes that have already written their errors.
type endedError struct{ status int }

func (e *endedError) Error() string { return fmt.Sprintf("mpirun ended with exit status %d", e.status) }

// launching returns an action that starts the program again under mpirun if --ranks is set, and otherwise calls the
// given action.
func launching(action cli.ActionFunc) cli.ActionFunc {
	return func(c *cli.Context) error {
		size, _ := mpi.Launched()
		n := c.Int(ranksFlag.Name)
		switch {
		case !c.IsSet(ranksFlag.Name):
			return action(c)
		case n < 1:
			return message.WithHint(fmt.Errorf("--ranks %d: want the number of processes that share the network", n),
				"1 means the same as omitting the option")
		case c.IsSet(emitFlag.Name):
			return action(c)
		case !trains(c):
			return message.WithHint(fmt.Errorf("--ranks %d: ranks can share one network, not several", n),
				"choose a run with --index, or write a job for a cluster with --emit")
		case size > 1 && size != n:
			return fmt.Errorf("--ranks %d: mpirun has already started %d ranks", n, size)
		case size > 1 || n == 1:
			return action(c)
		}
		code, err := mpi.Launch(c.Context, n, teamOf(c).args)
		if err == nil && code != exitDone {
			err = &endedError{code}
		}
		return err
	}
}

// ranksReport is the number of ranks and their peak memory.
type ranksReport struct {
	Ranks     int    `json:"ranks"`
	PeakBytes uint64 `json:"rank_peak_bytes"` // peak memory of the rank that uses most
	AllBytes  uint64 `json:"peak_bytes"`      // peak memory of all ranks together
}

// text writes nothing if r is nil.
func (r *ranksReport) text(w io.Writer) {
	if r == nil {
		return
	}
	fmt.Fprintf(w, "%d ranks, peak memory %.0f MB in one rank, %.0f MB in all\n", r.Ranks, float64(r.PeakBytes)/1e6,
		float64(r.AllBytes)/1e6)
}

// report returns the memory use of the ranks, or nil if the process is alone.
func (t *team) report() (*ranksReport, error) {
	if t.world == nil {
		return nil, nil
	}
	all, err := t.world.Gather(binary.BigEndian.AppendUint64(nil, memory.Peak()))
	if err != nil {
		return nil, err
	}
	r := &ranksReport{Ranks: len(all)}
	for _, peak := range all {
		n := binary.BigEndian.Uint64(peak)
		r.PeakBytes, r.AllBytes = max(r.PeakBytes, n), r.AllBytes+n
	}
	return r, nil
}
