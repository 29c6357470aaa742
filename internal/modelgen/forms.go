package modelgen

import "ialgn/trainer/model"

// Form is a named kind of network.
type Form struct {
	Name    string
	Options Options
}

// Forms returns small options of every form that the paper names, with which a reader
// of models should be tested.
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
	}
}

// Model returns the form's model.
func (f Form) Model() *model.Model { return New(f.Options) }
