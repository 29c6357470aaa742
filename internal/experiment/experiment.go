// Package experiment holds tables of the paper as data, and runs them.
//
// An [Experiment] is a list of networks with the keys of their configurations and the paper's value for each. A
// [Runner] trains every entry over consecutive seeds, keeps the models in a folder, and writes a [Table] there.
// Models that the folder already has are not trained again, so calling an interrupted run again continues it.
//
//   - The scale paper is the paper's protocol. The scale quick replaces some keys, the same for each entry, and
//     leaves some rows out; the table's caption lists both (see [Experiment.Quick]).
//   - The files of an entry are named after its configuration, not after the experiment, so two experiments in one
//     folder share their runs.
//   - A table depends only on the trained networks, not on times or interruptions.
//
// To add an experiment, write a file with its entries and add its name to the list in [All].
package experiment

import (
	"fmt"
	"slices"
	"strings"

	"ialgn/internal/message"
	"ialgn/trainer"
)

// Experiment is a set of runs for a table or a figure of the paper.
type Experiment struct {
	Name       string
	Summary    string // one line
	PaperSeeds int    // number of seeds for each network in the paper
	Entries    []Entry
	Quick      Reduced
	Set        []string // keys, in the form of an Entry's, that the user sets in each entry
	Notes      []string // sentences for the caption: what the paper leaves open
	Columns    []Column // columns of the table in addition to accuracies
	Series     *Series  // values for a separate file; nil: none
	Picture    *Picture // chart of the results; nil: none
	Operations bool     // also draw how often each operation occurs
	Costs      bool     // compile the networks and count their look-up tables
	Protocol   string   // how the networks are trained, if not as the paper does
}

// Reduced says how the scale quick changes an experiment. Keys that need not change, such as tau, keep the paper's
// values: each change is one more difference from the paper.
type Reduced struct {
	Entries []Entry  // trained instead of the paper's, unless nil
	Keys    []string // KEY=VALUE that replace keys of each entry
	Left    []string // how the entries differ from the paper's: "A instead of B"
}

// Entry is a network that is trained over several seeds: one row of the table.
type Entry struct {
	Network string   // the paper's name of the network
	Files   string   // the Network of another entry whose runs this one shares; "": this entry's Network
	Set     []string // keys of the data set
	Keys    []string // KEY=VALUE of the configuration, after those in Set; of a repeated key, the last counts

	Paper *trainer.Spread   // the paper's test accuracy as a share; nil if the paper has none
	Said  map[string]string // the paper's values for columns, by column name
}

// Scale says how much of the paper's protocol is trained.
type Scale string

// The scales.
const (
	Quick Scale = "quick"
	Paper Scale = "paper"
)

// ParseScale returns the scale with the given name.
func ParseScale(name string) (Scale, error) {
	if s := Scale(name); s == Quick || s == Paper {
		return s, nil
	}
	return "", message.Near(fmt.Errorf("no scale %q: want %s or %s", name, Quick, Paper), name,
		[]string{string(Quick), string(Paper)})
}

// All returns the experiments, in the order in which they are listed.
func All() []Experiment {
	return []Experiment{
		depthScaling, hiddenK, depthUse, initVariants, fixedAnchor, binarisation, gateCount, baselines, frontier, levers,
		related, convolutions,
	}
}

// Find returns the experiment with the given name. The error's hint lists all names.
func Find(name string) (Experiment, error) {
	all := All()
	i := slices.IndexFunc(all, func(e Experiment) bool { return e.Name == name })
	if i < 0 {
		return Experiment{}, message.Near(message.WithHint(fmt.Errorf("there is no experiment %q", name),
			"the experiments are %s",
			strings.Join(names(), ", ")), name, names())
	}
	return all[i], nil
}

// names returns the names of all experiments.
func names() (all []string) {
	for _, e := range All() {
		all = append(all, e.Name)
	}
	return all
}

// List returns a line for each experiment, with its name and its summary.
func List() string {
	var lines []string
	for _, e := range All() {
		lines = append(lines, fmt.Sprintf("  %-14s %s", e.Name, e.Summary))
	}
	return strings.Join(lines, "\n")
}

// At returns the entries of a scale.
func (e *Experiment) At(scale Scale) []Entry {
	if scale == Quick && e.Quick.Entries != nil {
		return e.Quick.Entries
	}
	return e.Entries
}

// onMNIST returns the experiment at the scale quick with MNIST instead of CIFAR-10. The paper's values for CIFAR-10
// are removed. It reports whether any entry was on CIFAR-10.
func (e Experiment) onMNIST() (Experiment, bool) {
	entries, any := slices.Clone(e.At(Quick)), false
	for i := range entries {
		if n := &entries[i]; slices.Equal(n.Set, cifar10) {
			n.Set, n.Paper, n.Said, any = mnist, nil, nil, true
			n.Files = "" // on MNIST the networks with these names have other keys
		}
	}
	e.Quick.Entries = entries
	e.Quick.Left = append(slices.Clone(e.Quick.Left), "MNIST instead of CIFAR-10, which was not found")
	return e, any
}
