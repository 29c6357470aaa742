package torchlogix_test

import (
	"slices"
	"strings"
	"testing"

	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/graph"
)

// module returns a torch module with attributes, tensors and submodules.
func module(class string, attributes, tensors, modules dict) object {
	return object{class, append(dict{
		{"training", false}, {"_parameters", dict{}}, {"_buffers", tensors}, {"_modules", modules},
	}, attributes...)}
}

// form returns the module that represents a parametrization.
func form(name string) object {
	return module("torchlogix.parametrization."+name+"LUTParametrization", nil, nil, nil)
}

// denseModule returns the network of denseNet as a whole module.
func denseModule() dict {
	d, _ := denseNet()
	layer := func(name, par string, in, out int) object {
		return module("torchlogix.layers.dense.LogicDense", dict{{"in_dim", in}, {"out_dim", out}, {"lut_rank", 2}},
			dict{{"weight", d.get(name + ".weight")}}, dict{
				{"parametrization", form(par)},
				{"connections", module("torchlogix.connections.FixedDenseConnections", dict{{"gumbel", par == "Raw"}},
					dict{{"indices", d.get(name + ".connections.indices")}}, nil)},
			})
	}
	return dict{
		{"0", module("torchlogix.layers.binarization.FixedBinarization", dict{{"feature_dim", -2}},
			dict{{"thresholds", d.get("0.thresholds")}}, nil)},
		{"1", module("torch.nn.modules.flatten.Flatten", dict{{"start_dim", 1}, {"end_dim", -1}}, nil, nil)},
		{"drop", module("torch.nn.modules.dropout.Dropout", nil, nil, nil)},
		{"2", layer("2", "Light", 6, 4)},
		{"3", layer("3", "Raw", 4, 2)},
		{"4", module("torchlogix.layers.groupsum.GroupSum", dict{{"k", 2}, {"tau", floats([]int{}, 1.5)}, {"beta", 0.0}}, nil, nil)},
	}
}

func sequential(modules dict) object {
	return module("torch.nn.modules.container.Sequential", nil, nil, modules)
}

func TestModule(t *testing.T) {
	d, f := denseNet()
	want, err := read(t, d, f)
	if err != nil {
		t.Fatal(err)
	}
	sample := []float32{.1, .35, .9, .3, .45, .55}
	wrapped := module("torch.nn.parallel.data_parallel.DataParallel", nil, nil, dict{{"module", sequential(denseModule())}})
	for _, said := range []*given.Facts{{}, f} {
		n, err := read(t, wrapped, said)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, scores(n, sample), scores(want, sample), 0)
		if !slices.ContainsFunc(n.Findings, func(f graph.Finding) bool { return f.What == "gumbel" }) {
			t.Errorf("no finding about gumbel: %v", n.Findings)
		}
	}
}

func TestModuleRefuses(t *testing.T) {
	change := func(name, key string, value any) dict {
		m := denseModule()
		o := m.get(name).(object)
		return m.with(name, object{o.class, o.state.with(key, value)})
	}
	for _, c := range []struct {
		name    string
		modules dict
		facts   given.Facts
		want    string
	}{
		{"another class", denseModule().with("5", module("torch.nn.modules.linear.Linear", nil, nil, nil)), given.Facts{}, "Linear"},
		{"no module", denseModule().with("5", 3), given.Facts{}, `"5" is no module`},
		{"out_dim", change("2", "out_dim", 7), given.Facts{}, "out: the tensors' 4, the module's 7"},
		{"a real out_dim", change("2", "out_dim", 4.5), given.Facts{}, "out_dim is 4.5"},
		{"tau", change("4", "tau", "warm"), given.Facts{}, `tau is "warm"`},
		{"flatten", change("1", "start_dim", 2), given.Facts{}, "flattens"},
		{"a tensor more", change("2", "_buffers", dict{{"bias", counted(3, 1, 4)}}), given.Facts{}, `"bias"`},
		{"the rank in facts", denseModule(), given.Facts{LayersInOrder: []given.TorchLayer{{Name: "2", Rank: 4}}}, "lut_rank"},
		{"tau in facts", denseModule(), given.Facts{Sum: given.GroupSum{Tau: ptr(2.0)}}, "group_sum.tau"},
		{"a layer of facts", denseModule(), given.Facts{LayersInOrder: []given.TorchLayer{{Name: "7", Type: "Flatten"}}}, `"7"`},
		{"a pooling of facts", denseModule(), given.Facts{LayersInOrder: []given.TorchLayer{{Type: "OrPooling2d"}}}, "its place is unknown"},
		{"parametrization", func() dict {
			m := denseModule()
			o := m.get("2").(object)
			inner := o.state.get("_modules").(dict).with("parametrization", form("Raw"))
			return m.with("2", object{o.class, o.state.with("_modules", inner)})
		}(), given.Facts{}, "raw"},
		{"no gates", dict{{"0", denseModule().get("0")}}, given.Facts{}, "no layer of gates"},
		{"3-D", dict{{"0", module("torchlogix.layers.conv.LogicConv3d", nil, nil, nil)}}, given.Facts{}, "LogicConv3d"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.facts.Name = "facts.json"
			_, err := read(t, sequential(c.modules), &c.facts)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q in it", err, c.want)
			}
		})
	}
}

// TestModuleWithoutSum checks that the user must give the sum if the module has no sum.
func TestModuleWithoutSum(t *testing.T) {
	m := denseModule().without("4")
	_, err := read(t, sequential(m), &given.Facts{})
	wantMissing(t, err, "group_sum.k")
	if !strings.Contains(err.Error(), "the module has no GroupSum") {
		t.Errorf("error %v", err)
	}
	if _, err := read(t, sequential(m), &given.Facts{Sum: given.GroupSum{K: ptr(2), Tau: ptr(1.0)}}); err != nil {
		t.Error(err)
	}
}
