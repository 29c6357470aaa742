package trainer

import (
	"context"

	"ialgn/internal/engine"
	"ialgn/internal/model"
)

// hooks are what features do in the course of a run: a feature adds its own, and holds its own state. Those of one list
// are called in the order in which features are added, on all ranks.
type hooks struct {
	// restoring hooks return the places of what a checkpoint has of the feature, before its arrays are read.
	restoring []func(*model.Info) []model.Tensor

	// beginning hooks are called before the first batch, with model and engine as they begin or were restored.
	beginning []func() error

	// stepping hooks are called with each batch before its step, stepped hooks when that is done and the batch is not
	// counted yet: a checkpoint whose position is the end of an epoch has what they did.
	stepping []func(ctx context.Context, b *engine.Batch, samples []int32)
	stepped  []func() error

	// around hooks make the step-th step by calling do.
	around []func(step int, do func())

	// evaluated hooks add to what is known of an epoch, when the frozen network was evaluated on the test part. Ended
	// hooks are called when the record has the epoch.
	evaluated []func(context.Context, *Progress) error
	ended     []func() error

	// saving hooks add what a checkpoint is to have of the feature, and keeping hooks change the model before it is
	// written, after the last checkpoint.
	saving  []func(*model.Extra) error
	keeping []func() error

	// closing hooks are called at the end, the last one first, however far the run came.
	closing []func()
}

// addFeatures adds the features that the run has.
func (s *session) addFeatures() {
	s.addNotes()
	s.addFreezing()
	s.addRelaxedTest()
	s.addValidating()
	s.addReplacing()
	s.addMoving()
	s.addEstimating()
	s.addWatching()
}

// call calls hooks up to the first error.
func call(hooks []func() error) error {
	for _, hook := range hooks {
		if err := hook(); err != nil {
			return err
		}
	}
	return nil
}
