package torchlogix_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/graph"
	"ialgn/internal/interchange/torchlogix"
)

// wantMissing fails the test unless err says that the given fact is missing.
func wantMissing(t *testing.T, err error, what string) {
	t.Helper()
	var m *given.Missing
	if !errors.As(err, &m) || m.What != what || m.Why == "" {
		t.Errorf("error %v, want that %q is missing", err, what)
	}
}

func ptr[T any](v T) *T { return &v }

// denseNet returns the state dict of a thermometer and two layers. It also returns the facts that the user of this
// network gives.
func denseNet() (dict, *given.Facts) {
	state := dict{
		{"0.thresholds", floats([]int{3, 2}, .1, .2, .3, .4, .5, .6)},
		{"2.weight", counted(5, 2, 4, 4)},
		{"2.connections.indices", ints([]int{2, 4}, 0, 1, 2, 3, 5, 4, 3, 2)},
		{"3.weight", counted(7, 3, 2, 16)},
		{"3.connections.indices", ints([]int{2, 2}, 0, 1, 2, 3)},
	}
	return state, &given.Facts{
		Name: "facts.json",
		LayersInOrder: []given.TorchLayer{
			{Name: "0", Type: "FixedBinarization", FeatureDim: ptr(-2), ThresholdsShape: []int{3, 2}},
			{Name: "1", Type: "Flatten"},
			{Name: "2", Type: "LogicDense", Parametrization: "light", In: 6, Out: 4, Rank: 2},
			{Name: "3", Type: "LogicDense", Parametrization: "raw", In: 4, Out: 2, Rank: 2},
			{Name: "4", Type: "GroupSum", K: ptr(2), Tau: ptr(1.5), Beta: ptr(0.0)},
		},
	}
}

// convNet returns the state dict of a convolution, a pooling and a dense layer. It also returns the facts that the
// user of this network gives.
func convNet() (dict, *given.Facts) {
	var pixels []int64
	for _, pin := range []int64{0, 1} {
		for position := range int64(9) {
			for node := range int64(2) {
				pixels = append(pixels, position/3+node, position%3+pin, 0)
			}
		}
	}
	state := dict{
		{"0.tree_weights.0", counted(5, 2, 2, 1, 4)},
		{"0.tree_weights.1", counted(7, 3, 1, 1, 4)},
		{"0.connections._indices_L0", ints([]int{2, 1, 9, 2, 3}, pixels...)},
		{"0.connections._indices_L1", ints([]int{2, 1}, 0, 1)},
		{"3.weight", counted(7, 3, 4, 4)},
		{"3.connections.indices", ints([]int{2, 4}, 0, 1, 2, 3, 3, 0, 0, 1)},
	}
	return state, &given.Facts{
		Name: "facts.json", Parametrization: "light", Sum: given.GroupSum{K: ptr(2), Tau: ptr(1.0)},
		LayersInOrder: []given.TorchLayer{
			{
				Name: "0", Type: "LogicConv2d", InDim: []int{4, 4}, Channels: 1, Kernels: 1, TreeDepth: 2,
				ReceptiveField: []int{2, 2}, Stride: 1, Padding: ptr(0), Rank: 2,
			},
			{Name: "1", Type: "OrPooling2d", Kernel: 2, Stride: 2, Padding: ptr(1)},
			{Name: "2", Type: "Flatten"},
			{Name: "3", Type: "LogicDense"},
		},
	}
}

// read saves and reads a value.
func read(t *testing.T, v any, f *given.Facts) (*graph.Network, error) {
	t.Helper()
	value, src := loaded(t, v, f)
	return torchlogix.Read(src, value)
}

func TestSmallNets(t *testing.T) {
	d, f := denseNet()
	n, err := read(t, d, f)
	if err != nil || len(n.Dense) != 2 || n.Circuit != nil {
		t.Error(n, err)
	}
	d, f = convNet()
	n, err = read(t, d, f)
	if err != nil || len(n.Dense) != 0 || n.Circuit.Nodes() != 9*3+3+4 {
		t.Error(n, err)
	}
}

