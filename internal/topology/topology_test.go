package topology

import (
	"slices"
	"testing"
)

// TestTitle checks the paper's names for networks, and the names that distinguish networks of look-up tables.
func TestTitle(t *testing.T) {
	for _, c := range []struct {
		keys Keys
		want string
	}{
		{Keys{Topology: "ialgn", Inputs: 2, Parametrization: Softmax16}, "IALGN"},
		{Keys{Topology: "rwlgn", Inputs: 2, Parametrization: Softmax16}, "RWLGN"},
		{Keys{Topology: "rwlgn", Inputs: 2, Parametrization: Light}, "LDLGN"},
		{Keys{Topology: "rwlgn-spine", Inputs: 2, Parametrization: Softmax16}, "RWLGN with Spine"},
		{Keys{Topology: "rwlgn-classwise", Inputs: 2, Parametrization: Softmax16}, "Class-wise RWLGN"},
		{Keys{Topology: "ialgn", Inputs: 2, Parametrization: Light}, "IALGN, light gates"},
		{Keys{Topology: "ialgn", Inputs: 6, Parametrization: Light}, "IALGN, K = 6"},
		{Keys{Topology: "elsewhere"}, "elsewhere"},
	} {
		if got := c.keys.Title(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.keys, got, c.want)
		}
	}
}

// TestRowsAreConsistent checks that the rows of the table have different names, and that their keys are keys that
// some networks lack.
func TestRowsAreConsistent(t *testing.T) {
	keys := []string{"anchors", "first_pin"}
	for _, s := range special {
		keys = append(keys, s.key)
	}
	seen := map[string]bool{}
	for _, row := range Rows() {
		if seen[row.Name] || seen[row.Title] || row.Title == "" {
			t.Errorf("%s: name or title is empty or occurs in another row", row.Name)
		}
		seen[row.Name], seen[row.Title] = true, true
		for _, key := range row.Keys {
			if !slices.Contains(keys, key) {
				t.Errorf("%s: key %s is in every network", row.Name, key)
			}
		}
	}
	if want := []string{"rwlgn", "rwlgn-spine", "rwlgn-classwise", "ialgn"}; !slices.Equal(Compared(), want) {
		t.Errorf("compared are %v, want %v", Compared(), want)
	}
}

// keys returns the default keys, changed by the function change.
func keys(change func(k *Keys)) Keys {
	k := Default()
	change(&k)
	k.Complete(func(string) bool { return false })
	return k
}

// TestLayers checks the shape of each kind of network.
func TestLayers(t *testing.T) {
	for _, c := range []struct {
		name    string
		keys    Keys
		widths  []int // of each layer
		private bool
		choices []int // candidates of all pins of the first layer, then of the last
	}{
		{
			"the paper's", keys(func(k *Keys) { k.Width, k.Depth = 20, 3 }),
			[]int{20, 20, 20},
			true,
			[]int{32, 32, 1, 32},
		},
		{
			"chains of six pins", keys(func(k *Keys) { k.Width, k.Depth, k.Inputs, k.Anchors = 20, 2, 6, 16 }),
			[]int{20, 20},
			true,
			[]int{16, 16, 16, 16, 16, 16, 1, 16, 16, 16, 16, 16},
		},
		{
			"a single layer", keys(func(k *Keys) { k.Width, k.Depth, k.Inputs, k.Anchors = 20, 1, 4, 8 }),
			[]int{20},
			true,
			[]int{8, 8, 8, 8, 8, 8, 8, 8},
		},
		{
			"trees", keys(func(k *Keys) { k.Topology, k.Width, k.Depth, k.Inputs, k.Leaves, k.Anchors = "tree", 10, 3, 4, 3, 5 }),
			[]int{90, 30, 10},
			false,
			[]int{5, 5, 5, 5, 1, 1, 1, 5},
		},
		{
			"layers", keys(func(k *Keys) { k.Topology, k.Widths, k.Inputs, k.Anchors = "layered", "7, 5,4", 3, 6 }),
			[]int{7, 5, 4},
			false,
			[]int{6, 6, 6, 1, 1, 1},
		},
		{
			"learned wires", keys(func(k *Keys) { k.Topology, k.Widths, k.Hidden = "layered", "7,4", 3 }),
			[]int{7, 4},
			false,
			[]int{32, 32, 3, 3},
		},
		{"random wires", keys(func(k *Keys) { k.Topology, k.Width, k.Depth = "rwlgn", 6, 2 }), []int{6, 6}, false, []int{1, 1, 1, 1}},
	} {
		if fault := c.keys.Check(); fault != nil {
			t.Errorf("%s: %+v", c.name, fault)
			continue
		}
		layers, next := c.keys.Layers(), 0
		var widths, choices []int
		for _, l := range layers {
			if l.First != next {
				t.Errorf("%s: a layer's first node has number %d, want %d", c.name, l.First, next)
			}
			next += l.Layers
			for range l.Layers {
				widths = append(widths, l.Width)
			}
		}
		for _, l := range []Layer{layers[0], layers[len(layers)-1]} {
			for _, p := range l.Pins {
				choices = append(choices, p.K)
			}
		}
		nodes := 0
		for _, w := range widths {
			nodes += w
		}
		if got := c.keys.Nodes(); got != nodes {
			t.Errorf("%s: %d nodes, want %d", c.name, got, nodes)
		}
		if !slices.Equal(widths, c.widths) || !slices.Equal(choices, c.choices) || c.keys.PrivateChains() != c.private {
			t.Errorf("%s: widths %v, candidates %v, private chains %v", c.name, widths, choices, c.keys.PrivateChains())
		}
	}
}

