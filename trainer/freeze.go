package trainer

import "ialgn/internal/engine"

// next returns the batch that was gathered, as the engine takes it.
func (s *session) next() engine.Batch {
	return engine.Batch{X: s.rows, Labels: s.labels, Step: s.at.Step, Frozen: s.frozenLayers(), Note: s.says}
}

// frozenLayers returns how many layers are frozen in the current epoch (train.freeze): from configuration and position
// alone, so that a resumed run goes on the same way.
func (s *session) frozenLayers() int {
	c := &s.Config
	return c.Train.Freeze.Layers(s.at.Epoch, c.Train.Epochs, c.Model.Depth)
}