// TestFewFacts checks that a user need not give the names of layers, or facts that follow from shapes.
func TestFewFacts(t *testing.T) {
	d, f := denseNet()
	want, err := read(t, d, f)
	if err != nil {
		t.Fatal(err)
	}
	for name, few := range map[string]*given.Facts{
		"one parametrization": {Parametrization: "light", Sum: given.GroupSum{K: ptr(2), Tau: ptr(1.5)}},
		"no names": {
			LayersInOrder: []given.TorchLayer{{Type: "LogicDense", Parametrization: "light"}, {Type: "GroupSum", K: ptr(2)}},
			Sum:           given.GroupSum{Tau: ptr(1.5)},
		},
		"places alone": { // in the order of the file's layers: the thermometer, the first layer of gates
			LayersInOrder: []given.TorchLayer{{}, {Parametrization: "light"}}, Sum: given.GroupSum{K: ptr(2), Tau: ptr(1.5)},
		},
		"a place left out": {
			LayersInOrder: []given.TorchLayer{{}, {Parametrization: "light"}, {}, {}, {Type: "GroupSum", K: ptr(2), Tau: ptr(1.5)}},
		},
	} {
		for _, wrapped := range []any{
			d, dict{{"epoch", 3}, {"state_dict", d}}, dict{{"net", d}, {"acc", 0.5}}, dict{{"params", d}},
		} {
			got, err := read(t, wrapped, few)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			compare(t, scores(got, []float32{.1, .35, .9, .3, .45, .55}), scores(want, []float32{.1, .35, .9, .3, .45, .55}), 0)
		}
	}
}

func TestMissing(t *testing.T) {
	for _, c := range []struct {
		what   string
		conv   bool
		change func(d *dict, f *given.Facts)
	}{
		{"wiring", false, func(d *dict, _ *given.Facts) { *d = d.without("2.connections.indices") }},
		{"wiring", true, func(d *dict, _ *given.Facts) { *d = d.without("0.connections._indices_L0") }},
		{"layers_in_order[2].parametrization", false, func(_ *dict, f *given.Facts) { f.LayersInOrder[2].Parametrization = "" }},
		{"layers_in_order[0].parametrization", true, func(_ *dict, f *given.Facts) { f.Parametrization = "" }},
		{"parametrization", false, func(_ *dict, f *given.Facts) { f.LayersInOrder = nil }},
		{"group_sum.k", false, func(_ *dict, f *given.Facts) { f.LayersInOrder[4].K = nil }},
		{"group_sum.tau", false, func(_ *dict, f *given.Facts) { f.LayersInOrder[4].Tau = nil }},
		{"layers_in_order", true, func(_ *dict, f *given.Facts) { f.LayersInOrder = nil }},
		{"layers_in_order[0].in_dim", true, func(_ *dict, f *given.Facts) { f.LayersInOrder[0].InDim = nil }},
		{"layers_in_order[0].channels", true, func(_ *dict, f *given.Facts) { f.LayersInOrder[0].Channels = 0 }},
		{"layers_in_order[0].stride", true, func(_ *dict, f *given.Facts) { f.LayersInOrder[0].Stride = 0 }},
		{"layers_in_order[0].padding", true, func(_ *dict, f *given.Facts) { f.LayersInOrder[0].Padding = nil }},
		{"layers_in_order[0].receptive_field", true, func(_ *dict, f *given.Facts) { f.LayersInOrder[0].ReceptiveField = nil }},
		{"layers_in_order[1].kernel", true, func(_ *dict, f *given.Facts) { f.LayersInOrder[1].Kernel = 0 }},
		{"layers_in_order[1].stride", true, func(_ *dict, f *given.Facts) { f.LayersInOrder[1].Stride = 0 }},
		{"layers_in_order[1].padding", true, func(_ *dict, f *given.Facts) { f.LayersInOrder[1].Padding = nil }},
		{"layers_in_order[0].feature_dim", false, func(_ *dict, f *given.Facts) {
			f.LayersInOrder[0].FeatureDim, f.Input.Shape = nil, []int{3, 1, 1}
		}},
		{"input.shape", false, func(d *dict, f *given.Facts) {
			f.LayersInOrder[2].In, *d = 0, d.without("0.thresholds")
			f.LayersInOrder = f.LayersInOrder[1:]
		}},
		{"input.shape", false, func(d *dict, f *given.Facts) {
			f.LayersInOrder[0].ThresholdsShape, f.LayersInOrder[0].FeatureDim = nil, ptr(1)
			*d = d.with("0.thresholds", floats([]int{2}, .1, .2))
		}},
		{"thresholds", false, func(d *dict, _ *given.Facts) { *d = d.without("0.thresholds") }},
	} {
		d, f := denseNet()
		if c.conv {
			d, f = convNet()
		}
		c.change(&d, f)
		_, err := read(t, d, f)
		wantMissing(t, err, c.what)
	}
}

