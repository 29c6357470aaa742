package model_test

import (
	"bytes"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/internal/testkit"
	"ialgn/internal/topology"
)

// convolutional returns the forms of networks with nodes that positions share.
func convolutional() []netgen.Form { return netgen.ConvForms() }

// checkCompact compares a model with the compact network that is read from its file.
func checkCompact(t *testing.T, path string, m *model.Model) {
	t.Helper()
	file, err := model.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	compact, err := file.Compact()
	if diff := cmp.Diff(m.Compact(), compact); diff != "" || err != nil {
		t.Errorf("error %v, network that is not unrolled (-want +got):\n%s", err, diff)
	}
}

// TestGridVersion checks that models with grids have version 3, or 5 if they have offsets or a tie order. It also
// checks that they can be read without being unrolled.
func TestGridVersion(t *testing.T) {
	for _, form := range convolutional() {
		m := form.Model()
		h, _ := split(t, fileOf(t, m, model.Extra{}))
		want := model.GridVersion
		if form.Options.Offsets || form.Options.Ties {
			want = model.OffsetsVersion
		}
		if got := h.Meta["version"]; got != want {
			t.Errorf("%s: version %q, want %s", form.Name, got, want)
		}
		path := filepath.Join(t.TempDir(), "m.safetensors")
		if _, err := m.Save(path); err != nil {
			t.Fatal(err)
		}
		checkCompact(t, path, m)
		f := m.Freeze()
		// Chains read earlier layers. Additional nodes, which are not in the model, pass the bits of these layers on.
		passing := form.Options.Chains > 0
		if got, want := m.FrozenNodes(), f.Gates(); got != want && !passing || got >= want && passing {
			t.Errorf("%s: %d nodes unrolled, want %d", form.Name, got, want)
		}
		if got, want := m.Config.Model.FrozenLayers(), f.Depth(); got != want {
			t.Errorf("%s: %d layers, want %d", form.Name, got, want)
		}
	}
}

