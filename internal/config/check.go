package config

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"ialgn/internal/message"
	"ialgn/internal/topology"
)

// These are the data sets that are read from the user's own files. The keys of [Data] from train on apply only to
// these data sets.
const (
	setCSV    = "csv"
	setArrays = "arrays"
)

// limit is the range of a numeric key, including both ends.
type limit struct {
	key      string
	min, max float64
}

// limits holds the ranges of the keys that every data set has.
//
// The largest depth is the number of layers that a netlist can name. The largest batch fits the counters of the
// training engine, and the largest number of anchors fits the engine's bit rows. The limits of real numbers ensure
// that all numbers that the engine computes from them are normal, finite float32 numbers. The limits also keep the
// betas of the optimiser below 1.
var limits = []limit{
	{"encoder.bits", 2, 256},
	{"model.width", 1, topology.MaxWidth},
	{"model.depth", 1, topology.MaxDepth},
	{"model.inputs", 1, topology.MaxPins},
	{"model.leaves", 0, topology.MaxPins},
	{"model.anchors", 1, 256},
	{"model.hidden", 1, 256},
	{"model.steps", 0, topology.MaxSteps},
	{"model.channels", 0, topology.MaxWidth},
	{"model.chains", 0, 4096},
	{"model.anchored", 0, topology.MaxPins - 1},
	{"model.patch_hidden", 0, 256},
	{"model.skip_logit", -100, 100},
	{"model.init_noise", 0, 100},
	{"model.tau", 1e-6, 1e6},
	{"train.optimizer.lr", 1e-9, 10},
	{"train.optimizer.beta1", 0, 0.99999},
	{"train.optimizer.beta2", 0, 0.999999},
	{"train.optimizer.eps", 1e-30, 1},
	{"train.optimizer.weight_decay", 0, 1},
	{"train.epochs", 1, 1e6},
	{"train.batch", 1, 1024},
	{"train.augment.shift", 0, 64},
	{"train.augment.rotate", 0, 180},
	{"train.augment.scale", 0, 0.5},
	{"train.augment.shear", 0, 1},
	{"train.augment.share", 0, 1},
	{"train.cost.pressure", 0, 1},
	{"train.schedule.warmup", 0, 1e6},
	{"train.validation.share", 0, 0.9},
	{"train.validation.patience", 0, 1e6},
	{"train.checkpoint.minutes", 0, 1e6},
}

// These are the ranges of keys that only the user's own files have.
var (
	bitsInLimit    = limit{"encoder.bits_in", 1, 16}
	testShareLimit = limit{"data.test_share", 0.001, 0.999}
)

// choice lists the possible values of a key.
type choice struct {
	key    string
	values []string
}

var choices = []choice{
	{"data.set", []string{
		"digits", "mnist", "fashion-mnist", "cifar10", "cifar100", setParity, setCopy, setCSV, setArrays,
	}},
	{"encoder.kind", []string{"thermometer"}},
	{"encoder.thresholds", []string{"uniform", "quantile", thresholdsLearned}},
	{"encoder.ranges", []string{rangesRobust, rangesFull, rangesModel}},
	{"model.topology", topology.Names()},
	{"model.parametrization", []string{topology.Softmax16, topology.Light}},
	{"model.init", []string{"skip", "random"}},
	{"model.first_pin", []string{topology.Relaxed, "fixed"}},
	{"model.wiring", []string{"random", topology.Balanced, topology.Spread}},
	{"train.estimator", []string{"ste", "soft", estimatorGumbel}},
	{"train.gradients", []string{gradientsFloat32, "int8"}},
	{"train.candidates.kind", []string{candidatesFixed, candidatesRandom, candidatesGradient}},
	{"train.freeze.kind", []string{freezeNone, freezeLayerwise}},
	{"train.optimizer.kind", []string{"adam"}},
	{"train.schedule.kind", []string{"constant", scheduleCosine, scheduleStep}},
	{"train.validation.keep", []string{keepBest, keepLast}},
}

var headers = choice{"data.header", []string{"auto", "yes", "no"}}

// thousands lists the separators between the thousands of a number. The value "none" is stored as "none", not as
// empty text.
var thousands = choice{"data.thousands", []string{"none", "comma", "point", "space", "apostrophe"}}

// csvChoices lists choices for csv. The first value of each choice is the default of its key. A key with the default
// value is stored as empty text.
var csvChoices = []choice{
	{"data.separator", []string{"auto", "comma", "semicolon", "tab", "pipe", "space"}},
	{"data.decimal", []string{"point", "comma"}},
	{"data.missing", []string{"refuse", "median"}},
}

