package main

import (
	"os"
	"strings"
)

var badConfigs = []badInput{
	{"no such file", nil, "train none.yaml", "none.yaml", "name a configuration file", false},
	{"a folder", nil, "train sets", "sets", "name a configuration file", false},
	{"empty", wrote("small.yaml", ""), "train small.yaml", "small.yaml", "name one: digits", false},
	{
		"bytes that are no text", wrote("small.yaml", "\x00\xff\xfe\x1b[31m"), "train small.yaml", "small.yaml", "UTF-8",
		false,
	},
	{"no YAML", wrote("small.yaml", "data: {set: digits\n"), "train small.yaml", "small.yaml:1:7", "'}'", false},
	{
		"a tab for blanks", wrote("small.yaml", "data:\n\tset: digits\n"), "train small.yaml", "small.yaml:2:", "spaces",
		false,
	},
	{
		"unknown key", replaced("small.yaml", "width", "widht"), "train small.yaml", "small.yaml:4:",
		"did you mean model.width", false,
	},
	{
		"text for a number", replaced("small.yaml", "epochs: 2", "epochs: many"), "train small.yaml", "small.yaml:5:",
		"whole number", false,
	},
	{
		"no number at all", replaced("small.yaml", "tau: 2", "tau: .nan"), "train small.yaml", "small.yaml:4:",
		"not a number", false,
	},
	{
		"width that the classes do not divide", replaced("small.yaml", "width: 60", "width: 61"), "train small.yaml",
		"small.yaml:4:", "for example 60", false,
	},
	{
		"a list", replaced("small.yaml", "{set: digits}", "[digits]"), "train small.yaml", "small.yaml:2:",
		"only keys and values", false,
	},
	{
		"aliases that multiply", wrote("small.yaml", "a: &a [x, x]\nb: [*a, *a]\n"), "train small.yaml", "small.yaml:1:4",
		"only keys and values", false,
	},
	{
		"endless braces", func(b *bench) { wrote("small.yaml", strings.Repeat("{a: ", 100_000))(b) },
		"train small.yaml", "small.yaml",
		"docs/reference/config.md", false,
	},
	{
		"a name that leads out of the folder", replaced("small.yaml", "name: tiny", "name: ../tiny"), "train small.yaml",
		"small.yaml:1:7", "letters, digits", false,
	},
	{
		"a name that is an option", replaced("small.yaml", "name: tiny", "name: -rf"), "train small.yaml", "small.yaml:1:7",
		"letters, digits", false,
	},
	{
		"an escape sequence in a name", replaced("small.yaml", "name: tiny", `name: "a\e[31m"`), "train small.yaml",
		"small.yaml:1:7", "control characters", false,
	},
	{"a network that no memory holds", replaced("small.yaml", "width: 60, depth: 4, anchors: 8",
		"width: 16777210, depth: 90, anchors: 256"), "train small.yaml", "small.yaml:4:", "smaller", false},
	{
		"a network that no netlist holds", replaced("small.yaml", "width: 60, depth: 4", "width: 16777210, depth: 60000"),
		"train small.yaml", "small.yaml:4:", "smaller", false,
	},
	{
		"a depth that no netlist holds", replaced("small.yaml", "depth: 4", "depth: 65536"), "train small.yaml",
		"small.yaml:4:", "default", false,
	},
	{
		"--set of no key", nil, "train small.yaml --set train.epoch=3", `--set "train.epoch"`, "did you mean train.epochs",
		false,
	},
	{"--set without a value", nil, "train small.yaml --set train.epochs", "--set", "KEY=VALUE", false},
	{"--set out of range", nil, "train small.yaml --set train.batch=0", "--set train.batch", "1 to 1024", false},
}

