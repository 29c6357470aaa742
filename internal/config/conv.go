package config

import (
	"fmt"

	"ialgn/internal/topology"
)

// images maps the name of a data set to the planes, rows and columns of its images. It has the data sets whose files
// do not contain these numbers.
var images = map[string][3]int{
	"digits": {1, 8, 8}, "mnist": {1, 28, 28}, "fashion-mnist": {1, 28, 28},
	"cifar10": {3, 32, 32}, "cifar100": {3, 32, 32},
}

// ImageOf returns planes, rows and columns of the images of a named data set. It returns zeros if the name does not
// determine these numbers.
func ImageOf(set string) [3]int { return images[set] }

// completeConv sets model.image to the size of the data set's images.
func (c *Config) completeConv() {
	if size, known := images[c.Data.Set]; known && c.Model.Topology == topology.Conv && c.Model.Image == "" &&
		!c.isSet("model.image") {
		c.Model.Image = fmt.Sprintf("%d,%d,%d", size[0], size[1], size[2])
	}
}

// unshared lists keys that are not supported for nodes that positions or steps share.
var unshared = []struct {
	key, remedy string
	used        func(t *Config) bool
}{
	{"train.candidates.kind", "use fixed", func(c *Config) bool {
		return c.Train.Candidates.Kind != candidatesFixed && c.Model.Topology == topology.Recurrent
	}},
	{"train.gradients", "use float32", func(c *Config) bool {
		return c.Train.Gradients != gradientsFloat32 && !c.choosesBehind()
	}},
	{"train.cost.pressure", "omit it", func(c *Config) bool { return c.Train.Cost.Active() }},
	{"encoder.thresholds", "use uniform or quantile", func(c *Config) bool { return c.Encoder.Learned() }},
}

// choosesBehind reports whether the layers behind convolutions choose among nodes, with hard values.
func (c *Config) choosesBehind() bool {
	m := &c.Model
	return m.Topology == topology.Conv && m.Hidden > 1 && m.Chains == 0 && c.Train.Estimator != "soft"
}

// sharers lists the topologies with shared nodes. Each value says what shares the nodes.
var sharers = map[string]string{
	topology.Conv: "the positions of an image", topology.Recurrent: "the steps of a sequence",
}

// checkConv returns an error for keys that do not fit the topology. Some keys are not supported for networks with
// shared nodes, and others are supported only for such networks.
func (c *Config) checkConv() error {
	by, found := sharers[c.Model.Topology]
	if !found {
		if c.Train.Optimizer.WeightDecay != 0 && c.Model.Inputs == 2 {
			return c.wrong("train.optimizer.weight_decay", "omit it, or use more model.inputs",
				"is not possible for topology %s with nodes of two inputs", c.Model.Topology)
		}
		return nil
	}
	for _, u := range unshared {
		if u.used(c) {
			return c.wrong(u.key, u.remedy+", or another model.topology",
				"%v is not possible for topology %s, whose nodes are shared "+
					"by "+by, c.value(u.key), c.Model.Topology)
		}
	}
	return nil
}
