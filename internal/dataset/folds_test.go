package dataset

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"ialgn/internal/config"
)

// foldsOf returns the fold of each sample, from 0, by choosing each fold in turn. It fails if a sample is in no fold or
// in two folds, or if a fold is empty.
func foldsOf(t *testing.T, s Split, labels []uint8) []int {
	t.Helper()
	of := slices.Repeat([]int{-1}, len(labels))
	for f := range s.Folds {
		s.Fold = f + 1
		chosen, n, err := s.Choose(labels)
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		for i, in := range chosen {
			switch {
			case !in:
			case of[i] >= 0:
				t.Fatalf("sample %d is in the folds %d and %d", i, of[i]+1, s.Fold)
			default:
				of[i] = f
				count++
			}
		}
		if n == 0 || n != count {
			t.Fatalf("fold %d has %d samples, and Choose says %d", s.Fold, count, n)
		}
	}
	if i := slices.Index(of, -1); i >= 0 {
		t.Fatalf("sample %d is in no fold", i)
	}
	return of
}

// inFolds returns the number of samples of each class in each fold.
func inFolds(s Split, labels []uint8, of []int) [][]int {
	in := make([][]int, s.Folds)
	for f := range in {
		in[f] = make([]int, len(s.Classes))
	}
	for i, f := range of {
		in[f][labels[i]]++
	}
	return in
}

// missOf returns the error of folds. It counts all samples.
func missOf(s Split, labels []uint8, of []int) (sum float64) {
	in, totals := make([]int, s.Folds*len(s.Classes)), make([]int, len(s.Classes))
	for i, l := range labels {
		if totals[l]++; of[i] >= 0 {
			in[of[i]*len(s.Classes)+int(l)]++
		}
	}
	for i, n := range in {
		if total := totals[i%len(s.Classes)]; total > 0 {
			d := float64(n)/float64(total) - 1/float64(s.Folds)
			sum += d * d
		}
	}
	return sum
}

// TestClassFoldsLikeScikitLearn checks that each fold has as many samples of each class as scikit-learn's
// StratifiedKFold.
func TestClassFoldsLikeScikitLearn(t *testing.T) {
	g, labels, _ := readGolden(t)
	for seed := range g.Grouped {
		s := Split{Folds: len(g.Folds), Seed: uint64(seed), Classes: g.Classes}
		if diff := gocmp.Diff(g.Folds, inFolds(s, labels, foldsOf(t, s, labels))); diff != "" {
			t.Fatalf("seed %d (-scikit-learn +got):\n%s", seed, diff)
		}
	}
}

// TestGroupFoldsCloserThanScikitLearn divides the rows of 36 persons. With every seed, the shares of the classes must be
// more even than the shares of scikit-learn's StratifiedGroupKFold with its best seed, and of GroupKFold.
func TestGroupFoldsCloserThanScikitLearn(t *testing.T) {
	g, labels, persons := readGolden(t)
	best, worst := min(slices.Min(g.GroupFolds), g.PlainFolds), 0.0
	for seed := range g.GroupFolds {
		s := Split{Folds: len(g.Folds), Seed: uint64(seed), Classes: g.Classes, Groups: persons}
		worst = max(worst, missOf(s, labels, foldsOf(t, s, labels)))
	}
	if worst > best {
		t.Errorf("error %.4f at worst, but scikit-learn has %.4f at best", worst, best)
	}
}