var badModels = []badInput{
	{"no such file", nil, "eval none.st", "none.st", "name a model file", false},
	{"a folder", nil, "eval sets", "sets", "name a model file", false},
	{"empty", wrote("m.st", ""), "eval m.st", "m.st", "train again", false},
	{"a configuration", nil, "compile small.yaml -o out", "small.yaml", "ialgn train small.yaml", false},
	{"cut in the header", cut("m.st", 1000), "eval m.st", "m.st", "train again", false},
	{"cut in a tensor", cut("m.st", -1), "analyze m.st", "m.st", "train again", false},
	{"one byte more", change("m.st", func(s string) string { return s + "x" }), "eval m.st", "m.st", "train again", false},
	{
		"a header of 2^64-1 bytes", change("m.st", func(s string) string { return strings.Repeat("\xff", 8) + s[8:] }),
		"eval m.st", "m.st: header", "train again", false,
	},
	{
		"no JSON", change("m.st", func(s string) string { return s[:8] + "[" + s[9:] }), "eval m.st", "m.st: header",
		"train again", false,
	},
	{
		"of another program", metadata("m.st", "format", "ialgn-model", "pt"), "eval m.st", "m.st: metadata: format",
		"no model of ialgn", false,
	},
	{
		"of a newer ialgn", metadata("m.st", "version", "1", "6"), "eval m.st", "m.st: metadata: version",
		"use the ialgn that wrote it", false,
	},
	{
		"a record cut short", metadata("m.st", "record", "}]}", "}]"), "eval m.st", "m.st: metadata: record", "train again",
		false,
	},
	{
		"a record of an epoch that was not", metadata("m.st", "record", "}]}", `}],"kept_epoch":9}`), "eval m.st", "m.st",
		"train again", false,
	},
	{
		"a name that leads out of the folder", metadata("m.st", "config", `"tiny"`, `"../../tiny"`), "compile m.st -o out",
		"m.st: configuration: name", "train again", false,
	},
	{
		"an unknown data set", metadata("m.st", "config", `"digits"`, `"imagenet"`), "eval m.st", "imagenet", "digits, mnist",
		false,
	},
	{
		"a class with an escape sequence", metadata("m.st", "classes", `"3"`, `"\u001b[31m"`), "eval m.st", "m.st",
		"train again", false,
	},
	{
		"a class with a line break", metadata("m.st", "classes", `"3"`, `"3\nendmodule"`), "compile m.st -o out", "m.st",
		"train again", false,
	},
	{
		"a million classes", func(b *bench) {
			metadata("m.st", "classes", `"3"`, `"3"`+strings.Repeat(`,"x"`, 1_000_000))(b)
		}, "eval m.st", "m.st", "train again", false,
	},
	{
		"a feature name with a line break", metadata("m.st", "encoder", "pixel 0", `a\nendmodule`), "compile m.st -o out",
		"m.st", "train again", false,
	},
	{
		"more layers than numbers", metadata("m.st", "sections", `"layers":3`, `"layers":9223372036854775807`), "eval m.st",
		"m.st: section 1", "train again", false,
	},
	{
		"a shape beyond the file", tensor("m.st", "section1.ops", "shape", []int64{1 << 40, 1 << 40}), "eval m.st",
		"m.st: section1.ops", "train again", false,
	},
	{
		"a shape below 0", tensor("m.st", "section1.ops", "shape", []int64{-60, -3, 16}), "eval m.st", "m.st: section1.ops",
		"train again", false,
	},
	{
		"tensors that overlap", tensor("m.st", "section1.ops", "data_offsets", []int64{0, 11520}), "eval m.st",
		"m.st: section", "train again", false,
	},
	{
		"another type", tensor("m.st", "section1.ops", "dtype", "I32"), "eval m.st", "m.st: section1.ops", "train again",
		false,
	},
	{
		"a number that is none", poke("m.st", "section1.ops", "\x00\x00\xc0\x7f"), "eval m.st", "m.st: section1.ops",
		"train again", false,
	},
	{
		"a wire to nowhere", poke("m.st", "section1.b.wires", "\xff\xff"), "eval m.st", "m.st: section1.b.wires",
		"train again", false,
	},
	{"a number that has changed", change("m.st", flipLast), "eval m.st", "m.st: checksum", "train again", false},
	{
		"thresholds that fall", poke("m.st", "encoder.thresholds", "\x00\x00"), "predict m.st new.csv", "m.st: ",
		"train again", false,
	},
}

