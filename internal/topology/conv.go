package topology

import (
	"fmt"
	"strings"

	"ialgn/internal/decimal"
)

// These are the limits of the keys of convolutions.
const (
	maxConvolutions = 64
	maxImage        = 1 << 12 // largest number of rows or columns
	maxPatch        = 64
	maxLevels       = 12
)

// convList describes a key whose value has a number for each convolution.
type convList struct {
	key      string
	of       func(k *Keys) *string
	standard string // default, or "" for none
	min, max int
}

var convLists = []convList{
	{"kernels", func(k *Keys) *string { return &k.Kernels }, "", 1, MaxWidth},
	{"patch", func(k *Keys) *string { return &k.Patch }, "3", 1, maxPatch},
	{"stride", func(k *Keys) *string { return &k.Stride }, "1", 1, maxPatch},
	{"padding", func(k *Keys) *string { return &k.Padding }, "1", 0, maxPatch - 1},
	{"levels", func(k *Keys) *string { return &k.Levels }, "3", 1, maxLevels},
	{"pool", func(k *Keys) *string { return &k.Pool }, "2", 1, 2},
}

// convKeys lists the keys that only convolutions have.
var convKeys = []string{
	"anchors", "image", "kernels", "patch", "stride", "padding", "levels", "pool", "channels", "chains", "anchored",
	"patch_hidden",
}

// For the table of special keys, specialLists returns the entries of the key image and of the keys with lists.
func specialLists() []specialKey {
	all := []specialKey{{"image", func(k *Keys) any { return &k.Image }, noText, leaveOut}}
	for _, l := range convLists {
		all = append(all, specialKey{l.key, func(k *Keys) any { return l.of(k) }, noText, leaveOut})
	}
	return all
}

// below returns the number of nodes of the level below that a node of a kernel reads. This is the value of the key
// leaves, or one node for each pin if leaves is not set.
func (k *Keys) below() int {
	if k.Leaves == 0 {
		return k.Inputs
	}
	return k.Leaves
}

// convolves reports whether the network has convolutions.
func (k *Keys) convolves() bool { return k.Topology == Conv }

// completeConv fills in the defaults of the keys for convolutions. It also sets depth and width, which follow from
// these keys.
func (k *Keys) completeConv(given func(key string) bool) {
	for _, l := range convLists {
		if text := l.of(k); *text == "" && !given(l.key) {
			*text = l.standard
		}
	}
	if k.Channels == 0 && !given("channels") {
		k.Channels = standardChannels
	}
	// Invalid numbers of pins or layers are left for Check to refuse.
	if k.Inputs < 1 || k.Inputs > MaxPins || k.Leaves < 0 || k.Leaves > k.Inputs || k.Chains < 0 || k.Chains > MaxDepth {
		return
	}
	layers, fault := k.convLayers()
	if fault != nil {
		return
	}
	if !given("depth") {
		k.Depth = len(layers)
	}
	if !given("width") {
		last := &layers[len(layers)-1]
		k.Width = last.Outputs()
	}
}

// standardChannels is the default number of planes that a kernel reads, as in "Convolutional Differentiable Logic
// Gate Networks" (Petersen et al., NeurIPS 2024).
const standardChannels = 2

// convolution describes one convolution of a network.
type convolution struct{ Kernels, Patch, Stride, Padding, Levels, Pool int }

// convolutions returns the convolutions that the keys describe.
func (k *Keys) convolutions() ([]convolution, *Fault) {
	kernels, fault := convLists[0].read(k, 0)
	if fault != nil {
		return nil, fault
	}
	all := make([]convolution, len(kernels))
	for i, l := range convLists {
		values, fault := l.read(k, len(all))
		if fault != nil {
			return nil, fault
		}
		for c := range all {
			to := &all[c]
			*[]*int{&to.Kernels, &to.Patch, &to.Stride, &to.Padding, &to.Levels, &to.Pool}[i] = values[min(c, len(values)-1)]
		}
	}
	return all, nil
}

// read returns the numbers of a list. A list has either one number for all convolutions, or one number for each. If
// the argument convolutions is 0, a list may have any number of elements.
func (l *convList) read(k *Keys, convolutions int) ([]int, *Fault) {
	text := *l.of(k)
	if text == "" {
		return nil, &Fault{
			l.key, "missing, but topology conv needs it", "give the kernels of each convolution, for example 32,128",
		}
	}
	values, bad, ok := numbers(text, l.min, l.max)
	switch {
	case !ok:
		return nil, &Fault{
			l.key, fmt.Sprintf("%.20q in %.40q is not a whole number from %d to %d", bad, text, l.min, l.max),
			"give numbers separated by commas",
		}
	case convolutions == 0 && len(values) > maxConvolutions:
		return nil, &Fault{
			l.key, fmt.Sprintf("%d convolutions", len(values)), fmt.Sprintf("use at most %d", maxConvolutions),
		}
	case convolutions > 0 && len(values) != 1 && len(values) != convolutions:
		return nil, &Fault{
			l.key, fmt.Sprintf("%d numbers for the %d convolutions of model.kernels", len(values), convolutions),
			"give one number for all convolutions, or one for each",
		}
	}
	return values, nil
}

