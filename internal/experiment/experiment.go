// Package experiment holds tables of the paper as data, and trains the networks in these tables.
//
// An [Experiment] is a list of networks with the keys of their configurations and the paper's value for each. A
// [Runner] trains every entry with consecutive seeds, keeps the models in a folder, and writes a [Table] into this
// folder. Models that the folder already has are not trained again, so an interrupted run continues when it is called
// again.
//
//   - There are two scales. The scale "paper" is the paper's protocol. The scale "quick" replaces some keys of all
//     entries and leaves some rows out. The table's caption lists both changes (see [Experiment.Quick]).
//   - The files of an entry are named after its configuration, not after the experiment. Therefore two experiments in
//     one folder share their runs.
//   - A table depends only on the trained networks, not on times or interruptions.
//
// To add an experiment, write a file with its entries and add its name to the list in listed.
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
	Summary    string // one line of text
	PaperSeeds int    // number of seeds for each network in the paper
	Entries    []Entry
	Quick      Reduced
	Set        []string // keys that the user sets in every entry, written like the keys of an Entry
	Notes      []string // sentences for the caption about details that the paper does not state
	Columns    []Column // columns of the table in addition to accuracies
	Series     *Series  // values for a separate file, or nil
	Picture    *Picture // chart of the results, or nil
	Operations bool     // whether to also draw how often each operation occurs
	Costs      bool     // whether to compile the networks and count their look-up tables
	Protocol   string   // description of how the networks are trained, or "" for the paper's protocol
	Kept       string   // which epoch a model is from, for the caption; "" for the last epoch

	// Load returns the entries, if they are in files. [All] and [Find] call it.
	Load func() []Entry
	// Sets lists the data sets for whose test samples the table has metrics, for each class. It is nil if the table has
	// only the accuracy.
	Sets []tableSet
}

// Reduced says how the scale quick changes an experiment. Keys such as tau keep the paper's values unless they must
// change, because each change is another difference from the paper.
type Reduced struct {
	Entries []Entry  // entries to train instead of the paper's, or nil to train the paper's entries
	Keys    []string // KEY=VALUE pairs that replace keys of each entry
	Left    []string // descriptions of how the entries differ from the paper's, such as "A instead of B"
}

// Entry is a network that is trained over several seeds: one row of the table.
type Entry struct {
	Network string   // the paper's name of the network
	Files   string   // Network of another entry that has the same runs; "" if no other entry has them
	Data    string   // name of the data in tables and in names of files; "": a name that follows from the keys
	Set     []string // keys of the data set
	Keys    []string // KEY=VALUE of the configuration, appended to Set; if a key occurs twice, its last value is used

	Paper *trainer.Spread   // the paper's test accuracy as a share; nil if the paper has none
	Said  map[string]string // maps names of columns to the paper's values
}

// Scale says whether the paper's full protocol or a reduced form is trained.
type Scale string

// These are the scales.
const (
	Quick Scale = "quick"
	Paper Scale = "paper"
)

// quickSeeds is the usual number of seeds of the scale quick.
const quickSeeds = 3

// UsualSeeds returns the number of seeds for each network, if the user does not choose one. At the scale paper, it is
// the paper's number.
func (e *Experiment) UsualSeeds(scale Scale) int {
	if scale == Paper {
		return e.PaperSeeds
	}
	return quickSeeds
}

// ParseScale returns the scale with the given name.
func ParseScale(name string) (Scale, error) {
	if s := Scale(name); s == Quick || s == Paper {
		return s, nil
	}
	return "", message.Near(fmt.Errorf("no scale %q: want %s or %s", name, Quick, Paper), name,
		[]string{string(Quick), string(Paper)})
}

// All returns all experiments in the order of listings.
func All() []Experiment {
	all := listed()
	for i := range all {
		all[i] = all[i].loaded()
	}
	return all
}

// listed returns all experiments. Entries that are in files are missing, because every command lists the experiments
// and should not read these files.
func listed() []Experiment {
	return []Experiment{
		depthScaling, hiddenK, depthUse, initVariants, fixedAnchor, binarisation, gateCount, baselines,
		rwlgnVariants, frontier, levers, related, convolutions, tables,
	}
}

// loaded returns the experiment with its entries.
func (e Experiment) loaded() Experiment {
	if e.Load != nil {
		e.Entries = e.Load()
	}
	return e
}

// Find returns the experiment with the given name. The error's hint lists all names.
func Find(name string) (Experiment, error) {
	all := listed()
	i := slices.IndexFunc(all, func(e Experiment) bool { return e.Name == name })
	if i < 0 {
		return Experiment{}, message.Near(message.WithHint(fmt.Errorf("there is no experiment %q", name),
			"the experiments are %s",
			strings.Join(names(), ", ")), name, names())
	}
	return all[i].loaded(), nil
}

// names returns the names of all experiments.
func names() (all []string) {
	for _, e := range listed() {
		all = append(all, e.Name)
	}
	return all
}

// List returns one line for each experiment, with its name and its summary.
func List() string {
	var lines []string
	for _, e := range listed() {
		lines = append(lines, fmt.Sprintf("  %-14s %s", e.Name, e.Summary))
	}
	return strings.Join(lines, "\n")
}

// At returns the entries that are trained at a scale.
func (e *Experiment) At(scale Scale) []Entry {
	if scale == Quick && e.Quick.Entries != nil {
		return e.Quick.Entries
	}
	return e.Entries
}

// onMNIST returns a copy of the experiment for the scale quick, with MNIST instead of CIFAR-10. The paper's values
// for CIFAR-10 are removed. onMNIST also reports whether any entry was on CIFAR-10.
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
