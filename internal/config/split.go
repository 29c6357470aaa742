package config

import (
	"cmp"
	"maps"
	"slices"
)

// orderTime is the value of data.order for rows in the order of time.
const orderTime = "time"

// These are the ranges of the keys of a cross-validation, if they are set. The maximum catches typing errors, such as a
// seed instead of a number of folds.
var (
	foldsLimit = limit{"data.folds", 2, 1000}
	foldLimit  = limit{"data.fold", 1, 1000}
)

// optionFolds is the option that trains all folds. It sets data.folds and data.fold of each run.
const optionFolds = "Folds"

// splitKeys lists the keys that say how samples without a test part are divided. Together with data.group, which is
// only for tables, these are all such keys.
var splitKeys = []string{"data.test_share", "data.split_seed", foldsLimit.key, foldLimit.key, "data.order"}

// checkUnsplit returns an error if a key that divides samples by chance is set although there is a test part. The
// argument other names what could be omitted instead of the key, and the argument why says that there is a test part.
func (c *Config) checkUnsplit(other, why string) error {
	for _, key := range []string{"data.test_share", "data.split_seed", foldsLimit.key} {
		if !c.value(key).IsZero() {
			return c.wrong(key, "omit this key or "+other, "there is nothing to split, because %s", why)
		}
	}
	return nil
}

// InFold returns the configuration of one fold of a cross-validation of the training samples. Folds count from 1. The
// configuration has no test samples of its own, because the samples of the fold are the test part.
func (c Config) InFold(fold, folds int) Config {
	d := &c.Data
	d.Folds, d.Fold = folds, fold
	d.TestShare, d.Test, d.TestLabels = 0, "", ""
	if d.Memory.hasTest() {
		own := *d.Memory
		own.TestFeatures, own.TestLabels = nil, nil
		d.Memory = &own
	}
	if c.inText() {
		own := *c.source
		own.places = maps.Clone(own.places)
		own.places[foldsLimit.key] = place{option: optionFolds}
		c.source = &own
	}
	return c
}

// checkFolds checks the keys of a cross-validation.
func (c *Config) checkFolds() error {
	d := &c.Data
	switch {
	case d.Folds == 0 && d.Fold == 0:
		return nil
	case d.Folds == 0 && !c.isSet(foldsLimit.key):
		return c.wrong(foldLimit.key, "set data.folds, too", "there are no folds, because data.folds is not set")
	case d.Ordered():
		return c.wrong(foldsLimit.key, "omit the folds: then the last rows are the test part",
			"the rows are in the order of time (data.order: time), so networks would be trained with rows that follow "+
				"the rows of their test")
	case float64(d.Folds) < foldsLimit.min || float64(d.Folds) > foldsLimit.max:
		return c.wrong(foldsLimit.key, "5 and 10 are usual", "%d is outside %s", d.Folds, foldsLimit)
	case d.Fold < 1 || d.Fold > d.Folds:
		return c.wrong(foldLimit.key, "name the fold that is the test part", "%d is none of the folds 1 to %d", d.Fold,
			d.Folds)
	}
	return nil
}

// CheckData checks only the keys of the data set and of its division.
func (c Config) CheckData() error { return cmp.Or(c.checkFolds(), c.checkData(), c.checkSplit()) }

// orders lists the values of data.order. The first is stored as empty text.
var orders = choice{"data.order", []string{"none", orderTime}}

// Ordered reports whether the rows are in the order of time, so that the last rows become the test part.
func (d *Data) Ordered() bool { return d.Order == orderTime }

// completeSplit fills in train.validation.stratified for the user's own data. Groups and the order of time decide for
// themselves which samples are held out.
func (c *Config) completeSplit() {
	if c.Data.Order == orders.values[0] {
		c.Data.Order = ""
	}
	switch v := &c.Train.Validation; {
	case v.Share == 0:
		v.Stratified = false
	case ownSets[c.Data.Set] && c.Data.Group+c.Data.Order == "" && !c.isSet("train.validation.stratified"):
		v.Stratified = true
	}
}

// checkSplit checks the keys that say how samples are divided into parts. It returns an error if two of them exclude
// each other.
func (c *Config) checkSplit() error {
	d := &c.Data
	if d.Order != "" {
		if err := c.checkChoice(orders, orders.values); err != nil {
			return err
		}
	}
	switch {
	case d.Group == "":
	case d.Ordered():
		return c.wrong("data.group", "omit data.group or data.order", "the rows of a group cannot stay together, because "+
			"data.order: time makes the last rows the test part")
	case d.Group == d.Label:
		return c.wrong("data.group", "name another column", "%.40q is the label (data.label)", d.Group)
	}
	if names, _ := Names(d.Categories); d.Group != "" && slices.Contains(names, d.Group) {
		return c.wrong("data.group", "remove the column from one of the two keys", "%.40q is also in data.categories",
			d.Group)
	}
	if d.Ordered() && d.SplitSeed != 0 {
		return c.wrong("data.split_seed", "omit data.split_seed or data.order",
			"nothing is drawn, because data.order: time takes the last rows")
	}
	if err := c.checkFolds(); err != nil {
		return err
	}
	if c.Train.Validation.Stratified && d.Group+d.Order != "" {
		other := "data.order"
		if d.Group != "" {
			other = "data.group"
		}
		return c.wrong("train.validation.stratified", "omit it or "+other, "%s decides which samples are held out", other)
	}
	return nil
}
