package interchange

import (
	"bytes"
	"strings"
	"testing"

	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/graph"
	"ialgn/internal/interchange/torchfile/torchtest"
	"ialgn/internal/message"
)

// readValue saves a value as torch.save does, and reads the network from the file. The argument from is the name of
// the format.
func readValue(t *testing.T, value any, from string) (*graph.Network, error) {
	t.Helper()
	file := torchtest.Archive(t, value)
	k, tau := 2, 1.0
	return Read(&given.Source{
		Name: "x.pt", File: bytes.NewReader(file), Size: int64(len(file)),
		Facts: &given.Facts{InDim: 4, Thermometer: given.Thermometer{None: true}, Sum: given.GroupSum{K: &k, Tau: &tau}},
	}, from)
}

var (
	luts      = torchtest.Tensor{Shape: []int{2, 4}, Elements: []float32{-1, 1, 1, -1, -1, -1, -1, 1}}
	mapping   = torchtest.Tensor{Shape: []int{2, 2}, Elements: []int32{0, 3, 1, 2}}
	namespace = torchtest.Instance("argparse", "Namespace", torchtest.Dict{"lr", 0.1})
	sparse    = torchtest.Pickle("ctorch._utils\n_rebuild_sparse_tensor\n)R")
)

// TestPassedOverValuesAreNamed checks that the findings name the classes of the values that Read ignored.
func TestPassedOverValuesAreNamed(t *testing.T) {
	date := torchtest.Instance("datetime", "date", nil)
	n, err := readValue(t, torchtest.Dict{
		"args", namespace, "when", date, "model", namespace, "state_dict", torchtest.Dict{"0.luts", luts, "0.mapping", mapping},
	}, "")
	if err != nil {
		t.Fatal(err)
	}
	last := n.Findings[len(n.Findings)-1]
	if last.What != "passed over" || last.Is != "argparse.Namespace, datetime.date" {
		t.Errorf("finding %+v", last)
	}
}

// TestNetworkThatWasNotRead checks the error if the network itself is an instance of an unknown class.
func TestNetworkThatWasNotRead(t *testing.T) {
	net := torchtest.Instance("__main__", "Net", torchtest.Dict{"training", false})
	for _, test := range []struct{ name, from, want, hint string }{
		{"state_dict", "", `"state_dict", which was not read: m/data.pkl: byte `, `torch.save(dict(torch.load(FILE)["state_dict"]), OTHER)`},
		{"model_state_dict", "", "it would run __main__.Net", `dict(torch.load(FILE)["model_state_dict"])`},
		{"model", "", "it would run __main__.Net", `torch.save(torch.load(FILE)["model"].state_dict(), OTHER)`},
		{"model", "dwn", "it would run __main__.Net", `torch.load(FILE)["model"].state_dict()`},
		{"net", "difflogic", "it would run __main__.Net", `torch.load(FILE)["net"].state_dict()`},
		{"params", "torchlogix", "it would run __main__.Net", `dict(torch.load(FILE)["params"])`},
	} {
		t.Run(test.name+" "+test.from, func(t *testing.T) {
			_, err := readValue(t, torchtest.Dict{"epoch", 3, test.name, net}, test.from)
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(message.Hint(err), test.hint) {
				t.Errorf("error %v, hint %s", err, message.Hint(err))
			}
		})
	}
	_, err := readValue(t, net, "")
	if err == nil || !strings.Contains(err.Error(), "it would run __main__.Net") {
		t.Errorf("a module of the user: error %v", err)
	}
}

// TestLayerThatWasNotRead checks the error if an instance of an unknown class takes the place of a tensor of the
// network. It also checks the error if an instance of an unknown class is next to the network.
func TestLayerThatWasNotRead(t *testing.T) {
	d := func(entries ...any) torchtest.Dict { return entries }
	for _, test := range []struct {
		name, want string
		value      any
	}{
		{"sparse tables", "0.luts was not read: m/data.pkl: byte ", d("0.luts", sparse, "0.mapping", mapping, "1.luts", luts, "1.mapping", mapping)},
		{"tables of another class", "it would run argparse.Namespace", d("0.luts", namespace, "1.luts", luts, "1.mapping", mapping)},
		{"a sparse parameter of another layer", "fc.weight was not read", d("0.luts", luts, "0.mapping", mapping, "fc.weight", sparse)},
		{"a parameter of another layer", "the state dict has fc.weight", d("0.luts", luts, "0.mapping", mapping, "fc.weight", luts)},
		{"the state of a module", "q._extra_state was not read", d("0.luts", luts, "0.mapping", mapping, "q._extra_state", namespace)},
		{"numbers next to the tensors", "", d("0.luts", luts, "0.mapping", mapping, "epoch", 3, "best", nil, "args", namespace)},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := readValue(t, test.value, "")
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}
