package experiment

import (
	"cmp"
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"

	"ialgn/internal/config"
	"ialgn/internal/experiment/grid"
)

// tables measures networks on data sets of kinds that users have: the figures of each class, and the LUTs of the whole
// classifier. This experiment is not from a paper. Each network is a configuration in the folder tables/SET.
var tables = Experiment{
	Name:       "tables",
	Summary:    "figures of each class on real data, LUTs, and trees (ours, not the paper's)",
	PaperSeeds: 5,
	Costs:      true,
	Kept:       "epoch that was best on the validation samples (the last epoch, if there are none)",
	Protocol:   "All settings are the configurations' own, which are in internal/experiment/tables",
	Load:       func() []Entry { return mustLoad(tableSets) },
	Sets:       tableSets,
	Quick:      Reduced{Keys: []string{"train.epochs=3"}},
	Notes:      frontier.Notes,
	Columns:    frontier.Columns,
	Picture: &Picture{
		Label: "LUTs of six inputs", Log: true, Chart: func(r *Row) string { return r.Data },
		Line: func(*Row) string { return "networks" },
		Of:   func(r *Row) float64 { return meanLUTs(r, (*grid.Costs).Full) },
	},
}

// tableSet is a data set of the experiment tables.
type tableSet struct {
	name    string
	classes []string // names of the classes, in order; nil if the data have names
	rare    string   // class with so few samples that figures without it are given, too; "" for none
	split   *split   // how the files of the configurations are made; nil if they are in the data folder
}

// tableSets lists the data sets in the order of the table.
var tableSets = []tableSet{
	{name: "dry-bean", split: &split{file: "real/dry-bean.csv.gz", label: "Class", separator: ';'}},
	{name: "heartbeats", classes: []string{"N", "S", "V", "F", "Q"}, rare: "Q"},
	{name: "wisdm", split: &split{file: "real/wisdm.csv.gz", label: "class", group: "user"}},
	{name: "nsl-kdd"},
	{name: "spoken"},
	{name: "letter", split: &split{file: "tabular/LetterRecognition.csv.gz", label: "lettr"}},
	{name: "satellite", split: &split{file: "tabular/Satellite.csv.gz", label: "classes"}},
	{name: "shuttle", split: &split{file: "tabular/Shuttle.csv.gz", label: "Class"}},
}

//go:embed tables
var tableFiles embed.FS

// mustLoad returns an entry for each configuration of the data sets. The entries of a data set are ordered by the
// length of their names and then by name, so that budgets are in ascending order. A wrong configuration panics, because
// the configurations are part of the program.
func mustLoad(sets []tableSet) (all []Entry) {
	for _, s := range sets {
		folder := "tables/" + s.name
		files, err := tableFiles.ReadDir(folder)
		if err != nil {
			panic(fmt.Sprintf("experiment: %v", err))
		}
		var names []string
		for _, f := range files {
			names = append(names, strings.TrimSuffix(f.Name(), ".yaml"))
		}
		slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
		for _, name := range names {
			file := path.Join(folder, name+".yaml")
			src, err := tableFiles.ReadFile(file)
			if err != nil {
				panic(fmt.Sprintf("experiment: %v", err))
			}
			draft, err := config.ParseDraft(file, src, nil)
			if err != nil {
				panic(fmt.Sprintf("experiment: %v", err))
			}
			all = append(all, Entry{Network: name, Data: s.name, Keys: draft.Written("name")})
		}
	}
	return all
}
