package main

import (
	"slices"

	"ialgn"
	"ialgn/backend"
	"ialgn/internal/config"
	"ialgn/internal/dataset"
	"ialgn/internal/experiment"
	"ialgn/internal/experiment/grid"
	"ialgn/internal/manual"
	"ialgn/internal/message"
	"ialgn/internal/metrics"
	"ialgn/internal/target"
	"ialgn/internal/topology"
	"ialgn/internal/wrapper"
)

// choice lists the values of an option that has a fixed list of values. For other options, the METAVAR determines the
// values ([kinds]).
type choice struct {
	command string // empty means every command with this option
	option  string
	values  func() []string
}

// choices lists the options with a fixed list of values.
var choices = []choice{
	{"", "--set", keys},
	{"", "--engine", fixed(ialgn.Engines()...)},
	{"compile", "--scope", fixed("gates", "core", "full")},
	{"compile", "--lut", fixed("2", "3", "4", "5", "6")},
	{"compile", "--target", target.Names},
	{"compile", "--objective", fixed("area", "depth", "balanced")},
	{"compile", "--pipeline", fixed("none", "auto")},
	{"compile", "--style", fixed("auto", "gates", "lut")},
	{"compile", "--wrap", wrappers},
	{"compile", "--board", wrapper.Boards},
	{"compile", "--fold", fixed("1", "2", "4")},
	{"compile", "--emit", backend.Formats},
	{"compile", "-O", fixed("0", "1", "2")},
	{"verify", "--level", fixed("software", "rtl", "formal", "all")},
	{"verify", "--simulator", fixed("auto", "iverilog", "verilator")},
	{"verify", "--samples", fixed("all")},
	{"synth", "--target", target.DeviceNames},
	{"synth", "--place", fixed("auto", "clock", "wires")},
	{"synth", "--samples", fixed("all")},
	{"sim", "--samples", fixed("all")},
	{"fit", "--target", func() []string { return slices.Concat(target.Names(), target.DeviceNames()) }},
	{"fit", "--wrap", wrappers},
	{"fit", "--metric", metrics.Names},
	{"init", "--order", fixed("time")},
	{"diagnose", "--what", func() (all []string) {
		for _, d := range diagnoses {
			all = append(all, d.name)
		}
		return all
	}},
	{"diagnose", "--topologies", topology.Names},
	{"experiment", "--scale", fixed(experiment.Quick, experiment.Paper)},
	{"experiment", "--emit", fixed(grid.Slurm, grid.Kubernetes)},
	{"sweep", "--grid", keys},
	{"sweep", "--target", target.Names},
	{"sweep", "--emit", fixed(grid.Slurm, grid.Kubernetes)},
}

// listed returns the values of an option as the help text shows them.
func listed(command, option string) string {
	for _, c := range choices {
		if c.command == command && c.option == option {
			return message.Or(c.values())
		}
	}
	panic("no list of values for " + option)
}

// argument lists the values for a word in the usage line of a command. It is needed only if these values do not apply
// to other commands.
type argument struct {
	command, word string
	values        func() []string
}

// ownArguments lists the arguments whose values apply only to one command.
var ownArguments = []argument{
	{"data", "NAME", dataSets},
	{"help", "TOPIC", topicNames},
	{"fit", "DATA", dataSets},
	{"experiment", "NAME", func() (all []string) {
		for _, e := range experiment.All() {
			all = append(all, e.Name)
		}
		return all
	}},
}

// kinds maps each METAVAR, the word for a value in the help text, to the files that it allows.
var kinds = map[string]manual.Values{
	"DIR":          {Folders: true},
	"DIR_OR_MODEL": {Folders: true, Files: models},
	"MODEL":        {Files: models},
	"CONFIG.yaml":  {Files: configs},
	"CONFIG":       {Files: configs},
	"DATA":         {Files: []string{"csv", "tsv", "npy", "npz"}},
	"FILE":         {AnyFile: true},
	"RUN":          {AnyFile: true},
}

// File name extensions.
var (
	models  = []string{"safetensors"}
	configs = []string{"yaml", "yml"}
)

// fixed returns a function that always returns the same values.
func fixed[T ~string](values ...T) func() []string {
	return func() []string {
		all := make([]string, len(values))
		for i, v := range values {
			all[i] = string(v)
		}
		return all
	}
}

// keys returns the keys of the configuration, each followed by =.
func keys() []string { return ending(config.Keys(), "=") }

func wrappers() []string { return append([]string{"none"}, wrapper.Kinds()...) }

func dataSets() (all []string) {
	for _, s := range dataset.List() {
		if !dataset.Own(s.Name) { // the user names the files of these sets instead of the set
			all = append(all, s.Name)
		}
	}
	return all
}

// ending appends a suffix to each word.
func ending(words []string, with string) []string {
	all := slices.Clone(words)
	for i := range all {
		all[i] += with
	}
	return all
}
