package topology

import (
	"slices"
	"strings"
	"testing"
)

// convKeysOf returns the keys of a convolutional network on images of 3 x 8 x 10, changed by the function change.
func convKeysOf(change func(k *Keys)) Keys {
	return keys(func(k *Keys) {
		k.Topology, k.Image, k.Kernels = Conv, "3,8,10", "4,6"
		change(k)
	})
}

// TestConvLayers checks the widths, positions and pooled outputs of the layers of convolutional networks.
func TestConvLayers(t *testing.T) {
	for _, c := range []struct {
		name                      string
		change                    func(k *Keys)
		widths, positions, pooled []int
		nodes, width              int
	}{
		{
			"the defaults", func(*Keys) {},
			[]int{16, 8, 4, 24, 12, 6},
			[]int{80, 80, 80, 20, 20, 20},
			[]int{80, 80, 20, 20, 20, 4},
			28*80 + 42*20, 24,
		},
		{
			"layers after", func(k *Keys) { k.Widths = "50,20" },
			[]int{16, 8, 4, 24, 12, 6, 50, 20},
			[]int{80, 80, 80, 20, 20, 20, 1, 1},
			[]int{80, 80, 20, 20, 20, 4, 1, 1},
			28*80 + 42*20 + 70, 20,
		},
		{
			"each its own", func(k *Keys) {
				k.Patch, k.Padding, k.Levels, k.Pool, k.Stride = "5,2", "0,1", "1,2", "1", "1,2"
			}, []int{4, 12, 6}, []int{24, 12, 12}, []int{24, 12, 12}, 4*24 + 18*12, 72,
		},
		{
			"kernels and layers of chains", func(k *Keys) { k.Leaves, k.Levels, k.Chains, k.Widths, k.Anchors = 1, "2", 3, "12", 9 },
			[]int{4, 4, 6, 6, 12, 12, 12},
			[]int{80, 80, 20, 20, 1, 1, 1},
			[]int{80, 20, 20, 4, 1, 1, 1},
			8*80 + 12*20 + 36, 12,
		},
		{
			"four pins", func(k *Keys) { k.Inputs, k.Levels, k.Kernels = 4, "2", "3" },
			[]int{12, 3},
			[]int{80, 80},
			[]int{80, 20},
			15 * 80, 60,
		},
	} {
		k := convKeysOf(c.change)
		if fault := k.Check(); fault != nil {
			t.Errorf("%s: %+v", c.name, fault)
			continue
		}
		var widths, positions, pooled []int
		for _, l := range k.Layers() {
			widths = append(widths, l.Width)
			positions, pooled = append(positions, l.Nodes()/l.Width), append(pooled, l.Outputs()/l.Width)
		}
		if !slices.Equal(widths, c.widths) || !slices.Equal(positions, c.positions) || !slices.Equal(pooled, c.pooled) {
			t.Errorf("%s: widths %v, positions %v, pooled %v", c.name, widths, positions, pooled)
		}
		if k.Nodes() != c.nodes || k.Width != c.width || k.Depth != len(widths) || k.PrivateChains() {
			t.Errorf("%s: %d nodes, width %d, depth %d, private %v", c.name, k.Nodes(), k.Width, k.Depth, k.PrivateChains())
		}
	}
}

// TestField checks on which part of the input the patches of later convolutions depend.
func TestField(t *testing.T) {
	k := convKeysOf(func(k *Keys) {
		k.Image, k.Kernels, k.Anchored = "3,32,32", "1,1,1,1", 1
	})
	var got [][3]int
	for _, l := range k.Layers() {
		if l.Grid.Field != nil {
			got = append(got, [3]int{l.Grid.Field.Side, l.Grid.Field.Stride, l.Grid.Field.Padding})
		}
	}
	// Each layer sees a wider field than the layer below. A convolution adds two pixels of its image, and pooling
	// adds one pixel. Each additional pixel widens the field by the stride of the field below.
	if want := [][3]int{{8, 2, 3}, {18, 4, 7}, {38, 8, 15}}; !slices.Equal(got, want) {
		t.Errorf("side, stride and padding %v, want %v", got, want)
	}
}

