package model_test

import (
	"bytes"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/model"
	"ialgn/internal/netgen"
)

// TestReadChains reads the chains of a model in runs and joins the runs again. The runs have one chain, a few chains,
// or all chains.
func TestReadChains(t *testing.T) {
	for _, form := range netgen.Forms() {
		m := form.Model()
		var file bytes.Buffer
		if err := m.Write(&file, model.Extra{}); err != nil {
			t.Fatal(err)
		}
		for _, chunk := range []int{1, 5000, 1 << 20} {
			type run struct {
				first int
				s     model.Section
			}
			var got []model.Section
			var runs [][]run
			var alone sync.Mutex
			begin := func(shell *model.Model) error {
				for i := range shell.Sections {
					if len(shell.Sections[i].Ops) > 0 {
						t.Errorf("%s: section %d has arrays before they are read", form.Name, i)
					}
				}
				got, runs = slices.Clone(shell.Sections), make([][]run, len(shell.Sections))
				return nil
			}
			visit := func(section, first, chains int, s *model.Section) error {
				if len(s.Ops) != chains*s.Layers*m.Sections[0].Arity {
					t.Errorf("%s: section %d: %d logits of %d chains", form.Name, section, len(s.Ops), chains)
				}
				own := model.Section{Pins: make([]model.Pin, len(s.Pins))}
				add(&own, s)
				alone.Lock()
				defer alone.Unlock()
				runs[section] = append(runs[section], run{first, own})
				return nil
			}
			if err := model.ReadChainsChunks("m", bytes.NewReader(file.Bytes()), int64(file.Len()), chunk, begin,
				visit); err != nil {
				t.Fatalf("%s: %v", form.Name, err)
			}
			for i := range runs {
				slices.SortFunc(runs[i], func(a, b run) int { return a.first - b.first })
				for _, r := range runs[i] {
					add(&got[i], &r.s)
				}
			}
			if diff := cmp.Diff(m.Sections, got); diff != "" {
				t.Errorf("%s, runs of %d bytes (-written +read):\n%s", form.Name, chunk, diff)
			}
		}
	}
}

// add appends the arrays of a run of chains.
func add(to, s *model.Section) {
	to.Ops = append(to.Ops, s.Ops...)
	for k := range s.Pins {
		to, from := &to.Pins[k], &s.Pins[k]
		to.Logits = append(to.Logits, from.Logits...)
		to.Wires.Narrow = append(to.Wires.Narrow, from.Wires.Narrow...)
	}
}

// TestReadChainsStops checks that an error of the caller ends the reading and is returned.
func TestReadChainsStops(t *testing.T) {
	path := t.TempDir() + "/m.safetensors"
	if _, err := netgen.Model(netgen.ModelOptions{}).Save(path); err != nil {
		t.Fatal(err)
	}
	file, err := model.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	stop, visits := errors.New("stop"), atomic.Int32{}
	for _, begun := range []error{stop, nil} {
		err := file.Chains(
			func(*model.Model) error { return begun },
			func(int, int, int, *model.Section) error { visits.Add(1); return stop })
		if !errors.Is(err, stop) {
			t.Errorf("error %v, want the caller's", err)
		}
	}
	if n := visits.Load(); n != 1 {
		t.Errorf("%d visits, want 1, of the run that was not stopped at its beginning", n)
	}
}
