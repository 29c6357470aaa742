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

// Data is a data set that is ready for training. It holds the encoder that was fitted to the training part, and the
// packed levels of the training and the test part. The level of a value is the number of its feature's thresholds
// that the value exceeds.
type Data struct {
	Name        string
	Classes     []string
	Encoder     *encoding.Encoder
	Train, Test *encoding.Packed // levels
	TrainSHA256 string           // digest of the decoded content, see package dataset
	TestSHA256  string

	// Words holds the feature words of the training part if images are augmented (with 8 bits for each word) or if
	// thresholds are learned. Otherwise it is nil. Shape is the shape of the images. It is zero if the data are not
	// images.
	Words *encoding.Packed
	Shape dataset.Shape

	// Clipped lists the features with training values outside the range of the feature words. Unknown lists the
	// columns whose training samples contain words that the encoder does not know. This happens only if a column has
	// rare words, or if the run keeps the encoder of a model.
	Clipped []dataset.Clipped
	Unknown []dataset.Unknown

	// TestWords holds the feature words of the test part if thresholds are learned. Otherwise it is nil. Train and
	// Test hold the levels under the encoder from [LoadData] until [Data.Use] replaces it.
	TestWords *encoding.Packed

	shared          dataset.Shared   // groups of the test file that the training file has, too
	groups          *dataset.Groups  // groups of the training samples; nil: none
	ordered         bool             // the samples are in the order of time
	held, heldWords *encoding.Packed // validation set, taken out of Train and Words; nil if there is none
}

// Use re-encodes the samples in place with enc, the encoder of a model. The run must learn thresholds. Use returns an
// error if enc differs from the current encoder in anything but thresholds.
func (d *Data) Use(enc *encoding.Encoder) error {
	if what := encoderDifference(enc, d.Encoder); what != "" && what != thresholdsDiffer {
		return fmt.Errorf("its encoder and the encoder of data set %s have different %s", d.Name, what)
	}
	d.Encoder = enc
	enc.Relevel(d.Train, d.Words)
	enc.Relevel(d.Test, d.TestWords)
	return nil
}

// LoadData reads the configuration's data set from the first folder that contains it, fits the encoder and checks
// that the network fits the data.
func LoadData(ctx context.Context, cfg config.Config, folders []string) (*Data, error) {
	return loadAfter(ctx, nil, cfg, folders)
}

// loadAfter is like [LoadData], but if the argument opened is not nil, it uses this open data set.
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

// load reads both parts of an opened data set with a given encoder, and checks that the network fits the data.
func load(ctx context.Context, cfg *config.Config, set *dataset.Set, enc *encoding.Encoder) (d *Data, err error) {
	if err := cfg.CheckClasses(len(set.Classes), enc.Inputs()); err != nil {
		return nil, err
	}
	if err := cfg.CheckWeights(set.Classes); err != nil {
		return nil, err
	}
	if err := cfg.CheckMetric(len(set.Classes)); err != nil {
		return nil, err
	}
	if err := cfg.CheckImages(set.Shape != dataset.Shape{}); err != nil {
		return nil, err
	}
	d = &Data{
		Name: set.Name, Classes: set.Classes, Encoder: enc, Shape: set.Shape, groups: set.Groups(),
		ordered: cfg.Data.Ordered(),
	}
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
	d.shared = set.Shared()
	if set.Narrowed || cfg.Encoder.Kept() {
		if d.Clipped, err = set.Clipped(ctx, dataset.Train); err != nil {
			return nil, err
		}
	}
	if cfg.Encoder.Kept() || set.Rare {
		d.Unknown, err = set.Unknown(ctx, dataset.Train)
	}
	return d, err
}

// FitClasses sets the values of a configuration that depend on the number of classes, unless the user set them
// ([config.Config.FitClasses]). If the caller has already opened the data set, it passes this set as the argument
// opened. Otherwise opened is nil. If the data set is open at the end, FitClasses returns it, so that files are not
// read twice. The number of classes of a built-in data set does not depend on its files.
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

// fit returns the encoder of a configuration for a data set. With cost pressure (train.cost), fit replaces each
// threshold by the cheapest threshold that splits the training samples in the same way.
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

// histogram counts the feature values of the training part.
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

// levels packs the levels of one part of a data set. If words is not nil, it appends the feature words to words.
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

// TestData is the test part of the data set that a model was trained on. It holds the samples as levels under the
// model's encoder and as feature words.
type TestData struct {
	Name    string
	Classes []string // class names in the data set
	Levels  *encoding.Packed
	Words   *encoding.Packed // words of BitsIn bits each, as expected by the input port of a design with scope full
	SHA256  string
}

// LoadTest reads the test part of a data set with a model's encoder. It returns an error if the data set's features
// or classes differ from the model's. It does not check that the samples are the same as in training. Callers compare
// SHA256 for this purpose. If opened is not nil, it is the open data set, and LoadTest does not read its files again.
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

// LoadFirst is like [LoadTest], but reads only the first n samples, or all samples if there are fewer than n. It does
// not set SHA256.
func LoadFirst(ctx context.Context, opened *dataset.Set, enc *encoding.Encoder, classes []string, data config.Data,
	folders []string, samples int,
) (*TestData, error) {
	t, _, err := loadTest(ctx, opened, enc, classes, data, folders, samples)
	return t, err
}

// errEnough stops the reading of a part.
var errEnough = errors.New("enough samples")

// loadTest returns the first samples of the test part, and the data set.
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

// openAs opens the data set of a model. It returns an error if the model cannot have been trained with it.
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
