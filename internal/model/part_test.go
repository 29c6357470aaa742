package model_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/internal/ranks"
	"ialgn/internal/topology"
)

// together calls the function do once for each rank, each time in a separate goroutine. It returns the errors. size
// is the number of ranks.
func together(size int, do func(ranks.Comm) error) []error {
	all, end := ranks.Local(size)
	errs := make([]error, size)
	var done sync.WaitGroup
	for _, c := range all {
		done.Go(func() {
			if errs[c.Rank()] = do(c); errs[c.Rank()] != nil {
				end() // has the same effect as the end of a process, which ends all ranks of a run
			}
		})
	}
	done.Wait()
	return errs
}

// noErrors fails the test if a rank has an error.
func noErrors(t *testing.T, errs []error) {
	t.Helper()
	for rank, err := range errs {
		if err != nil {
			t.Fatalf("rank %d: %v", rank, err)
		}
	}
}

// private reports whether every node reads only nodes of its own chain.
func private(m *model.Model) bool {
	return !slices.ContainsFunc(m.Sections, func(s model.Section) bool {
		return s.Width != m.Width ||
			slices.ContainsFunc(s.Pins, func(p model.Pin) bool { return p.Source == model.Previous })
	})
}

// privateForms returns, by name, a network of each form that several ranks can share. Some networks have few chains
// per class, additional classes, or wide indices.
func privateForms() map[string]*model.Model {
	all := map[string]*model.Model{}
	forms := append(netgen.Forms(),
		netgen.Form{Name: "seven-a-class", Options: netgen.ModelOptions{Width: 35, Classes: 5, Seed: 40}},
		netgen.Form{Name: "five-a-class", Options: netgen.ModelOptions{Width: 55, Classes: 11, Inputs: 4, Seed: 41}},
		netgen.Form{Name: "wide", Options: netgen.ModelOptions{Features: 22_000, Width: 33, Seed: 42}},
	)
	for _, form := range forms {
		if m := form.Model(); private(m) {
			all[form.Name] = m
		}
	}
	return all
}

// partOf copies the chains of one rank from a network, one by one.
func partOf(m *model.Model, s ranks.Share) *model.Model {
	part := *m
	part.Part, part.Width = &s, s.Width()
	part.Sections = nil
	for i := range m.Sections {
		from := &m.Sections[i]
		to := *from
		to.Width, to.Pins = s.Width(), slices.Clone(from.Pins)
		to.Ops = rowsOf(from.Ops, s, from.Layers*from.Arity)
		for k := range to.Pins {
			p := &to.Pins[k]
			p.Wires.Narrow = rowsOf(p.Wires.Narrow, s, from.Layers*p.K)
			p.Wires.Wide = rowsOf(p.Wires.Wide, s, from.Layers*p.K)
			p.Logits = rowsOf(p.Logits, s, from.Layers*p.K)
		}
		part.Sections = append(part.Sections, to)
	}
	return &part
}

// rowsOf copies the rows that belong to a rank's chains. The parameter size is the number of elements in a row.
func rowsOf[T any](all []T, s ranks.Share, size int) (rows []T) {
	if all == nil {
		return nil
	}
	for i := range s.Width() {
		rows = append(rows, all[s.Number(i)*size:][:size]...)
	}
	return rows
}

// TestPartsHaveForms counts the forms of networks that ranks can share. If there were no such form, the tests of
// parts would test nothing.
func TestPartsHaveForms(t *testing.T) {
	wide := false
	for _, m := range privateForms() {
		wide = wide || m.Sections[0].Pins[0].Wires.Wide != nil
	}
	if n := len(privateForms()); n < 12 || !wide {
		t.Errorf("%d forms of private chains, wide indices: %v", n, wide)
	}
}

