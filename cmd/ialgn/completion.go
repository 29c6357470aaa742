package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"ialgn/internal/manual"
	"ialgn/internal/message"
)

func completionCommand() *cli.Command {
	return &cli.Command{
		Name:      "completion",
		Hidden:    true,
		Usage:     "print completion of commands, options, values and files for a shell",
		ArgsUsage: strings.Join(manual.Shells, " | "),
		UsageText: "ialgn completion bash",
		Description: "For this session:   source <(ialgn completion bash)        (zsh the same)\n" +
			"                    ialgn completion fish | source\n" +
			"For all to come:    ialgn completion bash > ~/.local/share/bash-completion/completions/ialgn\n" +
			"                    ialgn completion zsh > a file _ialgn in a folder of $fpath\n" +
			"                    ialgn completion fish > ~/.config/fish/completions/ialgn.fish",
		Flags:  commonFlags(),
		Action: completion,
	}
}

func completion(c *cli.Context) error {
	args, err := arguments(c, 1)
	if err != nil {
		return err
	}
	if shell := args[0]; !slices.Contains(manual.Shells, shell) {
		return message.NoSuch("shell", shell, manual.Shells)
	}
	var script strings.Builder
	if err := manual.Completion(&script, args[0], program(c.App)); err != nil {
		return err
	}
	return show(c, completionReport{args[0], script.String()})
}

type completionReport struct {
	Shell  string `json:"shell"`
	Script string `json:"script"`
}

func (r completionReport) text(w io.Writer) { fmt.Fprint(w, r.Script) }
