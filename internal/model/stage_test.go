package model_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/internal/ranks"
)

// shareOf returns a rank's share of a model.
func shareOf(m *model.Model, c ranks.Comm) ranks.Share {
	return ranks.ShareOf(c.Rank(), c.Size(), len(m.Classes), m.Width/len(m.Classes))
}

// state returns the data that a checkpoint adds to the whole model, or to a rank's share s. The data consists of
// three parts:
//   - two moments of each section's operations;
//   - for each layer, sums for a range of chains (from .. to-1);
//   - numbers that all ranks have.
//
// It calls fill with the number of a tensor, an index into the tensor, and the slice for the elements that begin at
// this index.
func state(m *model.Model, s *ranks.Share, from, to int, fill func(tensor, at int, x []float32)) model.Extra {
	extra := model.Extra{Metadata: map[string]string{"checkpoint.position": "7"}}
	if s != nil && s.From > 0 { // only the metadata of rank 0 are written to the file
		extra.Metadata = map[string]string{"checkpoint.position": "another"}
	}
	add := func(t model.Tensor, n int) {
		x := make([]float32, n)
		if t.Runs == nil {
			fill(len(extra.Tensors), 0, x)
		}
		at := 0
		for _, r := range t.Runs {
			fill(len(extra.Tensors), r.At, x[at:at+r.Length])
			at += r.Length
		}
		t.Data = x
		extra.Tensors = append(extra.Tensors, t)
	}
	for i := range m.Sections {
		own, size := &m.Sections[i], m.Sections[i].Layers*m.Sections[i].Arity
		for _, moment := range []string{"m", "v"} {
			t := model.Tensor{
				Name: fmt.Sprintf("adam.section%d.ops.%s", i, moment), Shape: []int{own.Width, own.Layers, own.Arity},
			}
			add(m.InFile(t), own.Width*size)
		}
	}
	const row = 5 // number of sums for each chain and layer
	depth := m.Depth()
	scores := model.Tensor{Name: "adam.scores", Shape: []int{depth * (to - from) * row}}
	n := scores.Shape[0]
	if s != nil {
		scores.Runs = []model.Run{}
		for layer := range depth {
			scores.Runs = append(scores.Runs, model.ChainRuns(*s, from, to, layer*(to-from)*row, row)...)
		}
		n = 0
		for _, r := range scores.Runs {
			n += r.Length
		}
	}
	add(scores, n)
	counts := model.Tensor{Name: "adam.counts", Shape: []int{2, 2}, Data: []int64{1, -2, 3, math.MaxInt64}}
	if s != nil && s.From > 0 {
		counts.Data = []int64{0, 0, 0, 0} // the file has the counts of rank 0
	}
	extra.Tensors = append(extra.Tensors, counts)
	return extra
}

// number returns the value of element i of a tensor in the data of state.
func number(tensor, i int) float32 { return float32(tensor*1000) + float32(i)/8 }

func numbers(tensor, at int, x []float32) {
	for i := range x {
		x[i] = number(tensor, at+i)
	}
}

// window returns the range of chains that have sums. The range covers some chains of each of two classes.
func window(m *model.Model) (from, to int) { return m.Width / 4, m.Width * 3 / 4 }

// TestStage writes all forms with several numbers of ranks. It compares the files with the files of a single process.
func TestStage(t *testing.T) {
	for name, m := range privateForms() {
		from, to := window(m)
		files := map[string][]byte{
			"m": fileOf(t, m, model.Extra{}), "m.checkpoint": fileOf(t, m, state(m, nil, from, to, numbers)),
		}
		sum := fmt.Sprintf("%x", sha256.Sum256(files["m"]))
		for _, size := range []int{1, 2, 3, 5} {
			folder := t.TempDir()
			noErrors(t, together(size, func(c ranks.Comm) error {
				s := shareOf(m, c)
				part := partOf(m, s)
				got, err := part.SaveBy(c, filepath.Join(folder, "m"))
				if err == nil && got != sum {
					t.Errorf("rank %d of %d: SHA-256 %s, want %s", c.Rank(), size, got, sum)
				}
				if err != nil {
					return err
				}
				path := filepath.Join(folder, "m.checkpoint")
				staged, err := part.Stage(c, path, state(part, &s, from, to, numbers))
				if err != nil {
					return err
				}
				defer staged.Abort()
				if _, err := os.Stat(path); err == nil {
					t.Errorf("%s has its name before it is committed", path)
				}
				return staged.Commit()
			}))
			expectFiles(t, fmt.Sprintf("%s by %d ranks", name, size), folder, files)
		}
	}
}

