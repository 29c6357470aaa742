// Package dataset reads labelled samples. It reads the embedded digits, MNIST and Fashion-MNIST, CIFAR-10 and
// CIFAR-100, CSV files, and arrays of NumPy or IDX. It also makes sequences.
//
// [Open] finds a set's files and reads the data that must be known in advance. This data includes the set's features,
// its classes and, for the user's own files, the quantiser. [Set.Read] then streams the samples of a part.
// [OpenSamples] reads unlabelled samples for prediction.
//
//   - Every value is an unsigned integer of [Set.BitsIn] bits, at most [Set.Max]. Every label is below the number of
//     classes, which is at most 256.
//   - Files may be compressed with gzip or bzip2. The compression is recognised by a file's first bytes, not by its
//     name.
//   - No header can cause a large allocation. A file that is truncated, too long, mislabelled or not numeric is an
//     error that names file, record and reason.
//   - The order of samples depends only on the files and, if a training file is split, on the seed. The same is true
//     for the digest of a part.
package dataset

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"ialgn/internal/config"
	"ialgn/internal/encoding"
	"ialgn/internal/message"
)

// Part is a part of a set, either the training part or the test part.
type Part int

// These are the parts of a set.
const (
	Train Part = iota
	Test
)

// String returns "train" or "test".
func (p Part) String() string {
	if p == Test {
		return "test"
	}
	return "train"
}

// These are the limits on the size of a set. The number of classes is limited because a label is a byte. The number
// of features limits the memory that a header can take.
const (
	MaxClasses  = 256
	MaxFeatures = 1 << 16
)

// Set is an open data set. Its fields are read-only for callers. Calls of Read must not overlap.
type Set struct {
	Name         string   // name of the set; for the user's own files, the name of the training file without endings
	Classes      []string // names of the classes, one for each label
	Features     int
	FeatureNames []string            // one name for each feature; nil if the file has no names
	BitsIn       int                 // width of a feature in bits
	Max          uint32              // largest value of a feature
	Shape        Shape               // shape of images; zero if the samples are not images
	Quantiser    *encoding.Quantiser // turns real values into words; nil if there are no real values, except after OpenFor
	Whole        bool                // real values are whole numbers that can be used unchanged
	Narrowed     bool                // the ranges omit extreme values of the training part
	Rare         bool                // a column has rare words that are no features (see Unknown)
	Spans        [][2]uint16         // words at the ends of each feature's range; nil if no feature is used unchanged
	Columns      []encoding.Column   // columns of a table, in order; nil if it has only numbers and a label
	Path         string              // folder of the files; "embedded" for the digits, "made" for sequences

	// TrainSamples and TestSamples are the numbers of samples from headers or from an earlier pass, or 0 if unknown.
	// The numbers are exact after a complete Read of the part. Before this Read, callers must not allocate memory for
	// this number of samples.
	TrainSamples, TestSamples int

	digests [2]string
	source  source
	labels  []int     // for each class of the source, its new label; if nil, labels are unchanged
	files   *csvFiles // the files of a CSV set
	form    form      // the form of the set's words
}

// Shape is the size of images. The features of an image are its pixels, ordered by plane, then by row.
type Shape struct{ Planes, Height, Width int }

// source streams the samples of a part in order. It may reuse values after emit returns. It stops at the first error
// of emit and returns this error unchanged.
type source interface {
	read(part Part, emit func(values []uint16, label int) error) error
}

// Open finds the data set that cfg names and reads the data for the fields of Set. To find this data, it reads all of
// a CSV file or of the user's own arrays. It does not read other sets. bitsIn, 1 to 16, is the width to which the
// features of these files are quantised. For other sets, bitsIn has no meaning.
//
// Open looks for files in cfg.Dir, if it is set, and then in the folders (see [Folders]). In each folder, it first
// looks in the set's own subfolder. It tries names with and without ".gz". If a set is missing, the error is a
// [MissingError], which lists the places and says how to get the set.
func Open(ctx context.Context, cfg config.Data, bitsIn int, folders []string) (*Set, error) {
	return open(ctx, cfg, form{bitsIn: bitsIn}, folders)
}

// OpenWith is like [Open], for a data set that is to be encoded as enc describes. The real values are scaled by
// ranges of the kind that enc names, unless whole numbers are used unchanged. If enc takes the ranges from a model,
// OpenWith returns an error; use [OpenFor] then.
func OpenWith(ctx context.Context, cfg config.Data, enc config.Encoder, folders []string) (*Set, error) {
	return (*Set)(nil).With(ctx, cfg, enc, folders)
}

