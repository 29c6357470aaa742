package checkpoint

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/graph"
	"ialgn/internal/interchange/torchfile"
)

// dict returns a dictionary. The arguments are keys and values in turn.
func dict(v ...any) *torchfile.Dict {
	d := &torchfile.Dict{}
	for i := 0; i < len(v); i += 2 {
		d.Keys, d.Values = append(d.Keys, v[i]), append(d.Values, v[i+1])
	}
	return d
}

// object returns a module with submodules.
func object(class string, modules ...any) *torchfile.Object {
	return &torchfile.Object{Class: class, State: dict("_modules", dict(modules...), "k", int64(5), "tau", 2.5)}
}

const (
	sequential = "torch.nn.modules.container.Sequential"
	layer      = "made.up.Layer"
)

func TestModules(t *testing.T) {
	o := object(sequential, "0", object("torch.nn.modules.flatten.Flatten"),
		"net", object("user.Net", "a", object(layer, "mapping", object("made.up.Mapping")), "b", object(layer)),
		"sum", object("made.up.Sum"))
	modules, err := Modules(o, layer, "made.up.Sum")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range modules {
		names = append(names, m.Name)
	}
	if got := strings.Join(names, " "); got != "net.a net.b sum" {
		t.Errorf("modules %q", got)
	}
	if !Has(o, "made.up.Mapping") || Has(o, "made.up.Other") {
		t.Error("Has finds the wrong classes")
	}
	_, err = Modules(object(sequential, "0", object(layer), "1", object("torch.nn.modules.linear.Linear")), layer)
	if want := `module "1" is a torch.nn.modules.linear.Linear, which is not known here`; err == nil || err.Error() != want {
		t.Error(err)
	}
}

func TestContent(t *testing.T) {
	state := dict("0.weights", &torchfile.Tensor{})
	for _, key := range []string{"state_dict", "model_state_dict", "model"} {
		if got := Content(dict("epoch", int64(3), key, state)); got != any(state) {
			t.Errorf("%s: %v", key, got)
		}
	}
	if got := Content(state); got != any(state) {
		t.Errorf("content of a plain state dict: %v", got)
	}
}

func TestSumOf(t *testing.T) {
	s, err := SumOf(Module{"4", object("made.up.Sum")})
	if err != nil || *s.K != 5 || *s.Tau != 2.5 || s.RandPerm != nil || !s.Whole {
		t.Error(s, err)
	}
	for name, state := range map[string]*torchfile.Dict{
		`k of module "4" is not a whole number`:  dict("k", 2.5, "tau", 1.0),
		`tau of module "4" is not a number`:      dict("k", int64(2), "tau", "x"),
		`randperm of module "4" is not a tensor`: dict("k", int64(2), "tau", 1.0, "randperm", int64(3)),
	} {
		if _, err := SumOf(Module{"4", &torchfile.Object{State: state}}); err == nil || err.Error() != name {
			t.Errorf("%v, want %s", err, name)
		}
	}
}

func TestResolve(t *testing.T) {
	for name, test := range map[string]struct {
		k         int
		tau, beta float64
		outputs   int
		padded    bool
		want      string
	}{
		"padded":   {3, 1, 0, 7, true, "[[0 1 2] [3 4 5] [6 -1 -1]]"},
		"even":     {2, 1, 0, 4, false, "[[0 1] [2 3]]"},
		"uneven":   {3, 1, 0, 7, false, "not a multiple"},
		"none":     {0, 1, 0, 7, true, "group_sum.k is 0"},
		"many":     {8, 1, 0, 7, true, "group_sum.k is 8"},
		"tau 0":    {1, 0, 0, 7, true, "group_sum.tau is 0"},
		"tau tiny": {1, 1e-60, 0, 7, true, "group_sum.tau is 1e-60"}, // 0 as a float32
		"tau huge": {1, 1e60, 0, 7, true, "group_sum.tau is 1e+60"},
		"tau NaN":  {1, math.NaN(), 0, 7, true, "group_sum.tau is NaN"},
		"beta":     {1, 1, math.Inf(1), 7, true, "group_sum.beta is +Inf"},
	} {
		n := &graph.Network{}
		src := &given.Source{Facts: &given.Facts{Sum: given.GroupSum{K: &test.k, Tau: &test.tau, Beta: &test.beta}}}
		var got string
		if err := (&Sum{}).Resolve(src, n, test.outputs, test.padded); err != nil {
			got = err.Error()
		} else {
			got = fmt.Sprint(n.Sum.Groups)
		}
		if !strings.Contains(got, test.want) {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}
