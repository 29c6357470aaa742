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

// Foreign returns the model that the run goes on from, without its arrays, if another program trained it, or one that
// it goes back to ([model.Origin]): that of the checkpoint, or else the one to start from. It returns nil if there is
// none, or none that can be read: the run says why when it comes to it. It is an error if training cannot go on.
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
		return nil, nil //nolint:nilerr // as above
	}
	if err := CheckForm(info.Model); err != nil {
		return nil, fmt.Errorf("%s: training cannot go on from it: %w", path, err)
	}
	return info.Model, nil
}

// goOnFrom gives the run the configuration that it has if it goes on from a network that another program trained, nil
// for none.
func (r *Run) goOnFrom(from *model.Model) (err error) {
	if from != nil {
		r.Config, err = r.Config.From(&from.Config)
		r.Config.Data.Plain = true
	}
	return err
}

// load reads the data of the run, with the encoder of the network that another program trained, nil for none, or with
// the one of the model to start from where that is to be kept.
func (r *Run) load(ctx context.Context, from *model.Model) (*Data, error) {
	if from != nil {
		return LoadDataFor(ctx, r.Config, from, r.Folders)
	}
	if r.Config.Encoder.Kept() {
		return r.loadKept(ctx)
	}
	return loadAfter(ctx, r.Data, r.Config, r.Folders)
}

// LoadDataFor is [LoadData] of what a network reads that another program trained, or that goes back to one: the samples
// are encoded by the encoder that it has. Classes that have numbers for names are called as the data set calls them.
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

// numbered reports whether classes have numbers for names, from 0 on.
func numbered(classes []string) bool {
	for c, name := range classes {
		if name != strconv.Itoa(c) {
			return false
		}
	}
	return true
}

// sameClasses reports whether the classes of a data set are those of a model. Where another program trained it and
// nobody has named them, any names will do for as many.
func sameClasses(set, model []string, foreign bool) bool {
	return slices.Equal(set, model) || foreign && len(set) == len(model) && numbered(model)
}

// takeClasses reports whether the samples of a data set have the classes of a model. A set may lack some of them, or
// have them in another order, and has then the model's.
func takeClasses(set *dataset.Set, model []string, foreign bool) bool {
	return set.LabelAs(model) || sameClasses(set.Classes, model, foreign)
}

// checkColumns reports whether the table of a data set has the columns that a model reads. A network that another
// program trained knows none: it reads numbers, beside columns that are left out.
func checkColumns(set *dataset.Set, enc *encoding.Encoder, foreign bool) error {
	if reflect.DeepEqual(set.Columns, enc.Columns) {
		return nil
	}
	if !foreign || enc.Columns != nil {
		return fmt.Errorf("%s: its training part has other columns, categories or medians than the one the model was "+
			"trained on; name that one, or classify single files with predict", set.Name)
	}
	for i := range set.Columns {
		if c := &set.Columns[i]; c.Kind == encoding.CategoryColumn || c.Missing {
			return message.WithHint(fmt.Errorf("%s: data.categories and data.missing have no meaning for a network that "+
				"another program trained, which reads numbers", set.Name), "make numbers of such columns beforehand")
		}
	}
	return nil
}
