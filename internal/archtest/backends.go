package archtest

// backends are the rows of the packages that write a netlist in some form.
var backends = []Rule{
	{
		Package: "backend/verilog", Imports: []string{"netlist", "netlist/names", "target", "internal/bitset"},
		Test:         []string{"sim", "backend/...", "compiler/...", "trainer/model", "internal/tool"},
		TestStandard: []string{"os/exec"},
	},
	{
		Package: "backend/verilog/syntax", Imports: []string{"backend/verilog", "netlist", "netlist/names", "target"},
		Test: []string{"compiler", "compiler/...", "trainer/model"},
	},
	{Package: "backend/aiger", Imports: []string{"netlist"}, Test: []string{"sim"}, TestStandard: []string{"os/exec"}},
	{
		Package: "backend/blif", Imports: []string{"netlist", "netlist/names", "backend/lowering"},
		Test: []string{"backend/aiger", "sim"}, TestStandard: []string{"os/exec"},
	},
	{
		Package: "backend/yosysjson", Imports: []string{"netlist", "netlist/names", "backend/lowering"},
		Test: []string{"backend/aiger", "sim"}, TestStandard: []string{"os/exec"},
	},
	{
		Package: "backend/handover", Imports: []string{"netlist", "netlist/names", "backend/verilog", "target"},
		Test: []string{"internal/tool"}, TestStandard: []string{"os/exec"},
	},
	{
		Package: "backend/qonnx", Imports: []string{"netlist", "backend/lowering", "interchange/onnx"},
		Test:         []string{"compiler", "compiler/hardware", "interchange/...", "sim", "target"},
		TestStandard: []string{"os/exec"},
	},
	{Package: "backend/lowering", Imports: []string{"netlist"}, Test: []string{"sim"}},
	{Package: "backend/wordcode", Imports: []string{"netlist", "sim"}},
	{
		Package: "backend/decisionlist", Imports: []string{"netlist", "backend/wordcode"},
		Test: []string{"compiler", "sim"},
	},
	{
		Package: "backend/wrapper",
		Imports: []string{"netlist", "netlist/names", "backend/inputs", "backend/verilog", "internal/plural"},
		Test:    []string{"sim", "compiler/encoder", "compiler/pipeline", "trainer/model"},
	},
	{
		Package: "backend/fold",
		Imports: []string{"netlist", "compiler/chain", "backend/engine"},
		Test:    []string{"backend/verilog", "backend/wrapper", "compiler", "sim", "trainer/model"},
	},
	{Package: "backend/engine", Imports: []string{"netlist", "netlist/names"}},
	{
		Package: "backend/steps", Imports: []string{"backend/engine"},
		Test: []string{"internal/tool"},
	},
	{Package: "backend/positions", Imports: []string{"backend/engine"}},
	{Package: "backend/inputs"},
	{
		Package: "backend/native",
		Imports: []string{
			"netlist", "netlist/positions", "backend/wordcode", "backend/native/arm64", "backend/native/rows",
			"backend/native/x86",
		},
		External: []string{sys},
		Test: []string{
			"sim", "netlist/freeze", "backend/native/arm64/arm64test", "internal/modelgen", "internal/nativecall",
			"internal/netgen", "trainer/model",
		},
		TestStandard: []string{"unsafe"},
	},
	{Package: "backend/native/x86", TestStandard: []string{"os/exec"}},
	{
		Package: "backend/native/arm64", Test: []string{"backend/native/arm64/arm64test"},
		TestStandard: []string{"os/exec"},
	},
	{
		Package: "backend/native/arm64/arm64test", Imports: []string{"backend/native/arm64", "internal/tool"},
		Standard: []string{"os/exec"},
	},
	{
		Package: "backend/native/rows", Imports: []string{"backend/native/arm64", "backend/native/x86"},
		Test:         []string{"backend/native/arm64/arm64test", "internal/nativecall"},
		TestExternal: []string{sys}, TestStandard: []string{"unsafe"},
	},
	{
		Package: "backend/ccode", Imports: []string{"netlist", "backend/decisionlist", "backend/inputs", "backend/wordcode"},
		Test: []string{"backend/object", "backend/object/..."}, TestStandard: []string{"os/exec"},
	},
	{
		Package: "backend/gocode", Imports: []string{"netlist", "backend/inputs", "backend/wordcode"},
		TestStandard: []string{"os/exec"},
	},
	{Package: "backend/object", Test: []string{"backend/object/objecttest"}},
	{Package: "backend/object/ar"},
	{
		Package: "backend/object/dispatch", Imports: []string{"backend/object"},
		Test: []string{"backend/object/..."},
	},
	{
		Package: "backend/object/library",
		Imports: []string{
			"netlist", "backend/ccode", "backend/native", "backend/native/rows", "backend/object", "backend/object/ar",
			"backend/object/dispatch", "backend/wordcode",
		},
		Test: []string{
			"backend/gocode", "compiler", "internal/modelgen", "internal/netgen", "netlist/freeze", "trainer/encoding",
			"trainer/model",
		},
		TestStandard: []string{"os/exec"},
	},
	{Package: "backend/object/objecttest"},
	{
		Package: "backend/dot", Imports: []string{"netlist"}, External: []string{gonum}, Test: []string{"sim"},
		TestStandard: []string{"os/exec"},
	},
}