// expectFiles checks that a folder contains exactly the given files.
func expectFiles(t *testing.T, name, folder string, want map[string][]byte) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != len(want) {
		t.Errorf("%s: files %v, error %v", name, entries, err)
	}
	for file, content := range want {
		if got, err := os.ReadFile(filepath.Join(folder, file)); err != nil || !bytes.Equal(got, content) {
			t.Errorf("%s: %s differs from the file of one process: %d and %d bytes, error %v", name, file, len(got),
				len(content), err)
		}
	}
}

// TestStageAlone writes files in a process that is not a rank. It includes networks that ranks cannot share.
func TestStageAlone(t *testing.T) {
	for name, m := range fileForms() {
		folder := t.TempDir()
		want := fileOf(t, m, model.Extra{})
		sum, err := m.SaveBy(nil, filepath.Join(folder, "m"))
		if err != nil || sum != fmt.Sprintf("%x", sha256.Sum256(want)) {
			t.Errorf("%s: SHA-256 %s, error %v", name, sum, err)
		}
		expectFiles(t, name, folder, map[string][]byte{"m": want})
	}
}

// TestStageFailures makes a rank fail at each step. All ranks must get the error, the old file must stay, and no
// other file may be left.
func TestStageFailures(t *testing.T) {
	whole := netgen.Model(netgen.ModelOptions{})
	for _, test := range []struct {
		name string
		do   func(c ranks.Comm, m *model.Model, path string) error
		want string
	}{
		{"numbers that no file may have", func(c ranks.Comm, m *model.Model, path string) error {
			if c.Rank() == 2 {
				m.Sections[1].Ops[3] = float32(math.NaN())
			}
			return stageAndCommit(c, m, path, model.Extra{})
		}, "rank 2: section1.ops: NaN among the numbers"},
		{"no folder on rank 0", func(c ranks.Comm, m *model.Model, path string) error {
			if c.Rank() == 0 {
				path = filepath.Join(filepath.Dir(path), "none", "m")
			}
			return stageAndCommit(c, m, path, model.Extra{})
		}, "rank 0: folder "},
		{"another folder on rank 1", func(c ranks.Comm, m *model.Model, path string) error {
			if c.Rank() == 1 {
				path = filepath.Join(filepath.Dir(path), "..", "m")
			}
			return stageAndCommit(c, m, path, model.Extra{})
		}, "the folder is not the same on all machines"},
		{"another network on rank 1", func(c ranks.Comm, m *model.Model, path string) error {
			if c.Rank() == 1 {
				m = partOf(netgen.Model(netgen.ModelOptions{Depth: 6}), *m.Part)
			}
			return stageAndCommit(c, m, path, model.Extra{})
		}, "rank 1: has other tensors than rank 0"},
		{"chains that two ranks have", func(c ranks.Comm, m *model.Model, path string) error {
			if c.Rank() == 1 {
				m = partOf(whole, ranks.Share{Classes: 3, PerClass: 10, From: 2, To: 6})
			}
			return stageAndCommit(c, m, path, model.Extra{})
		}, "rank 0: what the ranks have written does not fill the file, or overlaps"},
		{"a failing disk on rank 1", func(c ranks.Comm, m *model.Model, path string) error {
			s, err := m.Stage(c, path, model.Extra{})
			if err != nil {
				return err
			}
			if c.Rank() == 1 {
				s.CloseFile()
			}
			return s.Commit()
		}, "rank 1: write to the disk: "},
		{"a failing disk on rank 0", func(c ranks.Comm, m *model.Model, path string) error {
			s, err := m.Stage(c, path, model.Extra{})
			if err != nil {
				return err
			}
			if c.Rank() == 0 {
				s.CloseFile()
			}
			return s.Commit()
		}, "rank 0: write to the disk: "},
		{"a rank that ends before it writes", func(c ranks.Comm, m *model.Model, path string) error {
			if c.Rank() == 1 {
				return ranks.ErrEnded
			}
			return stageAndCommit(c, m, path, model.Extra{})
		}, "another rank has ended"},
		{"rank 0 ends before it commits", func(c ranks.Comm, m *model.Model, path string) error {
			s, err := m.Stage(c, path, model.Extra{})
			if err != nil {
				return err
			}
			if c.Rank() == 0 {
				s.Abort()
				return ranks.ErrEnded
			}
			return s.Commit()
		}, "another rank has ended"},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "models")
			path := filepath.Join(folder, "m")
			if err := errors.Join(os.Mkdir(folder, 0o777), os.WriteFile(path, []byte("the old one"), 0o666)); err != nil {
				t.Fatal(err)
			}
			for rank, err := range together(3, func(c ranks.Comm) error {
				return test.do(c, partOf(whole, shareOf(whole, c)), path)
			}) {
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("rank %d: error %v, want %q", rank, err, test.want)
				}
			}
			expectFiles(t, test.name, folder, map[string][]byte{"m": []byte("the old one")})
		})
	}
}

