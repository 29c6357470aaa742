package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"
	"strconv"

	"ialgn/internal/config"
	"ialgn/internal/message"
)

// arraySource is a set with arrays of features and labels.
type arraySource struct {
	scaling
	features, labels [2]file
	first            *array          // the header of the training features
	classes          map[float64]int // for each label, its class
	split            []bool          // training records that belong to the test part; nil if there are test files
	plain            bool            // features are in the order of the numbers in the file
}

// openArrays finds and opens a set of arrays. It reads the training labels. If ranges are needed, it also reads the
// features once.
func openArrays(ctx context.Context, cfg config.Data, words form, folders []string) (*Set, error) {
	files := []string{cfg.Train, cfg.TrainLabels}
	if cfg.Test != "" || cfg.TestLabels != "" {
		files = append(files, cfg.Test, cfg.TestLabels)
	}
	if slices.Contains(files, "") {
		return nil, errors.New("data.train or data.train_labels is missing, or only one of data.test and data.test_labels " +
			"is given")
	}
	f, err := findFiles("arrays", files, cfg, folders)
	if err != nil {
		return nil, err
	}
	src := &arraySource{plain: cfg.Plain}
	last := len(f.files) - 2
	src.features, src.labels = [2]file{f.files[0], f.files[last]}, [2]file{f.files[1], f.files[last+1]}
	return src.open(ctx, cfg, words, f.dir)
}

// open reads the properties of the set from its training part.
func (s *arraySource) open(ctx context.Context, cfg config.Data, words form, dir string) (*Set, error) {
	if err := words.check(); err != nil {
		return nil, err
	}
	s.scaling = words.scaling()
	labels, classes, err := s.readLabels(ctx)
	if err != nil {
		return nil, err
	}
	if s.first, err = s.openFeatures(Train); err != nil {
		return nil, err
	}
	s.first.Close()
	set := &Set{
		Name: setName(cfg.Train), Classes: classes, Features: s.first.features, Path: dir, source: s,
		TrainSamples: len(labels),
	}
	if cfg.Test == "" {
		s.split, set.TestSamples, err = testSplit(cfg, classes, nil).Choose(labels)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.labels[Train].name, err)
		}
		set.TrainSamples -= set.TestSamples
	}
	set.BitsIn = words.bitsIn
	if err := s.fit(ctx, set, words); err != nil {
		return nil, err
	}
	if set.BitsIn <= imageBits {
		set.Shape = s.first.shape
	}
	set.Max, set.Quantiser = s.max, s.q
	return set, nil
}

// imageBits is the largest width of pixels, in bits.
const imageBits = 8

// readLabels reads the training labels. It numbers the classes in the ascending order of their labels.
func (s *arraySource) readLabels(ctx context.Context) (labels []uint8, classes []string, err error) {
	a, err := s.openLabels(Train)
	if err != nil {
		return nil, nil, err
	}
	defer a.Close()
	labels, found, err := a.labels(ctx)
	if err != nil {
		return nil, nil, err
	}
	if len(found) < 2 {
		return nil, nil, fmt.Errorf("%s: %d different labels, want at least two classes", a.name, len(found))
	}
	s.classes = map[float64]int{}
	for c, x := range slices.Sorted(slices.Values(found)) {
		s.classes[x] = c
		classes = append(classes, strconv.FormatFloat(x, 'f', 0, 64))
	}
	for i, at := range labels {
		labels[i] = uint8(s.classes[found[at]])
	}
	return labels, classes, nil
}

// labels reads all labels. The slice found holds the distinct labels in the order of their first occurrence. For each
// sample, the slice labels holds the index of the sample's label in found. An index takes only one byte, because a
// small archive may unpack to very many samples.
func (a *array) labels(ctx context.Context) (labels []uint8, found []float64, err error) {
	for {
		x, err := a.label()
		if errors.Is(err, io.EOF) {
			return labels, found, nil
		}
		if err != nil {
			return nil, nil, err
		}
		at := slices.Index(found, x)
		if at < 0 {
			if at = len(found); at == MaxClasses {
				return nil, nil, a.fault(a.done, "label %g exceeds the maximum of %d classes", x, MaxClasses)
			}
			found = append(found, x)
		}
		labels = append(labels, uint8(at))
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
	}
}

// openFeatures opens the features of a part.
func (s *arraySource) openFeatures(part Part) (*array, error) {
	a, err := openArray(s.features[part])
	if err == nil && s.plain && a.places != nil {
		a.places, a.shape = nil, Shape{} // if the planes come last, the numbers in file order are not ordered by plane
	}
	return a, err
}

