package experiment

import (
	"fmt"
	"slices"

	"ialgn/internal/experiment/grid"
	"ialgn/internal/plot"
)

// frontier measures accuracy and LUTs of networks that were designed to need few LUTs. This experiment is not from a
// paper. For the rows with about 700 and 2,150 LUTs, the shapes, learning rates and changes of images were chosen on
// a validation split of the training set. The other rows were derived from these two rows, with tau proportional to
// the square root of the width.
var frontier = Experiment{
	Name:       "frontier",
	Summary:    "accuracy for a budget of LUTs, compiled (ours, not the paper's)",
	PaperSeeds: 3,
	Costs:      true,
	Protocol: "Schedules, encoders, changes of images and shapes are the rows' own, chosen on a validation split of the " +
		"training set for about 700 and 2,150 LUTs, the other rows after those",
	Entries: frontierEntries(slices.Concat(mnistRows, cifarRows, fashionRows, tableRows)),
	Quick: Reduced{
		Entries: frontierEntries(mnistRows), Keys: []string{"train.epochs=5"},
		Left: []string{"MNIST alone instead of all data sets"},
	},
	Notes: []string{
		"LUTs of six inputs as `ialgn compile --target xilinx7 --objective area` counts them: the core is nodes, popcounts and " +
			"argmax, the whole is from feature words to the class.",
	},
	Columns: []Column{
		{"core_luts", "LUT6, core", 1, func(r *grid.Result) float64 { return float64(r.Costs.Core()) }},
		{"encoder_luts", "LUT6, encoder", 1, func(r *grid.Result) float64 { return float64(r.Costs.Encoder) }},
		{"luts", "LUT6, whole", 1, func(r *grid.Result) float64 { return float64(r.Costs.Full()) }},
	},
	Picture: &Picture{
		Label: "LUTs of six inputs", Log: true, Chart: func(r *Row) string { return r.Data }, Line: networkOf,
		Of: frontierPlace, Beside: publishedLUTs,
	},
}

// These names of rows say which LUTs are counted. Only wholeLUTs includes the comparisons of the features with
// thresholds.
const (
	coreLUTs  = "core"
	wholeLUTs = "whole"
)

// frontierRow is a network of the table.
type frontierRow struct {
	set          []string
	counts       string // coreLUTs or wholeLUTs, the number that the design keeps small
	width, depth int
	keys         []string
}

func frontierEntries(rows []frontierRow) []Entry {
	var all []Entry
	for _, r := range rows {
		keys := slices.Concat(lutProtocol, size(r.width, r.depth), r.keys)
		all = append(all, Entry{Network: r.counts, Set: r.set, Keys: keys})
	}
	return all
}

// frontierPlace returns the mean number of LUTs of a row's networks. The row's name says whether these are the LUTs
// of the core or of the whole classifier.
func frontierPlace(r *Row) float64 {
	if r.Network == coreLUTs {
		return meanLUTs(r, (*grid.Costs).Core)
	}
	return meanLUTs(r, (*grid.Costs).Full)
}

// meanLUTs returns the mean of a number of LUTs over the networks of a row.
func meanLUTs(r *Row, luts func(*grid.Costs) int) float64 {
	sum := 0
	for _, one := range r.results {
		sum += luts(one.Costs)
	}
	return float64(sum) / float64(len(r.results))
}

// lutProtocol holds the keys that all networks of the table have in common.
var lutProtocol = []string{
	"model.inputs=6", "model.anchors=16", "train.batch=128", "train.candidates.kind=gradient",
	"train.schedule.kind=cosine", "train.seed=1",
}

// mnistImages, cifarImages and fashionImages hold the keys of the data sets, except for tau, because it depends on
// the width.
var (
	mnistImages = []string{"data.set=mnist"}
	cifarImages = []string{"data.set=cifar10"}

	fashionImages = []string{"data.set=fashion-mnist"}
)

// These keys change images of digits in training. The stronger changes were chosen with 680 chains and were not tried
// with the smallest networks.
var (
	slight   = augment(6, 0.06, 0.09, 0.8)
	stronger = augment(10, 0.1, 0.15, 0.9)
)

