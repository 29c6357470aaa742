package trainer

import (
	"fmt"

	"ialgn/internal/message"
	"ialgn/internal/model"
)

// Watcher observes the optimiser steps of a run. Checkpoints hold the watcher's state, so that a watcher observes a
// resumed run as if it had not been interrupted. A watcher does not change the model file.
type Watcher interface {
	// Begin is called before the first batch. Its arguments are the model, the number of optimiser steps in the whole
	// run, and the state that [Watcher.State] returned for the checkpoint. The state is "" for a new run. If Begin
	// returns an error, the run ends.
	Begin(m *model.Model, steps int, state string) error

	// Step must call do once, which makes the run's optimiser step with the given number, from 1, on the model
	// passed to Begin.
	Step(number int, do func())

	// State returns the state to save in a checkpoint.
	State() string
}

// watchKey is the metadata key under which a checkpoint holds a watcher's state.
const watchKey = model.ExtraMetadata + "watch"

// addWatching adds the hooks of the run's watcher, if there is one.
func (s *session) addWatching() {
	if s.Watch == nil {
		return
	}
	watched := "" // the watcher's state in the checkpoint
	s.restoring = append(s.restoring, func(info *model.Info) []model.Tensor {
		watched = info.Checkpoint[watchKey]
		return nil
	})
	s.beginning = append(s.beginning, func() error {
		if s.Resume && watched == "" {
			return message.Optionf("%s: its run was not measured from its first step on; train anew without {Resume}, or under "+
				"another name", CheckpointPath(s.Model))
		}
		if err := s.Watch.Begin(s.m, s.Config.Train.Epochs*s.batches(), watched); err != nil {
			return fmt.Errorf("%s: %w", CheckpointPath(s.Model), err)
		}
		return nil
	})
	s.around = append(s.around, s.Watch.Step)
	s.saving = append(s.saving, func(extra *model.Extra) error {
		extra.Metadata[watchKey] = s.Watch.State()
		return nil
	})
}
