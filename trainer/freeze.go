package trainer

import (
	"context"

	"ialgn/internal/engine"
)

// addFreezing adds the hooks of train.freeze, which makes some layers keep their parameters.
func (s *session) addFreezing() {
	s.stepping = append(s.stepping, func(_ context.Context, b *engine.Batch, _ []int32) { b.Frozen = s.frozenLayers() })
}

// frozenLayers returns the number of layers that are frozen in the current epoch. This number depends only on the
// configuration and the position in the run, so a resumed run freezes the same layers.
func (s *session) frozenLayers() int {
	c := &s.Config
	return c.Train.Freeze.Layers(s.at.Epoch, c.Train.Epochs, c.Model.Depth)
}
