package topology

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// checkConv checks the keys that only networks of convolutions have.
func checkConv(k *Keys) *Fault {
	layers, fault := k.convLayers()
	if fault != nil {
		return fault
	}
	for _, check := range []func(layers []Layer) *Fault{k.checkNodes, k.checkChains, k.checkForm, k.checkPatches} {
		if fault := check(layers); fault != nil {
			return fault
		}
	}
	return nil
}

// checkPatches refuses a pin with more candidates than its patch has elements. It does not check pins that choose
// among input bits, because the number of input bits is not known here.
func (k *Keys) checkPatches(layers []Layer) *Fault {
	for i := range layers {
		if pin := &layers[i].Pins[0]; pin.Wires != Patch || pin.Source == Input {
			continue
		}
		g := layers[i].Grid
		if fault := k.checkPatch(g, g.Planes); fault != nil {
			return fault
		}
	}
	return nil
}

// checkPatch refuses a pin that has more candidates than its patch has elements, if the patch has the given number of
// planes.
func (k *Keys) checkPatch(g *Grid, planes int) *Fault {
	if n := g.Elements(k.ReadPlanes(planes)); k.PatchCandidates() > n {
		key := "hidden"
		if k.PatchHidden > 0 {
			key = "patch_hidden"
		}
		return &Fault{
			key, fmt.Sprintf("%d different candidates cannot be drawn from the %d elements of a patch", k.Hidden, n),
			fmt.Sprintf("use at most %d, or larger patches or more channels", n),
		}
	}
	return nil
}

// PatchCandidates returns the number of elements of a patch among which a pin of a kernel chooses.
func (k *Keys) PatchCandidates() int { return cmp.Or(k.PatchHidden, k.Hidden) }

// ReadPlanes returns how many of the given planes a kernel reads.
func (k *Keys) ReadPlanes(planes int) int {
	if k.Channels == 0 {
		return planes
	}
	return min(k.Channels, planes)
}

// checkImage checks that the images have a value for each feature, and that pins have enough input bits
// to choose from.
func (k *Keys) checkImage(features, inputs int) *Fault {
	size, fault := k.ImageSize()
	if fault != nil {
		return fault
	}
	if values := size[0] * size[1] * size[2]; values != features {
		return &Fault{
			"image", fmt.Sprintf("images of %s have %d values, and the data set has %d features", k.Image, values, features),
			"give planes, rows and columns of its images",
		}
	}
	layers, planes := k.Layers(), inputs/(size[1]*size[2])
	for _, l := range layers {
		if !slices.ContainsFunc(l.Pins, func(p Pin) bool { return l.Grid != nil && p.Source == Input && p.Wires == Chosen }) {
			continue
		}
		if n := l.Grid.Of(Input).Elements(planes); k.Anchors > n {
			return &Fault{
				"anchors", fmt.Sprintf("%d different candidates cannot be drawn from the %d input bits under a patch",
					k.Anchors, n),
				fmt.Sprintf("use at most %d", n),
			}
		}
	}
	return k.checkPatch(layers[0].Grid, planes)
}

// checkNodes checks the form of a kernel's nodes.
func (k *Keys) checkNodes([]Layer) *Fault {
	all, _ := k.convolutions()
	switch {
	case k.Leaves < 0 || k.Leaves > k.Inputs:
		return &Fault{
			"leaves", fmt.Sprintf("%d leaves of a node with %d pins", k.Leaves, k.Inputs),
			fmt.Sprintf("give 1, for chains, to %d, or 0 for trees", k.Inputs),
		}
	case k.Inputs < 2:
		return &Fault{"inputs", fmt.Sprintf("%d pins of a node of a tree", k.Inputs), "use 2 or more"}
	case k.Channels < 0:
		return &Fault{"channels", fmt.Sprintf("%d planes of a patch", k.Channels), "use 0 for all, or a number above"}
	case k.Anchored < 0 || k.Anchored >= k.Inputs:
		return &Fault{
			"anchored", fmt.Sprintf("%d pins read input bits, but a node has %d pins", k.Anchored, k.Inputs),
			fmt.Sprintf("use 0 to %d, so that at least one pin reads the layer before", k.Inputs-1),
		}
	case k.Anchored > 0 && len(all) == 1:
		return &Fault{
			"anchored", "it makes pins of the kernels read input bits, but with a single convolution all pins do",
			"omit it, or give more than one convolution in model.kernels",
		}
	}
	return nil
}

// checkChains checks the chains after the convolutions.
func (k *Keys) checkChains(layers []Layer) *Fault {
	switch {
	case k.Chains < 0 || k.Chains > 0 && (len(layers) < k.Chains || layers[len(layers)-1].Grid != nil):
		return &Fault{"chains", fmt.Sprintf("%d layers of chains without a width", k.Chains), "give a width in model.widths"}
	case k.Chains > 0 && strings.Contains(k.Widths, ","):
		return &Fault{
			"widths", fmt.Sprintf("%.40q, but all layers of chains have one width", k.Widths),
			"give one width, or omit model.chains",
		}
	case k.Chains > 0 && k.Wiring != Random:
		return &Fault{"wiring", k.Wiring + ", but chains choose their wires", "use random, or omit model.chains"}
	}
	return nil
}

// checkForm checks depth and width, which follow from the layers, and the wires after the convolutions.
func (k *Keys) checkForm(layers []Layer) *Fault {
	last := &layers[len(layers)-1]
	switch {
	case k.Depth != len(layers):
		return &Fault{
			"depth", fmt.Sprintf("%d, but levels and widths give %d layers", k.Depth, len(layers)), "omit it",
		}
	case k.Width != last.Outputs():
		return &Fault{"width", fmt.Sprintf("%d, but the last layer has %d bits", k.Width, last.Outputs()), "omit it"}
	case k.Wiring != Random && !slices.ContainsFunc(layers, func(l Layer) bool { return l.Grid == nil }):
		return &Fault{
			"wiring", k.Wiring + ", and there is no layer after the convolutions",
			"use random, or give model.widths",
		}
	}
	return k.checkWires()
}
