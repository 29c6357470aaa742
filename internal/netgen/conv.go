package netgen

import (
	"ialgn/internal/model"
	"ialgn/internal/topology"
)

// Convolution is a named network of convolutions. Its options differ in a few values from the options of a network
// with two small convolutions.
type Convolution struct {
	Name   string
	Change func(o *ModelOptions)
}

// Convolutions returns small networks with convolutions of every kind.
func Convolutions() []Convolution {
	return []Convolution{
		{"gates", func(*ModelOptions) {}},
		{"three levels", func(o *ModelOptions) { o.Levels = "3,1" }},
		{"one", func(o *ModelOptions) { o.Kernels, o.Image = "5", "1,5,9" }},
		{"three", func(o *ModelOptions) { o.Kernels, o.Image, o.Pool, o.Levels = "3,4,6", "3,11,9", "2,1,2", "2,3,1" }},
		{"no pooling", func(o *ModelOptions) { o.Pool = "1,2" }},
		{"no padding", func(o *ModelOptions) { o.Padding, o.Pool = "0", "1" }},
		{"large patches", func(o *ModelOptions) { o.Patch, o.Padding = "5,3", "2,1" }},
		{"strides", func(o *ModelOptions) { o.Stride, o.Pool, o.Image = "2,1", "1,2", "2,9,7" }},
		{"strides and pooling", func(o *ModelOptions) { o.Stride, o.Image, o.Patch = "2", "2,19,23", "5,4" }},
		{"light", func(o *ModelOptions) { o.Light = true }},
		{"four pins", func(o *ModelOptions) { o.Inputs, o.Levels = 4, "1,2" }},
		{"six pins", func(o *ModelOptions) { o.Inputs, o.Levels, o.Hidden = 6, "1,2", 2 }},
		{"kernels are chains", func(o *ModelOptions) { o.Leaves, o.Levels = 1, "3,2" }},
		{"kernels with two leaves", func(o *ModelOptions) { o.Inputs, o.Leaves, o.Levels, o.Hidden = 3, 2, "2,3", 2 }},
		{"chains", func(o *ModelOptions) { o.Chains, o.Widths, o.Anchors = 3, "12", 4 }},
		{"convolved only", func(o *ModelOptions) { o.Widths = "" }},
		{"many planes", func(o *ModelOptions) {
			o.Image, o.Kernels, o.Levels, o.Patch, o.Padding = "40,7,9", "50,4", "3,2", "5,3", "2,1"
		}},
		{"one by one", func(o *ModelOptions) { o.Patch, o.Padding = "3,1", "1,0" }},
		{"anchored", func(o *ModelOptions) { o.Anchored, o.Anchors = 1, 3 }},
		{"anchored evenly", func(o *ModelOptions) { o.Anchored, o.Anchors, o.Image = 1, 3, "2,8,4" }},
		{"one by one, read by two levels", func(o *ModelOptions) {
			o.Image, o.Kernels, o.Patch, o.Padding, o.Pool, o.Levels = "1,7,9", "2,2", "4,1", "1,0", "1", "1,3"
			o.Leaves, o.Hidden, o.Chains, o.Widths = 1, 2, 2, "12"
		}},
		{"one by one, anchored", func(o *ModelOptions) {
			o.Image, o.Kernels, o.Patch, o.Padding, o.Pool, o.Levels = "1,7,9", "4,2", "4,1", "1,0", "1,2", "3,2"
			o.Anchored, o.Anchors = 1, 3
		}},
		{"three anchored", func(o *ModelOptions) {
			o.Anchored, o.Anchors, o.Image, o.Kernels, o.Pool, o.Inputs = 2, 40, "1,16,8", "3,4,3", "2,1,2", 4
		}},
		{"anchored with strides", func(o *ModelOptions) {
			o.Anchored, o.Anchors, o.Image, o.Stride, o.Pool, o.Patch, o.Padding = 1, 9, "2,8,16", "2,1", "1,2", "5,3", "2,1"
		}},
	}
}

// Model returns a random network with two thresholds for each feature. It panics if the options are not valid.
func (c Convolution) Model(seed uint64) *model.Model {
	o := ModelOptions{
		Topology: topology.Conv, Image: "2,6,7", Kernels: "3,4", Levels: "2", Channels: 2, Widths: "12,6", Anchors: 1, Tau: 1,
		Bits: 3, Classes: 2, Seed: seed,
	}
	c.Change(&o)
	return Model(o)
}