// TestClassFolds divides random tables. The numbers of samples of two folds may differ by one, and so may the numbers
// of samples of a class. The numbers must be those of a deal of the sorted labels.
func TestClassFolds(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	different := false
	for range 200 {
		labels, _ := grouping(r)
		s := Split{Folds: 2 + r.IntN(min(9, len(labels)-1)), Seed: r.Uint64(), Classes: make([]string, 4)}
		of := foldsOf(t, s, labels)
		want := make([][]int, s.Folds)
		for f := range want {
			want[f] = make([]int, 4)
		}
		for i, l := range slices.Sorted(slices.Values(labels)) {
			want[i%s.Folds][l]++
		}
		in := inFolds(s, labels, of)
		if diff := gocmp.Diff(want, in); diff != "" {
			t.Fatalf("%d folds of %v (-want +got):\n%s", s.Folds, labels, diff)
		}
		for c := range 4 {
			numbers := make([]int, 0, s.Folds)
			for f := range in {
				numbers = append(numbers, in[f][c])
			}
			if slices.Max(numbers) > slices.Min(numbers)+1 {
				t.Fatalf("class %d: %v samples in the folds", c, numbers)
			}
		}
		s.Seed++
		different = different || !slices.Equal(of, foldsOf(t, s, labels))
	}
	if !different {
		t.Error("another seed never gives other folds")
	}
}

// slowGroupFolds is [Split.groupFolds] as its comment says. It counts all samples again for each group that might get
// into a fold.
func slowGroupFolds(s Split, labels []uint8) []int {
	groups := len(s.Groups.Names)
	totals, weights := make([]float64, len(s.Classes)), make([]float64, groups)
	for _, l := range labels {
		totals[l]++
	}
	for g := range weights {
		var classes []uint8
		counts := map[uint8]float64{}
		for i, l := range labels {
			if int(s.Groups.Of[i]) == g {
				if counts[l]++; counts[l] == 1 {
					classes = append(classes, l)
				}
			}
		}
		for _, c := range classes {
			weights[g] += counts[c] / totals[c] * (counts[c] / totals[c])
		}
	}
	var of, best []int
	samples := func(f int) (n int) {
		for _, g := range s.Groups.Of {
			if of[g] == f {
				n++
			}
		}
		return n
	}
	miss := func() float64 {
		each := make([]int, len(labels))
		for i, g := range s.Groups.Of {
			each[i] = of[g]
		}
		return missOf(s, labels, each)
	}
	bestFold := func(g int) (at int) {
		least := math.Inf(1)
		sizes := make([]int, s.Folds)
		of[g] = -1
		for f := range s.Folds {
			sizes[f] = samples(f)
		}
		for f := range s.Folds {
			of[g] = f
			if m := miss(); m < least-leastGain || m < least+leastGain && sizes[f] < sizes[at] {
				at, least = f, m
			}
		}
		return at
	}
	order, src, least := make([]int, groups), rand.NewPCG(s.Seed, foldStream), math.Inf(1)
	for g := range order {
		order[g] = g
	}
	for range attempts {
		shuffle(src, order)
		of = slices.Repeat([]int{-1}, groups)
		sorted := slices.Clone(order)
		slices.SortStableFunc(sorted, func(g, h int) int { return cmp.Compare(weights[h], weights[g]) })
		for _, g := range sorted {
			of[g] = bestFold(g)
		}
		for moved := true; moved; {
			moved = false
			for _, g := range sorted {
				from, before := of[g], miss()
				to := bestFold(g)
				if of[g] = to; miss() >= before-leastGain {
					of[g] = from
				} else {
					moved = true
				}
			}
		}
		if m := miss(); m < least-leastGain {
			best, least = slices.Clone(of), m
		}
	}
	return best
}

// TestGroupFolds compares the folds of groups with the folds of the slow function. No group may be in two folds.
func TestGroupFolds(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for n := range 20 {
		labels, groups := grouping(r)
		s := Split{
			Folds: 2 + r.IntN(min(6, len(groups.Names)-1)), Seed: r.Uint64(), Classes: make([]string, 4), Groups: groups,
		}
		of, want := foldsOf(t, s, labels), slowGroupFolds(s, labels)
		for i, f := range of {
			if g := groups.Of[i]; f != want[g] {
				t.Fatalf("%d: sample %d of group %d is in fold %d of %d, want %d", n, i, g, f, s.Folds, want[g])
			}
		}
	}
}

