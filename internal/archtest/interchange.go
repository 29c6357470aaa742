package archtest

// interchange are the rules of the readers and writers of other frameworks' networks.
var interchange = []Rule{
	{Package: "interchange/facts", Imports: []string{"internal/jsonfault"}, External: []string{yaml}},
	{Package: "interchange/given", Imports: []string{"interchange/facts"}},
	{Package: "interchange/graph"},
	{Package: "interchange/graph/graphtest", Imports: []string{"interchange/graph"}},
	{Package: "interchange/onnx", External: []string{protobuf}},
	{
		Package: "interchange/qonnx", Imports: []string{"interchange/given", "interchange/graph", "interchange/onnx"},
		Test: []string{"interchange/facts", "interchange/graph/graphtest", "internal/npytest"},
	},
}
