package dataset

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"ialgn/internal/config"
	"ialgn/internal/encoding"
	"ialgn/internal/message"
)

// Plain reports whether a configuration reads the file well without describing its columns. All values must be numbers,
// no value may be missing, and no column may be an identifier. Constant columns do no harm.
func (s *Survey) Plain() bool {
	usual := s.Decimal == "point" && s.Thousands == "" && !s.LabelFound
	return usual && !slices.ContainsFunc(s.Columns, func(c Surveyed) bool {
		return c.Kind != encoding.LabelColumn && !s.isGroup(&c) &&
			(c.Min == nil || c.Missing > 0 || c.dropped() && !c.Constant)
	})
}

// isGroup reports whether c is the column of data.group.
func (s *Survey) isGroup(c *Surveyed) bool { return s.Group != "" && s.reference(c) == s.Group }

// Key is a key of the configuration together with its value.
type Key struct{ Name, Value string }

// Keys returns the keys of the section data with which the file is read as the survey suggests. The result has no
// keys for the names of files or for the label.
func (s *Survey) Keys() (keys []Key, err error) {
	keys = append(keys, Key{"data.header", s.header()})
	if s.Separator != separators[0].name || s.Decimal == "comma" {
		keys = append(keys, Key{"data.separator", s.Separator})
	}
	if s.Decimal != "point" {
		keys = append(keys, Key{"data.decimal", s.Decimal})
	}
	if s.Thousands != "" {
		keys = append(keys, Key{"data.thousands", s.Thousands})
	}
	if s.Group != "" {
		keys = append(keys, Key{"data.group", s.Group})
	}
	dropped := s.references(func(c *Surveyed) bool { return c.dropped() && !s.isGroup(c) })
	kept := s.references((*Surveyed).feature)
	categories := s.references(func(c *Surveyed) bool { return c.Kind == encoding.CategoryColumn })
	for _, list := range []struct {
		key   string
		names []string
	}{{"data.drop", dropped}, {"data.categories", categories}} {
		if list.key == "data.drop" && byKept(dropped, kept) {
			list.key, list.names = "data.columns", kept
		}
		if len(list.names) == 0 {
			continue
		}
		text := config.JoinNames(list.names)
		if _, err := config.Names(text); err != nil {
			return nil, message.WithHint(fmt.Errorf("the names of the columns: %w", err), "give each column a different name")
		}
		keys = append(keys, Key{list.key, text})
	}
	if slices.ContainsFunc(s.Columns, func(c Surveyed) bool { return c.feature() && c.Missing > 0 }) {
		keys = append(keys, Key{"data.missing", "median"})
	}
	if words := s.oddWords(); len(words) > 0 {
		keys = append(keys, Key{"data.missing_values", config.JoinNames(words)})
	}
	return keys, nil
}

// oddWords returns the words that must be declared as missing values.
func (s *Survey) oddWords() []string {
	words := slices.Clone(s.Declared)
	for _, c := range s.Columns {
		for _, o := range c.Odd {
			if c.feature() && !slices.Contains(words, o.Word) {
				words = append(words, o.Word)
			}
		}
	}
	return words
}

// longList limits the list of dropped columns in a configuration, because a configuration has no room for more names.
// If more columns are dropped and fewer are read, the configuration names the columns that are read.
const longList = 100

// byKept reports whether the configuration should name the columns that are read instead of the dropped columns. This
// is the case if a dropped column has no name, or if too many columns are dropped.
func byKept(dropped, kept []string) bool {
	return slices.Contains(dropped, "") || len(dropped) > longList && len(kept) < len(dropped)
}

// AddTest adds the missing values in the test file of a CSV set to the survey. There are no other requirements for
// the test file, which may even have samples of a single class.
func (s *Survey) AddTest(ctx context.Context, cfg config.Data, folders []string) error {
	f, err := findCSV(config.Data{Train: cfg.Test, Dir: cfg.Dir, Beside: cfg.Beside}, folders)
	if err != nil {
		return err
	}
	return s.addTest(ctx, f.files[0])
}

func (s *Survey) addTest(ctx context.Context, f file) error {
	cfg := config.Data{
		Label: s.Label(), Header: s.header(), Separator: s.Separator, Decimal: s.Decimal, Thousands: s.Thousands,
		MissingValues: config.JoinNames(s.oddWords()),
	}
	l, err := lookThrough(ctx, cfg, f)
	if err != nil {
		return err
	}
	for i := range s.Columns[:min(len(s.Columns), len(l.seen))] {
		seen, c := &l.seen[i], &s.Columns[i]
		if c.Missing += seen.missing; c.Kind == encoding.NumberColumn && i != l.label {
			judged := Surveyed{Name: c.Name, Number: c.Number, Missing: c.Missing}
			if err := seen.takeMissing(&judged); err != nil {
				return fmt.Errorf("%s: %w", l.name, err)
			}
			c.Missing, c.Odd = judged.Missing, append(c.Odd, judged.Odd...)
		}
	}
	return nil
}

// header returns the value of the configuration's key for the header.
func (s *Survey) header() string {
	if s.Header {
		return "yes"
	}
	return "no"
}

// Label returns the name or number of the label column for the configuration.
func (s *Survey) Label() string {
	i := slices.IndexFunc(s.Columns, func(c Surveyed) bool { return c.Kind == encoding.LabelColumn })
	return s.reference(&s.Columns[i])
}

// references returns the names or numbers of columns, as the configuration refers to them. The parameter of is a
// function that selects the columns.
func (s *Survey) references(of func(*Surveyed) bool) (names []string) {
	for i := range s.Columns {
		if c := &s.Columns[i]; of(c) {
			names = append(names, s.reference(c))
		}
	}
	return names
}

// reference returns the name of a column for the configuration. If there is no header, it returns the column's
// number.
func (s *Survey) reference(c *Surveyed) string {
	if s.Header {
		return c.Name
	}
	return strconv.Itoa(c.Number)
}
