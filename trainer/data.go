package trainer

import (
	"context"
	"errors"
	"fmt"
	"math"

	"ialgn/internal/config"
	"ialgn/internal/dataset"
	"ialgn/internal/encoding"
)

// Data is a data set ready for training: packed levels of both parts under an encoder
// fitted to the training part.
type Data struct {
	Name        string
	Classes     []string
	Encoder     *encoding.Encoder
	Train, Test *encoding.Packed // levels
	TrainSHA256 string           // digest of the decoded content, as package dataset defines it
	TestSHA256  string

	// The feature words of the training part if images are changed in training, 8 bits each, or thresholds are learned;
	// and the shape of its images, if it has images.
	Words *encoding.Packed
	Shape dataset.Shape

	// Clipped are the features of which training values are beyond the ranges of the words, and Unknown the columns with
	// words in training samples that the model whose encoder is kept does not know.
	Clipped []dataset.Clipped
	Unknown []dataset.Unknown

	// The feature words of the test part, if thresholds are learned. The levels are those of the encoder that
	// [LoadData] made, until [Data.Use].
	TestWords *encoding.Packed

	held, heldWords *encoding.Packed // the validation set, out of Train and Words; nil: there is none
}

// Use encodes the samples of data whose thresholds are learned by the encoder of a model, in place. It returns an
// error if that differs in more than thresholds from the one for the data.
func (d *Data) Use(enc *encoding.Encoder) error {
	if what := encoderDifference(enc, d.Encoder); what != "" && what != thresholdsDiffer {
		return fmt.Errorf("its encoder has other %s than that of data set %s", what, d.Name)
	}
	d.Encoder = enc
	enc.Relevel(d.Train, d.Words)
	enc.Relevel(d.Test, d.TestWords)
	return nil
}

// LoadData reads the configuration's data set from the first of the folders that has
// it, fits the encoder and checks that the model fits the data.
func LoadData(ctx context.Context, cfg config.Config, folders []string) (*Data, error) {
	return loadAfter(ctx, nil, cfg, folders)
}

// loadAfter is [LoadData] where the data set was opened before, nil for none.
func loadAfter(ctx context.Context, opened *dataset.Set, cfg config.Config, folders []string) (*Data, error) {
	set, err := opened.With(ctx, cfg.Data, cfg.Encoder, folders)
	if err != nil {
		return nil, err
	}
	enc, err := fit(ctx, &cfg, set)
	if err != nil {
		return nil, err
	}
	return load(ctx, &cfg, set, enc)
}

// load reads both parts of an opened data set under an encoder, and checks that the model fits the data.
func load(ctx context.Context, cfg *config.Config, set *dataset.Set, enc *encoding.Encoder) (d *Data, err error) {
	if err := cfg.CheckClasses(len(set.Classes), enc.Inputs()); err != nil {
		return nil, err
	}
	if err := cfg.CheckImages(set.Shape != dataset.Shape{}); err != nil {
		return nil, err
	}
	d = &Data{Name: set.Name, Classes: set.Classes, Encoder: enc, Shape: set.Shape}
	switch {
	case cfg.Train.Augment.Active():
		d.Words = encoding.NewPacked(set.Features, 8)
	case cfg.Encoder.Learned():
		d.Words = encoding.NewPacked(set.Features, set.BitsIn)
	}
	if cfg.Encoder.Learned() {
		d.TestWords = encoding.NewPacked(set.Features, set.BitsIn)
	}
	if d.Train, err = levels(ctx, set, dataset.Train, enc, d.Words); err != nil {
		return nil, err
	}
	if d.Test, err = levels(ctx, set, dataset.Test, enc, d.TestWords); err != nil {
		return nil, err
	}
	d.TrainSHA256, d.TestSHA256 = set.Digest(dataset.Train), set.Digest(dataset.Test)
	if set.Narrowed || cfg.Encoder.Kept() {
		if d.Clipped, err = set.Clipped(ctx, dataset.Train); err != nil {
			return nil, err
		}
	}
	if cfg.Encoder.Kept() {
		d.Unknown, err = set.Unknown(ctx, dataset.Train)
	}
	return d, err
}

// FitClasses returns the configuration with what follows from the classes of its data, unless it
// is given ([config.Config.FitClasses]), and the data set if it had to be opened for that, after another one or nil.
// Only the classes of a user's own data depend on the files.
func FitClasses(ctx context.Context, cfg config.Config, folders []string, opened *dataset.Set) (
	config.Config, *dataset.Set, error,
) {
	if cfg.WidthGiven() && cfg.TauGiven() {
		return cfg, opened, nil
	}
	enc := cfg.Encoder
	if enc.Kept() {
		enc = config.Encoder{BitsIn: config.DefaultBitsIn}
	}
	set, err := opened.With(ctx, cfg.Data, enc, folders)
	if err != nil && ctx.Err() != nil {
		return cfg, nil, interruptedReading(cfg)
	}
	if err != nil {
		return cfg, nil, err
	}
	return cfg.FitClasses(len(set.Classes)), set, nil
}

