package proof

import (
	"fmt"
	"strings"
	"testing"

	"ialgn/internal/verify"
	"ialgn/internal/verify/cec"
	"ialgn/internal/verify/verifytest"
	"ialgn/netlist"
)

// TestLiars replaces abc by programs that exit with status 0 and print different texts. Only the line that abc
// prints for a proof counts as a proof. A difference counts only if our simulator shows it too.
func TestLiars(t *testing.T) {
	d := verifytest.NewDesign(t, verifytest.Small(41), netlist.Core, 2)
	for _, c := range []struct {
		name, says string
		verdict    cec.Verdict
		reason     string
	}{
		{"proof", "Networks are equivalent.", equivalent, ""},
		{"difference without an example", "Networks are NOT EQUIVALENT.", unproved, "counterexample does not show it"},
		{"time-out", "Networks are UNDECIDED.", unproved, "UNDECIDED"},
		{"missing file", "Cannot open input file.", unproved, "Cannot open"},
		{"nothing", "", unproved, "no verdict"},
	} {
		t.Run(c.name, func(t *testing.T) {
			verifytest.Fake(t, "berkeley-abc", "echo '"+c.says+"'")
			r, err := Check(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			if r.Verdict != c.verdict || r.Proved != (c.verdict == equivalent) || !strings.Contains(r.Reason, c.reason) {
				t.Errorf("%+v", r)
			}
		})
	}
}

// TestFailedProver checks that a crash of the prover is an error that names the program.
func TestFailedProver(t *testing.T) {
	d := verifytest.NewDesign(t, verifytest.Small(41), netlist.Core, 2)
	verifytest.Fake(t, "berkeley-abc", "echo 'Networks are equivalent.'; exit 3")
	if r, err := Check(t.Context(), d); err == nil || !strings.Contains(err.Error(), "abc: exit status 3") {
		t.Errorf("%+v, %v", r, err)
	}
	t.Setenv("PATH", "")
	if r, err := Check(t.Context(), d); err == nil || !strings.Contains(err.Error(), "package berkeley-abc") {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestMatch pairs signatures. A lower-case letter denotes a signature, and the upper-case letter denotes its
// complement. If the choice is a bit of the product, it is written as the bit's number. The constant 0 is written as
// -. A raw bit is written as = and the bit's number, and its complement as ~ and the bit's number.
func TestMatch(t *testing.T) {
	for _, c := range []struct {
		name, raw, product string
		pairs              int
		same               []int
		want               string
		missing            int
	}{
		{"the same", "abc", "abc", 0, nil, "0 1 2", 0},
		{"permuted", "abc", "cab", 0, nil, "1 2 0", 0},
		{"twice, of the same chains", "aab", "aba", 0, []int{2, 0, 1}, "2 0 1", 0},
		{"of the same chain, but another", "ab", "ba", 0, []int{0, 1}, "1 0", 0},
		{"one of the same chain", "aaa", "aaa", 0, []int{-1, 0, -1}, "1 0 2", 0},
		{"a one for a pair", "aA0", "1", 0, nil, "=0 ~0 -", 0},
		{"a pair and a one for another", "aAbB", "1", 1, nil, "=0 ~0 =2 ~2", 0},
		{"a one that is one", "ab", "1b", 0, nil, "0 1", 0},
		{"zeros dropped", "0a0b", "ab", 0, nil, "- 0 - 1", 0},
		{"a zero kept", "0a0", "a0", 0, nil, "1 0 -", 0},
		{"twice", "aab", "aba", 0, nil, "0 2 1", 0},
		{"one differs", "abc", "axc", 0, nil, "0 1 2", 0},
		{"one differs, one dropped", "0bc", "xc", 0, nil, "- 0 1", 0},
		{"more than there should be", "00a", "ax", 0, nil, "1 - 0", 0},
		{"none left", "00", "", 0, nil, "- -", 0},
		{"a pair", "abA", "b", 1, nil, "=0 0 ~0", 0},
		{"two pairs of one", "aAaA", "", 2, nil, "=0 ~0 =2 ~2", 0},
		{"a pair and the same once more", "aaA", "a", 1, nil, "0 =1 ~1", 0},
		{"a pair that was not told", "aA", "Aa", 0, nil, "1 0", 0},
		{"a pair told that is none", "ab", "", 1, nil, "- -", 1},
		{"one pair of two", "aA0", "", 2, nil, "=0 ~0 -", 1},
	} {
		var got []string
		s := verify.Stimuli{Samples: 64}
		chosen, missing := match(s, letters(c.raw), letters(c.product), c.pairs, c.same, constantOnes(c.product))
		for _, choice := range chosen {
			text := fmt.Sprint(choice.index)
			switch choice.sort {
			case chooseZero:
				text = "-"
			case chooseRaw:
				text = "=" + text
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

// constantOnes returns the positions of the constant 1 in a text.
func constantOnes(s string) (list []int) {
	for i, r := range s {
		if r == '1' {
			list = append(list, i)
		}
	}
	return list
}

func letters(s string) []verify.Signature {
	all := []verify.Signature{}
	for _, r := range s {
		word := uint64(r - '0')
		if r >= 'A' && r <= 'Z' {
			word = ^uint64(r - 'A' + 'a' - '0')
		}
		all = append(all, verify.Signature{word})
	}
	return all
}

// TestForeignComparator checks that the proof finds a comparator in the product whose threshold is changed.
func TestForeignComparator(t *testing.T) {
	verifytest.Needs(t, "abc")
	d := verifytest.NewDesign(t, withThresholds(verifytest.Small(42), 40, 100, 200), netlist.Full, 2)
	c := verifytest.CellsOf(d.Product, netlist.Compare)[0]
	d.Product = verifytest.Rewire(d.Product, c, d.Product.Param(c)^0b100000, d.Product.Inputs(c)...)
	r, err := Check(t.Context(), d)
	if err != nil || r.Proved || r.Verdict != different || r.Counterexample == nil {
		t.Errorf("%+v, %v", r, err)
	}
}
