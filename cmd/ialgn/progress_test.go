package main

import (
	"bytes"
	"strings"
	"testing"

	"ialgn/internal/model"
	"ialgn/internal/screen"
	"ialgn/trainer"
)

// TestRelaxedZero checks that a relaxed accuracy of zero is shown. It must not be taken for a missing accuracy.
func TestRelaxedZero(t *testing.T) {
	zero := 0.0
	for _, c := range []struct {
		relaxed *float64
		want    string
	}{
		{nil, "train 0.00 %  test 0.00 %  0.00M gate"},
		{&zero, "train 0.00 %  test 0.00 %  relaxed 0.00 %  0.00M gate"},
	} {
		var out bytes.Buffer
		p := &epochs{Screen: screen.New(&out)}
		p.show(trainer.Progress{Relaxed: c.relaxed, Finished: &model.Epoch{TestSamples: 10, TrainSamples: 10}})
		if !strings.Contains(out.String(), c.want) {
			t.Errorf("%s, want %q in it", out.String(), c.want)
		}
	}
}
