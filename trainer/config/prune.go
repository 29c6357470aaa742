package config

import "math"

// Prune says what part of a network is removed during training, after which the rest is trained on. Without bits and
// nodes nothing is.
type Prune struct {
	Bits  float64 `yaml:"bits" json:"bits,omitempty"`   // the share of the counted bits that become 0
	Nodes float64 `yaml:"nodes" json:"nodes,omitempty"` // the share of the other nodes that become constant
	At    float64 `yaml:"at" json:"at,omitempty"`       // the share of the epochs after which that happens
}

// pruneAtLimit is the range of the time at which something is removed.
var pruneAtLimit = limit{"train.prune.at", 0.001, 1}

// defaultPruneAt leaves a quarter of the epochs for what is left.
const defaultPruneAt = 0.75

// Active reports whether something is removed.
func (p Prune) Active() bool { return p.Bits != 0 || p.Nodes != 0 }

// Epoch returns the number of epochs of all after which something is removed: the share At, rounded, but at least one,
// and at most all but one. It is 0 if nothing is removed.
func (p Prune) Epoch(epochs int) int {
	if !p.Active() {
		return 0
	}
	return max(1, min(int(math.Round(float64(p.At*float64(epochs)))), epochs-1))
}

// completePrune gives a time to a removal that has none, and makes +0 of the -0 that the JSON of a model file leaves
// out.
func (c *Config) completePrune() {
	p := &c.Train.Prune
	for _, v := range []*float64{&p.Bits, &p.Nodes, &p.At} {
		if *v == 0 {
			*v = 0
		}
	}
	if p.Active() && p.At == 0 && !c.isSet("train.prune.at") {
		p.At = defaultPruneAt
	}
}

// checkPrune refuses a time without a removal, a removal that no epoch follows, and nodes of a network that has none
// but the counted ones.
func (c *Config) checkPrune() error {
	p := c.Train.Prune
	key := "train.prune.bits"
	if p.Bits == 0 {
		key = "train.prune.nodes"
	}
	switch {
	case !p.Active() && p.At != 0:
		return c.wrong("train.prune.at", "leave it out, or give bits or nodes", "there is nothing to remove at that time")
	case !p.Active():
		return nil
	case c.Train.Epochs < 2:
		return c.wrong(key, "leave it out, or use train.epochs: 2 or more",
			"what is left after the removal is trained on for an epoch at least, and train.epochs = %d leaves none",
			c.Train.Epochs)
	case p.Nodes != 0 && c.Model.Depth == 1:
		return c.wrong("train.prune.nodes", "use train.prune.bits", "all nodes of a single layer are counted bits")
	}
	return c.checkLimit(pruneAtLimit)
}
