package experiment

import "slices"

// levers measures the effect of each technique on the network with 2,150 LUTs from the experiment frontier. Each row
// leaves out one technique, or adds one that the network does not use. All rows have about the same number of core
// LUTs.
var levers = Experiment{
	Name:       "levers",
	Summary:    "what each lever gains at 2,150 LUTs of MNIST (ours, not the paper's)",
	PaperSeeds: 3,
	Costs:      true,
	Protocol: "All rows are trained as the first but for what their names say, on the whole training set, with a width " +
		"that gives about as many LUTs of the core",
	Entries: leverEntries(),
	Quick: Reduced{
		Keys: []string{"train.epochs=3"},
		Left: []string{"3 epochs instead of 40"},
	},
	Notes: []string{
		"`base` is chains of two nodes with six inputs, five uniform thresholds, candidates by gradient, changed images.",
		"LUTs of six inputs as `ialgn compile --target xilinx7 --objective area` counts them.",
	},
	Columns: frontier.Columns,
	Picture: byNetwork,
}

// leverRow is a network of the table. keys holds the differences from the first row.
type leverRow struct {
	name         string
	width, depth int
	keys         []string
}

var leverRows = []leverRow{
	{"base", 680, 2, nil},

	{"unchanged-images", 680, 2, []string{
		"train.augment.shift=0", "train.augment.rotate=0", "train.augment.scale=0", "train.augment.shear=0",
		"train.augment.share=0",
	}},
	{"shifted-images", 680, 2, []string{
		"train.augment.rotate=0", "train.augment.scale=0", "train.augment.shear=0", "train.augment.share=0.5",
	}},

	{"fixed-candidates", 680, 2, []string{"train.candidates.kind=fixed"}},
	{"random-candidates", 680, 2, []string{"train.candidates.kind=random"}},

	{"four-inputs", 780, 2, []string{"model.inputs=4", "model.tau=3.1"}},
	{"gates", 1040, 10, []string{"model.inputs=2", "model.tau=3.6"}},

	{"single-layer", 1000, 1, []string{"model.tau=3.5"}},
	{"trees", 520, 2, []string{"model.topology=tree", "model.leaves=2", "model.tau=2.5"}},

	{"one-threshold", 680, 2, []string{"encoder.bits=2"}},
	{"three-thresholds", 680, 2, []string{"encoder.bits=4"}},
	{"eleven-thresholds", 680, 2, []string{"encoder.bits=12"}},
	{"quantiles", 680, 2, []string{"encoder.thresholds=quantile"}},

	{"learned", 680, 2, []string{"encoder.thresholds=learned"}},
	{"one-learned", 680, 2, []string{"encoder.bits=2", "encoder.thresholds=learned"}},

	{"cost", 680, 2, []string{"train.cost.target=xilinx7", "train.cost.pressure=0.00003"}},
	{"seven-thresholds-cost", 680, 2, []string{
		"encoder.bits=8", "train.cost.target=xilinx7", "train.cost.pressure=0.00003",
	}},
	{"learned-cost", 680, 2, []string{
		"encoder.thresholds=learned", "train.cost.target=xilinx7", "train.cost.pressure=0.00003",
	}},
}

func leverEntries() []Entry {
	var all []Entry
	for _, r := range leverRows {
		keys := slices.Concat(lutProtocol, size(r.width, r.depth), stronger, course(6, 40, 2.9, 0.01), r.keys)
		all = append(all, Entry{Network: r.name, Set: mnistImages, Keys: keys})
	}
	return all
}
