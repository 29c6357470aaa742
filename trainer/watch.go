package trainer

import (
	"fmt"

	"ialgn/internal/message"
	"ialgn/internal/model"
)

// Watcher looks at a run's optimiser steps. What it has seen is kept in the run's
// checkpoints, so that a run that is interrupted and resumed has been watched as one. A
// run's model file is the same with and without one.
type Watcher interface {
	// Begin is called before the first batch, with the model, the optimiser steps that the
	// run has in all, and the state that the checkpoint has from [Watcher.State], "" for a
	// new run. An error refuses to go on from there.
	Begin(m *model.Model, steps int, state string) error

	// Step calls do once, which makes an optimiser step on the model of Begin, the
	// number-th of the run, from 1.
	Step(number int, do func())

	// State returns what a checkpoint is to keep.
	State() string
}

// watchKey is the metadata entry of a checkpoint that holds a watcher's state.
const watchKey = model.ExtraMetadata + "watch"

// addWatching has the run's watcher, if there is one, see it.
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