// TestBetaNotSaid checks that the findings mark a beta that nobody gave.
func TestBetaNotSaid(t *testing.T) {
	d, _ := denseNet()
	beta := func(f given.GroupSum) string {
		n, err := read(t, d, &given.Facts{Parametrization: "light", Sum: f})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range n.Findings {
			if f.What == "beta" {
				return f.Is + " (" + f.From + ")"
			}
		}
		return n.Findings[len(n.Findings)-1].Is
	}
	if got, want := beta(given.GroupSum{K: ptr(2), Tau: ptr(1.5)}), "0: not said, group_sum.beta (the constructor's default)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := beta(given.GroupSum{K: ptr(2), Tau: ptr(1.5), Beta: ptr(2.0)}), "2 classes, tau 1.5, beta 2"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestSumOfTensors reads a group sum whose numbers are parameters, in a state dict and in a module.
func TestSumOfTensors(t *testing.T) {
	d, _ := denseNet()
	d = d.with("4.tau", floats([]int{}, 3.3)).with("4.beta", floats([]int{1}, 2))
	m := denseModule().with("4", module("torchlogix.layers.groupsum.GroupSum", dict{{"k", 2}}, dict{
		{"tau", floats([]int{}, 3.3)}, {"beta", floats([]int{1}, 2)},
	}, nil))
	for name, c := range map[string]struct {
		value any
		said  given.GroupSum
	}{
		"state dict":          {d, given.GroupSum{K: ptr(2)}},
		"a module":            {sequential(m), given.GroupSum{}},
		"said, too":           {d, given.GroupSum{K: ptr(2), Tau: ptr(3.3), Beta: ptr(2.0)}},
		"a module, said, too": {sequential(m), given.GroupSum{Tau: ptr(3.3)}},
	} {
		n, err := read(t, c.value, &given.Facts{Parametrization: "light", Sum: c.said})
		if err != nil || float32(n.Sum.Tau) != 3.3 || n.Sum.BetaOf(0) != 2 {
			t.Errorf("%s: %+v, %v", name, n, err)
		}
	}
	if _, err := read(t, d, &given.Facts{Parametrization: "light", Sum: given.GroupSum{K: ptr(2), Tau: ptr(3.4)}}); err == nil {
		t.Error("a fact with another tau: no error")
	}
}

// TestFactsByPosition checks facts that give neither the name nor the type of a layer. Such facts refer to a layer by
// its position.
func TestFactsByPosition(t *testing.T) {
	for name, c := range map[string]struct {
		conv    bool
		entries []given.TorchLayer
		want    string
	}{
		"beyond":        {false, []given.TorchLayer{{}, {}, {}, {Parametrization: "light"}}, "layers_in_order[3] has neither name nor type, and the file has no layer at this place, but 3 layers"},
		"twice":         {false, []given.TorchLayer{{Name: "2"}, {Parametrization: "light"}}, `layers_in_order[1] has neither name nor type, and the file's layer at this place, "2"`},
		"a convolution": {true, []given.TorchLayer{{Parametrization: "light"}}, "layers_in_order[0] has neither name nor type, and in a state dict with convolutions"},
		"another's":     {false, []given.TorchLayer{{Name: "2"}}, "layers_in_order[0].parametrization is not known"},
		"wrong":         {false, []given.TorchLayer{{}, {Parametrization: "raw"}}, "layers_in_order[1].parametrization is raw, but the file has weights of 4 columns"},
	} {
		d, f := denseNet()
		if c.conv {
			d, f = convNet()
		}
		f.LayersInOrder = c.entries
		if _, err := read(t, d, f); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

func TestContradictions(t *testing.T) {
	for _, c := range []struct {
		name, want string // want: parts of the error, separated by |
		conv       bool
		change     func(d *dict, f *given.Facts)
	}{
		{"rank", "layers_in_order[2].lut_rank|3|2", false, func(_ *dict, f *given.Facts) { f.LayersInOrder[2].Rank = 3 }},
		{"out", "layers_in_order[2].out|5|4", false, func(_ *dict, f *given.Facts) { f.LayersInOrder[2].Out = 5 }},
		{"in of the first", "layers_in_order[2]: in is 128|[3] and 2 bits", false, func(_ *dict, f *given.Facts) { f.LayersInOrder[2].In = 128 }},
		{"in of another", "layers_in_order[3]|in is 5|4", false, func(_ *dict, f *given.Facts) { f.LayersInOrder[3].In = 5 }},
		{"raw as light", "parametrization|light|raw", false, func(_ *dict, f *given.Facts) { f.LayersInOrder[3].Parametrization = "light" }},
		{"light as raw", "parametrization is raw|4 columns", false, func(_ *dict, f *given.Facts) { f.LayersInOrder[2].Parametrization = "raw" }},
		{"no parametrization", "walsh", false, func(_ *dict, f *given.Facts) { f.LayersInOrder[2].Parametrization = "walsh" }},
		{"connections", "connections|learnable|fixed", false, func(_ *dict, f *given.Facts) { f.LayersInOrder[2].Connections = "learnable" }},
		{"thresholds", "thresholds_shape|[3 1]|[3 2]", false, func(_ *dict, f *given.Facts) { f.LayersInOrder[0].ThresholdsShape = []int{3, 1} }},
		{"class", "type|LogicConv2d|LogicDense", false, func(_ *dict, f *given.Facts) { f.LayersInOrder[3].Type = "LogicConv2d" }},
		{"learnable", "raw_diffs", false, func(_ *dict, f *given.Facts) { f.LayersInOrder[0].Type = "LearnableBinarization" }},
		{"a layer more", `LogicDense "9"`, false, func(_ *dict, f *given.Facts) {
			f.LayersInOrder = append(f.LayersInOrder, given.TorchLayer{Name: "9", Type: "LogicDense"})
		}},
		{"unknown class", "Linear", false, func(_ *dict, f *given.Facts) {
			f.LayersInOrder = append(f.LayersInOrder, given.TorchLayer{Name: "9", Type: "Linear"})
		}},
		{"two sums", "group_sum.tau|2|1.5", false, func(_ *dict, f *given.Facts) { f.Sum.Tau = ptr(2.0) }},
		{"classes", "group_sum.k is 3|2 bits", false, func(_ *dict, f *given.Facts) { f.LayersInOrder[4].K = ptr(3) }},
		{"tau", "group_sum.tau is 0", false, func(_ *dict, f *given.Facts) { f.LayersInOrder[4].Tau = ptr(0.0) }},
		{"randperm", "randperm", false, func(_ *dict, f *given.Facts) { f.Sum.RandPerm = []int{1, 0} }},
		{"sum in the middle", "not the last", false, func(_ *dict, f *given.Facts) {
			l := f.LayersInOrder
			l[3], l[4] = l[4], l[3]
		}},
		{"thermometer last", "not the first", false, func(_ *dict, f *given.Facts) {
			l := f.LayersInOrder
			f.LayersInOrder = []given.TorchLayer{l[1], l[2], l[0], l[3]}
		}},
		{"feature_dim of the batch", "feature_dim is 0", false, func(_ *dict, f *given.Facts) { f.LayersInOrder[0].FeatureDim = ptr(0) }},
		{"input", "[5]|[3]|2 bits", false, func(_ *dict, f *given.Facts) { f.Input.Shape = []int{5} }},
		{"kernels", "kernels|2|1", true, func(_ *dict, f *given.Facts) { f.LayersInOrder[0].Kernels = 2 }},
		{"depth", "tree_depth|3|2", true, func(_ *dict, f *given.Facts) { f.LayersInOrder[0].TreeDepth = 3 }},
		{"stride", "2 x 2 positions|9", true, func(_ *dict, f *given.Facts) { f.LayersInOrder[0].Stride = 2 }},
		{"padding", "5 x 5 positions|9", true, func(_ *dict, f *given.Facts) { f.LayersInOrder[0].Padding = ptr(1) }},
		{"field", "row 1|field of [1 2]", true, func(_ *dict, f *given.Facts) {
			f.LayersInOrder[0].ReceptiveField, f.LayersInOrder[0].InDim = []int{1, 2}, []int{3, 4}
		}},
		{"image", "[4 5]", true, func(_ *dict, f *given.Facts) { f.Input.Shape = []int{1, 4, 4}; f.LayersInOrder[0].InDim = []int{4, 5} }},
		{"channels", "channels is 2|1", true, func(_ *dict, f *given.Facts) { f.Input.Shape = []int{1, 4, 4}; f.LayersInOrder[0].Channels = 2 }},
		{"pooling", "half the kernel", true, func(_ *dict, f *given.Facts) { f.LayersInOrder[1].Padding = ptr(2) }},
		{"large pooling", "larger", true, func(_ *dict, f *given.Facts) { f.LayersInOrder[1].Kernel = 9 }},
		{"without pooling", "9 bits|in is 4", true, func(_ *dict, f *given.Facts) {
			f.LayersInOrder[3].In = 4
			f.LayersInOrder = append(f.LayersInOrder[:1:1], f.LayersInOrder[2:]...)
		}},
		{"a convolution not named", "does not name layer", true, func(_ *dict, f *given.Facts) { f.LayersInOrder = f.LayersInOrder[1:] }},
		{"flat before a convolution", "[16]", true, func(_ *dict, f *given.Facts) {
			f.Input.Shape = []int{16}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, f := denseNet()
			if c.conv {
				d, f = convNet()
			}
			c.change(&d, f)
			n, err := read(t, d, f)
			if err == nil {
				t.Fatalf("no error; findings: %v", n.Findings)
			}
			for part := range strings.SplitSeq(c.want, "|") {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q, want %q in it", err, part)
				}
			}
		})
	}
}

func TestBadTensors(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	for _, c := range []struct {
		name, key, want string
		conv            bool
		value           any
	}{
		{"NaN", "3.weight", "weight: element 1 is NaN", false, floats([]int{2, 16}, append([]float32{0, nan}, make([]float32, 30)...)...)},
		{"infinity", "2.weight", "weight: element 0 is -Inf", false, floats([]int{4, 4}, append([]float32{inf}, make([]float32, 15)...)...)},
		{"NaN as a threshold", "0.thresholds", "thresholds: element 0", false, floats([]int{3, 2}, nan, 0, 0, 0, 0, 0)},
		{"double", "2.weight", "float32 does not hold", false, tensor{shape: []int{4, 4}, data: append([]float64{0.1}, make([]float64, 15)...)}},
		{"whole numbers", "2.weight", "floating-point", false, ints([]int{4, 4}, make([]int64, 16)...)},
		{"one dimension", "2.weight", "[16]", false, counted(5, 2, 16)},
		{"columns", "2.weight", "8 columns at rank 2", false, counted(5, 2, 4, 8)},
		{"no outputs", "2.weight", "[0 4]", false, counted(5, 2, 0, 4)},
		{"index", "2.connections.indices", "node 3 is 6, want 0 to 5", false, ints([]int{2, 4}, 0, 1, 2, 3, 5, 4, 3, 6)},
		{"negative index", "3.connections.indices", "-1", false, ints([]int{2, 2}, 0, 1, 2, -1)},
		{"real indices", "3.connections.indices", "integers", false, floats([]int{2, 2}, 0, 1, 2, 3)},
		{"outputs of indices", "3.connections.indices", "[2 3]", false, ints([]int{2, 3}, 0, 1, 2, 3, 0, 1)},
		{"rank 7", "3.connections.indices", "rank 7", false, ints([]int{7, 2}, make([]int64, 14)...)},
		{"no candidates", "3.connections.weights", "connections.weights are of shape", false, counted(3, 1, 1, 2, 2)},
		{"unknown", "3.bias", "3.bias", false, counted(3, 1, 2)},
		{"no tensor", "3.weight", "no tensor", false, 7},
		{"order of children", "0.connections._indices_L1", "another order", true, ints([]int{2, 1}, 1, 0)},
		{"shape of a level", "0.tree_weights.1", "[2 1 4]", true, counted(5, 2, 2, 1, 4)},
		{"NaN in a tree", "0.tree_weights.1", "tree_weights.1: element 0", true, floats([]int{1, 1, 4}, nan, 0, 0, 0)},
		{"learnt connections", "0.connections.weights", "learnt", true, counted(3, 1, 2)},
		{"channel", "0.connections._indices_L0", "channel 1", true, func() any {
			d, _ := convNet()
			v := d.get("0.connections._indices_L0").(tensor)
			v.data.([]int64)[2] = 1
			return v
		}()},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, f := denseNet()
			if c.conv {
				d, f = convNet()
			}
			f.LayersInOrder[0].ThresholdsShape = nil
			_, err := read(t, d.with(c.key, c.value), f)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q in it", err, c.want)
			}
		})
	}
}

