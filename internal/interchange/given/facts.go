// This file describes facts. A fact is a property of a network that was trained elsewhere. The user gives facts that
// the framework's file does not contain. Facts are in a JSON or YAML file. Its keys are the keys of the frameworks'
// own constructors:
//
//	framework: torchlogix
//	layers_in_order:             # torchlogix
//	  - {name: "0", type: FixedBinarization, feature_dim: -2}
//	  - {name: "2", type: LogicDense, parametrization: light, lut_rank: 2}
//	  - {name: "4", type: GroupSum, k: 10, tau: 3.3, beta: 2.5}
//	layers:                      # DWN
//	  - {n: 6, mapping: learnable, ste: true}
//	widths: [200, 200]           # difflogic
//	in_dim: 400
//	group_sum: {k: 10, tau: 5, beta: 0, randperm: null}
//	thermometer: {thresholds_file: thresholds.npy}
//	input: {bits: 8, divisor: 255}

package given

// Facts holds the contents of a file of facts. Facts that the file does not give are nil, empty or 0.
type Facts struct {
	Name      string // name of the file; empty if there is no file
	SHA256    string // checksum of the file's bytes
	Framework string `json:"framework"`

	InDim       int    `json:"in_dim"` // difflogic: number of input bits
	Widths      []int  `json:"widths"` // difflogic: number of gates of each layer
	Connections string `json:"connections"`

	Parametrization string `json:"parametrization"` // torchlogix: for layers without a parametrization of their own

	Layers        []DWNLayer   `json:"layers"`
	LayersInOrder []TorchLayer `json:"layers_in_order"`
	Sum           GroupSum     `json:"group_sum"`
	Thermometer   Thermometer  `json:"thermometer"`
	Input         InputNumbers `json:"input"`
	Classes       []string     `json:"classes"`

	Unused []string `json:"-"` // keys of the file that are not used
}

// GroupSum says how the last layer's bits become scores.
type GroupSum struct {
	K         *int     `json:"k"` // number of classes
	Tau       *float64 `json:"tau"`
	Beta      *float64 `json:"beta"`
	GroupSize *int     `json:"group_size"`
	Padding   *int     `json:"zero_padding_at_end"`
	RandPerm  []int    `json:"randperm"` // output i of the permutation is bit RandPerm[i] of the last layer
}

// DWNLayer describes a LUTLayer of torch_dwn.
type DWNLayer struct {
	Inputs  *int   `json:"inputs"`
	LUTs    *int   `json:"luts"`
	N       *int   `json:"n"`
	STE     *bool  `json:"ste"`
	Mapping string `json:"mapping"` // fixed or learnable
}

// TorchLayer describes a module of torchlogix.
type TorchLayer struct {
	Name            string `json:"name"`            // prefix of the module's keys in the state dict
	Type            string `json:"type"`            // the class: LogicDense, LogicConv2d, OrPooling2d, GroupSum, Flatten, ...Binarization
	Parametrization string `json:"parametrization"` // raw, light or warp
	Rank            int    `json:"lut_rank"`
	In              int    `json:"in"`
	Out             int    `json:"out"`
	Connections     string `json:"connections"`
	FeatureDim      *int   `json:"feature_dim"`

	InDim          []int `json:"in_dim"` // rows and columns
	Channels       int   `json:"channels"`
	Kernels        int   `json:"kernels"`
	TreeDepth      int   `json:"tree_depth"`
	ReceptiveField []int `json:"receptive_field"`
	Stride         int   `json:"stride"`
	Padding        *int  `json:"padding"`
	GroupSize      *int  `json:"channel_group_size"`
	Kernel         int   `json:"kernel"` // side of a pooling's window

	K    *int     `json:"k"`
	Tau  *float64 `json:"tau"`
	Beta *float64 `json:"beta"`

	ThresholdsShape []int `json:"thresholds_shape"`
}

// Thermometer says how features become bits. In a file of facts, a text may be given instead of these keys. The text
// "none" sets None, and any other text has no effect.
type Thermometer struct {
	File  string `json:"thresholds_file"` // name of a .npy file next to the file of facts
	Shape []int  `json:"shape"`
	Bits  int    `json:"bits"`
	// None says that the network takes bits, if the framework's file does not say so. In a file of facts, the text
	// "none" sets this field.
	None bool `json:"none"`
}

// InputNumbers says that features are whole numbers with a given number of bits. Each number is divided by Divisor
// before the network reads it. In a file of facts, a text may be given instead of these keys. Only a shape in this
// text is used.
type InputNumbers struct {
	Bits    int     `json:"bits"`
	Divisor float64 `json:"divisor"`
	Shape   []int   `json:"shape"`
}
