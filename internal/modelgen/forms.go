package modelgen

import "ialgn/trainer/model"

// Form is a named kind of network.
type Form struct {
	Name    string
	Options Options
}

// Forms returns small options of every form that the paper names, and of every way in which features become words,
// with which a reader of models should be tested.
func Forms() []Form {
	return []Form{
		{"ialgn", Options{Seed: 1}},
		{"ialgn-first-fixed", Options{Fixed: true, Seed: 2}},
		{"ialgn-fixed-anchor", Options{Anchors: 1, Seed: 3}},
		{"ialgn-light", Options{Light: true, Seed: 4}},
		{"ialgn-hidden-4", Options{Hidden: 4, Seed: 5}},
		{"ialgn-one-layer", Options{Depth: 1, Seed: 6}},
		{"ialgn-one-class", Options{Classes: 1, Seed: 7}},
		{"ialgn-two-levels", Options{Bits: 2, BitsIn: 1, Features: 11, Seed: 8}},
		{"rwlgn", Options{Topology: "rwlgn", Seed: 9}},
		{"rwlgn-light", Options{Topology: "rwlgn", Light: true, Seed: 10}},
		{"rwlgn-spine", Options{Topology: "rwlgn-spine", Seed: 11}},
		{"rwlgn-classwise", Options{Topology: "rwlgn-classwise", Seed: 12}},
		{"ialgn-six-pins", Options{Inputs: 6, Depth: 3, Seed: 13}},
		{"ialgn-three-pins-hidden", Options{Inputs: 3, Depth: 3, Hidden: 3, Seed: 14}},
		{"ialgn-one-pin", Options{Inputs: 1, Depth: 2, Seed: 15}},
		{"ialgn-one-layer-of-five", Options{Inputs: 5, Depth: 1, Seed: 16}},
		{"tree", Options{Topology: "tree", Inputs: 6, Leaves: 3, Depth: 2, Seed: 17}},
		{"tree-of-three-levels", Options{Topology: "tree", Inputs: 4, Leaves: 2, Depth: 3, Width: 12, Seed: 18}},
		{"layered", Options{Topology: "layered", Inputs: 4, Widths: "41,23,30", Seed: 19}},
		{"layered-hidden-4", Options{Topology: "layered", Inputs: 6, Widths: "31,24", Hidden: 4, Seed: 20}},
		{"layered-gates", Options{Topology: "layered", Widths: "40,30", Hidden: 3, Seed: 21}},
		{"layered-light", Options{Topology: "layered", Widths: "30,30", Light: true, Seed: 22}},
		{"ialgn-cuts", Options{Cuts: true, Bits: 6, Seed: 23}},
	}
}

// Model returns the form's model.
func (f Form) Model() *model.Model { return New(f.Options) }
