package config

import (
	"fmt"

	"ialgn/internal/topology"
)

// checkTopology returns an error if the network is impossible.
func (c *Config) checkTopology() error { return c.network(c.Model.Check()) }

// network turns a fault of the network into an error. It adds the fault's place and a hint.
func (c *Config) network(f *topology.Fault) error {
	if f == nil {
		return nil
	}
	return c.wrong("model."+f.Key, f.Remedy, "%s", f.Problem)
}

// As returns the configuration with another topology. Keys that the other topology does not have get their defaults,
// as after [Config.Complete].
func (c Config) As(name string) Config {
	c.Model = c.Model.As(name)
	return c
}

// CheckClasses returns an error if the network does not fit the data. The number of classes must divide the number of
// chains. In addition, a gate cannot have more distinct anchors than there are input bits. The trainer calls
// CheckClasses once the data set is known.
func (c Config) CheckClasses(classes, inputs int) error {
	if classes < 1 || inputs < 1 {
		return c.wrong("data.set", "use a data set with samples and features", "%d classes and %d input bits", classes,
			inputs)
	}
	if w := c.Model.Width; w%classes != 0 {
		return c.wrong("model.width", fmt.Sprintf("use a multiple of %d, for example %d", classes, multiple(w, classes)),
			"%d chains cannot be split into %d classes", w, classes)
	}
	features := inputs / max(1, c.Encoder.Bits-1)
	if err := c.network(c.Model.CheckData(classes, features, inputs)); err != nil || c.Model.Tau != 0 {
		return err
	}
	return c.wrong("model.tau", fmt.Sprintf("give a value, for example %g", DefaultTau(c.Model.Width, classes)), "missing")
}

// FitWidth returns the configuration with a width that is a multiple of the number of classes. It rounds the default
// width, and leaves a given width unchanged. [Config.CheckClasses] checks a width that was given.
func (c Config) FitWidth(classes int) Config {
	if !c.WidthGiven() && classes > 0 {
		c.Model.Width = multiple(c.Model.Width, classes)
	}
	return c
}

// WidthGiven reports whether the width has its final value and does not depend on the number of classes.
func (c Config) WidthGiven() bool {
	return !c.inText() && (c.source == nil || !c.source.noWidth) || c.isSet("model.width") || c.Model.Widths != "" ||
		c.Model.Topology == topology.Conv
}

// multiple returns the positive multiple of n that is nearest to w.
func multiple(w, n int) int { return max((w+n/2)/n, 1) * n }