// fit returns the encoder of a configuration for a data set. With a pressure towards fewer look-up tables, thresholds
// that split the training samples alike are the cheapest ones.
func fit(ctx context.Context, cfg *config.Config, set *dataset.Set) (*encoding.Encoder, error) {
	c, cost := &cfg.Encoder, cfg.Train.Cost
	var h *encoding.Histogram
	var err error
	if c.Thresholds == "quantile" || cost.Active() {
		if h, err = histogram(ctx, set); err != nil {
			return nil, err
		}
	}
	var enc *encoding.Encoder
	if c.Thresholds == "quantile" {
		enc, err = h.Quantile(c.Bits, set.FeatureNames)
	} else {
		enc, err = encoding.NewUniform(set.Features, c.Bits, set.BitsIn, set.Max, set.FeatureNames)
	}
	if err != nil {
		return nil, err
	}
	if c.Thresholds != "quantile" && set.Spans != nil {
		enc.SpreadOver(set.Spans)
	}
	if cost.Active() {
		inputs := cost.LUTInputs()
		h.Cheapen(enc, func(t uint16) int { return encoding.ComparisonLUTs(enc.BitsIn, t, inputs) })
	}
	enc.Quantiser, enc.Columns = set.Quantiser, set.Columns
	enc.PlaceMiddle()
	return enc, nil
}

// histogram counts the values of the training part.
func histogram(ctx context.Context, set *dataset.Set) (*encoding.Histogram, error) {
	h, err := encoding.NewHistogram(set.Features, set.BitsIn, set.Max)
	if err != nil {
		return nil, err
	}
	err = set.Read(ctx, dataset.Train, func(values []uint16, _ int) error {
		h.Add(values)
		return nil
	})
	return h, err
}

// levels packs the levels of a part, and its feature words into words, unless that is nil.
func levels(ctx context.Context, set *dataset.Set, part dataset.Part, enc *encoding.Encoder, words *encoding.Packed,
) (*encoding.Packed, error) {
	p, row := encoding.NewPacked(set.Features, enc.LevelBits()), make([]uint16, set.Features)
	err := set.Read(ctx, part, func(values []uint16, label int) error {
		enc.Levels(row, values)
		p.Append(row, label)
		if words != nil {
			words.Append(values, label)
		}
		return nil
	})
	return p, err
}

// TestData is the test part of the data set a model was trained on, as levels under
// the model's encoder and as raw feature words.
type TestData struct {
	Name    string
	Classes []string // as the data set calls them
	Levels  *encoding.Packed
	Words   *encoding.Packed // width BitsIn, the bus of a full design
	SHA256  string
}

// LoadTest reads the test part of a data set under the encoder of a model with those
// classes. It is an error if the data set has other features or classes; whether its content
// is what the model was trained with is for the caller to judge by SHA256. What opened, unless it is nil, has of the
// same files is not read again.
func LoadTest(ctx context.Context, opened *dataset.Set, enc *encoding.Encoder, classes []string, data config.Data,
	folders []string,
) (*TestData, error) {
	t, set, err := loadTest(ctx, opened, enc, classes, data, folders, math.MaxInt)
	if err != nil {
		return nil, err
	}
	t.SHA256 = set.Digest(dataset.Test)
	return t, nil
}

// LoadFirst is [LoadTest] of the first samples alone, all if there are fewer, without SHA256.
func LoadFirst(ctx context.Context, opened *dataset.Set, enc *encoding.Encoder, classes []string, data config.Data,
	folders []string, samples int,
) (*TestData, error) {
	t, _, err := loadTest(ctx, opened, enc, classes, data, folders, samples)
	return t, err
}

// errEnough ends the reading of a part.
var errEnough = errors.New("enough samples")

// loadTest returns so many samples of the test part, and the set that they are of.
func loadTest(ctx context.Context, opened *dataset.Set, enc *encoding.Encoder, classes []string, data config.Data,
	folders []string, samples int,
) (*TestData, *dataset.Set, error) {
	set, err := openAs(ctx, opened, enc, classes, data, folders)
	if err != nil {
		return nil, nil, err
	}
	t := &TestData{
		Name: set.Name, Classes: set.Classes, Levels: encoding.NewPacked(set.Features, enc.LevelBits()),
		Words: encoding.NewPacked(set.Features, enc.BitsIn),
	}
	row := make([]uint16, set.Features)
	err = set.Read(ctx, dataset.Test, func(values []uint16, label int) error {
		if t.Levels.Len() == samples {
			return errEnough
		}
		enc.Levels(row, values)
		t.Levels.Append(row, label)
		t.Words.Append(values, label)
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return t, set, err
}

// openAs opens the data set of a model, and refuses one that it cannot have been trained with.
func openAs(ctx context.Context, opened *dataset.Set, enc *encoding.Encoder, classes []string, data config.Data,
	folders []string,
) (*dataset.Set, error) {
	set, err := opened.For(ctx, data, enc, folders)
	if err != nil {
		return nil, err
	}
	if set.Features != enc.Features() || set.BitsIn != enc.BitsIn || set.Max != enc.Max {
		return nil, fmt.Errorf("%s: %d features of %d bits up to %d, but the model reads %d of %d bits up to %d; name the "+
			"data set it was trained on",
			set.Name, set.Features, set.BitsIn, set.Max, enc.Features(), enc.BitsIn, enc.Max)
	}
	if !takeClasses(set, classes, data.Plain) {
		return nil, fmt.Errorf("%s: classes %q, but the model has %q; name the data set it was trained on", set.Name,
			set.Classes, classes)
	}
	return set, checkColumns(set, enc, data.Plain)
}
