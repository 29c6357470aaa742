package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"ialgn/internal/mpi"
	"ialgn/internal/ranks"
)

// TestRanksRefused checks that commands refuse ranks that they cannot use.
func TestRanksRefused(t *testing.T) {
	config := "../../examples/digits/digits.yaml"
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"none", []string{"train", config, "--ranks", "0"}, "--ranks 0: want the number of processes"},
		{"several networks", []string{"sweep", config, "-o", "x", "--grid", "train.seed=1,2", "--ranks", "2"}, "not several"},
		{"no MPI", []string{"train", config, "--ranks", "2"}, "built without MPI"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "no MPI" && mpi.Available {
				t.Skip("this test was built with MPI")
			}
			t.Chdir(t.TempDir())
			var out, errs strings.Builder
			code := run(t.Context(), append([]string{"ialgn"}, c.args...), &out, &errs)
			if code != exitUsage || !strings.Contains(errs.String(), c.want) {
				t.Errorf("exit status %d: %s", code, &errs)
			}
		})
	}
}

// TestRanksLaunched checks that a program that was built without MPI reports an error if mpirun started it. Commands
// that ranks do not share run as usual.
func TestRanksLaunched(t *testing.T) {
	if mpi.Available {
		t.Skip("this test was built with MPI")
	}
	t.Setenv("OMPI_COMM_WORLD_SIZE", "2")
	t.Setenv("OMPI_COMM_WORLD_RANK", "0")
	for args, want := range map[string]string{
		"train ../../examples/digits/digits.yaml": "built without MPI",
		"sweep x.yaml --grid train.seed=1,2 -o x": "ranks can share one network",
		"data list": "",
	} {
		var out, errs strings.Builder
		code := run(t.Context(), append([]string{"ialgn"}, strings.Fields(args)...), &out, &errs)
		if (code == exitDone) != (want == "") || !strings.Contains(errs.String(), want) {
			t.Errorf("%s: exit status %d: %s", args, code, &errs)
		}
	}
}

// TestRankStatus checks the exit status for each way in which ranks end.
func TestRankStatus(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{&endedError{130}, exitInterrupted},
		{&endedError{137}, 137},
		{&mpi.SilentError{Rank: 3, Host: "node"}, exitTool},
		{fmt.Errorf("ranks: %w", &mpi.LostError{Text: "gone"}), exitTool},
		{&ranks.DifferError{}, exitUsage},
	} {
		if got := status(c.err); got != c.want {
			t.Errorf("%T: exit status %d, want %d", c.err, got, c.want)
		}
	}
	var ended *endedError
	if tell := (&team{tell: func(error) { t.Error("reported twice") }}); !errors.As(error(&endedError{1}), &ended) ||
		tell.end(ended) != 1 {
		t.Error("the exit status of ended ranks is not the one that they ended with")
	}
}
