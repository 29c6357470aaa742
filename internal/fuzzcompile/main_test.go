package main

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"ialgn/internal/tool"
)

// TestFuzz runs some cases with all checks.
func TestFuzz(t *testing.T) {
	var out strings.Builder
	err := start(t.Context(), &out, []string{"-count", "60", "-formal", "6", "-rtl", "20"})
	if missing := (*tool.MissingError)(nil); errors.As(err, &missing) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"60 simulated, 10 of them proved, 3 in iverilog\n", "--scope full", "topology rwlgn-spine", "no mismatch\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, &out)
		}
	}
}

// TestOldSeeds runs the cases that found a fault.
func TestOldSeeds(t *testing.T) {
	for _, seed := range []string{"960"} {
		var out strings.Builder
		err := start(t.Context(), &out, []string{"-seed", seed})
		if missing := (*tool.MissingError)(nil); errors.As(err, &missing) {
			t.Skip(err)
		}
		if err != nil || !strings.Contains(out.String(), "no mismatch\n") {
			t.Errorf("seed %s: %v\n%s", seed, err, &out)
		}
	}
}

// TestSeeds checks that a seed decides the case, and that the cases are as spread as the
// package says.
func TestSeeds(t *testing.T) {
	const n = 600
	large, seen := 0, map[string]bool{}
	for seed := range uint64(n) {
		c := newCase(seed)
		if again := newCase(seed); seed < 50 && !reflect.DeepEqual(c, again) {
			t.Fatalf("seed %d gave two cases", seed)
		}
		gates := c.network.Gates()
		if gates < 1 || gates > mostGates {
			t.Fatalf("seed %d: %d gates", seed, gates)
		}
		if gates > largeGates {
			large++
		}
		size := c.network.Width / len(c.network.Classes)
		seen[fmt.Sprint("bits ", c.network.Encoder.Bits)] = true
		seen[fmt.Sprint("depth ", c.network.Depth())] = true
		seen[fmt.Sprint("size ", size)] = true
		seen[fmt.Sprint("classes ", len(c.network.Classes))] = true
		seen[c.topology] = true
		for _, w := range c.options.words() {
			seen[w] = true
		}
	}
	if large < n/3 {
		t.Errorf("%d of %d networks are large, want a third", large, n)
	}
	for _, want := range []string{
		"bits 2", "depth 1", "size 1", "size 3", "classes 2", "classes 100", "chain", "random", "ialgn", "rwlgn", "rwlgn-spine", "rwlgn-classwise",
		"--scope gates", "-O 0", "--lut 2", "--lut 6", "--target ice40", "--objective depth", "--assume-thermometer",
		"--max-depth (the fewest + 0)", "--pipeline auto", "--style lut", "(not lowered)",
	} {
		if !seen[want] {
			t.Errorf("no case has %s", want)
		}
	}
}

// TestShrink checks that a bug of the optimisation is shown by the plainest options too,
// and that the report repeats the case.
func TestShrink(t *testing.T) {
	f := fuzzer{w: io.Discard, first: 1, count: 100, bug: bugs[0]}
	err := f.run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "shown also with --scope gates") || !strings.Contains(err.Error(), "-seed ") {
		t.Errorf("%v", err)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range []string{"-count 0", "-first 0", "-formal -1", "-rtl -1", "-seed x", "5"} {
		if err := start(t.Context(), io.Discard, strings.Fields(args)); err == nil {
			t.Errorf("%s is taken", args)
		}
	}
}
