package model_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/model"
	"ialgn/internal/netgen"
)

// saved writes a model of about three blocks, and returns its path and bytes. Each block has a digest.
func saved(t *testing.T, seed uint64) (string, []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m.safetensors")
	m := netgen.Model(netgen.ModelOptions{Width: 2000, Depth: 6, Features: 20, Classes: 10, Seed: seed})
	if _, err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(data) < 3<<18 {
		t.Fatalf("%d bytes: the test shows nothing", len(data))
	}
	return path, data
}

func opened(t *testing.T, path string) *model.File {
	t.Helper()
	f, err := model.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// passes lists the functions that each read a model file once from its beginning.
var passes = map[string]func(t *testing.T, f *model.File) error{
	"Info":     func(_ *testing.T, f *model.File) error { _, err := f.Info(); return err },
	"Frozen":   func(_ *testing.T, f *model.File) error { _, err := f.Frozen(); return err },
	"Load":     func(_ *testing.T, f *model.File) error { _, err := f.Load(); return err },
	"SHA256":   func(t *testing.T, f *model.File) error { _, err := f.SHA256(t.Context()); return err },
	"Networks": func(_ *testing.T, f *model.File) error { _, _, err := f.Networks(nil, nil); return err },
	"Chains": func(_ *testing.T, f *model.File) error {
		return f.Chains(func(*model.Model) error { return nil }, func(int, int, int, *model.Section) error { return nil })
	},
}

// TestFile checks that the passes over an open file return the same results as the functions that take a path.
func TestFile(t *testing.T) {
	path, data := saved(t, 1)
	f := opened(t, path)
	want, err := model.ReadFrozen(path)
	if err != nil {
		t.Fatal(err)
	}
	got, err := f.Frozen()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Frozen (-path +file):\n%s", diff)
	}
	info, err := f.Info()
	if err != nil || info.Model.Width != 2000 {
		t.Errorf("Info: %+v, %v", info, err)
	}
	whole := sha256.Sum256(data)
	if sum, err := f.SHA256(t.Context()); err != nil || sum != hex.EncodeToString(whole[:]) {
		t.Errorf("SHA256 %s, %v, want %x", sum, err, whole)
	}
	if f.Size() != int64(len(data)) || f.Path() != path {
		t.Errorf("%d bytes of %s", f.Size(), f.Path())
	}
}

// TestNetworks reads both networks from a file at once. It compares these networks with the networks of the model in
// memory, and counts the visits.
func TestNetworks(t *testing.T) {
	for _, form := range netgen.Forms() {
		m := form.Model()
		path := filepath.Join(t.TempDir(), "m.safetensors")
		if _, err := m.Save(path); err != nil {
			t.Fatal(err)
		}
		var begun, chains atomic.Int32
		frozen, compact, err := opened(t, path).Networks(func(*model.Model) error { begun.Add(1); return nil },
			func(_, _, n int, _ *model.Section) error { chains.Add(int32(n)); return nil })
		if err != nil {
			t.Fatalf("%s: %v", form.Name, err)
		}
		want := 0
		for i := range m.Sections {
			want += m.Sections[i].Width
		}
		if begun.Load() != 1 || int(chains.Load()) != want {
			t.Errorf("%s: begun %d times, %d chains, want %d", form.Name, begun.Load(), chains.Load(), want)
		}
		if diff := cmp.Diff(m.Freeze(), frozen); diff != "" {
			t.Errorf("%s: Frozen (-model +file):\n%s", form.Name, diff)
		}
		if m.Steps == 0 && m.Sections[0].Grid == nil {
			if compact != nil {
				t.Errorf("%s: a compact network equal to the frozen one", form.Name)
			}
		} else if diff := cmp.Diff(m.Compact(), compact); diff != "" {
			t.Errorf("%s: Compact (-model +file):\n%s", form.Name, diff)
		}
	}
}

// TestDigestComparesChecksum checks that a pass after SHA256 does not read the whole file again. The pass must still
// refuse a damaged file.
func TestDigestComparesChecksum(t *testing.T) {
	path, data := saved(t, 1)
	for _, damage := range []byte{0, 1} {
		data[len(data)-5] ^= damage
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		f := opened(t, path)
		if _, err := f.SHA256(t.Context()); err != nil {
			t.Fatal(err)
		}
		if f.Intact() != (damage == 0) {
			t.Errorf("damage %d: Intact reports that the checksum was compared: %v", damage, f.Intact())
		}
		if _, err := f.Frozen(); (err == nil) != (damage == 0) || err != nil && !strings.Contains(err.Error(), "checksum") {
			t.Errorf("damage %d: %v", damage, err)
		}
	}
}

// TestFileReplaced replaces an open file with another model. All passes must still read the first file.
func TestFileReplaced(t *testing.T) {
	path, data := saved(t, 1)
	other, _ := saved(t, 2)
	f := opened(t, path)
	if _, err := f.Info(); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(other, path); err != nil {
		t.Fatal(err)
	}
	for name, pass := range passes {
		if err := pass(t, f); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	whole := sha256.Sum256(data)
	if sum, err := f.SHA256(t.Context()); err != nil || sum != hex.EncodeToString(whole[:]) {
		t.Errorf("SHA256 %s, %v, want the first file's, %x", sum, err, whole)
	}
}

// TestFileChanged changes an open file in place between two passes. If the file's bytes are kept in memory, the
// second pass reads the kept bytes. Otherwise the pass reports the change, unless it does not read the changed bytes.
func TestFileChanged(t *testing.T) {
	path, data := saved(t, 1)
	for first, before := range passes {
		for second, after := range passes {
			for what, change := range map[string]func(data []byte) []byte{
				"a bit": func(data []byte) []byte { data[len(data)-5] ^= 1; return data },
				"cut":   func(data []byte) []byte { return data[:len(data)-9] },
				"empty": func([]byte) []byte { return nil },
			} {
				for _, keep := range []bool{false, true} {
					if err := os.WriteFile(path, data, 0o666); err != nil {
						t.Fatal(err)
					}
					f := opened(t, path)
					if !keep {
						f.KeepNothing()
					}
					if err := before(t, f); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(path, change(slices.Clone(data)), 0o666); err != nil {
						t.Fatal(err)
					}
					err := after(t, f)
					unseen := what != "empty" && (first == "Info" || second == "Info")
					switch {
					case keep && (first != "Info" || second == "Info"):
						if err != nil {
							t.Errorf("%s, then %s of what was kept, %s between: %v", first, second, what, err)
						}
					case !unseen && !keep && (err == nil || !strings.Contains(err.Error(), "changed while it was read")):
						t.Errorf("%s, then %s, %s between: error %v", first, second, what, err)
					}
				}
			}
		}
	}
}
