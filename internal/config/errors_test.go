package config_test

// setHint lists the data sets.
const setHint = "name one: digits, mnist, fashion-mnist, cifar10, cifar100, parity, copy, csv or arrays; digits needs encoder.bits " +
	"and model.tau, too"

// csvText is the start of a valid configuration for a CSV set, without the section data.
const csvText = "encoder: {bits: 8}\nmodel: {tau: 3}\n"

var errorCases = []struct {
	name, text string
	sets       []string
	want, hint string
}{
	{"empty", "", nil, "m.yaml: data.set: missing", setHint},
	{"comments", "# data: {set: mnist}\n", nil, "m.yaml: data.set: missing", setHint},
	{"section without the key", "name: x\ndata:\n  dir: x\n", nil, "m.yaml:2:1: data.set: missing", setHint},

	{
		"unknown key", "data: {set: mnist}\nmodel:\n  widht: 3", nil, "m.yaml:3:3: model.widht: unknown key",
		"did you mean model.width",
	},
	{
		"key of another section", "data: {set: mnist}\ntrain: {lr: 3}", nil, "m.yaml:2:9: train.lr: unknown key",
		"did you mean train.optimizer.lr",
	},
	{
		"key of several sections", "encoder: {every: 3}", nil, "m.yaml:1:11: encoder.every: unknown key",
		"the keys here are encoder.kind, encoder.bits, encoder.thresholds, encoder.bits_in, encoder.ranges, encoder.raw",
	},
	{
		"nothing like it", "encoder: {flux_capacitor: 3}", nil, "m.yaml:1:11: encoder.flux_capacitor: unknown key",
		"the keys here are encoder.kind, encoder.bits, encoder.thresholds, encoder.bits_in, encoder.ranges, encoder.raw",
	},
	{
		"unknown section", "flux_capacitor: 3", nil, "m.yaml:1:1: flux_capacitor: unknown key",
		"the sections are data, encoder, model and train",
	},
	{
		"removed section", "train:\n  prune: {bits: 0.1}", nil,
		"m.yaml:2:3: train.prune: removed, because a smaller network trained from scratch is equally accurate",
		"omit it, or use a smaller model.width",
	},
	{
		"removed key", "train: {refill: true}", nil,
		"m.yaml:1:9: train.refill: removed, because its effect on accuracy and size was within noise", "omit it",
	},
	{
		"removed key of an option", "data: {set: mnist}",
		[]string{"train.prune.at=0.5"},
		`Set "train.prune.at": removed, because a smaller network trained from scratch is equally accurate`,
		"omit it, or use a smaller model.width",
	},
	{
		"key twice", "data:\n  set: mnist\n  set: mnist\n", nil,
		"m.yaml:3:3: data.set: given twice, the first time in line 2",
		"remove one of the two lines",
	},
	{
		"section twice", "data: {set: mnist}\ntrain:\ndata: {dir: x}\n", nil,
		"m.yaml:3:1: data: given twice, the first time in line 1", "remove one of the two lines",
	},

	{"text for a number", "train: {batch: many}", nil, `m.yaml:1:16: train.batch: "many" is not a whole number`, ""},
	{
		"quoted number", "train: {batch: '3'}", nil, `m.yaml:1:16: train.batch: "3" is text, want a whole number`,
		"remove the quotes",
	},
	{
		"quoted real", "model:\n  tau: \"3\"", nil, `m.yaml:2:8: model.tau: "3" is text, want a number`,
		"remove the quotes",
	},
	{"fraction", "train: {batch: 1.0}", nil, `m.yaml:1:16: train.batch: "1.0" is not a whole number`, ""},
	{"octal", "train: {batch: 010}", nil, `m.yaml:1:16: train.batch: "010" is not a whole number`, ""},
	{"hexadecimal", "train: {batch: 0x10}", nil, `m.yaml:1:16: train.batch: "0x10" is not a whole number`, ""},
	{"negative seed", "train: {seed: -1}", nil, `m.yaml:1:15: train.seed: "-1" is not a whole number of at least 0`, ""},
	{
		"long number", "train: {epochs: 99999999999999999999}", nil,
		`m.yaml:1:17: train.epochs: "99999999999999999999" is out of range for a whole number`, "",
	},
	{"infinity", "model: {tau: .inf}", nil, `m.yaml:1:14: model.tau: ".inf" is not a number`, ""},
	{
		"infinity by exponent", "model: {tau: 1e999}", nil, `m.yaml:1:14: model.tau: "1e999" is out of range for a number`,
		"",
	},
	{"not a number", "model: {tau: .nan}", nil, `m.yaml:1:14: model.tau: ".nan" is not a number`, ""},
	{"truth for a number", "model: {tau: true}", nil, `m.yaml:1:14: model.tau: "true" is not a number`, ""},
	{
		"no value", "train:\n  batch:\n", nil, "m.yaml:2:3: train.batch: has no value",
		"give a value, or omit the key to use its default",
	},
	{"section for a value", "data: {set: {a: b}}", nil, "m.yaml:1:13: data.set: want text", ""},
	{"value for a section", "train: 3", nil, "m.yaml:1:8: train: is a section, want keys with values below it", ""},

	{"list", "- a\n- b", nil, "m.yaml:1:1: a list; a configuration has only keys and values", ""},
	{"flow list", "data: {set: [mnist]}", nil, "m.yaml:1:13: a list; a configuration has only keys and values", ""},
	{"anchor", "data: &x {set: mnist}", nil, "m.yaml:1:7: an anchor; a configuration has only keys and values", ""},
	{"alias", "data: *x", nil, "m.yaml:1:7: an alias; a configuration has only keys and values", ""},
	{"tag", "name: !!str x", nil, "m.yaml:1:7: a tag; a configuration has only keys and values", ""},
	{"merge key", "<<: {a: b}", nil, "m.yaml:1:1: a merge key; a configuration has only keys and values", ""},
	{"complex key", "? a : b", nil, "m.yaml:1:1: a complex key; a configuration has only keys and values", ""},
	{
		"directive", "%YAML 1.2\n---\ndata: {set: mnist}", nil,
		"m.yaml:1:1: a directive; a configuration has only keys and values", "",
	},
	{"block", "name: |\n  x\n", nil, "m.yaml:1:7: a block of text; a configuration has only keys and values", ""},
	{
		"nesting", "{a: {b: {c: {d: {e: f}}}}}", nil, "m.yaml:1:17: braces nest too deeply; a configuration has three levels",
		"",
	},
	{
		"scalar", "3", nil, "m.yaml:1:1: want keys with values, such as data: {set: mnist}",
		"docs/reference/config.md shows one; `ialgn init TABLE.csv` writes one for a table",
	},
	{"open brace", "data: {set: mnist", nil, "m.yaml:1:7: could not find flow mapping end token '}'", ""},
	{
		"second document", "data: {set: mnist}\n---\nname: x\n", nil,
		"m.yaml:3:5: a second document; a file holds one configuration", "",
	},

	{
		"unknown set", "data: {set: imagenet}", nil, `m.yaml:1:13: data.set: "imagenet" is unknown`,
		"use digits, mnist, fashion-mnist, cifar10, cifar100, parity, copy, csv or arrays",
	},
	{
		"unknown choice", "data: {set: mnist}\nmodel: {init: zero}", nil, `m.yaml:2:15: model.init: "zero" is unknown`,
		"use skip or random",
	},
	{
		"empty choice", "data: {set: mnist}\nmodel: {init: ''}", nil, `m.yaml:2:15: model.init: "" is unknown`,
		"use skip or random",
	},
	{
		"missing bits", "data: {set: digits}\nmodel: {tau: 3}", nil,
		"m.yaml: encoder.bits: missing, and has no default for the data set digits",
		"give a value: 8 suits digits, 4 to 16 most data sets",
	},
	{
		"missing tau", "data: {set: digits}\nencoder: {bits: 8}\nmodel: {width: 300}", nil,
		"m.yaml:3:1: model.tau: missing, and has no default for the data set digits",
		"give a value; it grows with the number of chains per class: 3 suits 30 chains, 10 suits 800",
	},
	{
		"bits given as 0", "data: {set: digits}\nencoder: {bits: 0}\nmodel: {tau: 3}", nil,
		"m.yaml:2:17: encoder.bits: 0 is outside 2 to 256", "use a number within that range",
	},
	{
		"tau given as 0", "data: {set: mnist}\nmodel: {tau: 0}", nil, "m.yaml:2:14: model.tau: 0 is outside 1e-06 to 1000000",
		"use a number within that range",
	},
	{
		"large batch", "data: {set: mnist}\ntrain: {batch: 1025}", nil, "m.yaml:2:16: train.batch: 1025 is outside 1 to 1024",
		"the default is 100",
	},
	{
		"many anchors", "data: {set: mnist}\nmodel: {anchors: 257}", nil,
		"m.yaml:2:18: model.anchors: 257 is outside 1 to 256", "the default is 32",
	},
	{
		"beta of 1", "data: {set: mnist}\ntrain: {optimizer: {beta2: 1}}", nil,
		"m.yaml:2:28: train.optimizer.beta2: 1 is outside 0 to 0.999999", "the default is 0.999",
	},

	{
		"name for a file", "data: {set: mnist}\nname: a/b", nil, `m.yaml:2:7: name: "a/b" cannot be part of a file name`,
		"use at most 100 letters, digits, '_', '-' and '.', for example mnist-8k-6",
	},
	{
		"name that is an option", "data: {set: mnist}\nname: -o", nil, `m.yaml:2:7: name: "-o" cannot be part of a file name`,
		"use at most 100 letters, digits, '_', '-' and '.', for example mnist-8k-6",
	},
	{
		"control character", "data: {set: mnist, dir: \"a\\tb\"}", nil,
		`m.yaml:1:25: data.dir: "a\tb" holds control characters or is not UTF-8`, "",
	},

	{
		"csv without files", csvText + "data: {set: csv}", nil,
		"m.yaml:3:1: data.train: missing, which the data set csv needs", "name the CSV file of the training set",
	},
	{
		"csv keys elsewhere", "data: {set: mnist, label: x}", nil,
		"m.yaml:1:27: data.label: has no meaning for the data set mnist", "omit it, or use data.set: csv",
	},
	{
		"bits_in elsewhere", "data: {set: mnist}\nencoder: {bits_in: 0}", nil,
		"m.yaml:2:20: encoder.bits_in: has no meaning for the data set mnist", "omit it, or use data.set: csv or arrays",
	},
	{
		"header", csvText + "data: {set: csv, train: a, header: maybe}", nil, `m.yaml:3:36: data.header: "maybe" is unknown`,
		"use auto, yes or no",
	},
	{
		"share given as 0", csvText + "data: {set: csv, train: a, test_share: 0}", nil,
		"m.yaml:3:40: data.test_share: 0 is outside 0.001 to 0.999", "use a number within that range",
	},
	{
		"share and test file", csvText + "data: {set: csv, train: a, test: b, test_share: 0.2}", nil,
		"m.yaml:3:49: data.test_share: there is nothing to split, because data.test names a test file",
		"omit this key or data.test",
	},
	{
		"group and order", csvText + "data: {set: csv, train: a, group: user, order: time}", nil,
		"m.yaml:3:35: data.group: the rows of a group cannot stay together, because data.order: time makes the last rows " +
			"the test part", "omit data.group or data.order",
	},
	{
		"order and seed", csvText + "data: {set: csv, train: a, order: time, split_seed: 3}", nil,
		"m.yaml:3:53: data.split_seed: nothing is drawn, because data.order: time takes the last rows", "omit data.split_seed or data.order",
	},
	{
		"order unknown", csvText + "data: {set: csv, train: a, order: size}", nil,
		`m.yaml:3:35: data.order: "size" is unknown`, "did you mean time; use none or time",
	},
	{
		"order elsewhere", "data: {set: mnist, order: time}", nil,
		"m.yaml:1:27: data.order: has no meaning for the data set mnist", "omit it, or use data.set: csv or arrays",
	},
	{
		"group of arrays", csvText + "data: {set: arrays, train: a, train_labels: b, group: c}", nil,
		"m.yaml:3:55: data.group: has no meaning for the data set arrays", "omit it, or use data.set: csv",
	},
	{
		"group and label", csvText + "data: {set: csv, train: a, label: b, group: b}", nil,
		`m.yaml:3:45: data.group: "b" is the label (data.label)`, "name another column",
	},
	{
		"group and category", csvText + "data: {set: csv, train: a, categories: 'b, c', group: b}", nil,
		`m.yaml:3:55: data.group: "b" is also in data.categories`, "remove the column from one of the two keys",
	},
	{
		"group and classes", csvText + "data: {set: csv, train: a, group: b}\ntrain: {validation: {share: 0.1, stratified: true}}",
		nil, "m.yaml:4:46: train.validation.stratified: data.group decides which samples are held out",
		"omit it or data.group",
	},

	{
		"hidden without a choice", "data: {set: mnist}\nmodel: {topology: rwlgn-spine, hidden: 2}", nil,
		"m.yaml:2:40: model.hidden: 2 hidden candidates, but a gate of topology rwlgn-spine does not choose its wires",
		"use 1, or topology: ialgn, layered, conv or recurrent",
	},
	{
		"balanced anchors", "data: {set: mnist}\nmodel: {wiring: balanced}", nil,
		"m.yaml:2:17: model.wiring: balanced is for random wires, but topology ialgn does not draw wires",
		"use random, or topology: rwlgn, rwlgn-spine, rwlgn-classwise, layered, conv or recurrent",
	},
	{
		"more hidden than gates", "data: {set: mnist}\nmodel: {width: 10, hidden: 11}", nil,
		"m.yaml:2:28: model.hidden: 11 different candidates cannot be drawn from the 10 gates of a layer",
		"use at most 10, or a larger model.width",
	},
	{
		"more hidden candidates than numbers", "data: {set: mnist}\nmodel: {width: 16777216, hidden: 256}", nil,
		"m.yaml:2:34: model.hidden: a layer of 16777216 gates with 256 hidden candidates each has more than " +
			"4294967295 candidates", "use at most 255, or a smaller model.width",
	},
	{
		"more layers than a header holds", "data: {set: mnist}\nmodel: {topology: rwlgn, depth: 8193}", nil,
		"m.yaml:2:33: model.depth: 8193 layers, but a network without private chains can have at most 8192",
		"use fewer layers, or private chains: topology ialgn with hidden: 1",
	},
	{
		"topology", "data: {set: mnist}\nmodel: {topology: dlgn}", nil, "m.yaml:2:19: model.topology: \"dlgn\" is unknown",
		"did you mean ialgn; use ialgn, rwlgn, rwlgn-spine, rwlgn-classwise, tree, layered, conv or recurrent",
	},
	{
		"a value near another", "data: {set: mnst}", nil, "m.yaml:1:13: data.set: \"mnst\" is unknown",
		"did you mean mnist; use digits, mnist, fashion-mnist, cifar10, cifar100, parity, copy, csv or arrays",
	},
	{
		"bits and tau missing", "data: {set: digits}\nmodel: {width: 300}", nil,
		"m.yaml: encoder.bits, m.yaml:2:1: model.tau: missing, and there is no default",
		"encoder.bits: give a value: 8 suits digits, 4 to 16 most data sets; model.tau: give a value; it grows with the " +
			"number of chains per class: 3 suits 30 chains, 10 suits 800",
	},
	{
		"all missing", "data: {set: csv}\ntrain: {schedule: {kind: step}}", nil,
		"m.yaml:1:1: data.train, m.yaml:2:9: train.schedule.every: missing, and there is no default",
		"data.train: name the CSV file of the training set; " +
			"train.schedule.every: give the number of epochs between two reductions of the rate, for example 30",
	},
	{
		"deeper than a netlist", "data: {set: mnist}\nmodel: {depth: 65536}", nil,
		"m.yaml:2:16: model.depth: 65536 is outside 1 to 65535", "the default is 6",
	},
	{
		"more gates than a netlist", "data: {set: mnist}\nmodel: {width: 16777210, depth: 100}", nil,
		"m.yaml:2:16: model.width: 16777210 x 100 gates, but at most 1610612736 can be compiled",
		"use a smaller model.width or model.depth",
	},

	{
		"schedule", "data: {set: mnist}\ntrain: {schedule: {kind: linear}}", nil,
		`m.yaml:2:26: train.schedule.kind: "linear" is unknown`, "use constant, cosine or step",
	},
	{
		"key of another schedule", "data: {set: mnist}\ntrain: {schedule: {kind: cosine, factor: 0.5}}", nil,
		"m.yaml:2:42: train.schedule.factor: has no meaning for the schedule cosine",
		"omit it, or use train.schedule.kind: step",
	},
	{
		"zero of another schedule", "data: {set: mnist}\ntrain: {schedule: {final: 0}}", nil,
		"m.yaml:2:27: train.schedule.final: has no meaning for the schedule constant",
		"omit it, or use train.schedule.kind: cosine",
	},
	{
		"step without every", "data: {set: mnist}\ntrain: {schedule: {kind: step}}", nil,
		"m.yaml:2:9: train.schedule.every: missing, which the schedule step needs",
		"give the number of epochs between two reductions of the rate, for example 30",
	},
	{
		"every given as 0", "data: {set: mnist}\ntrain: {schedule: {kind: step, every: 0}}", nil,
		"m.yaml:2:39: train.schedule.every: 0 is outside 1 to 1000000", "use a number within that range",
	},
	{
		"rising factor", "data: {set: mnist}\ntrain: {schedule: {kind: step, every: 9, factor: 2}}", nil,
		"m.yaml:2:50: train.schedule.factor: 2 is outside 0.001 to 1", "use a number within that range",
	},
	{
		"factor given as 0", "data: {set: mnist}\ntrain: {schedule: {kind: step, every: 9, factor: 0}}", nil,
		"m.yaml:2:50: train.schedule.factor: 0 is outside 0.001 to 1", "use a number within that range",
	},
	{
		"rising cosine", "data: {set: mnist}",
		[]string{"train.schedule.kind=cosine", "train.schedule.final=1.5"},
		"Set train.schedule.final: 1.5 is outside 0 to 1", "use a number within that range",
	},
	{
		"long warm-up", "data: {set: mnist}\ntrain: {epochs: 5, schedule: {warmup: 5.0}}", nil,
		"m.yaml:2:39: train.schedule.warmup: the warm-up takes 5 of train.epochs = 5",
		"use fewer than 5, or a larger train.epochs",
	},
	{
		"negative warm-up", "data: {set: mnist}\ntrain: {schedule: {warmup: -1}}", nil,
		"m.yaml:2:28: train.schedule.warmup: -1 is outside 0 to 1000000", "use a number within that range",
	},
	{
		"all held out", "data: {set: mnist}\ntrain: {validation: {share: 1}}", nil,
		"m.yaml:2:29: train.validation.share: 1 is outside 0 to 0.9", "use a number within that range",
	},
	{
		"patience alone", "data: {set: mnist}\ntrain: {validation: {patience: 3}}", nil,
		"m.yaml:2:32: train.validation.patience: there is no validation set to measure progress on",
		"give train.validation.share, too, for example 0.1, or omit this key",
	},

	{
		"set without a value", "data: {set: mnist}",
		[]string{"train.epochs"},
		`Set "train.epochs": want KEY=VALUE`,
		"for example Set: train.epochs=20",
	},
	{
		"set of an unknown key", "data: {set: mnist}",
		[]string{"train.epoch=3"},
		`Set "train.epoch": unknown key`,
		"did you mean train.epochs",
	},
	{
		"set of a section", "data: {set: mnist}",
		[]string{"encoder=3"},
		"Set encoder: is a section, not a key",
		"the keys here are encoder.kind, encoder.bits, encoder.thresholds, encoder.bits_in, encoder.ranges, encoder.raw",
	},
	{
		"set of another type", "data: {set: mnist}",
		[]string{"train.epochs=x"},
		`Set train.epochs: "x" is not a whole number`, "",
	},
	{
		"set out of range", "data: {set: mnist}\ntrain: {epochs: 3}",
		[]string{"train.epochs=0"},
		"Set train.epochs: 0 is outside 1 to 1000000", "the default is 200",
	},
	{
		"set to what cannot be", "data: {set: mnist}\nmodel: {topology: rwlgn}",
		[]string{"model.hidden=8"},
		"Set model.hidden: 8 hidden candidates, but a gate of topology rwlgn does not choose its wires",
		"use 1, or topology: ialgn, layered, conv or recurrent",
	},
}