var badCheckpoints = []badInput{
	{
		"none", remove("m.st.checkpoint"), "train small.yaml -o m.st --resume", "m.st.checkpoint",
		"train without --resume first", false,
	},
	{"empty", wrote("m.st.checkpoint", ""), "train small.yaml -o m.st --resume", "m.st.checkpoint", "train again", false},
	{
		"cut in the header", cut("m.st.checkpoint", 100), "train small.yaml -o m.st --resume", "m.st.checkpoint",
		"train again", false,
	},
	{
		"cut in a moment", cut("m.st.checkpoint", -5000), "train small.yaml -o m.st --resume", "m.st.checkpoint",
		"train again", false,
	},
	{
		"a model in its place", func(b *bench) { copyFile(b, "m.st", "m.st.checkpoint") },
		"train small.yaml -o m.st --resume", "m.st.checkpoint", "ends in .checkpoint", false,
	},
	{
		"of another configuration", nil, "train small.yaml -o m.st --resume --set model.anchors=4", "m.st.checkpoint",
		"resume with the same configuration", false,
	},
	{
		"past the end", metadata("m.st.checkpoint", "checkpoint.position", `"epoch":1`, `"epoch":7`),
		"train small.yaml -o m.st --resume", "m.st.checkpoint", "train anew", false,
	},
	{
		"a batch below 0", metadata("m.st.checkpoint", "checkpoint.position", `"batch":0`, `"batch":-1`),
		"train small.yaml -o m.st --resume", "m.st.checkpoint", "train anew", false,
	},
	{
		"a position that is no JSON", metadata("m.st.checkpoint", "checkpoint.position", `{`, `[`),
		"train small.yaml -o m.st --resume", "m.st.checkpoint", "train anew", false,
	},
	{
		"a mean of squares below 0", poke("m.st.checkpoint", "adam.section1.ops.v", "\x00\x00\x80\xbf"),
		"train small.yaml -o m.st --resume", "m.st.checkpoint: section1.ops.v", "train anew", false,
	},
	{
		"a number that has changed", change("m.st.checkpoint", flipLast), "train small.yaml -o m.st --resume",
		"m.st.checkpoint: checksum", "train again", false,
	},
	{
		"without a checksum", replaced("m.st.checkpoint", `"crc32c":`, `"none":`+"  "), "train small.yaml -o m.st --resume",
		"m.st.checkpoint: has no checksum", "train anew", false,
	},
	{
		"--init of another shape", nil, "train small.yaml -o new.st --init m.st --set model.width=70", "m.st", "may differ",
		false,
	},
	{"--init of no file", nil, "train small.yaml -o new.st --init none.st", "none.st", "name a model file", false},
}

