package archtest

// interchange are the rules of the readers and writers of other frameworks' networks.
var interchange = []Rule{
	{
		Package: "interchange",
		Imports: []string{
			"interchange/facts", "interchange/graph", "trainer/config", "trainer/encoding", "trainer/model",
			"trainer/topology",
		},
		External: []string{math32},
	},
	{Package: "interchange/facts", Imports: []string{"internal/jsonfault"}, External: []string{yaml}},
	{Package: "interchange/given", Imports: []string{"interchange/facts"}},
	{Package: "interchange/graph"},
	{Package: "interchange/reader", Imports: []string{
		"interchange/...", "internal/filekind", "internal/hint",
	}},
	{
		Package: "interchange/writer",
		Imports: []string{"interchange/graph", "interchange/torchlogix", "internal/hint", "internal/overwrite"},
	},
	{
		Package: "interchange/torchlogix",
		Imports: []string{
			"interchange/checkpoint", "interchange/facts", "interchange/given", "interchange/graph", "interchange/torchfile",
		},
		Test: []string{"internal/npytest"},
	},
	{Package: "interchange/checkpoint", Imports: []string{
		"interchange/given", "interchange/graph", "interchange/torchfile",
	}, Test: []string{"interchange/facts"}},
	{
		Package: "interchange/difflogic",
		Imports: []string{
			"interchange/checkpoint", "interchange/difflogic/wiring", "interchange/given", "interchange/graph",
			"interchange/torchfile", "internal/plural",
		},
		Test: []string{"interchange/facts", "interchange/graph/graphtest"},
	},
	{Package: "interchange/difflogic/wiring", Imports: []string{"internal/jsonfault", "internal/plural"}},
	{
		Package: "interchange/dwn",
		Imports: []string{
			"interchange/checkpoint", "interchange/given", "interchange/graph", "interchange/torchfile", "internal/plural",
		},
		Test: []string{
			"interchange/facts", "interchange/graph/graphtest", "interchange/torchfile/torchtest", "internal/npytest",
		},
	},
	{Package: "interchange/torchfile/torchtest"},
	{
		Package: "interchange/gates",
		Imports: []string{"interchange/checkpoint", "interchange/given", "interchange/graph", "internal/plural"},
		Test: []string{
			"backend/aiger", "backend/blif", "interchange/facts", "interchange/graph/graphtest", "netlist",
		},
		TestStandard: []string{"os/exec"},
	},
	{Package: "interchange/graph/graphtest", Imports: []string{
		"interchange/facts", "interchange/given", "interchange/graph", "internal/npytest",
	}},
	{Package: "interchange/onnx", External: []string{protobuf}},
	{
		Package: "interchange/qonnx",
		Imports: []string{"interchange/checkpoint", "interchange/given", "interchange/graph", "interchange/onnx"},
		Test:    []string{"interchange/facts", "interchange/graph/graphtest", "internal/npytest"},
	},
}
