package config

import "fmt"

// maxSections bounds the depth of networks whose layers stand in the model file one by
// one, all but private chains: its header describes each.
const maxSections = 8192

// maxHidden bounds the hidden candidates of a layer's gates, which the engine numbers by 32
// bits.
const maxHidden = 1<<32 - 1

// checkTopology refuses networks that cannot be.
func (c *Config) checkTopology() error {
	m := &c.Model
	switch {
	case m.Topology != topologyIALGN && m.Hidden != 1:
		return c.wrong("model.hidden", "use 1, or topology: ialgn",
			"%d hidden candidates, but a gate of topology %s does not choose its wires", m.Hidden, m.Topology)
	case m.Topology == topologyIALGN && m.Wiring != "random":
		return c.wrong("model.wiring", "use random, or a random-wired topology such as rwlgn",
			"%s is for wires that are drawn, which topology ialgn has not", m.Wiring)
	case m.Hidden > m.Width:
		return c.wrong("model.hidden", fmt.Sprintf("use at most %d, or a larger model.width", m.Width),
			"%d different candidates cannot be drawn from the %d gates of a layer", m.Hidden, m.Width)
	case m.Width*m.Hidden > maxHidden:
		return c.wrong("model.hidden", fmt.Sprintf("use at most %d, or a smaller model.width", maxHidden/m.Width),
			"a layer of %d gates with %d hidden candidates each has more of them than %d", m.Width, m.Hidden, maxHidden)
	case m.Width*m.Depth > maxGates:
		return c.wrong("model.width", "use a smaller model.width or model.depth",
			"%d x %d gates are more than the %d that can be compiled", m.Width, m.Depth, maxGates)
	case m.Depth > maxSections && !c.PrivateChains():
		return c.wrong("model.depth", "use less, or a network of private chains: topology: ialgn with hidden: 1",
			"%d layers, of which a network without private chains can have %d", m.Depth, maxSections)
	}
	return nil
}

// As returns the configuration with another topology, and the keys that this one has not with
// their defaults, as [Config.Complete] has them.
func (c Config) As(topology string) Config {
	standard := Default()
	if c.Model.Topology = topology; topology == topologyIALGN {
		c.Model.Wiring = standard.Model.Wiring
	} else {
		c.Model.Hidden = standard.Model.Hidden
	}
	c.dropIdle()
	return c
}

// PrivateChains reports whether a gate reads no hidden gate but the one of the same index in
// the layer before, its spine.
func (c *Config) PrivateChains() bool {
	return c.Model.Topology == topologyIALGN && c.Model.Hidden == 1
}

// CheckClasses reports what does not fit the data: the chains must split evenly into
// the classes, and a gate cannot have more different anchors than there are input bits.
// The trainer calls it once the data set is known.
func (c Config) CheckClasses(classes, inputs int) error {
	if classes < 1 || inputs < 1 {
		return c.wrong("data.set", "use a data set with samples and features", "%d classes and %d input bits", classes,
			inputs)
	}
	if w := c.Model.Width; w%classes != 0 {
		return c.wrong("model.width", fmt.Sprintf("use a multiple of %d, for example %d", classes, multiple(w, classes)),
			"%d chains cannot be split into %d classes", w, classes)
	}
	if k := c.Model.Anchors; k > inputs && c.Model.Topology == topologyIALGN {
		return c.wrong("model.anchors", fmt.Sprintf("use at most %d, or a larger encoder.bits", inputs),
			"%d different candidates cannot be drawn from %d input bits", k, inputs)
	}
	return nil
}

// FitWidth returns the configuration with a width that the classes divide, if none was given:
// the default, rounded. One that was given is for [Config.CheckClasses] to judge.
func (c Config) FitWidth(classes int) Config {
	if !c.WidthGiven() && classes > 0 {
		c.Model.Width = multiple(c.Model.Width, classes)
	}
	return c
}

// WidthGiven reports whether the width stays what it is, whatever the classes are.
func (c Config) WidthGiven() bool { return c.source == nil && !c.fitting || c.isSet("model.width") }

// multiple returns the positive multiple of n that is nearest to w.
func multiple(w, n int) int { return max((w+n/2)/n, 1) * n }