// TestGridErrors changes the grids of a valid file of convolutions. The image has one plane of 6 x 6. The layers have
// 6 and 3 nodes, pooled to 3 x 3, then 8 and 4 nodes, pooled to 1 x 1, then 15 nodes.
func TestGridErrors(t *testing.T) {
	const first = `"grid":{"planes":1,"rows":6,"columns":6,"side":3,"stride":1,"padding":1,"pool":1}`
	for _, test := range []struct{ name, old, text, want string }{
		{"no planes", first, replaced(first, "planes", "0"), "section 0: grid: planes 0, want 1 to"},
		{"negative planes", first, replaced(first, "planes", "-1"), "grid: planes -1, want 1 to"},
		{"more planes", first, replaced(first, "planes", "2"), "an image of 2 planes of 6 x 6 for 36 features"},
		{"huge planes", first, replaced(first, "planes", "9223372036854775807"), "grid: planes 9223372036854775807"},
		{"planes that wrap", first, replaced(first, "planes", "1", "rows", "4096", "columns", "4096"), "an image of 1 planes"},
		{"no rows", first, replaced(first, "rows", "0"), "grid: rows 0, want 1 to 4096"},
		{"huge rows", first, replaced(first, "rows", "4611686018427387904"), "grid: rows 4611686018427387904, want 1 to 4096"},
		{"rows like planes", first, replaced(first, "planes", "1048576", "rows", "1048576"), "grid: rows 1048576"},
		{"negative columns", first, replaced(first, "columns", "-6"), "grid: columns -6"},
		{"other rows and columns", first, replaced(first, "rows", "4", "columns", "9"), "section 1: an image of 6 planes of 6 x 6, but 6 of 4 x 9 leave the section before"},
		{"no side", first, replaced(first, "side", "0"), "grid: side 0, want 1 to 64"},
		{"huge side", first, replaced(first, "side", "65536", "padding", "65535"), "grid: side 65536, want 1 to 64"},
		{"side beyond the image", first, replaced(first, "side", "9"), "has no positions"},
		{"no stride", first, replaced(first, "stride", "0"), "grid: stride 0, want 1 to 64"},
		{"negative stride", first, replaced(first, "stride", "-1"), "grid: stride -1"},
		{"negative padding", first, replaced(first, "padding", "-1"), "grid: padding -1, want 0 to 2"},
		{"more padding than a patch", first, replaced(first, "padding", "3"), "grid: padding 3, want 0 to 2"},
		{
			"padding makes many positions", first, replaced(first, "side", "64", "padding", "63"),
			"4761 positions, more than a network that reads 6 x 6 pixels can have",
		},
		{"no pooling at all", first, replaced(first, "pool", "0"), "grid: pool 0, want 1 to 2"},
		{"wide pooling", first, replaced(first, "pool", "3"), "grid: pool 3, want 1 to 2"},
		{"nothing left to pool", first, replaced(first, "stride", "64", "pool", "2"), "has no positions"},
		{"unknown key", first, replaced(first, "pool", `1,"dilation":2`), `unknown field "dilation"`},
		{"pooled where it was not", first, replaced(first, "pool", "2"), "section 1: an image of 6 planes of 6 x 6, but 6 of 3 x 3 leave"},
		{"no grid", "," + first, "", "section 1: positions share its nodes, but not the nodes of the section before"},
		{
			"another base", `"padding":0,"pool":2}`,
			`"padding":0,"pool":2,"base":{"planes":1,"rows":6,"columns":6,"side":3,"stride":1,"padding":1,"pool":1}}`,
			"is not what the lowest level of the kernels reads",
		},
		{
			"no field", `"padding":0,"pool":2}`,
			`"padding":0,"pool":2,"field":{"planes":1,"rows":6,"columns":7,"side":3,"stride":1,"padding":1,"pool":1}}`,
			"but its patches lead to {Planes:1 Rows:6 Columns:6 Side:3 ",
		},
		{
			"huge field", `"padding":0,"pool":2}`,
			`"padding":0,"pool":2,"field":{"planes":1,"rows":6,"columns":6,"side":4611686018427387904,"stride":1,"padding":1,"pool":1}}`,
			"but its patches lead to {Planes:1 Rows:6 ",
		},
		{"no base", `"source":"previous"`, `"source":"base"`, "source base, but no earlier convolution has it"},
		{"layers", `"layers":1`, `"layers":2`, "2 layers of nodes that positions share, want 1"},
		{"source", `"source":"previous"`, `"source":"input"`, "source input of nodes that positions share"},
		{"spine", `"source":"previous"`, `"source":"spine"`, "source spine, but the layer before has"},
		{"huge width", `"width":6`, `"width":2147483647`, "2147483647 nodes at 36 positions, want at most"},
	} {
		t.Run(test.name, func(t *testing.T) {
			h, data := split(t, fileOf(t, convolutional()[0].Model(), model.Extra{}))
			if !strings.Contains(h.Meta["sections"], test.old) {
				t.Fatalf("sections: %s has no %s", h.Meta["sections"], test.old)
			}
			h.Meta["sections"] = strings.Replace(h.Meta["sections"], test.old, test.text, 1)
			file := testkit.ResignModel(h.join(t, data))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, _ = model.ReadFrozenChunks("m", bytes.NewReader(file), int64(len(file)), 1000)
			runtime.ReadMemStats(&after)
			if grown := after.TotalAlloc - before.TotalAlloc; grown > 4<<20 {
				t.Errorf("%d bytes took %d bytes of memory", len(file), grown)
			}
			expectRefusal(t, file, test.want)
		})
	}
	for _, version := range []string{"1", "2"} {
		h, data := split(t, fileOf(t, convolutional()[0].Model(), model.Extra{}))
		h.Meta["version"] = version
		expectRefusal(t, testkit.ResignModel(h.join(t, data)), "metadata: section 0: ")
	}
}

// replaced returns the text of a grid with new values for some keys. keys holds keys and values in turn.
func replaced(grid string, keys ...string) string {
	for ; len(keys) > 0; keys = keys[2:] {
		name := `"` + keys[0] + `":`
		at := strings.Index(grid, name) + len(name)
		end := at + strings.IndexAny(grid[at:], ",}")
		grid = grid[:at] + keys[1] + grid[end:]
	}
	return grid
}

// TestUnrolledPadding has a node that negates a pixel. If the pixel is outside the image, the node is the constant 1.
func TestUnrolledPadding(t *testing.T) {
	m := netgen.Model(netgen.ModelOptions{
		Topology: topology.Conv, Image: "1,2,2", Kernels: "1", Levels: "1", Pool: "1", Bits: 2, Classes: 1, Light: true,
	})
	s := &m.Sections[0]
	copy(s.Ops, []float32{1, 1, -1, -1}) // NOT A
	s.Pins[0].Wires.Set(0, 0)            // the patch's upper left corner
	s.Pins[1].Wires.Set(0, 4)            // the patch's middle
	f := m.Freeze()
	var got []uint64
	for i := range 4 {
		got = append(got, f.Layers[0].Op.At(i))
	}
	if diff := cmp.Diff([]uint64{15, 15, 15, 12}, got); diff != "" {
		t.Errorf("operations at the four positions (-want +got):\n%s", diff)
	}
}
