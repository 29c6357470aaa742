package proof

import (
	"testing"

	"ialgn/internal/verify/verifytest"
	"ialgn/netlist"
)

// TestProgressOfProof checks that a proof reports what it is proving.
func TestProgressOfProof(t *testing.T) {
	verifytest.Fake(t, "berkeley-abc", "PATH=/usr/bin:/bin; sleep 0.1; echo 'Networks are equivalent.'")
	d := verifytest.NewDesign(t, verifytest.Small(41), netlist.Core, 2)
	ctx, lines := verifytest.Said(t)
	if r, err := Check(ctx, d); err != nil || !r.Proved {
		t.Fatalf("%+v, %v", r, err)
	}
	verifytest.SaidAll(t, lines(), "formal: proving 36 bits of the last layer")
}
