package verify

import (
	"fmt"
	"os"
	"path/filepath"
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

// TestMatch pairs signatures, told by letters: upper case is the complement. A choice is
// told by the product's number, - for the constant 0, or ~ and a number of raw.
func TestMatch(t *testing.T) {
	for _, c := range []struct {
		name, raw, product string
		pairs              int
		want               string
		missing            int
	}{
		{"the same", "abc", "abc", 0, "0 1 2", 0},
		{"permuted", "abc", "cab", 0, "1 2 0", 0},
		{"zeros dropped", "0a0b", "ab", 0, "- 0 - 1", 0},
		{"a zero kept", "0a0", "a0", 0, "1 0 -", 0},
		{"twice", "aab", "aba", 0, "0 2 1", 0},
		{"one differs", "abc", "axc", 0, "0 1 2", 0},
		{"one differs, one dropped", "0bc", "xc", 0, "- 0 1", 0},
		{"more than there should be", "00a", "ax", 0, "1 - 0", 0},
		{"none left", "00", "", 0, "- -", 0},
		{"a pair", "abA", "b", 1, "~2 0 ~0", 0},
		{"two pairs of one", "aAaA", "", 2, "~1 ~0 ~3 ~2", 0},
		{"a pair and the same once more", "aaA", "a", 1, "0 ~2 ~1", 0},
		{"a pair that was not told", "aA", "Aa", 0, "1 0", 0},
		{"a pair told that is none", "ab", "", 1, "- -", 1},
		{"one pair of two", "aA0", "", 2, "~1 ~0 -", 1},
	} {
		var got []string
		s := stimulus{samples: 64}
		chosen, missing := s.match(letters(c.raw), letters(c.product), c.pairs)
		for _, choice := range chosen {
			text := fmt.Sprint(choice.index)
			switch choice.sort {
			case chooseZero:
				text = "-"
			case chooseComplement:
				text = "~" + text
			}
			got = append(got, text)
		}
		if strings.Join(got, " ") != c.want || missing != c.missing {
			t.Errorf("%s: %v, %d missing, want %v, %d", c.name, got, missing, c.want, c.missing)
		}
	}
}

func letters(s string) []signature {
	all := []signature{}
	for _, r := range s {
		word := uint64(r - '0')
		if r >= 'A' && r <= 'Z' {
			word = ^uint64(r - 'A' + 'a' - '0')
		}
		all = append(all, signature{word})
	}
	return all
}

// TestForeignComparator finds that the product has a comparator with another threshold.
func TestForeignComparator(t *testing.T) {
	needs(t, "abc")
	d := newDesign(t, withThresholds(small(42), 40, 100, 200), netlist.Full, 2)
	c := cellsOf(d.Product, netlist.Compare)[0]
	d.Product = rewire(d.Product, c, d.Product.Param(c)^0b100000, d.Product.Inputs(c)...)
	r, err := d.Formal(t.Context())
	if err != nil || r.Proved || r.Verdict != different || r.Counterexample == nil {
		t.Errorf("%+v, %v", r, err)
	}
}
