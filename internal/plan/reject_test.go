package plan

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"ialgn/backend"
	"ialgn/internal/message"
	"ialgn/internal/model"
)

// validated holds single validation samples: the lead of each sample, and whether its class is its label.
type validated struct {
	leads   []int
	correct []bool
}

// calibration counts the samples.
func (v validated) calibration() *model.Calibration {
	c := &model.Calibration{Samples: len(v.leads), Temperature: 1}
	for i, lead := range v.leads {
		for len(c.Leads) <= lead {
			c.Leads, c.Correct = append(c.Leads, 0), append(c.Correct, 0)
		}
		c.Leads[lead]++
		if v.correct[i] {
			c.Correct[lead]++
		}
	}
	return c
}

// uncertain returns the number of samples whose lead is below the margin, and the number of correct samples among the
// others.
func (v validated) uncertain(margin int) (uncertain, correct int) {
	for i, lead := range v.leads {
		switch {
		case lead < margin:
			uncertain++
		case v.correct[i]:
			correct++
		}
	}
	return uncertain, correct
}

// TestChosenMargin compares the margin of a share, and its description, with counts of the single samples.
func TestChosenMargin(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 9))
	refused := 0
	for range 2000 {
		var v validated
		for range 1 + r.IntN(60) {
			v.leads, v.correct = append(v.leads, r.IntN(1+r.IntN(12))), append(v.correct, r.IntN(3) > 0)
		}
		m := &model.Model{Classes: []string{"a", "b"}, Calibration: v.calibration()}
		n := len(v.leads)
		share := float64(1+r.IntN(n)) / float64(n+1)
		if r.IntN(2) == 0 { // a share that a number of samples has exactly
			share = float64(r.IntN(n)) / float64(n)
		}
		if share == 0 {
			continue
		}
		p, err := New(Options{RejectShare: share})
		if err != nil {
			t.Fatal(err)
		}
		err = p.chooseMargin(m)
		ties, _ := v.uncertain(1)
		if float64(ties)/float64(n) > share {
			refused++
			checkTies(t, m, err, share, ties, n)
			continue
		}
		if err != nil {
			t.Fatalf("share %v, leads %v: %v", share, v.leads, err)
		}
		margin := p.Options.Reject
		if now, _ := v.uncertain(margin); float64(now)/float64(n) > share {
			t.Fatalf("share %v, leads %v: margin %d makes %d of %d samples uncertain", share, v.leads, margin, now, n)
		}
		next, _ := v.uncertain(margin + 1)
		if largest := len(m.Calibration.Leads) - 1; margin < largest && float64(next)/float64(n) <= share {
			t.Fatalf("share %v, leads %v: margin %d, but %d would do", share, v.leads, margin, margin+1)
		}
		checkRejection(t, v, margin, p.rejection(m.Calibration))
	}
	if refused < 50 {
		t.Errorf("only %d shares are below the share of ties", refused)
	}
}

// checkTies checks the error for a share that the samples without a lead exceed. The share in the hint must be one that
// is accepted.
func checkTies(t *testing.T, m *model.Model, err error, share float64, ties, samples int) {
	t.Helper()
	figures := strconv.Itoa(ties) + " of " + strconv.Itoa(samples) + " validation samples"
	if err == nil || !strings.Contains(err.Error(), figures) {
		t.Fatalf("share %v: %v, want an error with %s", share, err, figures)
	}
	hint := message.Hint(err)
	least, more := strings.CutPrefix(hint, "give a share of ")
	if !more {
		if ties*10000 <= samples*9999 {
			t.Errorf("%d of %d: no share in the hint %q", ties, samples, hint)
		}
		return
	}
	least, _, _ = strings.Cut(least, " ")
	given, err := strconv.ParseFloat(least, 64)
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(Options{RejectShare: given})
	if err == nil {
		err = p.chooseMargin(m)
	}
	if err != nil || given > float64(ties)/float64(samples)+1e-4 {
		t.Errorf("%d of %d: the hint says %v: %v", ties, samples, given, err)
	}
}

func checkRejection(t *testing.T, v validated, margin int, r *backend.Rejection) {
	t.Helper()
	n := len(v.leads)
	uncertain, correct := v.uncertain(margin)
	if r.Margin != margin || r.Of != n || r.Samples != n-uncertain || r.Correct != correct ||
		r.Uncertain != float64(uncertain)/float64(n) || *r.Accuracy != float64(correct)/float64(n-uncertain) {
		t.Fatalf("leads %v: %+v, want %d uncertain and %d correct", v.leads, r, uncertain, correct)
	}
}

// TestRejectionWithoutSamples checks a margin above all leads, and a model without a calibration.
func TestRejectionWithoutSamples(t *testing.T) {
	p := &Plan{Options: Options{Reject: 9}}
	c := validated{[]int{0, 4}, []bool{true, true}}.calibration()
	if r := p.rejection(c); r.Uncertain != 1 || r.Samples != 0 || r.Accuracy != nil {
		t.Errorf("%+v, want all samples uncertain and no accuracy", r)
	}
	if r := p.rejection(nil); r != nil {
		t.Errorf("%+v without a calibration", r)
	}
	if r := (&Plan{}).rejection(c); r != nil {
		t.Errorf("%+v without a margin", r)
	}
}

// TestShareRefused checks the errors of a share that are not about ties.
func TestShareRefused(t *testing.T) {
	for want, o := range map[string]Options{
		"Reject 2 and RejectShare 0.1: each of them sets": {Reject: 2, RejectShare: 0.1},
		"RejectShare 1: give a share of the samples":      {RejectShare: 1},
		"RejectShare -0.1: give a share of the samples":   {RejectShare: -0.1},
		"RejectShare 0.1: scope gates has no class":       {RejectShare: 0.1, Scope: ScopeGates},
		"Fold: an engine gives the class alone, and":      {RejectShare: 0.1, Fold: "1"},
		"Reject -1: give a margin of 1 or more":           {Reject: -1},
	} {
		if _, err := New(o); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for want, m := range map[string]*model.Model{
		"RejectShare 0.1: the model does not have the leads": {Classes: []string{"a", "b"}},
		"RejectShare 0.1: the network has a single class":    {Classes: []string{"a"}},
	} {
		p, err := New(Options{RejectShare: 0.1})
		if err != nil {
			t.Fatal(err)
		}
		if err := p.chooseMargin(m); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
