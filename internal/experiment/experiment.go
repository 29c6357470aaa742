// Package experiment holds tables of the paper as data, and runs them.
//
// An [Experiment] is a grid: a list of networks with the keys of their configurations
// and the paper's value for each. A [Runner] trains every entry over consecutive seeds,
// keeps the models in a folder, and writes a [Table] there; what the folder has already
// is not trained again, so that a run that was interrupted goes on by the same call.
//
//   - The scale paper is the paper's protocol. The scale quick replaces some keys, the
//     same of each entry, and leaves some rows out; the table's caption lists both:
//     [Experiment.Quick].
//   - The files of an entry are named after its configuration alone, not after the
//     experiment, so that two experiments in one folder share their runs.
//   - A table depends on the trained networks alone, not on times or interruptions.
//
// An experiment more is a file with its grid, and its name in the list of [All].
package experiment

import (
	"fmt"
	"slices"
	"strings"

	"ialgn/internal/message"
	"ialgn/trainer"
)

// Experiment is a grid of runs, for a table or a figure of the paper.
type Experiment struct {
	Name       string
	Summary    string // one line
	PaperSeeds int    // how often the paper trains each network
	Entries    []Entry
	Quick      Reduced
	Set        []string // keys, as of an Entry, that a user replaces in each
	Notes      []string // sentences for the caption: what the paper leaves open
	Columns    []Column // columns of the table besides accuracies
	Series     *Series  // values for a file of their own; nil: none
	Picture    *Picture // chart of the results; nil: none
	Operations bool     // draw how often each operation occurs, too
	Costs      bool     // compile the networks and count their look-up tables
	Protocol   string   // how the networks are trained, if not as the paper does
}

// Reduced is what the scale quick makes of an experiment.
type Reduced struct {
	Entries []Entry  // trained in place of the paper's, unless nil
	Keys    []string // KEY=VALUE that replace keys of each entry
	Left    []string // how the entries differ from the paper's: "A instead of B"
}

// Entry is a network that is trained over several seeds, one row of the table.
type Entry struct {
	Network string   // the paper's name of the network
	Files   string   // the Network of another entry whose runs this one shares; "": this entry's Network
	Set     []string // keys of the data set
	Keys    []string // KEY=VALUE of the configuration, after those of Set; of one that is given twice the later holds

	Paper *trainer.Spread   // the paper's test accuracy as a share; nil if it has none
	Said  map[string]string // what the paper says for columns, by their names
}

// Scale says how much of the paper's protocol is trained.
type Scale string

// The scales.
const (
	Quick Scale = "quick"
	Paper Scale = "paper"
)

// ParseScale returns the scale of that name.
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

// Find returns the experiment of that name. The error's hint names all.
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

// List returns a line for each experiment, with its name and what it is.
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

// onMNIST returns the experiment at the scale quick with MNIST in the place of CIFAR-10, and
// without the paper's values, which are of that. It reports whether there was any.
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
