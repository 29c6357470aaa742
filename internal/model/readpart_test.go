package model_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/internal/ranks"
)

// TestLoadPart reads files with several numbers of ranks. This number may differ from the number of ranks that wrote
// the file.
func TestLoadPart(t *testing.T) {
	for name, m := range privateForms() {
		from, to := window(m)
		path := filepath.Join(t.TempDir(), "m")
		if err := os.WriteFile(path, fileOf(t, m, state(m, nil, from, to, numbers)), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, size := range []int{1, 2, 3, 5} {
			noErrors(t, together(size, func(c ranks.Comm) error {
				s := shareOf(m, c)
				want := partOf(m, s)
				var got model.Extra
				part, err := model.LoadCheckpointPart(path, c, func(info *model.Info) ([]model.Tensor, error) {
					if info.Checkpoint["checkpoint.position"] != "7" || info.Model.Width != s.Width() {
						t.Errorf("%s: %d of %d ranks get %+v, width %d", name, c.Rank(), size, info.Checkpoint, info.Model.Width)
					}
					got = state(info.Model, &s, from, to, func(int, int, []float32) {})
					return got.Tensors, nil
				})
				if err != nil {
					return err
				}
				if diff := diff(want, part); diff != "" {
					t.Errorf("%s: rank %d of %d (-want +got):\n%s", name, c.Rank(), size, diff)
				}
				wanted := state(want, &s, from, to, numbers)
				wanted.Tensors[len(wanted.Tensors)-1].Data = []int64{1, -2, 3, math.MaxInt64}
				if diff := diff(wanted.Tensors, got.Tensors); diff != "" {
					t.Errorf("%s: rank %d of %d: state (-want +got):\n%s", name, c.Rank(), size, diff)
				}
				again, err := model.LoadCheckpointPart(path, c, nil)
				if diff := diff(want, again); diff != "" {
					t.Errorf("%s: rank %d of %d, as a model (-want +got):\n%s", name, c.Rank(), size, diff)
				}
				return err
			}))
		}
	}
}

// diff returns the result of [cmp.Diff], but is fast for equal values.
func diff(want, got any) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return cmp.Diff(want, got)
}

// TestLoadPartOfFile is [TestLoadPart] for an open file. It also tests a single process.
func TestLoadPartOfFile(t *testing.T) {
	m, path := netgen.Model(netgen.ModelOptions{}), filepath.Join(t.TempDir(), "m")
	if _, err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	noErrors(t, together(4, func(c ranks.Comm) error {
		f, err := model.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		part, err := f.LoadPart(c)
		if diff := cmp.Diff(partOf(m, shareOf(m, c)), part); diff != "" {
			t.Errorf("rank %d (-want +got):\n%s", c.Rank(), diff)
		}
		return err
	}))
	whole, err := model.LoadCheckpointPart(path, nil, nil)
	if diff := cmp.Diff(m, whole); diff != "" || err != nil {
		t.Errorf("error %v, without ranks (-want +got):\n%s", err, diff)
	}
}

// TestReloadPart checks that ReloadPart replaces the parameters of each rank's chains in place.
func TestReloadPart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m")
	other := netgen.Model(netgen.ModelOptions{Seed: 5})
	if _, err := other.Save(path); err != nil {
		t.Fatal(err)
	}
	noErrors(t, together(3, func(c ranks.Comm) error {
		m := partOf(netgen.Model(netgen.ModelOptions{Seed: 6}), shareOf(other, c))
		ops := &m.Sections[0].Ops[0]
		if err := m.ReloadPart(path, c); err != nil {
			return err
		}
		if diff := cmp.Diff(partOf(other, *m.Part).Sections, m.Sections); diff != "" || ops != &m.Sections[0].Ops[0] {
			t.Errorf("rank %d: new arrays, or sections (-want +got):\n%s", c.Rank(), diff)
		}
		return nil
	}))
}

