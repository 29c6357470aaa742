package trainer

import (
	"context"

	"ialgn/internal/engine"
	"ialgn/internal/model"
)

// hooks holds lists of functions through which optional features of training, such as a validation set, take part in
// a run. Each feature holds its own state and adds its functions to these lists. The functions of a list are called
// in the order in which the features were added, on all ranks.
type hooks struct {
	// restoring hooks return the tensors into which a checkpoint's arrays are read for the feature. They are called
	// before the arrays are read.
	restoring []func(*model.Info) []model.Tensor

	// beginning hooks are called before the first batch, when model and engine are new or restored.
	beginning []func() error

	// stepping hooks are called with each batch before its optimiser step. stepped hooks are called after the step
	// and before the run's position moves past the batch. A checkpoint at the end of an epoch therefore includes the
	// effects of the stepped hooks.
	stepping []func(ctx context.Context, b *engine.Batch, samples []int32)
	stepped  []func() error

	// around hooks must call do, which makes the optimiser step with the given number.
	around []func(step int, do func())

	// evaluated hooks add results to an epoch's Progress after the frozen network was evaluated on the test part.
	// ended hooks are called after the record has received the epoch.
	evaluated []func(context.Context, *Progress) error
	ended     []func() error

	// saving hooks add the feature's state to a checkpoint. keeping hooks change the model after the last
	// checkpoint and before the model file is written.
	saving  []func(*model.Extra) error
	keeping []func() error

	// closing hooks are called at the end of every run, also after an error, in reverse order.
	closing []func()
}

// addFeatures adds the hooks of all features that the run uses.
func (s *session) addFeatures() {
	s.addNotes()
	s.addFreezing()
	s.addWeights()
	s.addRelaxedTest()
	s.addValidating()
	s.addCalibrating()
	s.addReplacing()
	s.addMoving()
	s.addEstimating()
	s.addWatching()
}

// call calls hooks until one returns an error.
func call(hooks []func() error) error {
	for _, hook := range hooks {
		if err := hook(); err != nil {
			return err
		}
	}
	return nil
}