// numbers returns the whole numbers of a list. If an element is not a number in the range [least, most], it returns
// this element, which may be empty, and false.
func numbers(text string, least, most int) (all []int, bad string, ok bool) {
	for element := range strings.SplitSeq(text, ",") {
		n, err := decimal.Int(strings.TrimSpace(element))
		if err != nil || n < least || n > most {
			return nil, element, false
		}
		all = append(all, n)
	}
	return all, "", true
}

// ImageSize returns planes, rows and columns of the images that the convolutions read.
func (k *Keys) ImageSize() (size [3]int, fault *Fault) {
	all, _, ok := numbers(k.Image, 1, maxImage)
	switch {
	case k.Image == "":
		return size, &Fault{
			"image", "missing, and this data set does not give the shape of its images",
			"give planes, rows and columns, for example 3,32,32",
		}
	case !ok || len(all) != 3:
		return size, &Fault{
			"image", fmt.Sprintf("%.40q is not the shape of an image", k.Image),
			fmt.Sprintf("give planes, rows and columns, each up to %d, for example 3,32,32", maxImage),
		}
	}
	return [3]int(all), nil
}

// convolutional returns the layers of a network of convolutions. The keys must be checked before.
func convolutional(k *Keys) []Layer {
	layers, _ := k.convLayers()
	return layers
}

// convLayers returns the layers of a network of convolutions. First come the levels of each convolution's kernels,
// and then the layers of model.widths.
func (k *Keys) convLayers() (all []Layer, fault *Fault) {
	image, fault := k.ImageSize()
	if fault != nil {
		return nil, fault
	}
	convolutions, fault := k.convolutions()
	if fault != nil {
		return nil, fault
	}
	input := Grid{Planes: image[0], Rows: image[1], Columns: image[2], Pool: 1}
	grid, under := input, field{1, 1, 0}
	for i := range convolutions {
		c := &convolutions[i]
		if under = under.read(c.Patch, c.Stride, c.Padding); k.Anchored > 0 {
			if fault := under.check(i, max(image[1], image[2])); fault != nil {
				return nil, fault
			}
		}
		if input.Side, input.Stride, input.Padding = under.side, under.stride, -under.start; k.Anchored > 0 && i > 0 {
			of := input
			grid.Field = &of
		}
		levels, fault := k.kernelLevels(i, c, grid, len(all), image[1]*image[2])
		if fault != nil {
			return nil, fault
		}
		under = under.read(c.Pool, c.Pool, 0)
		all = append(all, levels...)
		last := all[len(all)-1]
		grid.Planes, grid.Field = last.Width, nil
		grid.Rows, grid.Columns = last.Grid.Pooled()
	}
	after, fault := k.layersAfter(len(all))
	return append(all, after...), fault
}

// layersAfter returns the layers after the convolutions. The argument first is the number of the first of these
// layers in the network.
func (k *Keys) layersAfter(first int) ([]Layer, *Fault) {
	widths, err := k.LayerWidths()
	switch {
	case err != nil:
		return nil, &Fault{"widths", err.Error(), "give the nodes of each layer, for example 2000,1000"}
	case k.Chains > 0 && len(widths) > 0:
		return chainsOn(k, widths[len(widths)-1], first), nil
	}
	return hiddenLayers(k, widths, first), nil
}

// chainsOn returns the layers of chains that choose among the outputs of the last convolution. The argument first is
// the number of the first of these layers in the network.
func chainsOn(k *Keys, width, first int) (all []Layer) {
	for l := range k.Chains {
		layer := Layer{First: first + l, Layers: 1, Width: width, Pins: inputPins(k), Passed: passedFirst(k)}
		for i := range layer.Pins {
			if layer.Pins[i].Source = Previous; l > 0 {
				layer.Pins[i].Source = Base
			}
		}
		if l > 0 {
			layer.Pins[0], layer.Passed = Pin{Source: Spine, K: 1}, []int{0}
		}
		all = append(all, layer)
	}
	return all
}