func TestRecognise(t *testing.T) {
	d, _ := denseNet()
	linear := dict{{"0.weight", counted(3, 1, 4, 16)}, {"0.bias", counted(3, 1, 4)}}
	for _, c := range []struct {
		name  string
		value any
		want  bool
	}{
		{"dense", d, true},
		{"weights alone", dict{{"1.weight", counted(3, 1, 4, 16)}}, true},
		{"linear", linear, false},
		{"difflogic", dict{{"0.weights", counted(3, 1, 4, 16)}}, false},
		{"wide", dict{{"0.weight", counted(3, 1, 4, 128)}}, false},
		{"module", object{"torchlogix.layers.dense.LogicDense", nil}, true},
		{"another module", object{"difflogic.difflogic.LogicLayer", nil}, false},
		{"number", 3, false},
	} {
		value, _ := loaded(t, c.value, nil)
		if got := torchlogix.Recognise(value); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestGivenThresholds checks that the user's thresholds replace missing thresholds. If the file has thresholds, the
// user's must equal them.
func TestGivenThresholds(t *testing.T) {
	d, f := denseNet()
	want, err := read(t, d, f)
	if err != nil {
		t.Fatal(err)
	}
	rows := [][]float32{{.1, .2}, {.3, .4}, {.5, .6}}
	sample := []float32{.15, .35, .7}
	for name, c := range map[string]struct {
		d      dict
		layers []given.TorchLayer
	}{
		"named":     {d.without("0.thresholds"), f.LayersInOrder},
		"not named": {d.without("0.thresholds"), f.LayersInOrder[1:]},
		"equal":     {d, f.LayersInOrder},
	} {
		value, src := loaded(t, c.d, &given.Facts{LayersInOrder: c.layers})
		src.Thresholds = rows
		n, err := torchlogix.Read(src, value)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		compare(t, scores(n, sample), scores(want, sample), 0)
	}
	value, src := loaded(t, d, f)
	src.Thresholds = [][]float32{{.1, .2}, {.3, .4}, {.5, .7}}
	if _, err := torchlogix.Read(src, value); err == nil {
		t.Error("thresholds that differ from the file's: no error")
	}
	src.Thresholds = [][]float32{{.1, .2}, {.3}, {.5, .7}}
	if _, err := torchlogix.Read(src, value); err == nil {
		t.Error("ragged thresholds: no error")
	}
}

// TestFeatureDim checks that the bits extend the dimension feature_dim. It also checks that thresholds apply to a
// sample as PyTorch broadcasts them.
func TestFeatureDim(t *testing.T) {
	pair := floats([]int{2}, 1, 2)
	rows := floats([]int{3, 2}, 1, 2, 3, 4, 5, 6)
	var apart []graph.Bit // the first bits of all features, then the second bits
	for i := range int32(6) {
		apart = append(apart, graph.Bit{Feature: i % 3, Index: i / 3})
	}
	for _, c := range []struct {
		name       string
		thresholds tensor
		shape      []int
		dim        int
		order      []graph.Bit // nil if the bits are grouped by feature
		rows       []float32   // the first threshold of each feature
	}{
		{"the last dimension", pair, []int{1, 3, 1}, -2, nil, []float32{1, 1, 1}},
		{"rows", pair, []int{1, 3, 1}, 2, nil, []float32{1, 1, 1}},
		{"channels", pair, []int{1, 3, 1}, 1, apart, []float32{1, 1, 1}},
		{"channels from the end", pair, []int{1, 3, 1}, -4, apart, []float32{1, 1, 1}},
		{"thresholds of channels", rows, []int{3, 1, 1}, -2, nil, []float32{1, 3, 5}},
		{"thresholds of columns", rows, []int{1, 3}, 2, nil, []float32{1, 3, 5}},
		{"thresholds of rows", floats([]int{3, 1, 2}, 1, 2, 3, 4, 5, 6), []int{3, 1}, 2, nil, []float32{1, 3, 5}},
		{"thresholds of pixels", floats([]int{1, 3, 1, 2}, 1, 2, 3, 4, 5, 6), []int{1, 3, 1}, -2, nil, []float32{1, 3, 5}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, f := denseNet()
			f.LayersInOrder[0].FeatureDim, f.LayersInOrder[0].ThresholdsShape, f.Input.Shape = &c.dim, nil, c.shape
			n, err := read(t, d.with("0.thresholds", c.thresholds), f)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(n.Input.Order, c.order) {
				t.Errorf("order %v, want %v", n.Input.Order, c.order)
			}
			for i, row := range n.Input.Thresholds {
				if row[0] != c.rows[i] || len(row) != 2 {
					t.Errorf("thresholds of feature %d: %v, want %v first", i, row, c.rows[i])
				}
			}
		})
	}
}