func stageAndCommit(c ranks.Comm, m *model.Model, path string, extra model.Extra) error {
	s, err := m.Stage(c, path, extra)
	if err != nil {
		return err
	}
	return s.Commit()
}

// TestStageExtras checks that invalid runs are refused.
func TestStageExtras(t *testing.T) {
	for name, runs := range map[string][]model.Run{
		"overlap": {{0, 3}, {2, 2}}, "empty": {{0, 5}, {7, 0}}, "behind the end": {{4, 5}}, "too few": {{0, 4}}, "before": {{-1, 5}},
	} {
		extra := model.Extra{Tensors: []model.Tensor{
			{Name: "adam.x", Shape: []int{8}, Data: make([]float32, 5), Runs: runs},
		}}
		_, err := netgen.Model(netgen.ModelOptions{}).Stage(nil, filepath.Join(t.TempDir(), "m"), extra)
		if err == nil || !strings.HasPrefix(err.Error(), "extra tensor adam.x: ") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestStageAbort checks that no file is left, whichever rank aborts first.
func TestStageAbort(t *testing.T) {
	m, folder := netgen.Model(netgen.ModelOptions{}), t.TempDir()
	noErrors(t, together(3, func(c ranks.Comm) error {
		s, err := partOf(m, shareOf(m, c)).Stage(c, filepath.Join(folder, "m"), model.Extra{})
		if err == nil {
			s.Abort()
			s.Abort()
		}
		return err
	}))
	expectFiles(t, "aborted", folder, nil)
}

// TestPartMemory lets four ranks write and read a network of 200 MB. Together they should allocate the network once,
// plus a few megabytes for each rank. If each rank held the whole network, they would allocate it four times.
func TestPartMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 200 MB")
	}
	const size = 4
	form := netgen.Model(netgen.ModelOptions{Width: 20, Classes: 10, Depth: 20, Features: 30, Anchors: 16})
	chain := 0 // bytes of one chain
	for i := range form.Sections {
		s := &form.Sections[i]
		chain += 4 * len(s.Ops) / s.Width
		for _, p := range s.Pins {
			chain += (4*len(p.Logits) + 2*p.Wires.Len()) / s.Width
		}
	}
	perClass := 200_000_000 / chain / 10
	whole := uint64(10 * perClass * chain)
	form.Config.Model.Width = 10 * perClass
	parts := make([]*model.Model, size)
	for rank := range parts {
		m := *form
		s := ranks.ShareOf(rank, size, 10, perClass)
		m.Part, m.Width = &s, s.Width()
		m.Sections = append([]model.Section{}, form.Sections...)
		for i := range m.Sections {
			m.Sections[i].Width = m.Width
		}
		m.Allocate()
		parts[rank] = &m
	}
	path := filepath.Join(t.TempDir(), "m")
	wrote := allocated(func() {
		noErrors(t, together(size, func(c ranks.Comm) error {
			_, err := parts[c.Rank()].SaveBy(c, path)
			return err
		}))
	})
	read := allocated(func() {
		noErrors(t, together(size, func(c ranks.Comm) error {
			m, err := model.LoadCheckpointPart(path, c, nil)
			if err == nil && m.Width != parts[c.Rank()].Width {
				t.Errorf("rank %d: width %d", c.Rank(), m.Width)
			}
			return err
		}))
	})
	// An array can take up to 4 MiB of additional memory for large pages (memory.MakeHuge), and a rank has six arrays.
	t.Logf("network of %d bytes: %d allocated to write it, %d to read it", whole, wrote, read)
	if wrote > size*3<<20 || read > whole+size*27<<20 {
		t.Errorf("network of %d bytes: %d allocated to write it, %d to read it", whole, wrote, read)
	}
}

// allocated returns the number of bytes that a function allocates.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