// kernelLevels returns the levels of a convolution's kernels, beginning with the lowest level. Kernels are trees
// whose lowest nodes read a patch. pixels is the number of pixels of the images that the network reads.
func (k *Keys) kernelLevels(number int, c *convolution, grid Grid, first, pixels int) ([]Layer, *Fault) {
	grid.Side, grid.Stride, grid.Padding, grid.Pool = c.Patch, c.Stride, c.Padding, 1
	if c.Padding >= c.Patch {
		return nil, &Fault{
			"padding", fmt.Sprintf("convolution %d has padding %d, so that some of its patches of %d x %d contain only padding",
				number+1, c.Padding, c.Patch, c.Patch), fmt.Sprintf("use at most %d", c.Patch-1),
		}
	}
	if rows, columns := grid.Rows+2*c.Padding, grid.Columns+2*c.Padding; c.Patch > min(rows, columns) {
		return nil, &Fault{
			"patch", fmt.Sprintf("convolution %d has patches of %d x %d, larger than its input of %d x %d with padding",
				number+1, c.Patch, c.Patch, rows, columns), "use smaller patches, more padding, or less pooling before",
		}
	}
	if most := MaxPositions(pixels); grid.Positions() > most {
		return nil, &Fault{
			"padding",
			fmt.Sprintf("convolution %d has %d positions, want at most %d for images of %d pixels",
				number+1, grid.Positions(), most, pixels), "use less padding, or smaller patches",
		}
	}
	if rows, columns := grid.Size(); min(rows, columns) < c.Pool {
		return nil, &Fault{
			"pool", fmt.Sprintf("convolution %d has %d x %d positions, too few to pool two by two", number+1, rows, columns),
			"use pool 1 there, or fewer convolutions",
		}
	}
	width := c.Kernels
	for range c.Levels - 1 {
		if width *= k.below(); width > MaxWidth {
			return nil, &Fault{
				"levels", fmt.Sprintf("the lowest of %d levels would have more than %d nodes", c.Levels, MaxWidth),
				"use fewer levels, or fewer kernels",
			}
		}
	}
	return k.levels(c, grid, first, width), nil
}

// levels returns the levels of kernels. width is the width of the lowest level.
func (k *Keys) levels(c *convolution, grid Grid, first, width int) (all []Layer) {
	above := k.above(grid, first)
	for level := range c.Levels {
		layer := Layer{First: first + level, Layers: 1, Width: width, Pins: inputPins(k), Passed: passedFirst(k)}
		for i := range layer.Pins {
			layer.Pins[i] = k.kernelPin(layer.Pins[i], i, level, first == 0)
		}
		of := grid
		if level > 0 {
			of, of.Planes = above, width*k.below()
		}
		if level == c.Levels-1 {
			of.Pool = c.Pool
		}
		if layer.Grid = &of; k.Inputs != 2 {
			layer.Passed = k.passedIn(level)
		}
		all = append(all, layer)
		width /= k.below()
	}
	return all
}

// above returns the grid of the higher levels of a kernel, given the grid of the lowest level. Nodes of higher levels
// read the level below at their own positions. Their remaining pins read the patch that the lowest level reads.
func (k *Keys) above(grid Grid, first int) Grid {
	above, own := grid, grid
	above.Rows, above.Columns = grid.Size()
	above.Side, above.Stride, above.Padding, above.Field = 1, 1, 0, nil
	switch own.Field = nil; {
	case k.below() == k.Inputs:
	case first == 0:
		above.Field = &own
	default:
		above.Base = &own
	}
	return above
}

// kernelPin returns pin i of the kernel nodes of a level. If the pin chooses among input bits, kernelPin returns the
// argument anchor. The argument first says whether the kernel belongs to the first convolution.
func (k *Keys) kernelPin(anchor Pin, i, level int, first bool) Pin {
	switch {
	case level > 0 && i < k.below():
		return Pin{Source: Previous, K: 1, Wires: Leaves, Leaf: Leaf{k.below(), i}}
	case first:
		return Pin{Source: Input, K: k.PatchCandidates(), Wires: Patch}
	case level > 0:
		return Pin{Source: Base, K: k.PatchCandidates(), Wires: Patch}
	case i >= k.Inputs-k.Anchored:
		return anchor
	}
	return Pin{Source: Previous, K: k.PatchCandidates(), Wires: Patch}
}

// passedIn returns the pins that the nodes of a kernel's level pass on at the start.
func (k *Keys) passedIn(level int) (pins []int) {
	for i := range k.Inputs {
		if level == 0 || i < k.below() {
			pins = append(pins, i)
		}
	}
	return pins
}