// With is like [OpenWith], but reuses the data that another set s has read. s may be nil. If both sets have the same
// CSV files, they share all data read from these files, now or later. This is also the case if they divide the same
// training file in two ways. Both sets may be read at the same time.
func (s *Set) With(ctx context.Context, cfg config.Data, enc config.Encoder, folders []string) (*Set, error) {
	if enc.Kept() {
		return nil, message.WithHint(
			errors.New("encoder.ranges: model, but training does not start from a model whose ranges could be kept"),
			"name a model with {Init MODEL}, or omit the key")
	}
	words := form{bitsIn: enc.BitsIn, robust: enc.Robust(), raw: enc.Raw}
	if s == nil || s.files == nil || s.form.model != nil {
		return open(ctx, cfg, words, folders)
	}
	files, err := s.files.of(cfg, folders)
	switch {
	case err != nil:
		return nil, err
	case files == nil:
		return open(ctx, cfg, words, folders)
	case files == s.files && s.form == words:
		same := *s
		return &same, nil
	}
	return files.set(ctx, words, files.read, files.from)
}

// OpenFor is like [Open], for a set that a model reads. The encoder's quantiser turns all numbers of the set into
// words, even pixels. Ranges of the training part are not used. Categories and medians also come from the encoder,
// and [Set.Digest] hashes the resulting words.
//
// If cfg.Plain is set and the encoder has no quantiser, numbers are used unchanged. They must be whole and no larger
// than the encoder's words. OpenFor returns an error if the set has the wrong number of features.
func OpenFor(ctx context.Context, cfg config.Data, enc *encoding.Encoder, folders []string) (*Set, error) {
	return (*Set)(nil).For(ctx, cfg, enc, folders)
}

// For is like [OpenFor], but reuses the data that another set s has read from the same CSV files. s may be nil.
func (s *Set) For(ctx context.Context, cfg config.Data, enc *encoding.Encoder, folders []string) (*Set, error) {
	switch {
	case enc.Quantiser != nil:
		return s.quantised(ctx, cfg, enc, folders)
	case cfg.Plain && enc.Quantiser == nil:
		return openWhole(ctx, cfg, enc, folders)
	}
	return Open(ctx, cfg, enc.BitsIn, folders)
}

// quantised opens a data set whose real values are turned into words by the encoder's quantiser.
func (s *Set) quantised(ctx context.Context, cfg config.Data, enc *encoding.Encoder, folders []string) (*Set, error) {
	q := enc.Quantiser
	words := form{bitsIn: enc.BitsIn, q: q, largest: enc.Max}
	if !cfg.Plain && !enc.ByCuts() {
		words.model = enc
	}
	s, err := s.as(ctx, cfg, words, folders)
	if err != nil {
		return nil, err
	}
	if err := s.checkFeatures(enc); err != nil {
		return nil, err
	}
	if s.Quantiser == nil {
		s.source = &wordSource{s.source, q, enc.Max}
	}
	s.BitsIn, s.Max, s.Quantiser = enc.BitsIn, enc.Max, q
	return s, nil
}

// openWhole opens a data set whose numbers are the words of an encoder.
func openWhole(ctx context.Context, cfg config.Data, enc *encoding.Encoder, folders []string) (*Set, error) {
	s, err := open(ctx, cfg, form{bitsIn: enc.BitsIn, whole: true, largest: enc.Max}, folders)
	if err != nil {
		return nil, err
	}
	if err := s.checkFeatures(enc); err != nil {
		return nil, err
	}
	if s.Max > enc.Max {
		return nil,
			message.WithHint(fmt.Errorf("%s: features up to %d, but the network accepts whole numbers only up to %d", s.Name,
				s.Max,
				enc.Max),
				"import the network again with {Fact input.bits=%d}, and with input.divisor if its training inputs were divided",
				bits.Len32(s.Max))
	}
	s.BitsIn, s.Max = enc.BitsIn, enc.Max
	if s.BitsIn > imageBits {
		s.Shape = Shape{}
	}
	return s, nil
}

// checkFeatures returns an error if the set's number of features differs from the number that the model reads.
func (s *Set) checkFeatures(enc *encoding.Encoder) error {
	if n := enc.Features(); s.Features != n {
		return fmt.Errorf("%s: %d features, but the model reads %d; name the data set that the model was trained on",
			s.Name, s.Features,
			n)
	}
	return nil
}

// LabelAs relabels the samples. A label becomes the index of its class in classes. The set may lack some of these
// classes. If a class of the set is not in classes, LabelAs returns false and changes nothing. LabelAs must be called
// before Read.
func (s *Set) LabelAs(classes []string) bool {
	labels := make([]int, len(s.Classes))
	for i, name := range s.Classes {
		if labels[i] = ClassOf(classes, name); labels[i] < 0 {
			return false
		}
	}
	if !slices.Equal(s.Classes, classes) {
		s.Classes, s.labels = slices.Clone(classes), labels
	}
	return true
}

// form says how real values become words.
type form struct {
	bitsIn  int                 // width of words; if raw is set, a lower bound
	q       *encoding.Quantiser // if q is nil, ranges of the training part scale the words, unless whole is set
	whole   bool                // the values are the words
	largest uint32              // largest word, if there is a quantiser or whole is set
	model   *encoding.Encoder   // the encoder that has the quantiser; nil if its columns are unknown
	robust  bool                // ranges omit extreme values
	raw     bool                // whole numbers are used unchanged
}

