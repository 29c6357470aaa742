package topology

import (
	"fmt"
	"slices"
	"strings"

	"ialgn/internal/decimal"
)

// Keys holds the keys of a configuration that describe the network. In the configuration, they are in the section
// model.
type Keys struct {
	Topology        string  `yaml:"topology" json:"topology"` // name of a row of [Rows]
	Width           int     `yaml:"width" json:"width"`       // nodes of the last layer
	Depth           int     `yaml:"depth" json:"depth"`
	Inputs          int     `yaml:"inputs" json:"inputs,omitempty"` // K, the pins of a node
	Leaves          int     `yaml:"leaves" json:"leaves,omitempty"` // nodes of the level below that a tree node reads
	Widths          string  `yaml:"widths" json:"widths,omitempty"` // nodes of each layer, separated by commas
	Anchors         int     `yaml:"anchors" json:"anchors"`         // k_x, the candidates of a pin that reads inputs
	Hidden          int     `yaml:"hidden" json:"hidden"`           // k_h, the candidates of the spine pin
	Parametrization string  `yaml:"parametrization" json:"parametrization"`
	Init            string  `yaml:"init" json:"init"` // skip | random
	SkipLogit       float64 `yaml:"skip_logit" json:"skip_logit"`
	InitNoise       float64 `yaml:"init_noise" json:"init_noise"`
	FirstPin        string  `yaml:"first_pin" json:"first_pin"` // relaxed | fixed
	Wiring          string  `yaml:"wiring" json:"wiring"`       // random | balanced | structured
	Tau             float64 `yaml:"tau" json:"tau"`

	// The next keys are for convolutions. A list is separated by commas. It has one element for each convolution, or
	// one element for all convolutions.
	Image    string `yaml:"image" json:"image,omitempty"`       // planes, rows and columns of the images
	Kernels  string `yaml:"kernels" json:"kernels,omitempty"`   // list: number of kernels
	Patch    string `yaml:"patch" json:"patch,omitempty"`       // list: side of the patch that a kernel reads
	Stride   string `yaml:"stride" json:"stride,omitempty"`     // list: distance from one position to the next
	Padding  string `yaml:"padding" json:"padding,omitempty"`   // list: zeros on each side of the image
	Levels   string `yaml:"levels" json:"levels,omitempty"`     // list: number of levels of nodes in a kernel
	Pool     string `yaml:"pool" json:"pool,omitempty"`         // list: 2 for the OR of two by two positions, 1 for no OR
	Channels int    `yaml:"channels" json:"channels,omitempty"` // planes of its patch that a kernel reads; 0 for all

	// Chains is the number of layers of chains after the convolutions. If it is 0, the layers of model.widths are
	// ordinary layers.
	Chains int `yaml:"chains" json:"chains,omitempty"`

	// Anchored is the number of pins of a kernel's lowest nodes that choose among the input bits under the kernel's
	// patch, in convolutions after the first.
	Anchored int `yaml:"anchored" json:"anchored,omitempty"`

	// PatchHidden is the number of elements of a patch among which a pin of a kernel chooses. 0: Hidden.
	PatchHidden int `yaml:"patch_hidden" json:"patch_hidden,omitempty"`

	Steps int `yaml:"steps" json:"steps,omitempty"` // number of steps of a recurrent network
}

// These values of keys determine the form of a network.
const (
	Softmax16 = "softmax16" // a logit for each operation of two pins
	Light     = "light"     // a logit for each line of a truth table
	Random    = "random"    // drawn wires are independent of each other
	Balanced  = "balanced"  // drawn wires read each source equally often
	Relaxed   = "relaxed"   // pin A of layer 1 chooses
	Conv      = "conv"      // the topology of convolutions

	// Spread means balanced wires that combine different sources. No node reads a feature twice, and no two nodes of
	// a layer read the same pair of sources.
	Spread = "structured"
)

// MaxPins is the largest fan-in of a node, which is the largest number of inputs of an FPGA's look-up table.
const MaxPins = 6

// Default returns the keys of the network that the paper calls the IALGN, and the defaults of all other keys.
func Default() Keys {
	return Keys{
		Topology: rows[0].Name, Width: 8000, Depth: 6, Inputs: 2, Anchors: 32, Hidden: 1,
		Parametrization: Softmax16, Init: "skip", SkipLogit: 5, FirstPin: Relaxed, Wiring: Random,
	}
}

// These are defaults for nodes that do not have two pins, where they differ from the defaults for two pins. Such a
// node is a truth table without operations. It starts as a weaker spine with noise.
const (
	tableSkipLogit = 2
	tableInitNoise = 1
)

// Complete fills in the keys whose defaults depend on other keys. The function given reports whether a key is in the
// configuration. Complete does not change keys that are in the configuration. It sets width and depth from widths.
// For nodes that do not have two pins, it sets the parametrization light with a suitable start.
func (k *Keys) Complete(given func(key string) bool) {
	if k.convolves() {
		k.completeConv(given)
	} else if widths, err := k.LayerWidths(); err == nil && len(widths) > 0 {
		if !given("width") {
			k.Width = widths[len(widths)-1]
		}
		if !given("depth") {
			k.Depth = len(widths)
		}
	}
	if k.recurs() {
		k.completeRecurrent(given)
	}
	if k.Inputs == 2 {
		return
	}
	standard := Default()
	if k.Parametrization == standard.Parametrization && !given("parametrization") {
		k.Parametrization = Light
	}
	if k.SkipLogit == standard.SkipLogit && !given("skip_logit") {
		k.SkipLogit = tableSkipLogit
	}
	if k.InitNoise == standard.InitNoise && !given("init_noise") {
		k.InitNoise = tableInitNoise
	}
}

// LayerWidths returns the widths that the key widths lists. It returns nil if the key is empty.
func (k *Keys) LayerWidths() ([]int, error) {
	if k.Widths == "" {
		return nil, nil
	}
	var widths []int
	for text := range strings.SplitSeq(k.Widths, ",") {
		n, err := decimal.Int(strings.TrimSpace(text))
		if err != nil || n < 1 || n > MaxWidth {
			return nil, fmt.Errorf("%.20q is not a width, want a whole number from 1 to %d", text, MaxWidth)
		}
		widths = append(widths, n)
	}
	return widths, nil
}

// DropIdle resets keys to their defaults if they do not apply to the network. It resets only keys that every
// configuration may have. Models of equal networks therefore have equal configurations.
func (k *Keys) DropIdle() {
	row, standard := k.Row(), Default()
	if row == nil {
		return
	}
	if !slices.Contains(row.Keys, "anchors") || k.convolves() && k.Anchored == 0 && k.Chains == 0 {
		k.Anchors = standard.Anchors
	}
	if !slices.Contains(row.Keys, "first_pin") {
		k.FirstPin = standard.FirstPin
	}
}

// As returns the keys of a network with another topology. Keys that the other topology does not have get their
// defaults.
func (k Keys) As(topology string) Keys {
	standard := Default()
	k.Topology = topology
	for _, s := range special {
		if row := k.Row(); row != nil && !slices.Contains(row.Keys, s.key) {
			s.of(&k).Set(s.of(&standard))
		}
	}
	k.DropIdle()
	return k
}
