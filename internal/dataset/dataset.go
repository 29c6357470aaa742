// Package dataset reads labelled samples: the embedded digits, MNIST and
// Fashion-MNIST, CIFAR-10 and CIFAR-100, sequences that it makes itself, CSV files, and
// arrays of NumPy or IDX.
//
// [Open] finds a set's files and reads what must be known beforehand: its features,
// its classes and, for CSV, the quantiser. [Set.Read] then streams the samples of a
// part; a set is never whole in memory here. [OpenSamples] reads unlabelled samples
// for prediction.
//
//   - Every value is an unsigned integer of [Set.BitsIn] bits, at most [Set.Max], and
//     every label is below the number of classes, of which there are at most 256.
//   - Files may be compressed with gzip; their first bytes tell, not their names.
//   - No allocation follows from what a header claims. A file that is truncated, too
//     long, mislabelled or not numeric is an error that names file, record and reason.
//   - The order of samples, and so the digest of a part, follows from the files and,
//     for a CSV file that is split, from the seed alone.
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

// Part is one of the two parts of a set.
type Part int

// The parts of a set.
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

// The largest sets that are read: labels stand in a byte, and a bound on the features
// keeps any header from deciding the memory.
const (
	MaxClasses  = 256
	MaxFeatures = 1 << 16
)

// Set is an opened data set. Its fields are for reading. Calls of Read must not
// overlap.
type Set struct {
	Name         string   // name of the set; a CSV set is named after its training file without endings
	Classes      []string // names of the classes, one a label
	Features     int
	FeatureNames []string            // one a feature; nil for a CSV file without a header
	BitsIn       int                 // width of a feature
	Max          uint32              // largest value of a feature
	Shape        Shape               // what the features of images are; zero if they are none
	Quantiser    *encoding.Quantiser // how a CSV set's real values become integers; nil for other sets, but by OpenFor
	Whole        bool                // real values are whole numbers that can be compared as they are
	Narrowed     bool                // the ranges of words leave out extreme values of the training part
	Spans        [][2]uint16         // words of the ends of each range, where some are compared as they are; else nil
	Columns      []encoding.Column   // of a table that has more than numbers and a label, in order; nil for any other set
	Path         string              // folder of the files; "embedded" for the digits, "made" for sequences

	// TrainSamples and TestSamples are what headers or an earlier pass say, 0 if
	// unknown; after a complete Read of the part they are exact. Do not allocate by
	// them before.
	TrainSamples, TestSamples int

	digests [2]string
	source  source
	labels  []int     // the label of each of the source's classes; nil: the same
	files   *csvFiles // of a CSV set
	form    form      // of its words
}

// Shape is that of images whose pixels are the features: plane by plane, row by row.
type Shape struct{ Planes, Height, Width int }

// source streams the samples of a part, in order; values may be reused after emit
// returns. It stops at the first error of emit and returns it as it is.
type source interface {
	read(part Part, emit func(values []uint16, label int) error) error
}

// Open finds the data set that cfg names and reads what its fields say, without
// reading all samples, except of a CSV file. bitsIn is the width to which CSV
// features are quantised, 1 to 16, and of no meaning to other sets.
//
// Files are looked for in cfg.Dir, if that is set, and then in the folders, as
// [Folders] gives them; in each in the set's own subfolder first, and with and without
// ".gz". A missing set is a [MissingError], which lists the places and says how to get it.
func Open(ctx context.Context, cfg config.Data, bitsIn int, folders []string) (*Set, error) {
	return open(ctx, cfg, form{bitsIn: bitsIn}, folders)
}

// OpenWith is [Open] of the data set that is to have such an encoder: real values are scaled from the ranges that it
// says, or whole numbers compared as they are. It is an error if the ranges are those of a model, which [OpenFor]
// takes.
func OpenWith(ctx context.Context, cfg config.Data, enc config.Encoder, folders []string) (*Set, error) {
	return (*Set)(nil).With(ctx, cfg, enc, folders)
}

// With is [OpenWith] after s, another set or nil, was opened: of the same CSV files it has what was read of them, and
// what either reads later. The two sets may be read at the same time.
func (s *Set) With(ctx context.Context, cfg config.Data, enc config.Encoder, folders []string) (*Set, error) {
	if enc.Kept() {
		return nil, message.WithHint(
			errors.New("encoder.ranges: model, but training does not start from a model whose ranges could be kept"),
			"name a model with {Init MODEL}, or omit the key")
	}
	words := form{bitsIn: enc.BitsIn, robust: enc.Robust(), raw: enc.Raw}
	switch {
	case s == nil || s.files == nil || s.form.model != nil || !s.files.areOf(cfg, folders):
		return open(ctx, cfg, words, folders)
	case s.form == words:
		same := *s
		return &same, nil
	}
	return s.files.set(ctx, words, s.files.read, s.files.from)
}

