package config

import "ialgn/internal/topology"

// The data sets of sequences that the program makes.
const (
	setParity = "parity"
	setCopy   = "copy"
)

// The range of the steps of their sequences, and the default.
const (
	MinLength      = 4
	MaxLength      = 256
	StandardLength = 16
)

// completeSteps gives model.steps the steps of the data set's sequences, or the rows of its images of one plane.
func (c *Config) completeSteps() {
	if c.Model.Topology != topology.Recurrent || c.Model.Steps != 0 || c.isSet("model.steps") {
		return
	}
	if c.Model.Steps = c.Data.Length; images[c.Data.Set][0] == 1 {
		c.Model.Steps = images[c.Data.Set][1]
	}
}
