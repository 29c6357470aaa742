package fit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ialgn/internal/outfile"
)

var (
	ledgerDims  = []dimension{{name: "depth", values: []string{"1", "2"}}, {name: "tau", values: []string{"0.6"}}}
	ledgerAsked = asked{Keys: []string{"data.set=digits"}, Train: "abc", Target: "xilinx7", LUTs: 500}
)

// written creates a ledger file in a folder. The ledger has one round and one network of the front.
func written(t *testing.T, dir string) *ledger {
	t.Helper()
	l, err := openLedger(dir, ledgerAsked, ledgerDims, false, outfile.Guard{})
	if err != nil {
		t.Fatal(err)
	}
	done := &trial{
		Candidate: candidate{"2", "0.6"}, Budget: 500, Width: 60, Wrong: []float64{0.2, 0.3}, Cost: &cost{LUTs: LUTs{Total: 480}},
	}
	err = l.record(func() {
		l.Rungs = []*rung{{Name: roundMany, Epochs: 3, Seeds: 2, Trials: []*trial{done}}}
		l.Finals = []*final{{trial: *done, Epochs: 9, Name: "digits"}}
	})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestLedger continues the ledger in a folder. This must succeed only if the ledger was written by a search with the
// same request.
func TestLedger(t *testing.T) {
	dir := t.TempDir()
	if _, err := openLedger(dir, ledgerAsked, ledgerDims, true, outfile.Guard{}); err == nil {
		t.Error("resuming nothing: no error")
	}
	l := written(t, dir)
	got, err := openLedger(dir, ledgerAsked, ledgerDims, true, outfile.Guard{})
	if err != nil {
		t.Fatal(err)
	}
	opts := cmp.Options{cmp.AllowUnexported(final{}), cmpopts.IgnoreUnexported(ledger{})}
	if d := cmp.Diff(l, got, opts); d != "" {
		t.Errorf("read again (-written +read):\n%s", d)
	}
	if tr := got.Rungs[0].Trials[0]; !tr.done(2) || tr.done(3) || tr.wrong() != 0.25 || tr.score() >= 0.25 {
		t.Errorf("trial %+v: mean %v, score %v", tr, tr.wrong(), tr.score())
	}
	large := &trial{Budget: 500, Wrong: []float64{0.01}, Cost: &cost{LUTs: LUTs{Total: 600}}}
	if large.score() <= l.Rungs[0].Trials[0].score() {
		t.Errorf("a network that is far too large has score %v", large.score())
	}
	if got.before != l.Seconds || got.spent() < l.Seconds {
		t.Errorf("%v seconds before, %v in all, and %v were written", got.before, got.spent(), l.Seconds)
	}
	if fresh, err := openLedger(dir, ledgerAsked, ledgerDims, false, outfile.Guard{}); err != nil || len(fresh.Rungs) > 0 {
		t.Errorf("a new ledger: %v, %+v", err, fresh)
	}
	other := ledgerAsked
	other.LUTs = 600
	if _, err := openLedger(dir, other, ledgerDims, true, outfile.Guard{}); err == nil ||
		!strings.Contains(err.Error(), `"luts":500`) {
		t.Errorf("another budget: error %v", err)
	}
	if _, err := openLedger(dir, ledgerAsked, ledgerDims[:1], true, outfile.Guard{}); err == nil {
		t.Error("other dimensions: no error")
	}
}

// TestLeading checks the order of candidates. Later rounds come first, each candidate occurs once, and candidates far
// above the budget come last.
func TestLeading(t *testing.T) {
	made := func(name string, wrong float64, total int) *trial {
		return &trial{
			Candidate: candidate{name}, Budget: 100, Width: 30, Wrong: []float64{wrong}, Cost: &cost{LUTs: LUTs{Total: total}},
		}
	}
	hopeless := made("e", 0.01, 300)
	hopeless.Width = 3
	s := &search{subject: subject{classes: 3}, ledger: &ledger{Rungs: []*rung{
		{Name: roundUsual, Trials: []*trial{made("usual", 0.5, 90)}},
		{Name: roundMany, Trials: []*trial{
			made("a", 0.1, 100), made("b", 0.2, 100), made("c", 0.3, 100), made("d", 0.4, 100), hopeless,
		}},
		{Name: roundBetter, Trials: []*trial{made("a", 0.1, 200), made("b", 0.2, 110), {Candidate: candidate{"c"}, Failed: "no"}}},
	}}}
	var got []string
	for _, l := range s.leading() {
		got = append(got, l.Candidate[0])
	}
	if d := cmp.Diff([]string{"b", "c", "d", "usual", "a", "e"}, got); d != "" {
		t.Errorf("leading (-want +got):\n%s", d)
	}
	if next := s.after(candidate{"usual"}); next == nil || next.Candidate[0] != "a" || next.Cost.Total != 200 {
		t.Errorf("after the usual one: %+v", next)
	}
	if s.after(candidate{"a"}) != nil || s.after(candidate{"f"}) != nil || s.top(9)[0].Cost.Total != 110 {
		t.Error("after the last one that can be made narrower, or one that was not tried, there is another; or the first " +
			"is not of the last round")
	}
}

// TestLedgerFaults checks that files that no search wrote and files that were changed are refused.
func TestLedgerFaults(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"another format", `"format": 1`, `"format": 2`, "format 2"},
		{"cut short", `"trials"`, "", "fit.json"},
		{"no epochs", `"epochs": 3`, `"epochs": 0`, "without epochs"},
		{"a width of none", `"width": 60`, `"width": 0`, "none"},
		{"a width beyond all", `"width": 60`, `"width": 99999999`, "none"},
		{"half a candidate", "\"2\",\n", "", "none"},
		{"another value", `"0.6"`, `"0.5"`, "none"},
		{"a budget of none", `"budget": 500`, `"budget": 0`, "none"},
		{"a folder", `"name": "digits"`, `"name": "../digits"`, "none"},
	} {
		dir := t.TempDir()
		written(t, dir)
		path := filepath.Join(dir, ledgerFile)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		changed := strings.Replace(string(text), c.old, c.new, 1)
		if changed == string(text) {
			t.Fatalf("%s: nothing to change in\n%s", c.name, text)
		}
		if err := os.WriteFile(path, []byte(changed), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err = openLedger(dir, ledgerAsked, ledgerDims, true, outfile.Guard{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v", c.name, err)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ledgerFile), []byte("my notes"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := openLedger(dir, ledgerAsked, ledgerDims, false, outfile.Guard{}); err == nil {
		t.Error("somebody's file: no error")
	}
}
