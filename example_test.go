package ialgn_test

import (
	"context"
	"fmt"
	"log"

	"ialgn"
)

// A classifier of points, trained on samples in memory.
func Example() {
	var data ialgn.Data
	for i := range 400 {
		x, y, label := float64(i%20), float64(i/20), 0
		if x > y {
			label = 1
		}
		data.Features, data.Labels = append(data.Features, []float64{x, y}), append(data.Labels, label)
	}
	m, err := ialgn.Train(context.Background(), ialgn.Config{
		Encoder: ialgn.EncoderConfig{Bits: 16},
		Model:   ialgn.ModelConfig{Width: 40, Depth: 3, Anchors: 16, Tau: 3},
		Train:   ialgn.RunConfig{Epochs: 10},
	}, data, ialgn.TrainOptions{})
	if err != nil {
		log.Fatal(err)
	}
	c, err := m.Classifier()
	if err != nil {
		log.Fatal(err)
	}
	classes, _ := c.ClassifyAll([][]float64{{3, 15}, {15, 3}})
	fmt.Println(classes)
	// Output: [0 1]
}

// The Verilog of a model, for an iCE40, with its latency.
func ExampleCompile() {
	m, err := ialgn.Train(context.Background(), small, circle(), ialgn.TrainOptions{})
	if err != nil {
		log.Fatal(err)
	}
	d, err := ialgn.Compile(context.Background(), m, ialgn.CompileOptions{
		Target: "ice40", Pipeline: ialgn.PipelineStages(2), Wrap: ialgn.WrapStream,
	})
	if err != nil {
		log.Fatal(err)
	}
	r, err := d.Report()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Module, r.Mapping.K, r.Latency)
	// Output: circle 4 5
}
