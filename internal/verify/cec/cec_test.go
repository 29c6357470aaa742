package cec

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		name, out string
		want      Verdict
	}{
		{"proof", "ABC command line: \"&r raw.aig\".\n\nNetworks are equivalent.  Time =     0.00 sec\n", Equivalent},
		{"difference", "Disproved at least one output of the miter (zero-based number 0).\nNetworks are NOT EQUIVALENT.  " +
			"Time =     0.06 sec\n", Different},
		{"difference by structure", "Networks are NOT EQUIVALENT after structural hashing.\n", Different},
		{"both", "Networks are equivalent.\nNetworks are NOT EQUIVALENT.\n", Different},
		{"time-out", "Networks are UNDECIDED.  Time =   540.00 sec\n", Undecided},
		{"undecided", "Networks are undecided (resource limits is reached).\n", Undecided},
		{"missing file", "Cannot open input file \"raw.aig\". Empty GIA network.\n", Undecided},
		{"inputs", "Miter computation has failed.\nNetworks have different number of PIs (3 and 4).\n", Undecided},
		{"outputs", "Networks have different number of primary outputs.\n", Undecided},
		{"in another sentence", "Proving that Networks are equivalent.\n", Undecided},
		{"nothing", "", Undecided},
	} {
		if got := verdict(c.out); got != c.want {
			t.Errorf("%s: verdict %q, want %q", c.name, got, c.want)
		}
	}
}

func TestReadPattern(t *testing.T) {
	for _, c := range []struct {
		name, text string
		inputs     int
		want       []uint64
	}{
		{
			"several", "# FALSIFYING OUTPUTS: miter\n# COUNTEREXAMPLE LENGTH: 1\nx[0]@0=1\nx[10]@0=0\nx[2]@0=1\n", 11,
			[]uint64{0: 1, 2: 1, 10: 0},
		},
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
