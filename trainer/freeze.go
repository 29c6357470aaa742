package trainer

import (
	"context"

	"ialgn/internal/engine"
)

// addFreezing has layers stay as they are (train.freeze).
func (s *session) addFreezing() {
	s.stepping = append(s.stepping, func(_ context.Context, b *engine.Batch, _ []int32) { b.Frozen = s.frozenLayers() })
}

// frozenLayers returns how many layers are frozen in the current epoch: from configuration and position alone, so that
// a resumed run goes on the same way.
func (s *session) frozenLayers() int {
	c := &s.Config
	return c.Train.Freeze.Layers(s.at.Epoch, c.Train.Epochs, c.Model.Depth)
}
