package experiment

import "slices"

// convolutions is the small convolutional network of gates from "Convolutional Differentiable Logic Gate Networks"
// (Petersen et al., NeurIPS 2024). It is trained in several ways. Some rows also have anchors.
var convolutions = Experiment{
	Name:       "convolutions",
	Summary:    "convolutions of gates on CIFAR-10 (ours, not the paper's)",
	PaperSeeds: 5,
	Picture:    byNetwork,
	Protocol: "All rows are trained by AdamW with the published rate, decay, batch and tau, for 90 epochs with a " +
		"cosine, on images of which 70 % are mirrored or shifted by a pixel",
	Entries: convEntries(),
	Quick: Reduced{
		Keys: []string{"train.epochs=22"},
		Left: []string{"22 epochs instead of 90"},
	},
	Notes: []string{
		"All networks have 874,496 gates: kernels of seven gates over 3 x 3 pixels, 32, 128, 512 and 1,024 of them, " +
			"counted at each position, and layers of 40,960, 20,480 and 10,240. Published: 60.38 % for the network " +
			"trained by relaxed values (Petersen et al.), 59.84 % by others.",
		"`layerwise` is relaxed values with layers frozen one after another from half of the epochs on; `anchored` has " +
			"one pin of each of a kernel's lowest gates choose among 8 of the input bits under the kernel.",
		"The gap is the accuracy of the network as it is trained less that of the frozen one, in points; where values are " +
			"hard, both are one network.",
		"examples/cifar10/conv-s.yaml has four times the published rate, which gives more.",
	},
	Columns: []Column{{"gap", "gap, points", 100, gapOf}},
}

// convSmall holds the keys of the small network.
var convSmall = []string{
	"encoder.bits=4", "model.topology=conv", "model.kernels=32,128,512,1024",
	"model.widths=40960,20480,10240", "model.tau=20", "train.optimizer.lr=0.02", "train.optimizer.weight_decay=0.002",
	"train.batch=128", "train.epochs=90", "train.schedule.kind=cosine", "train.augment.flip=true",
	"train.augment.shift=1", "train.augment.share=0.7",
}

// hardened holds the keys that freeze layers one after another in the second half of the epochs.
var hardened = []string{"train.freeze.kind=layerwise", "train.freeze.from=0.5", "train.freeze.until=0.9"}

func convEntries() (all []Entry) {
	for _, n := range []struct {
		name string
		keys []string
	}{
		{"soft", soft},
		{"layerwise", slices.Concat(soft, hardened)},
		{"ste", nil},
		{"gumbel", gumbel},
		{"anchored", slices.Concat(soft, hardened, []string{"model.anchored=1", "model.anchors=8"})},
	} {
		all = append(all, Entry{Network: n.name, Set: cifar10, Keys: slices.Concat(convSmall, n.keys)})
	}
	return all
}