// TestCheckRefusesConvolutions checks that Check refuses impossible networks and names the faulty key.
func TestCheckRefusesConvolutions(t *testing.T) {
	for _, c := range []struct {
		key    string
		change func(k *Keys)
	}{
		{"image", func(k *Keys) { k.Image = "" }},
		{"image", func(k *Keys) { k.Image = "3,8" }},
		{"image", func(k *Keys) { k.Image = "3,8,x" }},
		{"image", func(k *Keys) { k.Image = "3,8,99999" }},
		{"kernels", func(k *Keys) { k.Kernels = "" }},
		{"kernels", func(k *Keys) { k.Kernels = "0,4" }},
		{"pool", func(k *Keys) { k.Kernels = "4,4,4,4,4,4" }}, // no pixels are left after pooling
		{"patch", func(k *Keys) { k.Patch = "3,3,3" }},
		{"patch", func(k *Keys) { k.Patch = "11" }},
		{"stride", func(k *Keys) { k.Stride = "0" }},
		{"padding", func(k *Keys) { k.Padding = "-1" }},
		{"padding", func(k *Keys) { k.Padding = "3" }},
		{"levels", func(k *Keys) { k.Levels = "13" }},
		{"levels", func(k *Keys) { k.Inputs, k.Levels = 6, "12" }},
		{"pool", func(k *Keys) { k.Pool = "3" }},
		{"pool", func(k *Keys) { k.Stride, k.Patch = "8", "3" }},
		{"inputs", func(k *Keys) { k.Inputs = 1 }},
		{"anchored", func(k *Keys) { k.Anchored, k.Kernels = 1, "4" }},
		{"anchored", func(k *Keys) {
			k.Anchored, k.Kernels, k.Pool, k.Patch, k.Stride = 1, strings.Repeat("4,", 39)+"4", "1", "2", "2"
		}},
		{"anchors", func(k *Keys) { k.Widths, k.Chains, k.Anchors = "10", 2, 200 }},
		{"wiring", func(k *Keys) { k.Inputs, k.Widths, k.Wiring = 4, "20", Spread }},
		{"hidden", func(k *Keys) { k.Hidden = 19 }},
		{"anchored", func(k *Keys) { k.Anchored = 2 }},
		{"leaves", func(k *Keys) { k.Leaves = 3 }},
		{"chains", func(k *Keys) { k.Chains = 2 }},
		{"widths", func(k *Keys) { k.Chains, k.Widths = 2, "10,10" }},
		{"wiring", func(k *Keys) { k.Chains, k.Widths, k.Wiring = 2, "10", Balanced }},
		{"depth", func(k *Keys) { k.Depth = 3 }},
		{"width", func(k *Keys) { k.Width = 3 }},
		{"wiring", func(k *Keys) { k.Wiring = Balanced }},
		{"wiring", func(k *Keys) { k.Wiring, k.Widths, k.Hidden = Balanced, "20", 2 }},
		{"widths", func(k *Keys) { k.Widths = "20,x" }},
		{"image", func(k *Keys) { k.Topology = "rwlgn" }},
		{"kernels", func(k *Keys) { k.Topology, k.Image = "rwlgn", "" }},
		{"channels", func(k *Keys) { k.Topology, k.Kernels, k.Image, k.Channels = "ialgn", "", "", 3 }},
	} {
		k := Default()
		k.Topology, k.Image, k.Kernels = Conv, "3,8,10", "4,6"
		c.change(&k)
		k.Complete(func(key string) bool { return key == "depth" && k.Depth == 3 || key == "width" && k.Width == 3 })
		if k.Topology != Conv {
			k.Patch, k.Stride, k.Padding, k.Levels, k.Pool, k.Leaves = "", "", "", "", "", 0
		}
		if fault := k.Check(); fault == nil || fault.Key != c.key || fault.Problem == "" || fault.Remedy == "" {
			t.Errorf("%+v: %+v, want a fault of key %s", k, fault, c.key)
		}
	}
}

// TestConvOutOfRange completes keys that are out of their ranges. The depth must stay as it was.
func TestConvOutOfRange(t *testing.T) {
	for _, change := range []func(k *Keys){
		func(k *Keys) { k.Inputs = 0 },
		func(k *Keys) { k.Inputs = -1 },
		func(k *Keys) { k.Inputs = 1 << 62 },
		func(k *Keys) { k.Leaves = -1 },
		func(k *Keys) { k.Leaves = 1 << 62 },
		func(k *Keys) { k.Chains = -1 },
		func(k *Keys) { k.Chains = 1 << 62 },
	} {
		k := Default()
		k.Topology, k.Image, k.Kernels, k.Widths = Conv, "3,8,10", "4,6", "10"
		was := k.Depth
		change(&k)
		if k.Complete(func(string) bool { return false }); k.Depth != was {
			t.Errorf("Complete derived a depth from keys out of range: %+v", k)
		}
	}
}

// TestConvInputs checks that input bits that do not fit the image are refused.
func TestConvInputs(t *testing.T) {
	k := convKeysOf(func(k *Keys) { k.Hidden, k.Channels, k.Anchored, k.Anchors = 20, 3, 1, 400 })
	for _, c := range []struct {
		features, bits int
		key            string
	}{{239, 1, "image"}, {80, 3, "image"}, {240, 1, "anchors"}, {240, 3, ""}} {
		fault := k.CheckData(2, c.features, c.features*c.bits)
		if fault == nil && c.key != "" || fault != nil && fault.Key != c.key {
			t.Errorf("%d features of %d bits: %+v, want a fault of key %q", c.features, c.bits, fault, c.key)
		}
	}
}

// TestConvCandidates checks that a pin cannot have more candidates than its patch of the input has bits.
func TestConvCandidates(t *testing.T) {
	k := convKeysOf(func(k *Keys) { k.Hidden, k.Channels = 20, 3 })
	k.Image = "1,8,10"
	for bits, key := range map[int]string{2: "hidden", 3: ""} {
		fault := k.CheckData(2, 80, 80*bits)
		if fault == nil && key != "" || fault != nil && fault.Key != key {
			t.Errorf("%d input bits per feature: %+v, want a fault of key %q", bits, fault, key)
		}
	}
}

// TestConvFits checks that convolutional networks have no fault if the data are just sufficient. It also checks that
// they have no private chains.
func TestConvFits(t *testing.T) {
	for name, change := range map[string]func(k *Keys){
		"one level": func(k *Keys) { k.Kernels, k.Levels = "10", "1" },
		// Patches have 18 input bits, but no pin chooses among anchors.
		"pins left of leaves": func(k *Keys) { k.Leaves, k.Anchors = 1, 32 },
		// The last convolution outputs 20 bits, although it has one kernel.
		"one kernel": func(k *Keys) { k.Kernels, k.Pool, k.Widths, k.Wiring = "1", "2", "20", Spread },
	} {
		k := convKeysOf(change)
		k.Image = "1,8,10"
		if fault := k.CheckData(2, 80, 80); fault != nil || k.PrivateChains() {
			t.Errorf("%s: %+v, private chains %v", name, fault, k.PrivateChains())
		}
	}
}
