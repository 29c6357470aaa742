package ialgn_test

import (
	"context"
	"fmt"
	"log"

	"ialgn"
)

// This example trains a classifier of points on samples in memory.
func Example() {
	var data ialgn.Data
	for i := range 400 {
		x, y, label := float64(i%20), float64(i/20), 0
		if x > y {
			label = 1
		}
		data.Features, data.Labels = append(data.Features, []float64{x, y}), append(data.Labels, label)
	}
	var cfg ialgn.Config
	cfg.Encoder.Bits, cfg.Train.Epochs = 16, 10
	cfg.Model.Width, cfg.Model.Depth, cfg.Model.Anchors, cfg.Model.Tau = 40, 3, 16, 3
	m, err := ialgn.Train(context.Background(), cfg, data, ialgn.TrainOptions{})
	if err != nil {
		log.Fatal(err)
	}
	c, err := m.Classifier(context.Background(), "")
	if err != nil {
		log.Fatal(err)
	}
	p, err := c.Classify([]float64{15, 3})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Class)
	// Output: 1
}

// This example compiles a model to Verilog for an iCE40 and prints its latency.
func ExampleCompile() {
	m, err := ialgn.Train(context.Background(), small, circle(), ialgn.TrainOptions{})
	if err != nil {
		log.Fatal(err)
	}
	d, err := ialgn.Compile(context.Background(), m, ialgn.CompileOptions{
		Target: "ice40", Pipeline: "2", Wrap: "stream",
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