var badData = []badInput{
	{
		"a set that is not there", remove("sets/mnist/train-labels-idx1-ubyte"), "train mnist.yaml --data sets",
		"sets/mnist (without train-labels-idx1-ubyte)", "hint", false,
	},
	{
		"IDX of another type", change(mnistImages, func(s string) string { return "\x00\x00\x0d" + s[3:] }),
		"train mnist.yaml --data sets", mnistImages, "data.set: arrays", false,
	},
	{"IDX cut in the header", cut(mnistImages, 7), "train mnist.yaml --data sets", mnistImages, "download it again", false},
	{
		"IDX cut in a record", cut(mnistImages, -1), "train mnist.yaml --data sets", mnistImages + ": record 20",
		"download it again", false,
	},
	{
		"IDX with bytes too many", change(mnistImages, func(s string) string { return s + "x" }),
		"train mnist.yaml --data sets", mnistImages, "download it again", false,
	},
	{
		"IDX of 2^32-1 images", change(mnistImages, func(s string) string { return s[:4] + "\xff\xff\xff\xff" + s[8:] }),
		"train mnist.yaml --data sets", "sets/mnist/train-labels-idx1-ubyte", "do not belong together", false,
	},
	{"IDX of images of 2^32-1 pixels", change(mnistImages, func(s string) string {
		return s[:8] + "\xff\xff\xff\xff" +
			s[12:]
	}), "train mnist.yaml --data sets", mnistImages, "download it again", false},
	{
		"a label beyond the classes", change("sets/mnist/train-labels-idx1-ubyte",
			func(s string) string { return s[:8] + "\x0a" + s[9:] }), "train mnist.yaml --data sets",
		"train-labels-idx1-ubyte: record 1", "want 0..9", false,
	},
	{
		"gzip that is cut", change(mnistImages, func(string) string { return "\x1f\x8b\x08\x00\x00\x00" }),
		"train mnist.yaml --data sets", mnistImages, "download it again", false,
	},
	{
		"CIFAR cut in a record", cut("sets/cifar-10/data_batch_2.bin", -1), "train c.yaml --data sets",
		"data_batch_2.bin: record 1", "download it again", false,
	},
	{
		"CIFAR with a label of another set", change("sets/cifar-10/test_batch.bin",
			func(s string) string { return "\x0a" + s[1:] }), "train c.yaml --data sets", "test_batch.bin: record 1",
		"want 0..9",
		false,
	},
	{"CSV that is not there", remove("table.csv"), "train table.yaml", "table.csv", "--data", false},
	{"CSV without a line", wrote("table.csv", ""), "train table.yaml", "table.csv", "empty", false},
	{
		"CSV of a header alone", wrote("table.csv", "length,width,kind\n"), "train table.yaml", "table.csv", "no records",
		false,
	},
	{
		"CSV of one class", wrote("table.csv", "length,width,kind\n1,2,oak\n3,4,oak\n"), "train table.yaml", "table.csv",
		"want at least two classes", false,
	},
	{
		"CSV with another label column", wrote("table.yaml",
			"data: {set: csv, train: table.csv, label: sort}\nencoder: {bits: 4}\nmodel: {width: 8, depth: 2, tau: 1}\n"),
		"train table.yaml", "table.csv: first line", `"length" "width" "kind"`, false,
	},
	{
		"CSV without the column of groups", nil, "train table.yaml --set data.group=plant", "table.csv: first line",
		"(data.group)", false,
	},
	{
		"CSV whose groups are the label", nil, "train table.yaml --set data.group=3 --set data.label= --set data.header=no",
		"data.group: column 3", "name another column", false,
	},
	{
		"CSV with a row without a group", replaced("table.csv", "5,6.5,elm", ",6.5,elm"),
		"train table.yaml --set data.group=length", "table.csv: record 3: line 4", "fill it in, or remove the row", false,
	},
	{
		"CSV of one group", wrote("table.csv", "length,width,kind\n"+strings.Repeat("1,2,oak\n1,4,elm\n", 9)+"2,1,oak\n"),
		"train table.yaml --set data.group=length", "whole groups give 1 of 19 samples to the test part",
		"use another data.test_share", false,
	},
	{
		"CSV in the order of its classes", wrote("table.csv", "length,width,kind\n"+strings.Repeat("1,2,oak\n", 9)+"3,4,elm\n"),
		"train table.yaml --set data.order=time", `data.order: class "elm" occurs only in the last 2 of 10 samples`,
		"use a smaller data.test_share, or omit data.order", false,
	},
	{
		"CSV with groups in the order of time", nil, "train table.yaml --set data.group=length --set data.order=time",
		"--set data.group", "omit data.group or data.order", false,
	},
	{
		"CSV with a line that is short", replaced("table.csv", "5,6.5,elm", "5,elm"), "train table.yaml",
		"table.csv: record 3: line 4", "but the first line has 3", false,
	},
	{
		"CSV with an empty value", replaced("table.csv", "5,6.5,elm", "5,,elm"), "train table.yaml",
		"table.csv: record 3: line 4", "want a number", false,
	},
	{
		"CSV with NaN", replaced("table.csv", "5,6.5,elm", "5,NaN,elm"), "train table.yaml", "table.csv: record 3: line 4",
		"missing", false,
	},
	{
		"CSV with an open quote", replaced("table.csv", "5,6.5,elm", `5,"6.5,elm`), "train table.yaml",
		"table.csv: record 3: line ", "quote", false,
	},
	{
		"CSV with an escape sequence for a label", replaced("table.csv", "5,6.5,elm", "5,6.5,\x1b[31melm"),
		"train table.yaml", "table.csv: record 3: line 4", "control characters", false,
	},
	{
		"CSV of a label without end", func(b *bench) {
			wrote("table.csv", "1,2,oak\n1,2,"+strings.Repeat("x", 5_000_000))(b)
		},
		"train table.yaml --set data.label=", "table.csv: record 2", "a quote is not closed", false,
	},
	{
		"CSV with a sample of a class too few", wrote("table.csv", "length,width,kind\n1,2,oak\n3,4,elm\n3,4,elm\n"),
		"train table.yaml", "table.csv", "use a larger share", false,
	},
	{"--data that is a file", nil, "train mnist.yaml --data small.yaml", "small.yaml", "hint", false},
	{"data of no such set", nil, "data check imagenet", "imagenet", "digits, mnist", true},
}

