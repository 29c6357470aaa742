package topology

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ialgn/trainer/draw"
)

// The ranges of the keys of convolutions.
const (
	maxConvolutions = 64
	maxImage        = 1 << 12 // rows or columns
	maxPatch        = 64
	maxLevels       = 12
)

// convList is a key with a number for each convolution.
type convList struct {
	key      string
	of       func(k *Keys) *string
	standard string // its default, "": none
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

// convKeys are the keys that convolutions alone have.
var convKeys = []string{"image", "kernels", "patch", "stride", "padding", "levels", "pool", "channels"}

// specialConv returns the entries of these keys in the table of special ones.
func specialConv() (all []specialKey) {
	texts := []convList{{key: "image", of: func(k *Keys) *string { return &k.Image }}}
	for _, l := range append(texts, convLists...) {
		all = append(all, specialKey{
			l.key, func(k, _ *Keys) { *l.of(k) = "" }, func(k *Keys) bool { return *l.of(k) == "" },
			func(k *Keys) (string, string) {
				return fmt.Sprintf("%.40q, which topology %s has not", *l.of(k), k.Topology), "leave it out, or use topology: conv"
			},
		})
	}
	return append(all, specialKey{
		"channels", func(k, _ *Keys) { k.Channels = 0 }, func(k *Keys) bool { return k.Channels == 0 },
		func(k *Keys) (string, string) {
			return fmt.Sprintf("%d, which topology %s has not", k.Channels, k.Topology), "leave it out, or use topology: conv"
		},
	})
}

// convolves reports whether the network has convolutions.
func (k *Keys) convolves() bool { return k.Topology == Conv }

// completeConv fills in the defaults of convolutions: of the lists, and depth and width, which follow from them.
func (k *Keys) completeConv(given func(key string) bool) {
	for _, l := range convLists {
		if text := l.of(k); *text == "" && !given(l.key) {
			*text = l.standard
		}
	}
	if k.Channels == 0 && !given("channels") {
		k.Channels = standardChannels
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

// standardChannels is how many planes a kernel reads where nothing is said, as in "Convolutional Differentiable Logic
// Gate Networks" (Petersen et al., NeurIPS 2024).
const standardChannels = 2

// convolution is one of a network.
type convolution struct{ Kernels, Patch, Stride, Padding, Levels, Pool int }

// convolutions returns those that the keys describe.
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

// read returns the numbers of a list: one, or as many as there are convolutions; of kernels, where that is 0, any.
func (l *convList) read(k *Keys, convolutions int) ([]int, *Fault) {
	text := *l.of(k)
	if text == "" {
		return nil, &Fault{l.key, "missing, which topology conv needs", "give the kernels of each convolution, for example 32,128"}
	}
	values, bad := numbers(text, l.min, l.max)
	switch {
	case bad != "":
		return nil, &Fault{
			l.key, fmt.Sprintf("%.20q is no whole number of %d to %d", bad, l.min, l.max), "give such numbers, with commas between",
		}
	case convolutions == 0 && len(values) > maxConvolutions:
		return nil, &Fault{
			l.key, fmt.Sprintf("%d convolutions", len(values)), fmt.Sprintf("use at most %d", maxConvolutions),
		}
	case convolutions > 0 && len(values) != 1 && len(values) != convolutions:
		return nil, &Fault{
			l.key, fmt.Sprintf("%d numbers for the %d convolutions that model.kernels names", len(values), convolutions),
			"give one for all, or one for each",
		}
	}
	return values, nil
}

// numbers returns the whole numbers of a list, or the first element that is none within the range.
func numbers(text string, least, most int) (all []int, bad string) {
	for element := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(element))
		if err != nil || n < least || n > most {
			return nil, element
		}
		all = append(all, n)
	}
	return all, ""
}

// ImageSize returns planes, rows and columns of the images that convolutions read.
func (k *Keys) ImageSize() (size [3]int, fault *Fault) {
	all, bad := numbers(k.Image, 1, maxImage)
	switch {
	case k.Image == "":
		return size, &Fault{
			"image", "missing, and this data set does not say what its images are", "give planes, rows and columns, for example 3,32,32",
		}
	case bad != "" || len(all) != 3:
		return size, &Fault{
			"image", fmt.Sprintf("%.40q does not say what the images are", k.Image),
			fmt.Sprintf("give planes, rows and columns, each up to %d, for example 3,32,32", maxImage),
		}
	}
	return [3]int(all), nil
}

// convolutional returns the layers of a network of convolutions, whose keys are checked.
func convolutional(k *Keys) []Layer {
	layers, _ := k.convLayers()
	return layers
}

// convLayers returns the layers: the levels of each convolution's kernels, then those of model.widths.
func (k *Keys) convLayers() (all []Layer, fault *Fault) {
	image, fault := k.ImageSize()
	if fault != nil {
		return nil, fault
	}
	convolutions, fault := k.convolutions()
	if fault != nil {
		return nil, fault
	}
	widths, err := k.LayerWidths()
	if err != nil {
		return nil, &Fault{"widths", err.Error(), "give the nodes of each layer, for example 2000,1000"}
	}
	grid := Grid{Planes: image[0], Rows: image[1], Columns: image[2]}
	for i := range convolutions {
		levels, fault := k.kernelLevels(i, &convolutions[i], grid, len(all), image[1]*image[2])
		if fault != nil {
			return nil, fault
		}
		all = append(all, levels...)
		last := all[len(all)-1]
		grid.Planes = last.Width
		grid.Rows, grid.Columns = last.Grid.Pooled()
	}
	return append(all, hiddenLayers(k, widths, len(all))...), nil
}

// kernelLevels returns the levels of a convolution's kernels, from the lowest: trees whose lowest nodes read a patch. The
// network reads images of so many pixels.
func (k *Keys) kernelLevels(number int, c *convolution, grid Grid, first, pixels int) ([]Layer, *Fault) {
	grid.Side, grid.Stride, grid.Padding, grid.Pool = c.Patch, c.Stride, c.Padding, 1
	if rows, columns := grid.Rows+2*c.Padding, grid.Columns+2*c.Padding; c.Patch > min(rows, columns) {
		return nil, &Fault{
			"patch", fmt.Sprintf("convolution %d has patches of %d x %d, and reads images of %d x %d with their padding",
				number+1, c.Patch, c.Patch, rows, columns), "use smaller patches, more padding, or less pooling before",
		}
	}
	if c.Padding >= c.Patch {
		return nil, &Fault{
			"padding", fmt.Sprintf("convolution %d has %d zeros on each side, and its patches of %d x %d could lie beyond the image",
				number+1, c.Padding, c.Patch, c.Patch), fmt.Sprintf("use at most %d there", c.Patch-1),
		}
	}
	if most := MaxPositions(pixels); grid.Positions() > most {
		return nil, &Fault{
			"padding", fmt.Sprintf("convolution %d has %d positions, more than the %d that a network on images of %d pixels can have",
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
		if width *= k.Inputs; width > MaxWidth {
			return nil, &Fault{
				"levels", fmt.Sprintf("the lowest of %d levels would have more than %d nodes", c.Levels, MaxWidth),
				"use fewer levels, or fewer kernels",
			}
		}
	}
	return k.levels(c, grid, first, width), nil
}

// levels returns the levels of kernels, of which the lowest has the given width.
func (k *Keys) levels(c *convolution, grid Grid, first, width int) (all []Layer) {
	above := grid
	above.Rows, above.Columns = grid.Size()
	above.Side, above.Stride, above.Padding = 1, 1, 0
	for level := range c.Levels {
		layer := Layer{First: first + level, Layers: 1, Width: width, Pins: inputPins(k), Passed: passedFirst(k)}
		for i := range layer.Pins {
			p := &layer.Pins[i]
			if p.Source = Previous; level > 0 {
				*p = Pin{Source: Previous, K: 1, Wires: Leaves, Leaf: Leaf{k.Inputs, i}}
			} else {
				p.K, p.Wires = k.Hidden, Patch
				p.WireDraws = draw.PatchWires
			}
			if first == 0 && level == 0 {
				p.Source = Input
			}
		}
		of := grid
		if level > 0 {
			of, of.Planes = above, width*k.Inputs
		}
		if level == c.Levels-1 {
			of.Pool = c.Pool
		}
		layer.Grid = &of
		if k.Inputs != 2 {
			for i := range layer.Pins {
				layer.Passed = append(layer.Passed, i)
			}
		}
		all = append(all, layer)
		width /= k.Inputs
	}
	return all
}

// checkConv checks the keys that a network of convolutions alone has.
func checkConv(k *Keys) *Fault {
	layers, fault := k.convLayers()
	if fault != nil {
		return fault
	}
	last := &layers[len(layers)-1]
	switch {
	case k.Inputs < 2:
		return &Fault{"inputs", fmt.Sprintf("%d pins of a node of a tree", k.Inputs), "use 2 or more"}
	case k.Channels < 0:
		return &Fault{"channels", fmt.Sprintf("%d planes of a patch", k.Channels), "use 0 for all, or a number above"}
	case k.Depth != len(layers):
		return &Fault{"depth", fmt.Sprintf("%d, but the levels and widths make %d layers", k.Depth, len(layers)), "leave it out"}
	case k.Width != last.Outputs():
		return &Fault{"width", fmt.Sprintf("%d, but the last layer has %d bits", k.Width, last.Outputs()), "leave it out"}
	case k.Wiring == Balanced && !slices.ContainsFunc(layers, func(l Layer) bool { return l.Grid == nil }):
		return &Fault{"wiring", "balanced, and there is no layer after the convolutions", "use random, or give model.widths"}
	case k.Hidden > 1 && k.Wiring == Balanced:
		return &Fault{
			"wiring", "balanced is for wires that are drawn, and model.hidden has the nodes choose them",
			"use random, or model.hidden: 1",
		}
	}
	return k.checkPatches(layers)
}

// checkPatches refuses more candidates of a pin than a patch has elements, as far as can be told without the input bits,
// and kernels with more leaves than these.
func (k *Keys) checkPatches(layers []Layer) *Fault {
	for i := range layers {
		g := layers[i].Grid
		if g == nil || g.Side == 1 && i > 0 && layers[i-1].Grid != nil && layers[i].Pins[0].Wires == Leaves ||
			layers[i].Pins[0].Source == Input {
			continue
		}
		if fault := k.checkPatch(g, g.Planes); fault != nil {
			return fault
		}
	}
	return nil
}

// checkPatch refuses more candidates of a pin than its patch, of so many planes, has elements.
func (k *Keys) checkPatch(g *Grid, planes int) *Fault {
	if n := g.Elements(k.ReadPlanes(planes)); k.Hidden > n {
		return &Fault{
			"hidden", fmt.Sprintf("%d different candidates cannot be drawn from the %d elements of a patch", k.Hidden, n),
			fmt.Sprintf("use at most %d, or larger patches or more channels", n),
		}
	}
	return nil
}

// ReadPlanes returns how many of so many planes a kernel reads.
func (k *Keys) ReadPlanes(planes int) int {
	if k.Channels == 0 {
		return planes
	}
	return min(k.Channels, planes)
}

// checkImage returns what does not fit so many input bits: the images must have as many features as these have, and
// pins enough to choose from.
func (k *Keys) checkImage(inputs int) *Fault {
	size, fault := k.ImageSize()
	if fault != nil {
		return fault
	}
	if pixels := size[1] * size[2]; inputs%(pixels*size[0]) != 0 {
		return &Fault{
			"image", fmt.Sprintf("images of %s have %d pixels, and the data set has %d input bits, no multiple of that", k.Image,
				pixels*size[0], inputs), "give planes, rows and columns of its images",
		}
	}
	layers := k.Layers()
	return k.checkPatch(layers[0].Grid, inputs/(size[1]*size[2]))
}
