package wrapper

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"ialgn/internal/hardware/encoder"
	"ialgn/internal/testkit"
	"ialgn/netlist"
)

// emitApart is like emitWith, for a wrapper that contains the core's encoder.
func emitApart(t *testing.T, n *netlist.Netlist, stages int,
	writer func(io.Writer, *netlist.Netlist, Options) error,
) (dir, wrapper string) {
	t.Helper()
	s := encoder.Apart(staged(t, n, stages))
	if s == nil {
		t.Fatal("the encoder is not separate from the core")
	}
	return emitCore(t, s.Core, writer, Options{Levels: &Levels{Word: s.Word, Thresholds: s.Thresholds, Bits: s.Bits}})
}

// TestLevels runs the programs of the other wrapper tests on wrappers that contain the encoder. It also checks that
// linters print no warning.
func TestLevels(t *testing.T) {
	n := classifier(t)
	for i, c := range []struct{ stages, beat int }{{0, 11}, {2, 3}, {0, 1}, {0, 3}} {
		if i > 1 && !testkit.Whole() {
			break // TestStream checks the other beats
		}
		t.Run(fmt.Sprintf("stream/stages=%d/beat=%d", c.stages, c.beat), func(t *testing.T) {
			dir, wrapper := emitApart(t, n, c.stages, WriteStream)
			p := newProgram(t, n, c.beat, 40, true)
			build(t, dir, wrapper, c.stages, p)
			clocks(t, simulate(t, dir, "+stall_in=40", "+stall_out=40"), p)
			lint(t, dir, wrapper, "BEAT", 1, c.beat)
		})
	}
	t.Run("axis", func(t *testing.T) {
		dir, wrapper := emitApart(t, n, 1, WriteAXIS)
		p := newPackets(t, n, 4, 40, true)
		p.build(t, dir, "axis_tb.v", wrapper, 1, 8)
		clocks(t, simulate(t, dir, "+stall_in=40", "+stall_out=40"), p)
		lint(t, dir, wrapper, "BYTES", 1, 16)
	})
	t.Run("uart", func(t *testing.T) {
		dir, wrapper := emitApart(t, n, 0, WriteUART)
		p := newUART(t, n, 20, true)
		clocksOf(t, p.run(t, dir, wrapper, 8), p.answers)
		lint(t, dir, wrapper, "")
	})
	t.Run("spi", func(t *testing.T) {
		dir, wrapper := emitApart(t, n, 0, WriteSPI)
		p := newSPI(t, n, 20, true)
		clocksOf(t, p.run(t, dir, wrapper, 20), p.results)
		lint(t, dir, wrapper, "")
	})
}

// TestLevelsFault checks that a wrong encoder in a wrapper is found.
func TestLevelsFault(t *testing.T) {
	n := classifier(t)
	dir, wrapper := emitApart(t, n, 0, WriteStream)
	p := newProgram(t, n, 3, 40, false)
	f := fault{good: "lane*5+:5", bad: "lane*5+:4"}
	build(t, dir, f.broken(t, wrapper), 0, p)
	if out := simulate(t, dir); !strings.HasPrefix(out, "FAIL: ") {
		t.Errorf("%q instead of %q passes: %s", f.bad, f.good, out)
	}
}

// TestLevelsRange checks that levels are refused if a threshold is missing, if a bit does not exist, or if the words
// are too short or too long.
func TestLevelsRange(t *testing.T) {
	s := encoder.Apart(classifier(t))
	for _, c := range []struct {
		kind   string
		levels Levels
	}{
		{"stream", Levels{Word: 5, Thresholds: s.Thresholds[1:]}},
		{"stream", Levels{Word: 1, Thresholds: s.Thresholds}},
		{"stream", Levels{Word: 33, Thresholds: s.Thresholds}},
		{"axis", Levels{Word: 9, Thresholds: s.Thresholds}},
		{"stream", Levels{Word: 5, Thresholds: s.Thresholds[1:], Bits: []int{5}}},
	} {
		if _, err := NewRate(c.kind, s.Core, Options{Levels: &c.levels}); err == nil ||
			!strings.Contains(err.Error(), "give words of 2 to") {
			t.Errorf("%s of %d bits with %d thresholds: %v", c.kind, c.levels.Word, len(c.levels.Thresholds), err)
		}
	}
}
