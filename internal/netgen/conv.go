package netgen

import (
	"fmt"
	"math/rand/v2"

	"ialgn/internal/model"
	"ialgn/internal/topology"
)

// Convolution is a named network of convolutions: what its keys change of two convolutions of few kernels.
type Convolution struct {
	Name   string
	Change func(k *topology.Keys)
}

// Convolutions returns small networks of convolutions of every kind.
func Convolutions() []Convolution {
	return []Convolution{
		{"gates", func(*topology.Keys) {}},
		{"three levels", func(k *topology.Keys) { k.Levels = "3,1" }},
		{"one", func(k *topology.Keys) { k.Kernels, k.Image = "5", "1,5,9" }},
		{"three", func(k *topology.Keys) { k.Kernels, k.Image, k.Pool, k.Levels = "3,4,6", "3,11,9", "2,1,2", "2,3,1" }},
		{"no pooling", func(k *topology.Keys) { k.Pool = "1,2" }},
		{"no padding", func(k *topology.Keys) { k.Padding, k.Pool = "0", "1" }},
		{"large patches", func(k *topology.Keys) { k.Patch, k.Padding = "5,3", "2,1" }},
		{"strides", func(k *topology.Keys) { k.Stride, k.Pool, k.Image = "2,1", "1,2", "2,9,7" }},
		{"strides and pooling", func(k *topology.Keys) { k.Stride, k.Image, k.Patch = "2", "2,19,23", "5,4" }},
		{"light", func(k *topology.Keys) { k.Parametrization = topology.Light }},
		{"four pins", func(k *topology.Keys) { k.Inputs, k.Levels = 4, "1,2" }},
		{"six pins", func(k *topology.Keys) { k.Inputs, k.Levels, k.Hidden = 6, "1,2", 2 }},
		{"kernels are chains", func(k *topology.Keys) { k.Leaves, k.Levels = 1, "3,2" }},
		{"kernels with two leaves", func(k *topology.Keys) { k.Inputs, k.Leaves, k.Levels, k.Hidden = 3, 2, "2,3", 2 }},
		{"chains", func(k *topology.Keys) { k.Chains, k.Widths, k.Anchors = 3, "12", 4 }},
		{"convolved only", func(k *topology.Keys) { k.Widths = "" }},
		{"many planes", func(k *topology.Keys) {
			k.Image, k.Kernels, k.Levels, k.Patch, k.Padding = "40,7,9", "50,4", "3,2", "5,3", "2,1"
		}},
		{"one by one", func(k *topology.Keys) { k.Patch, k.Padding = "3,1", "1,0" }},
		{"anchored", func(k *topology.Keys) { k.Anchored, k.Anchors = 1, 3 }},
		{"anchored evenly", func(k *topology.Keys) { k.Anchored, k.Anchors, k.Image = 1, 3, "2,8,4" }},
		{"one by one, read by two levels", func(k *topology.Keys) {
			k.Image, k.Kernels, k.Patch, k.Padding, k.Pool, k.Levels = "1,7,9", "2,2", "4,1", "1,0", "1", "1,3"
			k.Leaves, k.Hidden, k.Chains, k.Widths = 1, 2, 2, "12"
		}},
		{"one by one, anchored", func(k *topology.Keys) {
			k.Image, k.Kernels, k.Patch, k.Padding, k.Pool, k.Levels = "1,7,9", "4,2", "4,1", "1,0", "1,2", "3,2"
			k.Anchored, k.Anchors = 1, 3
		}},
		{"three anchored", func(k *topology.Keys) {
			k.Anchored, k.Anchors, k.Image, k.Kernels, k.Pool, k.Inputs = 2, 40, "1,16,8", "3,4,3", "2,1,2", 4
		}},
		{"anchored with strides", func(k *topology.Keys) {
			k.Anchored, k.Anchors, k.Image, k.Stride, k.Pool, k.Patch, k.Padding = 1, 9, "2,8,16", "2,1", "1,2", "5,3", "2,1"
		}},
	}
}

// Model returns a random network of samples with two thresholds a feature. It panics if the keys describe none.
func (c Convolution) Model(seed uint64) *model.Model {
	k := topology.Keys{
		Topology: topology.Conv, Image: "2,6,7", Kernels: "3,4", Levels: "2", Widths: "12,6", Inputs: 2, Hidden: 1,
		Anchors: 1, Tau: 1, Parametrization: topology.Softmax16, Init: "random", FirstPin: topology.Relaxed, Wiring: "random",
	}
	c.Change(&k)
	if k.Inputs != 2 {
		k.Parametrization = topology.Light
	}
	k.Complete(func(string) bool { return false })
	if fault := k.Check(); fault != nil {
		panic(fmt.Sprintf("modelgen: %+v", fault))
	}
	image, _ := k.ImageSize()
	o := ModelOptions{Topology: topology.Conv, Bits: 3, Seed: seed, Features: image[0] * image[1] * image[2]}.Defaults()
	r := rand.New(rand.NewPCG(seed, 0x636f6e76))
	m := &model.Model{Config: configuration(o), Width: k.Width, Encoder: Encoder(o.Features, o.Bits, o.BitsIn)}
	m.Config.Model, m.Record = k, record(r, 2)
	m.Classes = []string{"a", "b"}
	addSections(r, o, m, nil)
	return m
}
