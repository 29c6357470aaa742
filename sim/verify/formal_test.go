package verify

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/netlist"
)

func TestVerdict(t *testing.T) {
	for _, c := range []struct{ name, out, want string }{
		{"proof", "ABC command line: \"&r raw.aig\".\n\nNetworks are equivalent.  Time =     0.00 sec\n", equivalent},
		{"difference", "Disproved at least one output of the miter (zero-based number 0).\nNetworks are NOT EQUIVALENT.  Time =     0.06 sec\n", different},
		{"difference by structure", "Networks are NOT EQUIVALENT after structural hashing.\n", different},
		{"both", "Networks are equivalent.\nNetworks are NOT EQUIVALENT.\n", different},
		{"time-out", "Networks are UNDECIDED.  Time =   540.00 sec\n", ""},
		{"undecided", "Networks are undecided (resource limits is reached).\n", ""},
		{"missing file", "Cannot open input file \"raw.aig\". Empty GIA network.\n", ""},
		{"inputs", "Miter computation has failed.\nNetworks have different number of PIs (3 and 4).\n", ""},
		{"outputs", "Networks have different number of primary outputs.\n", ""},
		{"in another sentence", "Proving that Networks are equivalent.\n", ""},
		{"nothing", "", ""},
	} {
		if got := verdict(c.out); got != c.want {
			t.Errorf("%s: verdict %q, want %q", c.name, got, c.want)
		}
	}
}

