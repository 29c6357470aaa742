package config

import (
	"slices"
)

// orderTime is the value of data.order for rows in the order of time.
const orderTime = "time"

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
	if c.Train.Validation.Stratified && d.Group+d.Order != "" {
		other := "data.order"
		if d.Group != "" {
			other = "data.group"
		}
		return c.wrong("train.validation.stratified", "omit it or "+other, "%s decides which samples are held out", other)
	}
	return nil
}
