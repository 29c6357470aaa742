package qonnx

import (
	"slices"
	"strings"
	"testing"

	"ialgn/internal/message"
	"ialgn/internal/onnx"
)

// TestNetworkWithoutLookupTables checks the error for a graph that is another kind of network. The error must say
// that the graph has no look-up tables, even if the graph has other faults.
func TestNetworkWithoutLookupTables(t *testing.T) {
	const none = "model.onnx: its graph has no LookupTable of qonnx.custom_op.lnn"
	for _, test := range []struct {
		name, domain, want string
		ops                []string
	}{
		{"a convolution", "", none + ", but Conv", []string{"Conv"}},
		{"a dense layer", "", none + ", but MatMul", []string{"MatMul", "Add"}},
		{"a dense layer of Keras", "", none + ", but Gemm, Relu", []string{"Gemm", "Relu"}},
		{"several layers", "", none + ", but Gemm, Relu, Softmax", []string{"Gemm", "Relu", "Gemm", "Softmax"}},
		{"quantised", "qonnx.custom_op.general", none + ", but BipolarQuant, Quant", []string{"Quant", "BipolarQuant"}},
		{"of FINN", "finn.custom_op.fpgadataflow", none + ", but MVAU_hls", []string{"MVAU_hls"}},
		{"of Brevitas", "onnx.brevitas", none + ", but Quant", []string{"Quant"}},
		{"quantised for integers", "", none + ", but MatMulInteger, QuantizeLinear", []string{"QuantizeLinear", "MatMulInteger"}},
		{"a tree", "ai.onnx.ml", none + ", but TreeEnsembleClassifier", []string{"TreeEnsembleClassifier"}},
		{"sums alone", "", none, []string{"Add"}},
		{"recurrent", "", none + ", but LSTM", []string{"LSTM"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := maker{m: small(t)}
			for _, op := range test.ops[1:] {
				m.m.Graph.Nodes = append(m.m.Graph.Nodes, onnx.Node{
					Op: op, Domain: test.domain, Inputs: []string{"x"}, Outputs: []string{"unused " + op},
				})
			}
			first := &m.m.Graph.Nodes[0]
			first.Op, first.Domain, first.Inputs = test.ops[0], test.domain, []string{"x", "x"}
			_, err := Read(source(m.bytes(t), nil))
			if err == nil || err.Error() != test.want || !strings.Contains(message.Hint(err), "sums of products") {
				t.Errorf("error %v, want %q; hint %q", err, test.want, message.Hint(err))
			}
		})
	}
}

// TestOperatorBesideLookupTables checks that the error names an unsupported operator in a graph of look-up tables.
func TestOperatorBesideLookupTables(t *testing.T) {
	m := maker{m: small(t)}
	m.m.Graph.Nodes = slices.Insert(m.m.Graph.Nodes, 0, onnx.Node{
		Op: "Relu", Inputs: []string{"x"}, Outputs: []string{"b"},
	})
	m.m.Graph.Nodes[1].Inputs[0] = "b"
	_, err := Read(source(m.bytes(t), nil))
	const want = `model.onnx: node "b" (Relu): the operator is not read: save the network as`
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}