// OpenFor is [Open] of the data set that a model with an encoder reads. The encoder's quantiser makes the words of
// whatever numbers the set holds, pixels too, in the place of the ranges of its training part, and categories and
// medians are the encoder's; what [Set.Digest] hashes are then these words. Where cfg says so (Plain), an encoder
// without a quantiser reads the numbers of the set as they stand, which must be whole and no larger than its words. It
// is an error if the set has not as many features.
func OpenFor(ctx context.Context, cfg config.Data, enc *encoding.Encoder, folders []string) (*Set, error) {
	return (*Set)(nil).For(ctx, cfg, enc, folders)
}

// For is [OpenFor] after s, another set or nil, was opened: of the same CSV files it has what was read of them.
func (s *Set) For(ctx context.Context, cfg config.Data, enc *encoding.Encoder, folders []string) (*Set, error) {
	switch {
	case enc.Quantiser != nil:
		return s.quantised(ctx, cfg, enc, folders)
	case cfg.Plain && enc.Quantiser == nil:
		return openWhole(ctx, cfg, enc, folders)
	}
	return Open(ctx, cfg, enc.BitsIn, folders)
}

// quantised opens a data set whose words an encoder makes of real values.
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

// checkFeatures reports whether the set has as many features as a model reads.
func (s *Set) checkFeatures(enc *encoding.Encoder) error {
	if n := enc.Features(); s.Features != n {
		return fmt.Errorf("%s: %d features, but the model reads %d; name the data set that the model was trained on",
			s.Name, s.Features,
			n)
	}
	return nil
}

// LabelAs gives the samples the labels that their classes have among others, in that order, of which the set may lack
// some. It reports whether all of its classes are among them; if not, nothing changes. It must not follow a Read.
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

// form is what the words of real values are to be.
type form struct {
	bitsIn  int                 // of raw ones at least
	q       *encoding.Quantiser // nil: the ranges of the training part make words, unless they are whole
	whole   bool                // values are words as they stand
	largest uint32              // of a quantiser, or if they are whole
	model   *encoding.Encoder   // the encoder that has the quantiser, if its columns are known; else nil
	robust  bool                // ranges leave out extreme values
	raw     bool                // whole numbers are compared as they are
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

// max returns the largest word of a form that was checked.
func (f form) max() uint32 {
	if f.q != nil || f.whole {
		return f.largest
	}
	return 1<<f.bitsIn - 1
}

// scaling says how real values become feature words.
type scaling struct {
	q     *encoding.Quantiser // nil: numbers are words as they stand
	whole bool                // and no ranges are needed for that
	max   uint32
}

// scaling returns how values become words of a form that was checked, as far as it says.
func (f form) scaling() scaling { return scaling{f.q, f.whole, f.max()} }

// settled reports whether values become words already.
func (s *scaling) settled() bool { return s.q != nil || s.whole }

// settle makes the quantiser of the ranges of a training part, and gives the set what follows from them.
func (s *scaling) settle(set *Set, r *ranged, words form, src real, counts []int) error {
	err := r.settle(words, src, counts)
	s.q, s.max = r.q, r.max
	r.fill(set)
	return err
}

// word returns the word of a value of a feature, and whether it has one.
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

// wordSource makes words of the integers of a set.
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

// open opens the data set whose real values are to become words of a form.
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

// Read calls fn with the values, one a feature, and the label of each sample of the
// part, in order. fn must not keep values. Read stops at the first error of fn, and
// with ctx.
//
// A fault in the data may show only after fn saw many samples, the checksum of a
// compressed file after the last one: what fn collected is valid only if Read returns
// nil. Then the part's digest and number of samples are known, too.
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

// Digest returns the SHA-256 of the decoded content of a part, in hexadecimal, or ""
// before a complete Read of it. It is the hash of little-endian words,
//
//	uint32 features, uint32 classes
//	then for each sample: features times uint16 value, uint16 label
//
// and so does not depend on the files' format or compression.
func (s *Set) Digest(part Part) string { return s.digests[part] }

// Samples returns the number of samples of a part, as far as it is known.
func (s *Set) Samples(part Part) int { return *s.samples(part) }

func (s *Set) samples(part Part) *int {
	if part == Test {
		return &s.TestSamples
	}
	return &s.TrainSamples
}