// Check returns an error for the first key whose value is wrong. A value is wrong in one of these cases:
//   - it is an unknown choice;
//   - it is a number that is not finite or out of range;
//   - the data set does not have the key, or it requires the key and the value is missing;
//   - keys of the network exclude each other.
//
// Check applies to every configuration, including a configuration from a model file.
func (c Config) Check() error {
	for _, check := range []func() error{
		c.checkText, c.checkName, c.checkChoices, c.checkMissing, c.checkLimits,
		c.checkTopology, c.checkData, c.checkKinds, c.checkAugment, c.checkCost, c.checkFreeze,
		c.checkSchedule, c.checkWeights, c.checkSplit, c.checkValidation, c.checkConv, c.checkGradients,
	} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// checkGradients returns an error if a file or an override asks for gradients of 8 bits and for an estimator that does
// not round gradients. Such models exist, so their configurations are not refused.
func (c *Config) checkGradients() error {
	if c.Train.Gradients == gradientsFloat32 || c.Train.Estimator != "soft" || !c.isSet("train.gradients") {
		return nil
	}
	return c.wrong("train.gradients", "use float32, or train.estimator: ste or gumbel", "the estimator soft ignores %s",
		c.Train.Gradients)
}

// CheckText checks only names and other texts, as [Config.Check] also does. Every model file must pass this check,
// even if another program wrote it.
func (c Config) CheckText() error { return cmp.Or(c.checkText(), c.checkName()) }

// checkText returns an error for text that would change in JSON or would garble a line of output.
func (c *Config) checkText() error {
	for _, f := range fields(c) {
		if f.value.Kind() != reflect.String {
			continue
		}
		if s := f.value.String(); !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
			return c.wrong(f.key, "", "%.60q holds control characters or is not UTF-8", s)
		}
	}
	return nil
}