// mirrored holds the keys that flip photographs in training and shift them by a pixel. These keys were chosen with
// 2,000 chains.
var mirrored = []string{"train.augment.shift=1", "train.augment.flip=true", "train.augment.share=0.6"}

// augment returns keys that change images in training. Images are rotated, scaled and sheared up to the given limits,
// and shifted by up to a pixel.
func augment(rotate, scale, shear, share float64) []string {
	return []string{
		"train.augment.shift=1", fmt.Sprintf("train.augment.rotate=%g", rotate), fmt.Sprintf("train.augment.scale=%g", scale),
		fmt.Sprintf("train.augment.shear=%g", shear), fmt.Sprintf("train.augment.share=%g", share),
	}
}

// course returns the keys for the number of input bits (n_b), the number of epochs, tau and the learning rate.
func course(bits, epochs int, tau, lr float64) []string {
	return []string{
		fmt.Sprintf("encoder.bits=%d", bits), fmt.Sprintf("train.epochs=%d", epochs), fmt.Sprintf("model.tau=%g", tau),
		fmt.Sprintf("train.optimizer.lr=%g", lr),
	}
}

// mnistRows are networks for MNIST. Their designs aim at 700, 1,400, 2,150, 4,000 and 8,000 LUTs in the core, and at
// 700, 900, 1,450, 2,200 and 4,100 LUTs in the whole classifier. A single threshold in the middle of a feature's
// range costs no LUTs, because the comparison is then the feature's highest bit.
var mnistRows = []frontierRow{
	{mnistImages, coreLUTs, 220, 2, slices.Concat(slight, course(6, 200, 1.6, 0.02))},
	{mnistImages, coreLUTs, 440, 2, slices.Concat(stronger, course(6, 160, 2.3, 0.02))},
	{mnistImages, coreLUTs, 680, 2, slices.Concat(stronger, course(6, 160, 2.9, 0.01))},
	{mnistImages, coreLUTs, 1270, 2, slices.Concat(stronger, course(6, 160, 3.9, 0.01))},
	{mnistImages, coreLUTs, 2640, 2, slices.Concat(stronger, course(6, 160, 5.7, 0.01))},
	{mnistImages, wholeLUTs, 220, 2, slices.Concat(slight, course(2, 200, 1.6, 0.02))},
	{mnistImages, wholeLUTs, 280, 2, slices.Concat(slight, course(2, 200, 1.8, 0.02))},
	{mnistImages, wholeLUTs, 460, 2, slices.Concat(stronger, course(2, 300, 2.4, 0.01))},
	{mnistImages, wholeLUTs, 700, 2, slices.Concat(stronger, course(2, 160, 2.9, 0.01))},
	{mnistImages, wholeLUTs, 1300, 2, slices.Concat(stronger, course(2, 160, 4, 0.01))},
}

// seldom makes training faster. It scores the candidates of pins only in every fourth of the epochs that replace
// candidates, and rounds gradients. Without these keys, scoring takes nine tenths of the time. With these keys, wide
// networks with 33,792 input bits train in minutes.
var seldom = []string{"train.candidates.every=4", "train.gradients=int8"}

// cifarRows are networks for CIFAR-10. Their designs aim at 2,000, 4,000, 8,000, 16,700, 32,000 and 64,000 LUTs in
// the core.
var cifarRows = []frontierRow{
	{cifarImages, coreLUTs, 650, 2, slices.Concat(mirrored, course(12, 100, 8, 0.01))},
	{cifarImages, coreLUTs, 1310, 2, slices.Concat(mirrored, seldom, course(12, 100, 11.5, 0.01))},
	{cifarImages, coreLUTs, 2620, 2, slices.Concat(mirrored, seldom, course(12, 100, 16, 0.01))},
	{cifarImages, coreLUTs, 5480, 2, slices.Concat(mirrored, course(12, 100, 23, 0.01))},
	{cifarImages, coreLUTs, 10500, 2, slices.Concat(mirrored, seldom, course(12, 60, 32, 0.01))},
	{cifarImages, coreLUTs, 21000, 2, slices.Concat(mirrored, seldom, course(12, 30, 46, 0.01))},
}