// TestLiars runs a program that exits 0 in the place of abc and says one thing or
// another: nothing but the proof's own line is a proof, and a difference that our
// simulator does not show is none.
func TestLiars(t *testing.T) {
	d := newDesign(t, small(41), netlist.Core, 2)
	for _, c := range []struct{ name, says, verdict, reason string }{
		{"proof", "Networks are equivalent.", equivalent, ""},
		{"difference without an example", "Networks are NOT EQUIVALENT.", unproved, "counterexample does not show it"},
		{"time-out", "Networks are UNDECIDED.", unproved, "UNDECIDED"},
		{"missing file", "Cannot open input file.", unproved, "Cannot open"},
		{"nothing", "", unproved, "no verdict"},
	} {
		t.Run(c.name, func(t *testing.T) {
			fake(t, "berkeley-abc", "echo '"+c.says+"'")
			r, err := d.Formal(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if r.Verdict != c.verdict || r.Proved != (c.verdict == equivalent) || !strings.Contains(r.Reason, c.reason) {
				t.Errorf("%+v", r)
			}
		})
	}
}

// fake makes the given shell commands the only program in PATH.
func fake(t *testing.T, name, script string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
}

// TestFailedProver checks that a program that dies is an error that names it.
func TestFailedProver(t *testing.T) {
	d := newDesign(t, small(41), netlist.Core, 2)
	fake(t, "berkeley-abc", "echo 'Networks are equivalent.'; exit 3")
	if r, err := d.Formal(t.Context()); err == nil || !strings.Contains(err.Error(), "abc: exit status 3") {
		t.Errorf("%+v, %v", r, err)
	}
	t.Setenv("PATH", "")
	if r, err := d.Formal(t.Context()); err == nil || !strings.Contains(err.Error(), "package berkeley-abc") {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestReadPattern(t *testing.T) {
	for _, c := range []struct {
		name, text string
		inputs     int
		want       []uint64
	}{
		{"several", "# FALSIFYING OUTPUTS: miter\n# COUNTEREXAMPLE LENGTH: 1\nx[0]@0=1\nx[10]@0=0\nx[2]@0=1\n", 11, []uint64{0: 1, 2: 1, 10: 0}},
		{"of the solver", "x[1]=1\n", 2, []uint64{0, 1}},
		{"one input", "x@0=1\n", 1, []uint64{1}},
		{"open value", "x[1]@0=-\n", 2, []uint64{0, 0}},
		{"nothing", "", 2, []uint64{0, 0}},
		{"another name", "xx[1]=1\nh[1]=1\n", 2, []uint64{0, 0}},
		{"out of range", "x[2]=1\n", 2, nil},
	} {
		got, err := readPattern(c.text, c.inputs)
		if diff := cmp.Diff(c.want, got); diff != "" || (err != nil) != (c.want == nil) {
			t.Errorf("%s: error %v (-want +got):\n%s", c.name, err, diff)
		}
	}
}

// TestMatch pairs signatures, told by letters.
func TestMatch(t *testing.T) {
	for _, c := range []struct {
		name, raw, product string
		want               []int
	}{
		{"the same", "abc", "abc", []int{0, 1, 2}},
		{"permuted", "abc", "cab", []int{1, 2, 0}},
		{"zeros dropped", "0a0b", "ab", []int{-1, 0, -1, 1}},
		{"a zero kept", "0a0", "a0", []int{1, 0, -1}},
		{"twice", "aab", "aba", []int{0, 2, 1}},
		{"one differs", "abc", "axc", []int{0, 1, 2}},
		{"one differs, one dropped", "0bc", "xc", []int{-1, 0, 1}},
		{"more than there should be", "00a", "ax", []int{1, -1, 0}},
		{"none left", "00", "", []int{-1, -1}},
	} {
		if got := match(letters(c.raw), letters(c.product)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func letters(s string) []signature {
	all := []signature{}
	for _, r := range s {
		all = append(all, signature{uint64(r - '0'), 0})
	}
	return all
}

// TestCompares checks the canonical form of comparators.
func TestCompares(t *testing.T) {
	for _, c := range []struct {
		name      string
		threshold uint64
		bits      []int // of the bus
		want      comparison
		fails     bool
	}{
		{"word", 100, []int{0, 1, 2, 3, 4, 5, 6, 7}, comparison{2, 8, 100}, false},
		{"second word", 100, []int{8, 9, 10, 11, 12, 13, 14, 15}, comparison{10, 8, 100}, false},
		{"low bits that cannot matter", 0b1011, []int{0, 1, 2, 3}, comparison{4, 2, 0b10}, false},
		{"a bit", 127, []int{0, 1, 2, 3, 4, 5, 6, 7}, comparison{9, 1, 0}, false},
		{"already shrunk", 0b10, []int{2, 3}, comparison{4, 2, 0b10}, false},
		{"never", 255, []int{0, 1, 2, 3, 4, 5, 6, 7}, comparison{}, false},
		{"beyond the word", 256, []int{0, 1, 2, 3, 4, 5, 6, 7}, comparison{}, false},
		{"not neighbours", 100, []int{0, 1, 2, 3, 4, 5, 6, 8}, comparison{}, true},
		{"reversed", 2, []int{1, 0}, comparison{}, true},
	} {
		b := netlist.NewBuilder("n")
		x := b.Input("x", 16, 8, nil)
		in := make([]netlist.Net, len(c.bits))
		for i, bit := range c.bits {
			in[i] = x[bit]
		}
		b.Cell(netlist.Compare, c.threshold, netlist.Origin{}, in...)
		got, err := compares(b.Netlist(), 0)
		if got != c.want || (err != nil) != c.fails {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
	}
}

// TestForeignComparator proves nothing of a product whose comparator has another
// threshold, but finds the difference.
func TestForeignComparator(t *testing.T) {
	d := newDesign(t, withThresholds(small(42), 40, 100, 200), netlist.Full, 2)
	c := cellsOf(d.Product, netlist.Compare)[0]
	d.Product = rewire(d.Product, c, d.Product.Param(c)^0b100000, d.Product.Inputs(c)...)
	r, err := d.Formal(t.Context())
	if err != nil || r.Proved || r.Verdict != different || !strings.Contains(r.Reason, "no counterpart") {
		t.Errorf("%+v, %v", r, err)
	}
}