// TestLoadPartErrors checks that all ranks get an error if one rank refuses the file.
func TestLoadPartErrors(t *testing.T) {
	good := fileOf(t, netgen.Model(netgen.ModelOptions{}), moments(40))
	flipped := func(at int) []byte {
		b := bytes.Clone(good)
		b[at] ^= 4
		return b
	}
	for name, test := range map[string]struct {
		file []byte
		want string
	}{
		"the first piece":      {flipped(len(good) * 3 / 10), ": checksum "},
		"the last byte":        {flipped(len(good) - 1), ": checksum "},
		"the header":           {flipped(bytes.Index(good, []byte("digits"))), ": checksum "},
		"torn":                 {good[:len(good)-300], "the file is damaged"},
		"half of it":           {good[:len(good)/2], "the file is damaged"},
		"nothing":              {nil, "0 bytes are too few for a model file"},
		"not private":          {fileOf(t, netgen.Model(netgen.ModelOptions{Hidden: 4}), model.Extra{}), "train it as one process"},
		"layers of all widths": {fileOf(t, netgen.Model(netgen.ModelOptions{Topology: "layered", Widths: "40,30"}), moments(1)), "of other chains"},
		"few chains":           {fileOf(t, netgen.Model(netgen.ModelOptions{Width: 6}), model.Extra{}), "3 ranks for 2 chains per class"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "m")
			if err := os.WriteFile(path, test.file, 0o666); err != nil {
				t.Fatal(err)
			}
			for rank, err := range together(3, func(c ranks.Comm) error {
				_, err := model.LoadCheckpointPart(path, c, nil)
				return err
			}) {
				if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), path) {
					t.Errorf("rank %d: error %v, want %q", rank, err, test.want)
				}
			}
		})
	}
}

// TestLoadPartsOfTwoFiles opens a different file on one rank than on the others.
func TestLoadPartsOfTwoFiles(t *testing.T) {
	folder := t.TempDir()
	for i, seed := range []uint64{1, 2, 1} {
		m := netgen.Model(netgen.ModelOptions{Seed: seed})
		if _, err := m.Save(filepath.Join(folder, fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	for name, test := range map[string]struct{ file, want string }{
		"another": {"1", "rank 1 reads another file than rank 0"}, "none": {"none", "rank 1: "},
	} {
		for rank, err := range together(3, func(c ranks.Comm) error {
			file := "0"
			if c.Rank() == 1 {
				file = test.file
			}
			_, err := model.LoadCheckpointPart(filepath.Join(folder, file), c, nil)
			return err
		}) {
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: rank %d: error %v, want %q", name, rank, err, test.want)
			}
		}
	}
	noErrors(t, together(2, func(c ranks.Comm) error { // each rank has its own copy of the file
		_, err := model.LoadCheckpointPart(filepath.Join(folder, fmt.Sprint(2*c.Rank())), c, nil)
		return err
	}))
}

// TestCheckpointPartErrors tests a rank whose state does not match the file, and files that are not checkpoints.
func TestCheckpointPartErrors(t *testing.T) {
	m, path := netgen.Model(netgen.ModelOptions{}), filepath.Join(t.TempDir(), "m")
	if err := os.WriteFile(path, fileOf(t, m, moments(40)), 0o666); err != nil {
		t.Fatal(err)
	}
	wrong := errors.New("of another run")
	for rank, err := range together(3, func(c ranks.Comm) error {
		_, err := model.LoadCheckpointPart(path, c, func(*model.Info) ([]model.Tensor, error) {
			tensors := moments(40).Tensors
			if c.Rank() == 2 {
				return nil, wrong
			}
			return tensors, nil
		})
		return err
	}) {
		if err == nil || !strings.Contains(err.Error(), "rank 2: "+path+": of another run") || errors.Is(err, wrong) != (rank == 2) {
			t.Errorf("rank %d: error %v", rank, err)
		}
	}
}