func (f form) check() error {
	if f.raw && f.bitsIn == 0 {
		return nil
	}
	if f.bitsIn < encoding.MinBitsIn || f.bitsIn > encoding.MaxBitsIn {
		return fmt.Errorf("encoder.bits_in: %d is outside %d..%d", f.bitsIn, encoding.MinBitsIn, encoding.MaxBitsIn)
	}
	return nil
}

// max returns the largest word of a form. The form must be checked first.
func (f form) max() uint32 {
	if f.q != nil || f.whole {
		return f.largest
	}
	return 1<<f.bitsIn - 1
}

// scaling turns real values into feature words.
type scaling struct {
	q     *encoding.Quantiser // if nil, the numbers are the words
	whole bool                // the numbers are the words, and no ranges are needed
	max   uint32
}

// scaling returns the part of the scaling that follows from a form. The form must be checked first.
func (f form) scaling() scaling { return scaling{f.q, f.whole, f.max()} }

// settled reports whether the scaling is complete.
func (s *scaling) settled() bool { return s.q != nil || s.whole }

// settle makes the quantiser from the ranges of a training part. It also sets the fields of set that depend on the
// quantiser.
func (s *scaling) settle(set *Set, r *ranged, words form, src real, counts []int) error {
	err := r.settle(words, src, counts)
	s.q, s.max = r.q, r.max
	r.fill(set)
	return err
}

// word returns the word of a feature's value. ok is false if the value has no word.
func (s *scaling) word(f int, x float64) (word uint16, ok bool) {
	switch {
	case s.q != nil:
		return s.q.Apply(f, x, s.max), true
	case !isWord(x, s.max):
		return 0, false
	}
	return uint16(x), true
}

// isWord reports whether a value is a whole number from 0 to max.
func isWord(x float64, max uint32) bool { return x == math.Trunc(x) && x >= 0 && x <= float64(max) }

// wordSource turns the integers of a set into words.
type wordSource struct {
	source
	q   *encoding.Quantiser
	max uint32
}

func (s *wordSource) read(part Part, emit func([]uint16, int) error) error {
	words := make([]uint16, s.q.Features())
	return s.source.read(part, func(values []uint16, label int) error {
		for f, v := range values {
			words[f] = s.q.Apply(f, float64(v), s.max)
		}
		return emit(words, label)
	})
}

// open opens the data set and turns its real values into words of the given form.
func open(ctx context.Context, cfg config.Data, words form, folders []string) (*Set, error) {
	switch cfg.Set {
	case "digits":
		return openDigits(), nil
	case "csv":
		return openCSV(ctx, cfg, words, folders)
	case "arrays":
		return openArrays(ctx, cfg, words, folders)
	case "memory":
		return openMemory(cfg, words)
	}
	if k := findSequences(cfg.Set); k != nil {
		return k.open(cfg.Length)
	}
	k, ok := findKind(cfg.Set)
	if !ok {
		return nil, message.Near(fmt.Errorf("data set %q: unknown, want %s", cfg.Set, strings.Join(setNames(), ", ")),
			cfg.Set, setNames())
	}
	f, err := k.find(cfg.Dir, folders)
	if err != nil {
		return nil, err
	}
	s, err := k.open(k, f.files)
	if err != nil {
		return nil, err
	}
	s.Path = f.dir
	return s, nil
}

// Read calls fn with each sample of the part, in order. It passes the sample's values, one for each feature, and its
// label. fn must not keep values. Read stops at the first error of fn, or when ctx ends.
//
// Faults in the data may appear late. For example, a wrong checksum of a compressed file appears only after the last
// sample. The data that fn collects is therefore valid only if Read returns nil. The part's digest and number of
// samples are also known after such a Read.
func (s *Set) Read(ctx context.Context, part Part, fn func(values []uint16, label int) error) error {
	if part != Train && part != Test {
		panic(fmt.Sprintf("dataset: no part %d", part))
	}
	d := newDigest(s.Features, len(s.Classes))
	n := 0
	err := s.source.read(part, func(values []uint16, label int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if s.labels != nil {
			label = s.labels[label]
		}
		d.add(values, label)
		n++
		return fn(values, label)
	})
	if err != nil {
		return err
	}
	if n == 0 {
		return fmt.Errorf("%s: the %s part has no samples", s.Name, part)
	}
	s.digests[part] = d.sum()
	*s.samples(part) = n
	return nil
}

// Digest returns the SHA-256 of the decoded content of a part, in hexadecimal. Before a complete Read of the part, it
// returns "". The hash covers little-endian words:
//
//	uint32 features, uint32 classes
//	then for each sample: features times uint16 value, uint16 label
//
// The digest therefore does not depend on the files' format or compression.
func (s *Set) Digest(part Part) string { return s.digests[part] }

// Samples returns the number of samples of a part, or 0 if it is unknown.
func (s *Set) Samples(part Part) int { return *s.samples(part) }

func (s *Set) samples(part Part) *int {
	if part == Test {
		return &s.TestSamples
	}
	return &s.TrainSamples
}
