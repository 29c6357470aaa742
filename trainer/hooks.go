package trainer

import (
	"context"

	"ialgn/internal/engine"
	"ialgn/internal/model"
)

// hooks are what features do in the course of a run: a feature adds its own, and holds its own state. Those of one list are
// called in the order in which features are added, on all ranks.
type hooks struct {
	// restoring hooks return the places of what a checkpoint has of the feature, before its arrays are read.
	restoring []func(*model.Info) []model.Tensor

	// beginning hooks are called before the first batch, with model and engine as they begin or were restored.
	beginning []func() error

	// stepping hooks are called with each batch before its step, stepped hooks when that is done and the batch is not
	// counted yet: a checkpoint whose position is the end of an epoch has what they did.
	stepping []func(ctx context.Context, b *engine.Batch, samples []int32)
	stepped  []func() error

	// saving hooks add what a checkpoint is to have of the feature.
	saving []func(*model.Extra) error
}

// addFeatures adds the features that the run has.
func (s *session) addFeatures() {
	s.hooks = hooks{}
	s.addNotes()
	s.addFreezing()
	s.addReplacing()
	s.addMoving()
}
