package trainer

import (
	"context"

	"ialgn/internal/encoding"
	"ialgn/internal/engine"
)

// relaxedTest measures the accuracy of a relaxed network (train.estimator: soft) on the test part. The discretisation
// gap is the accuracy that is lost when the network is frozen. Freezing fixes each choice to the candidate with the
// largest logit.
type relaxedTest struct {
	*session
	batcher *encoding.Batcher
	index   []int32
	labels  []uint8
}

func (s *session) addRelaxedTest() {
	if s.Config.Train.Estimator == "soft" {
		s.evaluated = append(s.evaluated, (&relaxedTest{session: s}).measure)
	}
}

// measure adds the accuracy of the relaxed network to p.
func (t *relaxedTest) measure(ctx context.Context, p *Progress) error {
	if t.batcher == nil {
		t.batcher = encoding.NewBatcher(t.data.Encoder, t.data.Test, t.eng.Words(), t.eng.Crew())
	}
	e, size := p.Finished, 64*t.eng.Words()
	for from := 0; from < t.data.Test.Len(); from += size {
		if err := ctx.Err(); err != nil {
			return err
		}
		t.index, t.labels = t.index[:0], t.labels[:0]
		for i := from; i < min(from+size, t.data.Test.Len()); i++ {
			t.index, t.labels = append(t.index, int32(i)), append(t.labels, t.data.Test.Labels[i])
		}
		t.batcher.Batch(t.rows, t.index)
		e.RelaxedCorrect += t.eng.Measure(engine.Batch{X: t.rows, Labels: t.labels, Frozen: t.frozenLayers()}).Correct
	}
	p.Relaxed = relaxedAccuracy(&t.Config, e)
	return nil
}
