package main

import (
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"ialgn/internal/testkit"
	"ialgn/internal/tool"
)

// TestFuzz runs some cases with all checks.
func TestFuzz(t *testing.T) {
	var out strings.Builder
	err := start(t.Context(), &out, strings.Fields("-count 30 -formal 6 -reference 15 -rtl 15 -synth 15 -around 10"))
	skipMissing(t, err)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"30 simulated, 5 of them proved, 2 from the model file, 2 in iverilog (", "), 2 after yosys (",
		"--scope full", "topology rwlgn-spine", " of 2380 pairs of option values; not: ", "wrappers simulated: stream ",
		"program: 0\n", "no mismatch\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, &out)
		}
	}
}

// skipMissing skips the test if a tool is not installed.
func skipMissing(t *testing.T, err error) {
	t.Helper()
	if missing := (*tool.MissingError)(nil); errors.As(err, &missing) {
		t.Skip(err)
	}
}

// oldSeeds lists the seeds of cases that found a fault.
var oldSeeds = []uint64{33, 99, 400, 960, 765, 4862}

// TestOldSeeds runs the cases that found a fault of the compiler or of a check. Two of these cases run with all
// checks. Together, the two cases include both synthesis flows of yosys, primitives, and a pipeline.
func TestOldSeeds(t *testing.T) {
	const proofs = " -count 1 -formal 1 -reference 1 -rtl 0 -synth 0 -around 0"
	for _, args := range []string{
		"-seed 33", "-seed 99",
		"-first 1880 -count 1 -formal 0 -reference 0 -rtl 0 -synth 0 -around 1", "-first 400" + proofs, "-first 960" + proofs,
		"-first 765" + proofs, "-first 4862" + proofs,
	} {
		if !testkit.Whole() && strings.HasPrefix(args, "-seed") {
			continue // skipped, because cases with all checks take long
		}
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			err := start(t.Context(), &out, strings.Fields(args))
			skipMissing(t, err)
			if err != nil || !strings.Contains(out.String(), "no mismatch\n") {
				t.Errorf("%v\n%s", err, &out)
			}
		})
	}
}

// TestSeeds checks that a seed determines the case. It also checks that cases are as varied as the package comment
// says. All possible pairs of options and all properties must occur, and no impossible pair may occur.
func TestSeeds(t *testing.T) {
	testkit.Long(t, "draws thousands of cases")
	properties := map[string]int{}
	for _, seeds := range []struct {
		first    uint64
		n        int
		smallest int // number of gates in the smallest network, which is at least two for a convolution
	}{{0, 8000, 1}, {firstNodes, 3500, 1}, {firstShared, 3500, 2}} {
		s := newSummary()
		for i := range seeds.n {
			seed := seeds.first + uint64(i)
			c := newCase(seed)
			if i < 50 && !reflect.DeepEqual(c, newCase(seed)) {
				t.Fatalf("seed %d gave two cases", seed)
			}
			if !sameNetwork(c.model.Freeze(), c.network) {
				t.Fatalf("seed %d: the model selects another network", seed)
			}
			s.add(c)
		}
		if s.Smallest != seeds.smallest || s.Largest > mostGates || s.Largest < mostGates*9/10 || s.Large < seeds.n/4 {
			t.Errorf("networks of %d to %d gates, %d of %d large; want %d to %d, a quarter large", s.Smallest, s.Largest, s.Large,
				seeds.n, seeds.smallest, mostGates)
		}
		all := allPairs(topologies(seeds.first))
		possible := map[string]int{}
		for _, p := range all {
			possible[p.String()] = 1
		}
		for p := range s.Pairs {
			if possible[p] == 0 {
				t.Errorf("%s should not occur", p)
			}
		}
		for _, never := range [][]string{
			missing(all, s.Pairs), missing(allSettings(topologies(seeds.first)), s.Settings),
		} {
			if len(never) > 0 {
				t.Errorf("no case has any of %q", never)
			}
		}
		for name, n := range s.Properties {
			properties[name] += n
		}
	}
	if never := missing(propertyNames(), properties); len(never) > 0 {
		t.Errorf("no case has any of %q", never)
	}
}

// TestShrink puts a bug into the optimisation. The options must be reduced to the plainest options with which the bug
// is still found. The report must contain the command that repeats the case.
func TestShrink(t *testing.T) {
	f := fuzzer{w: io.Discard, first: 1, count: 100, bug: bugs[0]}
	err := f.run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "shown also with --scope gates") ||
		!strings.Contains(err.Error(), "-seed ") {
		t.Errorf("%v", err)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range []string{
		"-count 0", "-first 0", "-formal -1", "-rtl -1", "-reference -1", "-synth -1",
		"-around -1", "-program -1", "-seed x", "5",
	} {
		if err := start(t.Context(), io.Discard, strings.Fields(args)); err == nil {
			t.Errorf("%s is accepted", args)
		}
	}
}
