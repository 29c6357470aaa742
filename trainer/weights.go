package trainer

import (
	"context"

	"ialgn/internal/engine"
)

// addWeights gives the classes their weights in the loss (train.class_weights).
func (s *session) addWeights() {
	weights := s.Config.ClassWeights(s.data.Classes, classCounts(len(s.data.Classes), s.data.Train.Labels))
	if weights == nil {
		return
	}
	s.stepping = append(s.stepping, func(_ context.Context, b *engine.Batch, _ []int32) { b.Weights = weights })
}
