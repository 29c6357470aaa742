// This file reads what a user says of a network that was trained elsewhere, where the framework's file does not: a
// JSON or YAML file whose keys are those of the frameworks' own constructors.
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

// Facts are what a file of facts says. What it does not say is nil, empty or 0.
type Facts struct {
	Name      string // of the file; empty: there is none
	SHA256    string // of the bytes of the file that were read
	Framework string `json:"framework"`

	InDim       int    `json:"in_dim"` // difflogic: input bits
	Widths      []int  `json:"widths"` // difflogic: gates of each layer
	Connections string `json:"connections"`

	Parametrization string `json:"parametrization"` // torchlogix: of all layers that neither say nor show their own

	Layers        []DWNLayer   `json:"layers"`
	LayersInOrder []TorchLayer `json:"layers_in_order"`
	Sum           GroupSum     `json:"group_sum"`
	Thermometer   Thermometer  `json:"thermometer"`
	Input         InputNumbers `json:"input"`
	Classes       []string     `json:"classes"`

	Unused []string `json:"-"` // keys of the file that mean nothing here
}

// GroupSum says how the last layer's bits become scores.
type GroupSum struct {
	K         *int     `json:"k"` // classes
	Tau       *float64 `json:"tau"`
	Beta      *float64 `json:"beta"`
	GroupSize *int     `json:"group_size"`
	Padding   *int     `json:"zero_padding_at_end"`
	RandPerm  []int    `json:"randperm"` // output i of the permutation is bit RandPerm[i] of the last layer
}

// DWNLayer is a LUTLayer of torch_dwn.
type DWNLayer struct {
	Inputs  *int   `json:"inputs"`
	LUTs    *int   `json:"luts"`
	N       *int   `json:"n"`
	STE     *bool  `json:"ste"`
	Mapping string `json:"mapping"` // fixed or learnable
}

// TorchLayer is a module of torchlogix.
type TorchLayer struct {
	Name            string `json:"name"`            // prefix of its keys in the state dict
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
	Kernel         int   `json:"kernel"` // of a pooling

	K    *int     `json:"k"`
	Tau  *float64 `json:"tau"`
	Beta *float64 `json:"beta"`

	ThresholdsShape []int `json:"thresholds_shape"`
}

// Thermometer says how features become bits. In a file it may be a text, which means nothing here.
type Thermometer struct {
	File  string `json:"thresholds_file"` // a .npy file beside the file of facts
	Shape []int  `json:"shape"`
	Bits  int    `json:"bits"`
	// None says that the network is given bits, where a framework's file does not say whether it is. A file may have the
	// text none instead of keys.
	None bool `json:"none"`
}

// InputNumbers says that features are whole numbers of some bits, which the network was given divided by Divisor. In a
// file it may be a text, which means nothing here.
type InputNumbers struct {
	Bits    int     `json:"bits"`
	Divisor float64 `json:"divisor"`
	Shape   []int   `json:"shape"`
}
