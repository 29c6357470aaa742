package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ialgn/internal/model"
)

// TestGoldenPositions compares the engine of nodes that positions share with autograd. It reads the files in
// $IALGN_GOLDEN_POSITIONS or, if this variable is not set, in testdata/golden-positions.
func TestGoldenPositions(t *testing.T) {
	dir := os.Getenv("IALGN_GOLDEN_POSITIONS")
	if dir == "" {
		dir = filepath.Join("testdata", "golden-positions")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: no golden files: %v", dir, err)
	}
	for _, path := range files {
		name, _, _ := strings.Cut(filepath.Base(path), ".")
		t.Run(name, func(t *testing.T) {
			g := readGoldenNodes(t, path)
			g.checkNetwork(t)
			onPaths(t, func(t *testing.T) {
				for _, threads := range []int{1, 3} {
					t.Run(fmt.Sprintf("threads=%d", threads), func(t *testing.T) {
						g.test(t, func(t *testing.T, m *model.Model) Engine { return sharedOn(t, m, threads) })
					})
				}
			})
		})
	}
}

// sharedOn returns the engine that trains a network of convolutions on the given number of goroutines.
func sharedOn(t *testing.T, m *model.Model, threads int) Engine {
	t.Helper()
	e, err := New(m, 64, threads)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := e.(*sharedEngine); !ok {
		t.Fatalf("a network of convolutions gets %T", e)
	}
	return e
}

// checkNetwork compares the layers that the file's configuration gives with the layers in the file.
func (g *goldenNodes) checkNetwork(t *testing.T) {
	t.Helper()
	if fault := g.Config.Model.Check(); fault != nil {
		t.Fatalf("%+v", *fault)
	}
	layers := g.Config.Model.Layers()
	if len(layers) != len(g.Config.Layers) {
		t.Fatalf("%d layers, want %d", len(layers), len(g.Config.Layers))
	}
	for l := range layers {
		from, want := &layers[l], &g.Config.Layers[l]
		arity := len(g.Start[l].Table[0])
		if from.Width != want.Width || len(from.Pins) != len(want.Pins) || g.Config.Model.Arity() != arity {
			t.Fatalf("layer %d: %d nodes of %d pins and %d logits, want %d of %d and %d", l, from.Width, len(from.Pins),
				g.Config.Model.Arity(), want.Width, len(want.Pins), arity)
		}
		for k, p := range from.Pins {
			if form := g.form(l, k); p.Source != form.Source || p.K != form.K {
				t.Errorf("layer %d, pin %d: %d candidates of %v, want %d of %v", l, k, p.K, p.Source, form.K, form.Source)
			}
		}
	}
	if err := checkWires(g.model(g.Start)); err != nil {
		t.Error(err)
	}
}