// TestFoldStream compares folds with recorded folds. The folds of a data set must never change.
func TestFoldStream(t *testing.T) {
	labels, groups := make([]uint8, 40), &Groups{}
	for i := range labels {
		labels[i] = uint8(i & 1)
		groups.add(fmt.Sprint(i / 3))
	}
	text := func(s Split) string {
		var b strings.Builder
		for _, f := range foldsOf(t, s, labels) {
			fmt.Fprint(&b, f)
		}
		return b.String()
	}
	want := []string{"0201222311220230133113012333303201102010", "2221113330000002222220000003331111113332"}
	s := Split{Folds: 4, Seed: 1, Classes: make([]string, 2)}
	got := []string{text(s)}
	s.Groups = groups
	if diff := gocmp.Diff(want, append(got, text(s))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFoldsRefused(t *testing.T) {
	groups := &Groups{}
	for i := range 6 {
		groups.add(fmt.Sprint(i / 3))
	}
	s := Split{Folds: 3, Fold: 1, Classes: make([]string, 2), Groups: groups}
	_, _, err := s.Choose(make([]uint8, 6))
	wantError(t, err, "data.folds: 2 groups cannot be divided into 3 folds", "data.group")
	s.Groups, s.Folds = nil, 7
	_, _, err = s.Choose(make([]uint8, 6))
	wantError(t, err, "data.folds: 6 samples cannot be divided into 7 folds")
}

// TestSetsInFolds opens all folds of a table, of arrays and of samples in memory. Each sample must be a test sample of
// one fold and a training sample of all other folds. The folds of a table that is already open must be the folds of a
// table that is opened again, even if the open table had another test part.
func TestSetsInFolds(t *testing.T) {
	const folds = 3
	values := slices.Concat(slices.Repeat([]byte{0, 255}, 10), []byte{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2})
	var text strings.Builder
	var features [][]float64
	var labels []int
	var classes []byte
	want := map[uint16]int{}
	for i, v := range values {
		fmt.Fprintf(&text, "%d,%c\n", v, 'a'+i/2%2)
		features, labels = append(features, []float64{float64(v)}), append(labels, i/2%2)
		classes = append(classes, byte(i/2%2))
		want[uint16(v)]++
	}
	n := uint32(len(values))
	dir := writeFiles(t, map[string][]byte{
		"a.csv": []byte(text.String()), "other.csv": []byte("7,a\n"),
		"x.idx": idxBytes(values, n, 1), "y.idx": idxBytes(classes, n),
	})
	enc := config.Encoder{BitsIn: 8, Ranges: "full"}
	table := config.Data{Set: "csv", Dir: dir, Train: "a.csv", Header: "no"}
	with := table
	with.Test = "other.csv"
	opened, err := OpenWith(t.Context(), with, enc, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, cfg := range []config.Data{
		table,
		{Set: "arrays", Dir: dir, Train: "x.idx", TrainLabels: "y.idx"},
		{Set: "memory", Memory: &config.Samples{Features: features, Labels: labels}},
	} {
		tested, trained := map[uint16]int{}, map[uint16]int{}
		for fold := range folds {
			cfg.Folds, cfg.Fold, cfg.SplitSeed = folds, fold+1, 9
			set, err := opened.With(t.Context(), cfg, enc, nil)
			if err != nil {
				t.Fatal(err)
			}
			if cfg.Set == "csv" && set.files.decodedFiles != opened.files.decodedFiles {
				t.Error("the table was read again")
			}
			again, err := OpenWith(t.Context(), cfg, enc, nil)
			if err != nil {
				t.Fatal(err)
			}
			for part, counts := range map[Part]map[uint16]int{Train: trained, Test: tested} {
				for _, sample := range mustCollect(t, set, part) {
					counts[sample.Values[0]]++
				}
				mustCollect(t, again, part)
				if set.Digest(part) != again.Digest(part) {
					t.Errorf("%s: the %s part of fold %d depends on what was opened before", cfg.Set, part, fold+1)
				}
			}
		}
		for v := range trained {
			trained[v] /= folds - 1
		}
		if diff := gocmp.Diff([]map[uint16]int{want, want}, []map[uint16]int{tested, trained}); diff != "" {
			t.Errorf("%s: number of samples with each value in test parts and training parts (-want +got):\n%s", cfg.Set, diff)
		}
	}
}