// fashionRows are networks for Fashion-MNIST. Their designs aim at 700, 2,150 and 8,000 LUTs in the core, and at
// 2,500 LUTs in the whole classifier.
var fashionRows = []frontierRow{
	{fashionImages, coreLUTs, 220, 2, slices.Concat(mirrored, course(16, 60, 2.6, 0.01))},
	{fashionImages, coreLUTs, 680, 2, slices.Concat(mirrored, course(16, 60, 4.5, 0.01))},
	{fashionImages, coreLUTs, 2550, 2, slices.Concat(mirrored, course(16, 60, 8.8, 0.01))},
	{fashionImages, wholeLUTs, 700, 2, slices.Concat(mirrored, course(8, 60, 4.6, 0.01), []string{
		"train.cost.target=xilinx7", "train.cost.pressure=0.00003",
	})},
}

// table returns the keys of a CSV file from the R package mlbench.
func table(file, label string) []string {
	return []string{"data.set=csv", "data.train=tabular/" + file + ".csv.gz", "data.label=" + label}
}

// tableRows are networks for tables. Their designs aim at few LUTs in the whole classifier. For each table, `ialgn
// fit` searched for a network with at most 2,000 LUTs for three minutes on one core, with a fifth of the training
// samples for validation. The networks have their own names, because the file names of all CSV data sets begin with
// the same word.
var tableRows = []frontierRow{
	{table("LetterRecognition", "lettr"), "letters", 598, 2, slices.Concat(course(8, 150, 1.68, 0.02), []string{
		"train.batch=64", "encoder.thresholds=quantile", "train.cost.target=xilinx7", "train.cost.pressure=0.00001",
	})},
	{table("Satellite", "classes"), "satellite", 330, 1, slices.Concat(course(8, 116, 4.45, 0.01), []string{
		"train.batch=32", "encoder.thresholds=quantile",
	})},
	{table("Satellite", "classes"), "satellite", 834, 1, slices.Concat(course(8, 204, 7.07, 0.01), []string{
		"train.batch=32", "encoder.thresholds=quantile",
	})},
	{table("DNA", "Class"), "dna", 123, 2, slices.Concat(course(6, 600, 6.4, 0.04), []string{
		"model.inputs=4", "train.cost.target=xilinx7", "train.cost.pressure=0.000163",
	})},
	{table("Shuttle", "Class"), "shuttle", 525, 2, slices.Concat(course(8, 74, 3.03, 0.02), []string{
		"model.inputs=4", "encoder.ranges=full", "encoder.thresholds=quantile", "train.cost.target=xilinx7",
		"train.cost.pressure=0.0000114",
	})},
}

// publishedSeries is a series of results published by others. Each point is a number of LUTs and an accuracy in
// percent.
type publishedSeries struct {
	chart, name  string
	luts, points []float64
}

// others lists networks that other authors published. The LUTs of DWN are without the encoder and are from Bacellar
// and others, "Differentiable Weightless Neural Networks", ICML 2024. The replication of DWN is by other authors, and
// was placed and routed on an xc7a35t.
var others = []publishedSeries{
	{"mnist", "DWN, core", []float64{692, 1413, 2055, 4082}, []float64{97.1, 97.9, 97.8, 98.3}},
	{"mnist", "DWN replicated, core", []float64{630, 1168, 2272, 4821}, []float64{96.77, 97.70, 97.97, 98.26}},
	{"mnist", "DWN replicated, whole", []float64{1597, 2246, 3490, 6294}, []float64{96.77, 97.70, 97.97, 98.26}},
	{"cifar10", "DWN, core", []float64{16700}, []float64{57.42}},
}

// publishedLUTs returns the published series for a chart.
func publishedLUTs(chart string) []plot.Series {
	var all []plot.Series
	for _, p := range others {
		if p.chart == chart {
			all = append(all, plot.Series{Name: p.name, Kind: plot.Scatter, X: p.luts, Y: p.points})
		}
	}
	return all
}
