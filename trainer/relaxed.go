package trainer

import (
	"context"

	"ialgn/internal/encoding"
	"ialgn/internal/engine"
	"ialgn/internal/model"
)

// relaxedTest measures a relaxed network on the test part, in whose terms the discretisation
// gap is told: what is lost when the largest logits are taken for good.
type relaxedTest struct {
	batcher *encoding.Batcher
	index   []int32
	labels  []uint8
}

// measureRelaxed adds the accuracy of the network as it is trained to e, if that is another
// one than the frozen network.
func (s *session) measureRelaxed(ctx context.Context, e *model.Epoch) error {
	if s.Config.Train.Estimator != "soft" {
		return nil
	}
	t := &s.relaxed
	if t.batcher == nil {
		t.batcher = encoding.NewBatcher(s.data.Encoder, s.data.Test, s.eng.Words(), s.eng.Crew())
	}
	size := 64 * s.eng.Words()
	for from := 0; from < s.data.Test.Len(); from += size {
		if err := ctx.Err(); err != nil {
			return err
		}
		t.index, t.labels = t.index[:0], t.labels[:0]
		for i := from; i < min(from+size, s.data.Test.Len()); i++ {
			t.index, t.labels = append(t.index, int32(i)), append(t.labels, s.data.Test.Labels[i])
		}
		t.batcher.Batch(s.rows, t.index)
		e.RelaxedCorrect += s.eng.Measure(engine.Batch{X: s.rows, Labels: t.labels, Frozen: s.frozenLayers()}).Correct
	}
	return nil
}
