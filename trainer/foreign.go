package trainer

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"ialgn/internal/config"
	"ialgn/internal/dataset"
	"ialgn/internal/encoding"
	"ialgn/internal/message"
	"ialgn/internal/model"
)

// Foreign returns the model that the run continues from, without its arrays, if this model or an ancestor was trained
// by another program ([model.Origin]). The run continues from the checkpoint if r.Resume is set, and otherwise from
// the start model. Foreign returns nil if there is no such model. It also returns nil if the model cannot be read,
// because the run itself then fails with a reason. It returns an error if training cannot continue from the model.
func (r *Run) Foreign() (*model.Model, error) {
	path := r.Start
	if r.Resume {
		path = CheckpointPath(r.Model)
	}
	if path == "" {
		return nil, nil
	}
	info, err := model.ReadInfo(path)
	if err != nil || info.Model.Record.Origin == nil {
		return nil, nil //nolint:nilerr // see above
	}
	if err := CheckForm(info.Model); err != nil {
		return nil, fmt.Errorf("%s: the model cannot be trained further: %w", path, err)
	}
	return info.Model, nil
}

// goOnFrom completes the configuration of a run that continues from another program's network. The argument from is
// this network. If from is nil, goOnFrom does nothing.
func (r *Run) goOnFrom(from *model.Model) (err error) {
	if from != nil {
		r.Config, err = r.Config.From(&from.Config)
		r.Config.Data.Plain = true
	}
	return err
}

// load reads the data of the run. If from is not nil, load uses the encoder of from, the network of another program.
// If the configuration keeps the start model's encoder, load uses the start model's encoder. Otherwise load fits an
// encoder to the data.
func (r *Run) load(ctx context.Context, from *model.Model) (*Data, error) {
	if from != nil {
		return LoadDataFor(ctx, r.Config, from, r.Folders)
	}
	if r.Config.Encoder.Kept() {
		return r.loadKept(ctx)
	}
	return loadAfter(ctx, r.Data, r.Config, r.Folders)
}

// LoadDataFor is like [LoadData] for a network that descends from another program's network. Samples are encoded with
// the network's encoder. If the names of the network's classes are only numbers, the classes get their names from the
// data set.
func LoadDataFor(ctx context.Context, cfg config.Config, m *model.Model, folders []string) (*Data, error) {
	data := cfg.Data
	data.Plain = true
	set, err := openAs(ctx, nil, &m.Encoder, m.Classes, data, folders)
	if err != nil {
		return nil, err
	}
	enc := m.Encoder
	return load(ctx, &cfg, set, &enc)
}

// numbered reports whether the class names are 0, 1, 2 and so on.
func numbered(classes []string) bool {
	for c, name := range classes {
		if name != strconv.Itoa(c) {
			return false
		}
	}
	return true
}

// sameClasses reports whether a data set has the classes of a model. If another program trained the model and its
// classes have no names, only the number of classes must agree.
func sameClasses(set, model []string, foreign bool) bool {
	return slices.Equal(set, model) || foreign && len(set) == len(model) && numbered(model)
}

// takeClasses reports whether the samples of a data set have the classes of a model. If the data set lacks some of
// the classes or lists them in another order, takeClasses gives it the model's list.
func takeClasses(set *dataset.Set, model []string, foreign bool) bool {
	return set.LabelAs(model) || sameClasses(set.Classes, model, foreign)
}

// checkColumns returns an error if the table of a data set does not have the columns that a model reads. A network
// trained by another program does not name columns. It reads all numeric columns of the table except the dropped
// columns.
func checkColumns(set *dataset.Set, enc *encoding.Encoder, foreign bool) error {
	if reflect.DeepEqual(set.Columns, enc.Columns) {
		return nil
	}
	if !foreign || enc.Columns != nil {
		return fmt.Errorf("%s: the training part has other columns, categories or medians than the data that the model was "+
			"trained on; name that data, or classify single files with predict", set.Name)
	}
	for i := range set.Columns {
		if c := &set.Columns[i]; c.Kind == encoding.CategoryColumn || c.Missing {
			return message.WithHint(fmt.Errorf("%s: data.categories and data.missing have no effect for an imported network, "+
				"which reads numbers", set.Name), "convert such columns to numbers beforehand")
		}
	}
	return nil
}