// identifier matches valid names. Names are used in file names.
var identifier = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$`)

// CheckMemory returns an error if training needs more memory than there is. The arguments needs and has are the
// needed and the available memory in bytes. If the available memory is unknown, it is 0. The argument by says where
// the memory is, such as "this machine has".
func (c *Config) CheckMemory(needs, has uint64, by string) error {
	if has == 0 || needs <= has {
		return nil
	}
	return c.wrong("model.width", "use a smaller model.width, model.depth or model.anchors",
		"training %d x %d gates takes at least %.1f GB of memory, but %s less", c.Model.Width, c.Model.Depth,
		float64(needs)/1e9, by)
}

func (c *Config) checkName() error {
	if identifier.MatchString(c.Name) {
		return nil
	}
	remedy := "use at most 100 letters, digits, '_', '-' and '.', for example mnist-8k-6"
	if c.isSet("name") {
		return c.wrong("name", remedy, "%.60q cannot be part of a file name", c.Name)
	}
	return c.wrong("name", "give a name; "+remedy, "missing, and the default %.60q cannot be part of a file name", c.Name)
}

func (c *Config) checkChoices() error {
	if c.Data.Set == "" && !c.isSet("data.set") {
		return c.wrong("data.set", "name one: "+oneOf(choices[0].values)+
			"; digits needs encoder.bits and model.tau, too", "missing")
	}
	for _, ch := range choices {
		if ch.key == "data.set" && c.Data.Set == setMemory && !c.inText() {
			continue // this key cannot occur in a file
		}
		if err := c.checkChoice(ch, ch.values); err != nil {
			return err
		}
	}
	return nil
}

func (c *Config) checkChoice(ch choice, values []string) error {
	got := c.value(ch.key).String()
	for _, v := range values {
		if got == v {
			return nil
		}
	}
	return message.Near(c.wrong(ch.key, "use "+oneOf(values), "%.40q is unknown", got), got, values)
}

// required lists the keys that have no default and are required in at least some configurations.
var required = []struct {
	key    string
	needed func(c *Config) bool
	why    string // the configuration that requires the key
	remedy string
}{
	{
		"data.train", func(c *Config) bool { return c.Data.Set == setCSV }, "which the data set csv needs",
		"name the CSV file of the training set",
	},
	{
		"data.train", func(c *Config) bool { return c.Data.Set == setArrays }, "which the data set arrays needs",
		"name the file of the training samples: .npy, IDX, or x.npz:NAME",
	},
	{
		"data.train_labels", func(c *Config) bool { return c.Data.Set == setArrays }, "which the data set arrays needs",
		"name the file of their labels: .npy, IDX, or x.npz:NAME",
	},
	{
		"encoder.bits", func(*Config) bool { return true }, "and has no default for the data set %s",
		"give a value: 8 suits digits, 4 to 16 most data sets",
	},
	{
		"model.tau", func(c *Config) bool { return c.TauGiven() }, "and has no default for the data set %s",
		"give a value; it grows with the number of chains per class: 3 suits 30 chains, 10 suits 800",
	},
	{
		"train.schedule.every", func(c *Config) bool { return c.Train.Schedule.Kind == scheduleStep },
		"which the schedule step needs", "give the number of epochs between two reductions of the rate, for example 30",
	},
}

// checkMissing reports all required keys that are missing, in one error.
func (c *Config) checkMissing() error {
	var places, remedies []string
	why := ""
	for _, r := range required {
		if !r.needed(c) || c.isSet(r.key) || !c.value(r.key).IsZero() {
			continue
		}
		_, place := c.where(r.key) // the place in the file; a key that an override names is not missing
		places, remedies = append(places, place), append(remedies, r.key+": "+r.remedy)
		if why = r.why; strings.Contains(why, "%") {
			why = fmt.Sprintf(why, c.Data.Set)
		}
	}
	switch len(places) {
	case 0:
		return nil
	case 1:
		_, remedy, _ := strings.Cut(remedies[0], ": ")
		return message.WithHint(fmt.Errorf("%s: missing, %s", places[0], why), "%s", remedy)
	}
	return message.WithHint(fmt.Errorf("%s: missing, and there is no default", strings.Join(places, ", ")), "%s",
		strings.Join(remedies, "; "))
}

func (c *Config) checkLimits() error {
	for _, l := range limits {
		if l.key == "model.tau" && !c.TauGiven() {
			continue
		}
		if err := c.checkLimit(l); err != nil {
			return err
		}
	}
	return nil
}

func (c *Config) checkLimit(l limit) error {
	v := c.number(l.key)
	if v >= l.min && v <= l.max {
		return nil
	}
	standard := Default()
	remedy := "use a number within that range"
	if d := standard.number(l.key); d != 0 {
		remedy = "the default is " + format(d)
	}
	return c.wrong(l.key, remedy, "%s is outside %s", format(v), l)
}

// String returns the range in the form that errors and the documentation use.
func (l limit) String() string { return format(l.min) + " to " + format(l.max) }

// format writes whole numbers in full and other numbers in the shortest form.
func format(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return fmt.Sprintf("%g", v)
}

// ownKey is a key that applies only to data sets of the user's own.
type ownKey struct {
	key  string
	sets []string
}

// ownKeys lists the keys that apply only to data sets in the user's own files. [Config.checkMemory] checks the keys
// of the data set memory.
var ownKeys = slices.Concat(
	keysOf([]string{setCSV, setArrays}, splitKeys...),
	keysOf([]string{setCSV, setArrays}, "data.train", "data.test", bitsInLimit.key, "encoder.ranges", "encoder.raw"),
	keysOf([]string{setArrays}, "data.train_labels", "data.test_labels"),
	keysOf([]string{setCSV}, "data.label", "data.header", "data.separator", "data.decimal", "data.thousands",
		"data.columns", "data.drop", "data.categories", "data.missing", "data.missing_values", "data.group"),
)

func keysOf(sets []string, keys ...string) (all []ownKey) {
	for _, key := range keys {
		all = append(all, ownKey{key, sets})
	}
	return all
}

// checkData checks the keys of the user's own files. For other data sets, it checks that these keys are absent.
// encoder.bits_in may remain in the configuration of a model that was trained on another set.
func (c *Config) checkData() error {
	if c.Data.Set == setMemory {
		return c.checkMemory()
	}
	standard := Default()
	for _, k := range ownKeys {
		if slices.Contains(k.sets, c.Data.Set) {
			continue
		}
		if v := c.value(k.key); c.isSet(k.key) || !equal(v, standard.value(k.key)) && k.key != bitsInLimit.key {
			return c.wrong(k.key, "omit it, or use data.set: "+oneOf(k.sets), "has no meaning for the data set %s",
				c.Data.Set)
		}
	}
	switch c.Data.Set {
	case setCSV:
		return cmp.Or(c.checkFiles("CSV file of the training set"), c.checkTable())
	case setArrays:
		return cmp.Or(c.checkFiles("file of the training samples"), c.checkLabels())
	}
	return nil
}

// checkFiles checks the keys that both csv and arrays have.
func (c *Config) checkFiles(what string) error {
	if c.Data.Train == "" {
		return c.wrong("data.train", "name the "+what, "names no file")
	}
	if err := c.checkBitsIn(); err != nil {
		return err
	}
	switch {
	case c.Data.Test != "":
		return c.checkUnsplit("data.test", "data.test names a test file")
	case c.Data.Folds == 0:
		return c.checkLimit(testShareLimit)
	}
	return nil
}

// checkBitsIn checks the width of feature words. With encoder.raw, the width may be missing.
func (c *Config) checkBitsIn() error {
	if c.Encoder.Raw && c.Encoder.BitsIn == 0 && !c.isSet(bitsInLimit.key) {
		return nil
	}
	return c.checkLimit(bitsInLimit)
}

// checkLabels checks that there are files of labels for the training samples and for the test samples.
func (c *Config) checkLabels() error {
	switch {
	case c.Data.TrainLabels == "":
		return c.wrong("data.train_labels", "name the file of the labels", "names no file")
	case c.Data.Test == "" && c.Data.TestLabels != "":
		return c.wrong("data.test_labels", "omit it, or name the test samples with data.test",
			"there is no file of test samples for these labels")
	case c.Data.Test != "" && c.Data.TestLabels == "":
		return c.wrong("data.test", "name the labels with data.test_labels",
			"the labels of the test samples are missing")
	}
	return nil
}
