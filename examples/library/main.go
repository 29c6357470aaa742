// Command library trains a classifier on samples in memory, classifies points, compiles the model to Verilog, and
// verifies the design.
package main

import (
	"context"
	"fmt"
	"ialgn"
)

func main() {
	ctx, data := context.Background(), ialgn.Data{Classes: []string{"outside", "inside"}}
	for i := range 1600 { // points of a square; those inside a circle are class 1
		x, y, label := float64(i%40)/20-1, float64(i/40)/20-1, 0
		if x*x+y*y < 0.5 {
			label = 1
		}
		data.Features, data.Labels = append(data.Features, []float64{x, y}), append(data.Labels, label)
	}
	cfg := ialgn.Config{Name: "circle"}
	cfg.Encoder.Bits, cfg.Train.Epochs = 16, 20
	cfg.Model.Width, cfg.Model.Depth, cfg.Model.Anchors, cfg.Model.Tau = 100, 4, 16, 5
	model := must(ialgn.Train(ctx, cfg, data, ialgn.TrainOptions{}))
	middle := must(must(model.Classifier(ctx, "")).Classify([]float64{0.1, -0.2}))
	fmt.Println("the middle is", model.Classes()[middle.Class], "by", middle.Counts)
	design := must(ialgn.Compile(ctx, model, ialgn.CompileOptions{Target: "ice40", Pipeline: "auto"}))
	fmt.Println(must(design.Report()).LUTs.Total, "LUTs")
	certificate := must(ialgn.Verify(ctx, model, design, ialgn.VerifyOptions{Level: "formal"}))
	fmt.Println("verified:", certificate.Level)
}

func must[T any](result T, err error) T {
	if err != nil {
		panic(fmt.Sprintf("%v (%s)", err, ialgn.Hint(err)))
	}
	return result
}
