package main

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"ialgn"
	"ialgn/internal/message"
)

func exportCommand() *cli.Command {
	return &cli.Command{
		Name:      "export",
		Usage:     "write a model in the format of another framework",
		ArgsUsage: "MODEL -o FILE --to FORM",
		Description: "Exports the gates after the thermometer encoder; all gates must have two inputs. For QONNX,\n" +
			"BLIF and AIGER, use `compile --emit` instead.",
		UsageText: "ialgn export demo/digits.safetensors -o demo/circuit.json --to torchlogix-json",
		Flags: commonFlags(
			&cli.StringFlag{Name: "o", Usage: "write to `FILE`"},
			&cli.StringFlag{Name: "to", Usage: "write `FORM`: " + message.Or(ialgn.ExportFormats())},
			forceFlag,
		),
		Action: exportModel,
	}
}

func exportModel(c *cli.Context) error {
	args, err := arguments(c, 1)
	if err != nil {
		return err
	}
	if c.String("o") == "" {
		return message.WithHint(errors.New("export: no output file is given"), "name one with -o FILE")
	}
	to, forms := c.String("to"), ialgn.ExportFormats()
	if !slices.Contains(forms, to) {
		err := errors.New("export: no format is given")
		if to != "" {
			err = fmt.Errorf("export: format %.40q is unknown", to)
		}
		return message.Near(message.WithHint(err, "name one with --to: %s; for Verilog, C, BLIF and other "+
			"formats: `ialgn compile %s --emit FORMAT -o FOLDER`", message.Or(forms), args[0]), to, forms)
	}
	m, err := ialgn.Open(args[0])
	if err != nil {
		return err
	}
	defer m.Close()
	e, err := ialgn.Export(c.Context, m, c.String("o"), ialgn.ExportOptions{
		To: to, Force: c.Bool("force"), Keep: inputs(c),
	})
	if err != nil {
		return err
	}
	return show(c, exportReport{e})
}

// exportReport is the report on an exported file.
type exportReport struct{ *ialgn.Exported }

func (r exportReport) text(w io.Writer) {
	fmt.Fprintf(w, "%s: %s, %d input bits, %d nodes\n", r.File, r.Format, r.Inputs, r.Nodes)
}