const mnistImages = "sets/mnist/train-images-idx3-ubyte"

var badSamples = []badInput{
	{"no such file", nil, "predict m.st none.csv", "none.csv", "name a readable file", false},
	{"a folder", nil, "predict m.st sets", "sets", "name a file", false},
	{"empty", wrote("new.csv", ""), "predict m.st new.csv", "new.csv", "empty", false},
	{
		"too few columns", wrote("new.csv", "1,2,3\n"), "predict m.st new.csv", "new.csv: first line", "want 64 features",
		false,
	},
	{
		"a value out of range", wrote("new.csv", strings.Repeat("7,", 63)+"17\n"), "predict m.st new.csv",
		"new.csv: record 1: line 1", "0..16", true,
	},
	{
		"a value that is no number", wrote("new.csv", strings.Repeat("7,", 64)+"x\n"+strings.Repeat("7,", 63)+"x,y\n"),
		"predict m.st new.csv", "new.csv: record 2: line 2", "not a number", true,
	},
	{
		"images of another size", change("new.idx", func(s string) string { return s[:15] + "\x07" + s[16:] }),
		"predict m.st new.idx", "new.idx: header", "but the model has 64 features", false,
	},
	{"images cut off", cut("new.idx", -1), "predict m.st new.idx", "new.idx: record 1", "download it again", true},
	{
		"pixels beyond the model's range", change("new.idx", func(s string) string { return s[:20] + "\xff" + s[21:] }),
		"predict m.st new.idx", "new.idx: record 1", "0..16", true,
	},
	{
		"labels in the place of images", wrote("new.idx", "\x00\x00\x08\x01\x00\x00\x00\x01\x05"), "predict m.st new.idx",
		"new.idx: header", "but the model has 64 features", false,
	},
	{
		"a header of other features", wrote("new.csv", "width,length\n1,2\n"), "predict t.st new.csv", "new.csv: header",
		`want ["length" "width"]`, false,
	},
	{"a model for samples", nil, "predict new.csv m.st", "new.csv", "ialgn predict MODEL new.csv", false},
}

// flipLast flips one bit of the second to last byte.
func flipLast(s string) string { return s[:len(s)-2] + string([]byte{s[len(s)-2] ^ 1}) + s[len(s)-1:] }

func copyFile(b *bench, from, to string) {
	data, err := os.ReadFile(from)
	if err != nil {
		b.t.Fatal(err)
	}
	writeFile(b.t, to, string(data))
}
