package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"ialgn"
	"ialgn/internal/message"
)

func importCommand() *cli.Command {
	return &cli.Command{
		Name:      "import",
		Usage:     "convert a network that another framework trained into a model",
		ArgsUsage: "FILE -o MODEL",
		Description: "FILE is a checkpoint of difflogic, torchlogix or DWN (a whole module or a state dict written\n" +
			"by torch.save), a Circuit JSON file of torchlogix, QONNX, or a circuit in BLIF or AIGER. No\n" +
			"code in the file is run. If the file lacks a fact, such as tau, import asks for it by name\n" +
			"and never guesses.",
		UsageText: "ialgn import demo/circuit.json -o demo/circuit.safetensors",
		Flags: commonFlags(
			&cli.StringFlag{Name: "o", Usage: "write the model to `MODEL`"},
			&cli.StringFlag{Name: "from", Usage: "read `FORMAT`: " + message.Or(ialgn.ImportFormats())},
			&cli.StringFlag{Name: "facts", Usage: "read facts that FILE lacks from `FACTS`, a JSON or YAML file"},
			&cli.StringSliceFlag{Name: "fact", Usage: "add a fact: `KEY=VALUE`, such as group_sum.tau=5, repeatable"},
			&cli.StringFlag{Name: "wiring", Usage: "read the wires from `FILE`: C or Verilog by difflogic, or JSON"},
			&cli.StringFlag{Name: "thresholds", Usage: "read the thresholds from a NumPy array, `FILE`.npy"},
			&cli.StringFlag{Name: "classes", Usage: "name the classes: `LIST` separated by commas"},
			&cli.StringSliceFlag{Name: "set", Usage: "add a data set for tests: `KEY=VALUE`, such as data.set=csv, repeatable"},
			dataFlag,
			&cli.StringFlag{Name: "name", Usage: "name the model `NAME` (default: the name of FILE)"},
			forceFlag,
		),
		Action: importNetwork,
	}
}

func importNetwork(c *cli.Context) error {
	args, err := arguments(c, 1)
	if err != nil {
		return err
	}
	if c.String("o") == "" {
		return message.WithHint(errors.New("import: no model file is given"), "name one with -o MODEL")
	}
	o := ialgn.ImportOptions{
		From: c.String("from"), Facts: c.String("facts"), Fact: c.StringSlice("fact"), Wiring: c.String("wiring"),
		Thresholds: c.String("thresholds"), Name: c.String("name"), Force: c.Bool("force"), Keep: inputs(c),
		Set: c.StringSlice("set"), Folders: dataOf(c).Folders,
	}
	if names := c.String("classes"); names != "" {
		for _, name := range strings.Split(names, ",") {
			o.Classes = append(o.Classes, strings.TrimSpace(name))
		}
	}
	i, err := ialgn.Import(c.Context, args[0], o)
	if err != nil {
		return err
	}
	if err := i.Save(c.String("o")); err != nil {
		return err
	}
	return show(c, importReport{i})
}

// importReport is the report on an imported network. It fits on one screen.
type importReport struct{ *ialgn.Imported }

func (r importReport) text(w io.Writer) {
	fmt.Fprintf(w, "%s: %s, %d features, %d input bits, %d classes\n", r.Model, r.Format, r.Features, r.Inputs,
		len(r.Classes))
	for _, f := range r.Findings {
		fmt.Fprintf(w, "  %-14s %s (%s)\n", f.What, f.Is, f.From)
	}
	nodes := 0
	for _, n := range r.Layers {
		nodes += n
	}
	fmt.Fprintf(w, "  %-14s %d in %s of %s\n", "nodes", nodes, message.Plural(len(r.Layers), "layer", "layers"),
		pinsText(r.Pins))
	fmt.Fprintf(w, "  %-14s (count + %v) / %v\n", "scores", r.Beta, r.Tau)
	if r.DataSet != "" {
		fmt.Fprintf(w, "  %-14s %s, %s\n", "test part", r.DataSet, message.Plural(r.Samples, "sample", "samples"))
	}
	if len(r.Unused) > 0 {
		fmt.Fprintf(w, "unused facts: %s\n", strings.Join(r.Unused, ", "))
	}
	if !r.Trainable {
		fmt.Fprintf(w, "the model cannot be trained further: %s\n", r.Reason)
	}
}

// pinsText describes how many pins the nodes in the layers have.
func pinsText(pins []int) string {
	least, most := pins[0], pins[0]
	for _, n := range pins {
		least, most = min(least, n), max(most, n)
	}
	if least == most {
		return message.Plural(most, "pin", "pins")
	}
	return fmt.Sprintf("%d to %d pins", least, most)
}
