package dataset

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"
)

// goldenSplits is testdata/splits.json, which lab/splits/golden.py wrote with scikit-learn.
type goldenSplits struct {
	Share      float64
	Classes    []string
	Counts     [][]int   // rows of each class for each person
	Stratified [][]int   // for each seed, the test rows of each class
	Grouped    []float64 // for each seed, the largest difference between the test share of a class and Share
	Folds      [][]int   // for each of five folds, the rows of each class
	GroupFolds []float64 `json:"group_folds"` // for each seed, the error of five folds of persons
	PlainFolds float64   `json:"plain_group_folds"`
}

// readGolden returns the golden file, and the labels and persons of its rows.
func readGolden(t *testing.T) (g goldenSplits, labels []uint8, persons *Groups) {
	t.Helper()
	text, err := os.ReadFile("testdata/splits.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &g); err != nil {
		t.Fatal(err)
	}
	persons = &Groups{}
	for person, counts := range g.Counts {
		for class, n := range counts {
			for range n {
				labels = append(labels, uint8(class))
				persons.add(string(rune('A' + person)))
			}
		}
	}
	return g, labels, persons
}

// chosenOf returns the numbers of samples and of chosen samples in each class.
func chosenOf(t *testing.T, s Split, labels []uint8) (all, chosen []int) {
	t.Helper()
	in, _, err := s.Choose(labels)
	if err != nil {
		t.Fatal(err)
	}
	all, chosen = make([]int, len(s.Classes)), make([]int, len(s.Classes))
	for i, c := range labels {
		if all[c]++; in[i] {
			chosen[c]++
		}
	}
	return all, chosen
}

// TestStratifiedLikeScikitLearn checks that stratified splits differ from scikit-learn's by at most one sample in
// each class.
func TestStratifiedLikeScikitLearn(t *testing.T) {
	g, labels, _ := readGolden(t)
	for seed, want := range g.Stratified {
		for _, validation := range []bool{false, true} {
			s := Split{Share: g.Share, Seed: uint64(seed), Classes: g.Classes, Validation: validation}
			_, got := chosenOf(t, s, labels)
			for c := range got {
				if d := got[c] - want[c]; d < -1 || d > 1 {
					t.Errorf("seed %d: %d test samples of class %s, scikit-learn has %d", seed, got[c], g.Classes[c], want[c])
				}
			}
		}
	}
}

// TestGroupsCloserThanScikitLearn divides the rows of 36 persons with many seeds. The class shares of every test part
// must be closer to the share than the shares of scikit-learn's GroupShuffleSplit with its best seed, because
// GroupShuffleSplit does not look at classes.
func TestGroupsCloserThanScikitLearn(t *testing.T) {
	g, labels, persons := readGolden(t)
	best, worst := slices.Min(g.Grouped), 0.0
	choices := map[string]bool{}
	for seed := range g.Grouped {
		s := Split{Share: g.Share, Seed: uint64(seed), Classes: g.Classes, Groups: persons}
		all, chosen := chosenOf(t, s, labels)
		for c := range all {
			worst = max(worst, math.Abs(float64(chosen[c])/float64(all[c])-g.Share))
		}
		in, _, _ := s.Choose(labels)
		choices[fmt.Sprint(in)] = true
	}
	if worst > best {
		t.Errorf("largest difference of a class share: %.3f at worst, but scikit-learn has %.3f at best", worst, best)
	}
	if len(choices) < len(g.Grouped)/2 {
		t.Errorf("%d different choices of %d seeds", len(choices), len(g.Grouped))
	}
}
