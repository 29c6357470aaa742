package main

import (
	"errors"
	"strings"
	"testing"

	"ialgn/internal/tool"
)

// TestMap runs the part map on the smallest network. With the objective area, the compiler must reach the lower bound
// on the number of LUTs. The result of abc must not be below this bound.
func TestMap(t *testing.T) {
	var out strings.Builder
	err := run(t.Context(), &out, []string{"-parts", "map", "-networks", "a", "-yosys", "", "-dir", t.TempDir()})
	if missing := (*tool.MissingError)(nil); errors.As(err, &missing) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{} // maps each K and mapper to the LUTs divided by the bound
	for line := range strings.Lines(out.String()) {
		if cells := strings.Split(line, " | "); len(cells) == 8 && strings.HasPrefix(cells[0], "| a") {
			rows[cells[1]+" "+cells[2]] = cells[4]
			if proved := strings.HasPrefix(cells[7], "yes"); proved != strings.HasPrefix(cells[2], "ialgn") {
				t.Errorf("proved: %s", line)
			}
		}
	}
	if len(rows) != 10 {
		t.Errorf("%d different rows, want 10:\n%s", len(rows), &out)
	}
	for row, share := range rows {
		if strings.HasSuffix(row, "ialgn, area") && share != "1.000" || share < "1.000" {
			t.Errorf("%s: %s of the bound", row, share)
		}
	}
}

// TestCount counts the LUTs in BLIF with continued lines, as abc writes it.
func TestCount(t *testing.T) {
	const netlist = `.model gates
.inputs a b \
 c
.outputs f g h i
.names a b \
 c f
11- 1
1-1 1
.names a g
0 1
.names b h
1 1
.names i
 1
.names a \
 b j
00 1
.end
`
	got, err := countBLIF(strings.NewReader(netlist))
	if want := (figures{luts: 2, inverters: 1}); err != nil || got != want {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	if _, err := countBLIF(strings.NewReader(strings.TrimSuffix(netlist, ".end\n"))); err == nil {
		t.Error("a file without an end is counted")
	}
}

func TestLastNumber(t *testing.T) {
	out := "gates : i/o = 3/ 1  nd = 5  edge = 9  lev = 12\ngates : i/o = 3/ 1  nd = 5  edge = 9  lev = 3\n"
	if got, err := lastNumber(abcLevels, out); err != nil || got != 3 {
		t.Errorf("%d, %v, want the last number of levels, 3", got, err)
	}
	if _, err := lastNumber(yosysLUTs, out); err == nil {
		t.Error("a number was found in a line without one")
	}
}

func TestLimits(t *testing.T) {
	f := scaleForm{name: "m", seconds: 3, bytes: 500}
	for _, c := range []struct {
		m  measured
		ok bool
	}{
		{measured{Seconds: 3, PeakBytes: 500}, true},
		{measured{Seconds: 3.1, PeakBytes: 500}, false},
		{measured{Seconds: 3, PeakBytes: 501}, false},
		{measured{Seconds: 3}, false},
	} {
		if err := f.check(c.m); (err == nil) != c.ok {
			t.Errorf("%.1f s and %d bytes: %v", c.m.Seconds, c.m.PeakBytes, err)
		}
	}
}

func TestUsage(t *testing.T) {
	for _, args := range []string{
		"-parts maps", "-networks e", "-yosys x", "-forms 9k", "-seeds 0", "-runs 0",
		"-parts map b",
	} {
		if _, err := parse(strings.Fields(args)); err == nil {
			t.Errorf("%s is accepted", args)
		}
	}
	o, err := parse(strings.Fields("-parts core,scale -forms 8k"))
	if err != nil || len(o.parts) != 2 || len(o.forms) != 1 || len(o.networks) != 3 {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestNumbers(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 12345678: "12,345,678"} {
		if got := number(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