// openLabels opens the labels of a part.
func (s *arraySource) openLabels(part Part) (*array, error) {
	a, err := openArray(s.labels[part])
	if other := (*elementError)(nil); errors.As(err, &other) {
		return nil, fmt.Errorf("%s: %w", s.labels[part].name, other.labels())
	}
	if err == nil && a.features != 1 {
		a.Close()
		return nil, message.WithHint(fmt.Errorf("%s: header: %d numbers per sample, want one number per label", a.name,
			a.features), "for one-hot labels, save y.argmax(1); otherwise save only the labels, for example with "+
			"y[:, COLUMN]")
	}
	return a, err
}

// maxWhole is the largest label. Larger whole numbers may be equal as float64.
const maxWhole = 1<<53 - 1

// label reads the next label, which must be a whole number.
func (a *array) label() (float64, error) {
	var x [1]float64
	if err := a.next(x[:]); err != nil {
		return 0, err
	}
	switch {
	case x[0] != math.Trunc(x[0]):
		return 0, a.fault(a.done, "label %g, want a whole number", x[0])
	case math.Abs(x[0]) > maxWhole:
		return 0, a.fault(a.done, "label %.0f, want -%d to %[2]d", x[0], maxWhole)
	}
	return x[0] + 0, nil // -0 becomes 0
}

// fit determines the range of each feature over the training part. If elements are used unchanged, the largest
// element determines the width of the feature words. fit does nothing if there is a quantiser or if all numbers
// already are words.
func (s *arraySource) fit(ctx context.Context, set *Set, words form) error {
	if s.settled() {
		return nil
	}
	var r ranged
	counts := make([]int, len(set.Classes))
	err := s.each(Train, func(_ int, x []float64, class int) error {
		counts[class]++
		r.widen(x)
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	if s.first.direct {
		set.BitsIn = max(1, bits.Len(uint(slices.Max(r.hi))))
		s.max = 1<<set.BitsIn - 1
		return nil
	}
	if err := s.settle(set, &r, words, interruptible{ctx, s}, counts); err != nil {
		return fmt.Errorf("%s: %w", s.features[Train].name, err)
	}
	return nil
}

// reals implements the interface real.
func (s *arraySource) reals(part Part, fn func(class, at int, value func(f int) (float64, error)) error) error {
	return s.each(part, func(at int, x []float64, class int) error {
		return fn(class, at, func(f int) (float64, error) { return x[f], nil })
	})
}

// each calls fn with each sample of a part. It passes the sample's number in the file, counted from 1, its features
// and its class.
func (s *arraySource) each(part Part, fn func(at int, x []float64, class int) error) error {
	features, err := s.openFeatures(part)
	if err != nil {
		return err
	}
	defer features.Close()
	labels, err := s.openLabels(part)
	if err != nil {
		return err
	}
	defer labels.Close()
	if err := s.compare(features, labels); err != nil {
		return err
	}
	x := make([]float64, features.features)
	for n := 0; ; n++ {
		if err := features.next(x); errors.Is(err, io.EOF) {
			return labels.end(labels.count)
		} else if err != nil {
			return err
		}
		label, err := labels.label()
		if err != nil {
			return err
		}
		class, known := s.classes[label]
		switch {
		case !known:
			return labels.fault(n+1, "label %g does not occur in %s", label, s.labels[Train].name)
		case s.split != nil && n >= len(s.split):
			return labels.fault(n+1, "the file has grown since it was opened; wait until it is complete")
		case s.split != nil && s.split[n] != (part == Test):
			continue
		}
		if err := fn(n+1, x, class); err != nil {
			return err
		}
	}
}

// compare checks that the headers of a part agree with each other and with the training features.
func (s *arraySource) compare(features, labels *array) error {
	switch {
	case features.count != labels.count:
		return fmt.Errorf("%s: header: %d labels, but %d samples in %s; the files do not belong together", labels.name,
			labels.count, features.count, features.name)
	case features.features != s.first.features || features.shape != s.first.shape:
		return fmt.Errorf("%s: header: samples of shape %v, want %v as in %s", features.name, features.dims, s.first.dims,
			s.first.name)
	case features.direct != s.first.direct:
		return fmt.Errorf("%s: header: elements of type %s, want %s as in %s", features.name, features.code, s.first.code,
			s.first.name)
	}
	return nil
}

func (s *arraySource) read(part Part, emit func([]uint16, int) error) error {
	values, n := make([]uint16, s.first.features), 0
	return s.each(part, func(_ int, x []float64, class int) error {
		n++
		for f := range x {
			var ok bool
			switch values[f], ok = s.word(f, x[f]); {
			case ok:
			case s.whole:
				return fmt.Errorf("%s: sample %d of the %s part: feature %d is %g, want an integer of 0..%d",
					s.features[part].name, n, part, f, x[f], s.max)
			default:
				return message.WithHint(fmt.Errorf("%s: sample %d of the %s part: feature %d is %g, but the training samples "+
					"have %d bits",
					s.features[part].name, n, part, f, x[f], bits.Len32(s.max)),
					"save the features as float32: then larger numbers are clipped to the training range")
			}
		}
		return emit(values, class)
	})
}
