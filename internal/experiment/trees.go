package experiment

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"ialgn/internal/experiment/grid"
	"ialgn/internal/message"
)

// treesFile is the file in an experiment's folder to which lab/tables/trees.py writes its results.
const treesFile = "trees.json"

// treeRow is the result of a classifier of scikit-learn on a data set. Each run has another seed. A classifier whose
// result does not depend on the seed has one run.
type treeRow struct {
	Data       string    `json:"data"`
	Classifier string    `json:"classifier"`
	Weights    string    `json:"class_weight"` // none or balanced
	Classes    []string  `json:"classes"`
	Runs       []treeRun `json:"runs"`
}

// treeRun is one run. scikit-learn computed the metrics.
type treeRun struct {
	Seed             int     `json:"seed"`
	Accuracy         float64 `json:"accuracy"`
	BalancedAccuracy float64 `json:"balanced_accuracy"`
	MacroF1          float64 `json:"f1_macro"`
	Confusion        [][]int `json:"confusion"` // [label][predicted]
}

// readTrees reads the results of scikit-learn. If there is no file, it returns none.
func readTrees(path string) ([]treeRow, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var file struct {
		Rows []treeRow `json:"rows"`
	}
	if err = json.Unmarshal(text, &file); err == nil {
		for _, r := range file.Rows {
			if err = r.check(); err != nil {
				err = fmt.Errorf("%s, %s: %w", r.Data, r.Classifier, err)
				break
			}
		}
	}
	if err != nil {
		return nil, message.WithHint(fmt.Errorf("%s: %w", path, err), "remove it, and run lab/tables/trees.py again")
	}
	return file.Rows, nil
}

// check returns an error if a row has no runs, or no complete confusion matrices.
func (r *treeRow) check() error {
	if len(r.Runs) == 0 {
		return errors.New("has no runs")
	}
	for _, t := range r.tested() {
		if err := t.Check(); err != nil {
			return err
		}
	}
	return nil
}

// tested returns the runs in the form of networks' runs.
func (r *treeRow) tested() (all []*grid.Tested) {
	for _, run := range r.Runs {
		all = append(all, &grid.Tested{Classes: r.Classes, Confusion: run.Confusion})
	}
	return all
}

// name returns the name of the classifier and of its class weights.
func (r *treeRow) name() string {
	if r.Weights == "none" {
		return r.Classifier
	}
	return r.Classifier + ", " + r.Weights
}