// TestChainRuns compares the runs of chains with chains that are counted one by one, for all ranges of chains.
func TestChainRuns(t *testing.T) {
	const classes, perClass, at, size = 3, 5, 7, 2
	for _, count := range []int{1, 2, 4, 5} {
		for from := range classes * perClass {
			for to := from; to <= classes*perClass; to++ {
				seen := map[int]int{}
				for rank := range count {
					s := ranks.ShareOf(rank, count, classes, perClass)
					var want, got []int
					for i := range s.Width() {
						if n := s.Number(i); n >= from && n < to {
							want = append(want, at+(n-from)*size, at+(n-from)*size+1)
						}
					}
					runs := model.ChainRuns(s, from, to, at, size)
					for _, r := range runs {
						for element := r.At; element < r.At+r.Length; element++ {
							got = append(got, element)
							seen[element]++
						}
					}
					if !slices.Equal(got, want) || runs == nil || count == 1 && len(runs) > 1 {
						t.Fatalf("rank %d of %d, chains %d to %d: %v, want the elements %v", rank, count, from, to, runs, want)
					}
				}
				if len(seen) != (to-from)*size {
					t.Fatalf("%d ranks, chains %d to %d: %d elements", count, from, to, len(seen))
				}
			}
		}
	}
}

// TestValidateParts checks that the parts of a network are accepted and that other models are refused.
func TestValidateParts(t *testing.T) {
	whole := netgen.Model(netgen.ModelOptions{})
	good := func() *model.Model { return partOf(whole, ranks.ShareOf(1, 3, 3, 10)) }
	if err := good().Validate(); err != nil {
		t.Fatal(err)
	}
	if good().Freeze().Validate() != nil {
		t.Error("the frozen network of a part is not valid")
	}
	for name, harm := range map[string]func(m *model.Model){
		"another width":    func(m *model.Model) { m.Part.To++ },
		"another network":  func(m *model.Model) { m.Part.PerClass++ },
		"no chains":        func(m *model.Model) { m.Part.To = m.Part.From },
		"other classes":    func(m *model.Model) { m.Part.Classes, m.Part.PerClass = 5, 6 },
		"behind the end":   func(m *model.Model) { m.Part.From, m.Part.To = 8, 11 },
		"a whole, in name": func(m *model.Model) { m.Part = nil },
		"a shared section": func(m *model.Model) { m.Sections[1].Pins[0].Source = model.Previous },
		"no numbers":       func(m *model.Model) { m.Sections[0].Ops = m.Sections[0].Ops[1:] },
	} {
		m := good()
		if harm(m); m.Validate() == nil {
			t.Errorf("%s: no error", name)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("Write wrote a part")
		}
	}()
	_ = good().Write(nil, model.Extra{})
}

// TestOnePosition checks that a convolution with a single position cannot be divided. No node reads another node of
// the same layer there, but nodes that positions share are not chains.
func TestOnePosition(t *testing.T) {
	m := netgen.Model(netgen.ModelOptions{
		Topology: topology.Conv, Image: "1,3,3", Padding: "0", Pool: "1", Kernels: "3", Levels: "1", Bits: 3, Seed: 34,
	})
	if err := m.Validate(); err != nil || m.Sections[0].Outputs() != m.Width || len(m.Sections) != 1 {
		t.Fatalf("%d sections, the first of %d of %d nodes, error %v", len(m.Sections), m.Sections[0].Width, m.Width, err)
	}
	m.Part = &ranks.Share{Classes: len(m.Classes), PerClass: m.Width / len(m.Classes), To: m.Width / len(m.Classes)}
	if err := m.Validate(); err == nil || !strings.Contains(err.Error(), "cannot be shared among ranks") {
		t.Errorf("error %v", err)
	}
}

// TestInFile checks that the moments of a rank's chains get the shape of the whole tensor in the file.
func TestInFile(t *testing.T) {
	m := partOf(netgen.Model(netgen.ModelOptions{}), ranks.ShareOf(1, 3, 3, 10))
	got := m.InFile(model.Tensor{Name: "adam.x", Shape: []int{9, 5, 2}, Data: make([]float32, 90)})
	want := model.Tensor{
		Name: "adam.x", Shape: []int{30, 5, 2}, Data: make([]float32, 90), Runs: []model.Run{{30, 30}, {130, 30}, {230, 30}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
