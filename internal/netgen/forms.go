package netgen

import (
	"slices"

	"ialgn/internal/model"
	"ialgn/internal/topology"
)

// Form is a named kind of network.
type Form struct {
	Name    string
	Options ModelOptions
}

// Forms returns small options for every form that the paper names, and for every way in which features become
// words. Readers of models should be tested with all of them.
func Forms() []Form {
	all := Unshared()
	for _, form := range ConvForms() {
		if slices.Contains([]string{"conv-light", "conv-four-pins"}, form.Name) {
			all = append(all, form)
		}
	}
	return all
}

// Unshared returns the forms without convolutions, whose nodes are evaluated only once.
func Unshared() []Form {
	return []Form{
		{"ialgn", ModelOptions{Seed: 1}},
		{"ialgn-first-fixed", ModelOptions{Fixed: true, Seed: 2}},
		{"ialgn-fixed-anchor", ModelOptions{Anchors: 1, Seed: 3}},
		{"ialgn-light", ModelOptions{Light: true, Seed: 4}},
		{"ialgn-hidden-4", ModelOptions{Hidden: 4, Seed: 5}},
		{"ialgn-one-layer", ModelOptions{Depth: 1, Seed: 6}},
		{"ialgn-one-class", ModelOptions{Classes: 1, Seed: 7}},
		{"ialgn-two-levels", ModelOptions{Bits: 2, BitsIn: 1, Features: 11, Seed: 8}},
		{"rwlgn", ModelOptions{Topology: "rwlgn", Seed: 9}},
		{"rwlgn-light", ModelOptions{Topology: "rwlgn", Light: true, Seed: 10}},
		{"rwlgn-spine", ModelOptions{Topology: "rwlgn-spine", Seed: 11}},
		{"rwlgn-classwise", ModelOptions{Topology: "rwlgn-classwise", Seed: 12}},
		{"ialgn-six-pins", ModelOptions{Inputs: 6, Depth: 3, Seed: 13}},
		{"ialgn-three-pins-hidden", ModelOptions{Inputs: 3, Depth: 3, Hidden: 3, Seed: 14}},
		{"ialgn-one-pin", ModelOptions{Inputs: 1, Depth: 2, Seed: 15}},
		{"ialgn-one-layer-of-five", ModelOptions{Inputs: 5, Depth: 1, Seed: 16}},
		{"tree", ModelOptions{Topology: "tree", Inputs: 6, Leaves: 3, Depth: 2, Seed: 17}},
		{"tree-of-three-levels", ModelOptions{Topology: "tree", Inputs: 4, Leaves: 2, Depth: 3, Width: 12, Seed: 18}},
		{"layered", ModelOptions{Topology: "layered", Inputs: 4, Widths: "41,23,30", Seed: 19}},
		{"layered-hidden-4", ModelOptions{Topology: "layered", Inputs: 6, Widths: "31,24", Hidden: 4, Seed: 20}},
		{"layered-gates", ModelOptions{Topology: "layered", Widths: "40,30", Hidden: 3, Seed: 21}},
		{"layered-light", ModelOptions{Topology: "layered", Widths: "30,30", Light: true, Seed: 22}},
		{"ialgn-cuts", ModelOptions{Cuts: true, Bits: 6, Seed: 23}},
		{"ialgn-offsets", ModelOptions{Offsets: true, Seed: 24}},
		{"ialgn-ties", ModelOptions{Ties: true, Seed: 25}},
		{"ialgn-offsets-ties", ModelOptions{Offsets: true, Ties: true, Seed: 26}},
	}
}

// ConvForms returns every form of network with convolutions, whose nodes are shared by the positions of an image.
// [Forms] includes some of these forms.
func ConvForms() []Form {
	return []Form{
		{"conv", conv(ModelOptions{Image: "1,6,6", Kernels: "3,4", Widths: "15", Seed: 324})},
		{"conv-light", conv(ModelOptions{Image: "2,5,4", Kernels: "3", Light: true, Widths: "12,9", Seed: 125})},
		{"conv-four-pins", conv(ModelOptions{
			Image: "1,5,6", Kernels: "3,2", Inputs: 4, Levels: "1,2", Widths: "12",
			Seed: 726,
		})},
		{"conv-strides", conv(ModelOptions{
			Image: "1,7,9", Kernels: "3,2", Stride: "2,1", Pool: "1,2", Widths: "9",
			Seed: 227,
		})},
		{"conv-no-padding", conv(ModelOptions{
			Image: "1,7,6", Kernels: "3,3", Padding: "0", Pool: "2,1", Patch: "3,2",
			Seed: 28,
		})},
		{"conv-no-pooling", conv(ModelOptions{Image: "1,4,4", Kernels: "3,2", Pool: "1", Widths: "12", Seed: 29})},
		{"conv-candidates", conv(ModelOptions{Image: "2,4,4", Kernels: "3,4", Hidden: 4, Widths: "6", Seed: 30})},
		{"conv-anchored", conv(ModelOptions{Image: "2,6,6", Kernels: "3,4", Anchored: 1, Anchors: 3, Widths: "6", Seed: 32})},
		{"conv-chains", conv(ModelOptions{
			Image: "1,6,5", Kernels: "4,3", Leaves: 1, Pool: "2,1", Chains: 2, Anchors: 3,
			Widths: "12", Seed: 33,
		})},
		{"conv-three-levels", conv(ModelOptions{Image: "1,6,6", Kernels: "3", Levels: "3", Seed: 31})},
		{"conv-offsets", conv(ModelOptions{Image: "1,4,4", Kernels: "3", Offsets: true, Widths: "12", Seed: 34})},
		{"conv-ties", conv(ModelOptions{Image: "1,4,4", Kernels: "3", Ties: true, Classes: 4, Widths: "12", Seed: 35})},
	}
}

// conv completes the options of small convolutions. It sets two levels, unless o has a number of levels, and two
// thresholds for each feature.
func conv(o ModelOptions) ModelOptions {
	o.Topology, o.Bits = topology.Conv, 3
	if o.Levels == "" {
		o.Levels = "2"
	}
	return o
}

// Model returns the form's model.
func (f Form) Model() *model.Model { return Model(f.Options) }
