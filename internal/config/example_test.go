package config_test

import (
	"fmt"

	"ialgn/internal/config"
	"ialgn/internal/message"
)

func ExampleParse() {
	text := `
data: {set: mnist}
model:
  width: 8001
`
	cfg, err := config.Parse("mnist.yaml", []byte(text), []string{"train.epochs=20"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(cfg.Name, cfg.Encoder.Bits, cfg.Model.Tau, cfg.Train.Epochs)

	err = cfg.CheckClasses(10, 784*3)
	fmt.Println(err)
	fmt.Println("hint:", message.Hint(err))
	// Output:
	// mnist 4 10 20
	// mnist.yaml:4:10: model.width: 8001 chains cannot be split into 10 classes
	// hint: use a multiple of 10, for example 8000
}

func ExampleDefault() {
	cfg := config.Default()
	cfg.Data.Set = "cifar10"
	cfg.Model.Width, cfg.Model.Depth = 128_000, 4
	cfg = cfg.Complete()
	fmt.Println(cfg.Encoder.Bits, cfg.Model.Tau, cfg.Check())
	// Output: 16 100 <nil>
}
