package trainer

import (
	"context"
	"fmt"

	"ialgn/internal/dataset"
	"ialgn/internal/message"
	"ialgn/internal/model"
)

// Kept returns the model whose encoder the run keeps (encoder.ranges: model). This model is the start model or,
// without a start model, the checkpoint to resume from. The arrays of the model are not read.
func (r *Run) Kept() (*model.Model, error) {
	path := r.Start
	if path == "" && r.Resume {
		path = CheckpointPath(r.Model)
	}
	if path == "" {
		return nil, message.WithHint(
			message.Optionf("encoder.ranges: model, but training does not start from a model whose ranges could be kept"),
			"name a model with {Init MODEL}, or omit the key")
	}
	info, err := model.ReadInfo(path)
	if err != nil {
		return nil, err
	}
	return info.Model, nil
}

// loadKept reads the data of a run that keeps the encoder of a model.
func (r *Run) loadKept(ctx context.Context) (*Data, error) {
	m, err := r.Kept()
	if err != nil {
		return nil, err
	}
	set, err := dataset.OpenFor(ctx, r.Config.Data, &m.Encoder, r.Folders)
	if err != nil {
		return nil, err
	}
	if err := checkKeptClasses(set, m.Classes); err != nil {
		return nil, err
	}
	if set.BitsIn != m.Encoder.BitsIn || set.Max != m.Encoder.Max {
		return nil, fmt.Errorf("%s: words of %d bits up to %d, but the model reads %d up to %d", set.Name, set.BitsIn,
			set.Max, m.Encoder.BitsIn, m.Encoder.Max)
	}
	enc := m.Encoder
	return load(ctx, &r.Config, set, &enc)
}

// checkKeptClasses gives a data set the classes of a model. It returns an error if the data set has a class that the
// model lacks. The data set may lack some of the model's classes.
func checkKeptClasses(set *dataset.Set, classes []string) error {
	var more []string
	for _, name := range set.Classes {
		if dataset.ClassOf(classes, name) < 0 {
			more = append(more, name)
		}
	}
	if more != nil {
		return message.WithHint(fmt.Errorf("%s: the classes %s are not in the model to start from, which has %s", set.Name,
			list(more), list(classes)), "remove the rows of these classes, or train a new network without {Init}")
	}
	takeClasses(set, classes, false)
	return nil
}
