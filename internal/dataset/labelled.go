package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"ialgn/internal/config"
	"ialgn/internal/encoding"
	"ialgn/internal/message"
)

// Labelled streams the samples of a file together with their classes (see [OpenLabelled]).
type Labelled struct {
	*Samples
	labels  *array // the labels of samples in an array; nil for a table
	classes []string
}

// OpenLabelled is like [OpenSamples], for a file whose samples have labels. A label is the name of one of the given
// classes, or a number equal to the name.
//
// The labels of a table are in one of its columns. It is the column named data.Label. Without such a column, it is
// the label column of training, or else the last column. The labels of an array are in a separate file, whose name is
// the argument labels. For a table, this argument is empty.
//
// Columns of a table are matched by name if both the model and the file have names.
func OpenLabelled(ctx context.Context, path, labels string, enc *encoding.Encoder, classes []string, data config.Data) (
	*Labelled, error,
) {
	s, err := OpenSamples(ctx, path, byNames(enc, data.Label), data)
	if err != nil {
		return nil, err
	}
	l := &Labelled{Samples: s, classes: classes}
	if err := l.open(labels, enc, data.Label); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// byNames returns an encoder that has columns. If enc has real values but no columns, each feature becomes a column
// of numbers.
func byNames(enc *encoding.Encoder, label string) *encoding.Encoder {
	if enc.Columns != nil || enc.Quantiser == nil || len(enc.Names) == 0 {
		return enc
	}
	named := *enc
	for _, name := range enc.Names {
		named.Columns = append(named.Columns, encoding.Column{Kind: encoding.NumberColumn, Name: name})
	}
	named.Columns = append(named.Columns, encoding.Column{Kind: encoding.LabelColumn, Name: label})
	return &named
}

// open finds the labels of the samples.
func (l *Labelled) open(labels string, enc *encoding.Encoder, label string) (err error) {
	switch {
	case l.table != nil && labels != "":
		return message.WithHint(fmt.Errorf("%s: separate labels are for arrays, but %s is a table", labels,
			l.table.name),
			"omit {Labels}: the labels of a table are in a column")
	case l.table != nil:
		if l.table.label, err = l.table.labelColumn(enc.Columns, label); err != nil {
			err = message.WithHint(fmt.Errorf("%s: %w", l.table.name, err),
				"name the column with {Label NAME}, or use predict, which needs no labels")
		}
		return err
	case labels == "":
		return message.WithHint(fmt.Errorf("%s: an array without labels", l.array.name),
			"name the file of the labels with {Labels FILE}, or use predict, which needs no labels")
	}
	a, err := openArray(arrayFile(labels))
	if err != nil {
		return err
	}
	l.labels = a
	switch {
	case a.features != 1:
		return fmt.Errorf("%s: header: %d numbers per sample, want one number per label", a.name, a.features)
	case a.count != l.array.count:
		return fmt.Errorf("%s: header: %d labels, but %d samples in %s; the files do not belong together", a.name,
			a.count, l.array.count, l.array.name)
	}
	return nil
}

// labelColumn returns the label column of a table. It is the column with the given name. If name is empty, it is the
// column that was the label in training.
func (t *table) labelColumn(columns []encoding.Column, name string) (int, error) {
	at := slices.IndexFunc(columns, func(c encoding.Column) bool { return c.Kind == encoding.LabelColumn })
	if name == "" && at >= 0 {
		name = columns[at].Name
	}
	features := func(k int) bool { return slices.ContainsFunc(t.columns, func(c column) bool { return c.at == k }) }
	switch named := slices.Index(t.header, name); {
	case named >= 0 && !features(named):
		return named, nil
	case t.label >= 0 && (t.header == nil || name == ""):
		return t.label, nil
	case t.header == nil && at >= 0 && t.width == len(columns):
		return at, nil
	case name == "" && !features(t.width-1):
		return t.width - 1, nil
	case named >= 0:
		return -1, fmt.Errorf("%s is a feature of the model, not a label", t.called(named))
	case t.header != nil && name != "":
		return -1, message.Near(fmt.Errorf("no column has the name of the label, %q", name), name, t.header)
	}
	return -1, errors.New("there is no column of labels")
}

// Next reads the next sample into values and returns its class. It returns io.EOF after the last sample.
func (l *Labelled) Next(values []uint16) (class int, err error) {
	if err := l.Samples.Next(values); err != nil {
		return 0, err
	}
	if l.table != nil {
		text, err := l.table.class()
		if err != nil {
			return 0, err
		}
		if class = l.table.classOf(l.classes, text); class < 0 {
			return 0, l.table.wrong("the label, %s, is %s, want a class of the model: %s",
				l.table.called(l.table.label), shown(text), abridged(l.classes))
		}
		return class, nil
	}
	x, err := l.labels.label()
	if errors.Is(err, io.EOF) {
		return 0, l.labels.fault(l.labels.done, "there are fewer labels than samples")
	} else if err != nil {
		return 0, err
	}
	if class = ClassOf(l.classes, strconv.FormatFloat(x, 'f', 0, 64)); class < 0 {
		return 0, l.labels.fault(l.labels.done, "label %g, want a class of the model: %s", x, abridged(l.classes))
	}
	return class, nil
}

// ClassOf returns the index of the class whose name is label. If there is none, it returns the class whose name is an
// equal number. It returns -1 if there is no such class either.
func ClassOf(classes []string, label string) int { return notation{}.classOf(classes, label) }

// classOf is ClassOf for labels whose numbers are in notation n.
func (n notation) classOf(classes []string, label string) int {
	if at := slices.Index(classes, label); at >= 0 {
		return at
	}
	key := n.key(label)
	return slices.IndexFunc(classes, func(name string) bool { return n.key(name) == key })
}

// Close closes the files.
func (l *Labelled) Close() error {
	err := l.Samples.Close()
	if l.labels != nil {
		err = errors.Join(err, l.labels.Close())
	}
	return err
}
