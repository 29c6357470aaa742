package dataset

import (
	"context"
	"fmt"
	"slices"

	"ialgn/internal/config"
	"ialgn/internal/encoding"
	"ialgn/internal/message"
)

// as opens the data set that a model reads. It reuses the files of set s if they are the model's files and if all
// columns that the model needs were read.
func (s *Set) as(ctx context.Context, cfg config.Data, words form, folders []string) (*Set, error) {
	if s == nil || s.files == nil || !s.files.strict || words.model == nil {
		return open(ctx, cfg, words, folders)
	}
	files, err := s.files.of(cfg, folders)
	if err != nil {
		return nil, err
	}
	if files == nil {
		return open(ctx, cfg, words, folders)
	}
	columns, from, err := files.columnsAs(words.model)
	if err != nil || !slices.EqualFunc(columns, files.read, func(a, b column) bool {
		return a.at == b.at && a.Kind == b.Kind && a.Missing == b.Missing
	}) {
		return open(ctx, cfg, words, folders)
	}
	return files.set(ctx, words, columns, from)
}

// of returns these files as the files of cfg, or nil if they are not the files of cfg or were read in another way. If
// cfg divides the same training file in another way, the result shares the content of the file.
func (s *csvFiles) of(cfg config.Data, folders []string) (*csvFiles, error) {
	if s.cfg == cfg {
		return s, nil
	}
	own := s.cfg
	own.Dir, own.Beside = cfg.Dir, cfg.Beside // Dir and Beside only say where the files are
	f, err := findCSV(cfg, folders)
	if err != nil || f.files[0].name != s.files[Train].name {
		return nil, nil //nolint:nilerr // opening the files fails with the same error
	}
	if last := f.files[len(f.files)-1]; own == cfg && last.name == s.files[Test].name {
		return s, nil
	}
	own.Test, own.TestShare, own.SplitSeed, own.Order = cfg.Test, cfg.TestShare, cfg.SplitSeed, cfg.Order
	own.Folds, own.Fold = cfg.Folds, cfg.Fold
	s.decode.Lock()
	whole := s.decoded[Train] != nil
	s.decode.Unlock()
	if own != cfg || cfg.Test != "" || !whole {
		return nil, nil
	}
	other := *s
	other.cfg, other.files[Test] = cfg, s.files[Train]
	return &other, other.divide()
}

// columnsAs returns the columns of a model, with the model's categories and medians. It also returns, for each
// feature, the column that the feature comes from. It finds columns by name. The columns may be in any order, and the
// table may have other columns. If the table or the model has no names, it finds columns by place.
func (s *csvFiles) columnsAs(enc *encoding.Encoder) (all []column, features []int, err error) {
	columns := featureColumns(enc)
	at := make([]int, len(columns)) // index in s.read
	for i := range at {
		at[i] = i
	}
	if s.header != nil && named(columns) {
		for i := range columns {
			at[i] = slices.IndexFunc(s.read, func(c column) bool { return c.Name == columns[i].Name })
		}
		if err := s.allThere(columns, at); err != nil {
			return nil, nil, err
		}
	} else if len(columns) != len(s.read) {
		return nil, nil, message.WithHint(fmt.Errorf("%s: %d columns of features, but the model reads %d",
			s.files[Train].name, len(s.read), len(columns)),
			"name the data set that the model was trained on, or name its columns with data.columns")
	}
	for i, c := range columns {
		from := s.read[at[i]]
		if from.Kind != c.Kind {
			return nil, nil, message.WithHint(fmt.Errorf("%s: %s is a %s here, and a %s in the model", s.files[Train].name,
				s.called(&from),
				from.Kind, c.Kind), "name the columns of words with data.categories, as in the model's configuration")
		}
		from.Column = c
		all = append(all, from)
		for range c.Features() {
			features = append(features, i)
		}
	}
	return all, features, nil
}

// allThere returns an error if some of the model's columns are missing from the table. The error names these columns.
func (s *csvFiles) allThere(columns []encoding.Column, at []int) error {
	var lacks, others []string
	for i := range columns {
		if at[i] < 0 {
			lacks = append(lacks, columns[i].Name)
		}
	}
	if lacks == nil {
		return nil
	}
	for i, c := range s.read {
		if !slices.Contains(at, i) {
			others = append(others, c.Name)
		}
	}
	err := fmt.Errorf("%s: these columns of the model are missing: %s", s.files[Train].name, abridged(lacks))
	if others == nil {
		return message.WithHint(err, "further training needs them; train a new network without {Init}")
	}
	return message.WithHint(fmt.Errorf("%w; new columns: %s", err, abridged(others)),
		"rename a renamed column back to its name in the model; a new column needs a new network, without {Init}")
}

// featureColumns returns the columns of a model that become features. If the model has no columns, each feature
// counts as a column.
func featureColumns(enc *encoding.Encoder) []encoding.Column {
	if enc.Columns != nil {
		return slices.DeleteFunc(slices.Clone(enc.Columns), func(c encoding.Column) bool { return c.Optional() })
	}
	columns := make([]encoding.Column, enc.Features())
	for f := range columns {
		columns[f].Kind = encoding.NumberColumn
		if len(enc.Names) > 0 {
			columns[f].Name = enc.Names[f]
		}
	}
	return columns
}