// TestCheckRefusesNetworks checks that Check refuses impossible networks and names the faulty key.
func TestCheckRefusesNetworks(t *testing.T) {
	for _, c := range []struct {
		key  string
		keys Keys
	}{
		{"hidden", keys(func(k *Keys) { k.Topology, k.Hidden = "rwlgn", 2 })},
		{"hidden", keys(func(k *Keys) { k.Width, k.Hidden = 10, 11 })},
		{"hidden", keys(func(k *Keys) { k.Width, k.Hidden = MaxWidth, 256 })},
		{"hidden", keys(func(k *Keys) { k.Topology, k.Widths, k.Hidden = "layered", "3,8,4", 4 })},
		{"wiring", keys(func(k *Keys) { k.Wiring = Balanced })},
		{"wiring", keys(func(k *Keys) { k.Topology, k.Widths, k.Hidden, k.Wiring = "layered", "8,4", 4, Balanced })},
		{"inputs", keys(func(k *Keys) { k.Topology, k.Inputs = "rwlgn-spine", 3 })},
		{"leaves", keys(func(k *Keys) { k.Leaves = 2 })},
		{"leaves", keys(func(k *Keys) { k.Topology = "tree" })},
		{"leaves", keys(func(k *Keys) { k.Topology, k.Leaves = "tree", 3 })},
		{"depth", keys(func(k *Keys) { k.Topology, k.Leaves, k.Depth = "tree", 2, 1 })},
		{"depth", keys(func(k *Keys) { k.Topology, k.Leaves, k.Inputs, k.Depth = "tree", 6, 6, 6 })},
		{"depth", keys(func(k *Keys) { k.Topology, k.Depth = "rwlgn", 8193 })},
		{"depth", Keys{Topology: "layered", Inputs: 2, Hidden: 1, Wiring: "random", Parametrization: Light, Widths: "4,4", Depth: 3, Width: 4}},
		{"width", Keys{Topology: "layered", Inputs: 2, Hidden: 1, Wiring: "random", Parametrization: Light, Widths: "4,4", Depth: 2, Width: 5}},
		{"widths", keys(func(k *Keys) { k.Widths = "3" })},
		{"widths", keys(func(k *Keys) { k.Topology = "layered" })},
		{"widths", keys(func(k *Keys) { k.Topology, k.Widths = "layered", "4,,4" })},
		{"widths", keys(func(k *Keys) { k.Topology, k.Widths = "layered", "0,4" })},
		{"widths", keys(func(k *Keys) { k.Topology, k.Widths = "layered", "4,99999999" })},
		{"parametrization", Keys{Topology: "ialgn", Inputs: 6, Hidden: 1, Wiring: "random", Parametrization: Softmax16}},
		{"width", keys(func(k *Keys) { k.Width, k.Depth = MaxWidth, MaxDepth })},
		{"padding", keys(func(k *Keys) { k.Topology, k.Image, k.Kernels, k.Patch = Conv, "1,8,8", "4,8", "3,1" })},
		{"padding", keys(func(k *Keys) {
			k.Topology, k.Image, k.Kernels, k.Patch, k.Padding, k.Pool = Conv, "1,8,8", "4,8", "64", "63", "1"
		})},
	} {
		if fault := c.keys.Check(); fault == nil || fault.Key != c.key || fault.Problem == "" || fault.Remedy == "" {
			t.Errorf("%+v: %+v, want a fault of key %s", c.keys, fault, c.key)
		}
	}
}

// TestAsDropsKeys changes the topology of a set of keys. Keys that the new topology lacks must be dropped, so the
// result is valid except for keys that only the new topology needs.
func TestAsDropsKeys(t *testing.T) {
	k := keys(func(k *Keys) { k.Inputs, k.Hidden, k.Anchors, k.FirstPin = 6, 4, 8, "fixed" })
	for _, row := range Rows() {
		got := k.As(row.Name)
		if fault := got.Check(); fault != nil && fault.Key != "leaves" && fault.Key != "widths" &&
			fault.Key != "parametrization" && fault.Key != "image" && fault.Key != "steps" {
			t.Errorf("%s: %+v", row.Name, fault)
		}
	}
}
