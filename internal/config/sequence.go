package config

import "ialgn/internal/topology"

// These are the data sets of generated sequences.
const (
	setParity = "parity"
	setCopy   = "copy"
)

// These are the range and the default of the number of steps of generated sequences.
const (
	MinLength      = 4
	MaxLength      = 256
	StandardLength = 16
)

// completeSteps sets model.steps to the number of steps of the data set's sequences. If the data set has images of
// one plane, it uses the number of their rows.
func (c *Config) completeSteps() {
	if c.Model.Topology != topology.Recurrent || c.Model.Steps != 0 || c.isSet("model.steps") {
		return
	}
	if c.Model.Steps = c.Data.Length; images[c.Data.Set][0] == 1 {
		c.Model.Steps = images[c.Data.Set][1]
	}
}
