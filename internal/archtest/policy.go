package archtest

import "slices"

// policy is the import policy of this module. A package that is not here, and a row whose package does not exist, fail
// the test; so does an import that the row does not allow.
var policy = Policy{
	Rules: slices.Concat(backends, helpers, interchange, []Rule{
		{
			Package: ".",
			Imports: []string{
				"trainer", "trainer/...", "netlist", "netlist/freeze", "netlist/positions", "artifact", "artifact/plan",
				"backend/engine",
				"interchange", "interchange/facts", "interchange/given", "interchange/graph", "interchange/reader",
				"interchange/writer",
				"backend/native", "backend/native/rows", "backend/verilog", "backend/wrapper", "explain", "sim", "sim/...",
				"flow/icestorm", "flow/placement", "flow/synth", "target",
				"internal/atomicfile", "internal/jsonfault", "internal/overwrite", "internal/plural",
				"internal/readahead", "internal/tempdir",
			},
			Test: []string{"docs", "compiler/lut", "compiler/pipeline", "trainer/model", "internal/resign", "internal/tool"},
		},
		{
			Package: "cmd/ialgn", Imports: all, External: []string{cli, term}, Test: all,
			TestExternal: []string{sys, testscript}, TestStandard: []string{"net/http", "os/exec"},
		},

		{
			Package: "trainer", Imports: []string{
				"trainer/...", "internal/atomicfile", "internal/crew", "internal/filelock",
				"internal/hugepage", "internal/jsonfault", "internal/memory", "internal/plural", "internal/overwrite",
			},
			External: []string{sync}, Test: []string{"internal/resign"}, TestStandard: []string{"os/exec"},
		},
		{
			Package: "trainer/estimate", Imports: []string{"trainer/encoding", "trainer/model"},
			Test: []string{"internal/netgen"},
		},
		{
			Package: "trainer/runlog",
			Imports: []string{"trainer", "trainer/estimate", "internal/jsonfault", "internal/overwrite"},
			Test:    []string{"trainer/model"},
		},
		{Package: "trainer/ranks", Imports: []string{"internal/hint"}},
		{Package: "trainer/topology", Imports: []string{"trainer/draw"}},
		{
			Package: "trainer/config", Imports: []string{"target", "trainer/topology", "internal/filekind"},
			External: []string{yaml}, Test: []string{"trainer/encoding"},
		},
		{
			Package: "trainer/dataset",
			Imports: []string{
				"trainer/config", "trainer/draw", "trainer/encoding", "internal/filekind", "internal/interrupt",
			},
		},
		{
			Package: "trainer/augment", Imports: []string{
				"trainer/config", "trainer/dataset", "trainer/detmath", "trainer/draw", "trainer/encoding", "trainer/kernel",
				"internal/crew",
			},
			External: []string{sys},
		},
		{Package: "trainer/encoding", Imports: []string{"trainer/detmath", "internal/bitplane", "internal/crew"}},
		{
			Package: "trainer/learned", Imports: []string{"trainer/encoding", "trainer/model"},
			Test: []string{"trainer/engine", "trainer/kernel", "trainer/ranks", "trainer/topology"},
		},
		{Package: "trainer/draw", Imports: []string{"trainer/detmath"}},
		{Package: "trainer/detmath"},
		{
			Package: "trainer/model",
			Imports: []string{
				"trainer/config", "trainer/encoding", "trainer/ranks", "trainer/topology", "internal/bitplane",
				"internal/atomicfile", "internal/crew", "internal/filekind", "internal/hugepage", "internal/jsonfault",
			},
			External: []string{math32, sync}, Test: []string{"trainer", "internal/resign"},
		},
		{
			Package: "trainer/kernel", Imports: []string{"trainer/detmath", "trainer/draw", "trainer/ranks"},
			External: []string{sys}, Test: []string{"internal/guardpage"},
		},
		{
			Package: "trainer/kernel/shared", Imports: []string{"trainer/kernel"},
			Test: []string{"internal/guardpage"},
		},
		{
			Package: "trainer/engine", Imports: []string{
				"trainer/encoding", "trainer/model", "trainer/kernel", "trainer/kernel/shared", "trainer/detmath",
				"trainer/draw", "trainer/ranks", "trainer/topology", "internal/bitplane", "internal/crew", "internal/hugepage",
			},
			Test: []string{"trainer", "trainer/config"},
		},

		{
			Package: "diagnose/activation", Imports: []string{
				"trainer/model", "trainer/encoding", "internal/bitplane",
				"internal/crew", "internal/hugepage",
			},
			Test: []string{"trainer/..."},
		},
		{
			Package: "diagnose/probe",
			Imports: []string{
				"diagnose/activation", "trainer/model", "trainer/encoding", "trainer/kernel", "trainer/detmath",
				"internal/atomicfile", "internal/bitplane", "internal/crew", "internal/filelock", "internal/jsonfault",
			},
			External: []string{sync},
		},
		{
			Package: "diagnose/updates", Imports: []string{
				"trainer", "trainer/config", "trainer/model", "trainer/topology",
				"internal/plot", "internal/crew", "internal/hugepage", "internal/jsonfault",
			},
			Test: []string{"trainer/..."},
		},

		{Package: "netlist", External: []string{gonum}, Test: []string{
			"diagnose/census", "trainer/encoding",
			"trainer/model",
		}},
		// The one bridge from what is trained to what is compiled.
		{Package: "netlist/positions", Imports: []string{"netlist"}},
		{
			Package: "netlist/freeze", Imports: []string{"netlist", "netlist/positions", "trainer/model"},
			Test: []string{"trainer/encoding"},
		},

		// Reads files of strangers: nothing of ours is asked.
		{Package: "interchange/torchfile", TestStandard: []string{"os/exec"}},

		{Package: "netlist/counts", Imports: []string{"netlist"}},
		{
			Package: "netlist/names", Imports: []string{"netlist", "internal/bitset"},
			Test: []string{"netlist/freeze", "trainer/model"},
		},

		{
			Package: "compiler", Imports: []string{"netlist", "compiler/chain"},
			Test: []string{"sim", "trainer/model"},
		},
		{
			Package: "artifact", Imports: []string{
				"internal/atomicfile", "internal/memory", "netlist", "netlist/counts", "netlist/names", "compiler",
				"compiler/encoder", "compiler/lut", "compiler/pipeline", "backend/...", "internal/filekind", "internal/filelock",
				"internal/jsonfault", "internal/overwrite", "internal/tempdir", "target",
			},
			Test: []string{"compiler/hardware", "trainer/model"},
		},
		{
			Package: "artifact/plan",
			Imports: []string{
				"artifact", "compiler", "compiler/...", "backend/...", "netlist", "netlist/counts", "netlist/names",
				"netlist/freeze", "sim", "sim/verify", "sim/verify/expected", "target", "trainer/config", "trainer/encoding",
				"trainer/model", "internal/jsonfault",
				"internal/plural",
			},
		},
		{
			Package: "compiler/hardware", Imports: []string{"netlist", "netlist/counts", "compiler/...", "target"},
			Test: []string{"compiler", "sim"},
		},
		{
			Package: "compiler/head", Imports: []string{"netlist", "netlist/counts", "internal/crew"},
			Test: []string{"compiler", "compiler/lut", "sim", "backend/...", "internal/tool", "trainer/model"},
		},
		{
			Package: "compiler/encoder", Imports: []string{"netlist"},
			Test: []string{
				"compiler", "compiler/head", "compiler/lut", "compiler/pipeline", "sim", "backend/aiger",
				"backend/verilog", "trainer/encoding",
			},
		},

		{Package: "compiler/chain", Imports: []string{"netlist"}, Test: []string{"sim"}},
		{
			Package: "compiler/pipeline", Imports: []string{"netlist"},
			Test: []string{"sim", "compiler/lut", "compiler/head", "netlist/counts"},
		},
		{
			Package: "compiler/lut", Imports: []string{"netlist", "compiler/chain", "internal/crew"},
			Test: []string{"compiler", "sim/...", "internal/tool"},
		},

		{
			Package: "sim", Imports: []string{"netlist", "internal/bitplane", "internal/crew"}, External: []string{sync},
			Test: []string{"trainer/model", "compiler/pipeline"},
		},
		{
			Package: "sim/native", Imports: []string{
				"backend/native", "backend/wordcode", "netlist", "netlist/positions", "sim", "internal/bitplane", "internal/crew",
				"internal/nativecall",
			},
			Standard: []string{"unsafe"},
			Test: []string{
				"compiler", "compiler/pipeline", "internal/modelgen", "internal/netgen", "netlist/freeze", "trainer/encoding",
				"trainer/model", "backend/native/rows",
			},
			TestExternal: []string{sys},
		},
		{
			Package: "sim/activity", Imports: []string{"sim", "netlist", "netlist/names"},
			Test: []string{"backend/verilog", "compiler", "compiler/hardware", "compiler/lut", "compiler/pipeline", "target"},
		},
		{Package: "target"},
		// The program alone: whoever has Verilog may ask for its synthesis.
		{Package: "flow/yosys", Imports: []string{"internal/progress", "internal/tool", "target"}},
		{Package: "flow/placement", Imports: []string{"target"}},
		{
			Package: "flow/nextpnr", Imports: []string{"target", "flow/placement", "internal/progress", "internal/tool"},
			Test: []string{"flow/yosys"}, TestStandard: []string{"os/exec"},
		},
		{
			Package: "flow/vivado", Imports: []string{"target", "flow/placement", "internal/tool"},
			TestStandard: []string{"os/exec"},
		},
		{
			Package: "flow/icestorm", Imports: []string{"target", "flow/placement", "internal/tool"},
			Test: []string{"flow/nextpnr", "flow/yosys"},
		},
		{
			Package: "flow/synth",
			Imports: []string{
				"target", "flow/placement", "flow/nextpnr", "flow/vivado", "flow/icestorm", "flow/yosys",
				"internal/crew", "internal/filelock", "internal/plural", "internal/progress", "internal/tool", "internal/overwrite",
			},
			External: []string{sync}, TestStandard: []string{"os/exec"},
		},
		{
			Package: "sim/verify", Imports: []string{
				"sim/verify/spec", "netlist", "netlist/counts", "netlist/positions", "trainer/model", "trainer/encoding",
			},
			Test: []string{"compiler", "sim/verify/...", "trainer/config"},
		},
		{Package: "sim/verify/stimulus", Imports: []string{"sim", "sim/verify", "netlist"}},
		{Package: "sim/verify/expected", Imports: []string{
			"sim", "sim/verify", "netlist", "backend/verilog", "trainer/model",
		}, Test: []string{"sim/verify/verifytest", "compiler/...", "compiler", "trainer/encoding"}},
		{Package: "sim/verify/cut", Imports: []string{"netlist", "netlist/counts", "backend/lowering"}},
		{Package: "sim/verify/blame", Imports: []string{
			"sim", "sim/verify", "sim/verify/cut", "sim/verify/stimulus", "netlist", "trainer/model",
		}},
		{Package: "sim/verify/software", Imports: []string{
			"backend/native", "sim", "sim/native", "sim/verify", "sim/verify/blame", "sim/verify/cut", "sim/verify/expected",
			"sim/verify/stimulus", "netlist", "trainer/model", "internal/progress",
		}, Test: []string{"sim/verify/verifytest", "compiler", "compiler/...", "netlist/freeze"}},
		{Package: "sim/verify/proof", Imports: []string{
			"sim/verify", "sim/verify/blame", "sim/verify/cec", "sim/verify/cut", "sim/verify/spec",
			"sim/verify/stimulus", "netlist", "netlist/counts", "backend/aiger", "backend/lowering",
			"internal/progress",
		}, Test: []string{"sim", "sim/verify/...", "compiler", "compiler/...", "trainer/...", "target"}},
		{Package: "sim/verify/engine", Imports: []string{
			"sim/verify", "sim/verify/cec", "sim/verify/cut", "sim/verify/proof", "netlist", "trainer/model",
			"internal/progress",
		}},
		{Package: "sim/verify/rtl", Imports: []string{
			"sim", "sim/verify", "sim/verify/expected", "sim/verify/readback", "sim/verify/stimulus", "netlist",
			"netlist/names", "backend/verilog", "backend/verilog/syntax", "flow/yosys", "target", "trainer/model",
			"internal/progress", "internal/tempdir", "internal/tool",
		}, Test: []string{"sim/verify/...", "compiler", "compiler/...", "flow/synth"}},
		{Package: "sim/verify/rtl/play", Imports: []string{
			"sim", "sim/verify", "sim/verify/engine", "sim/verify/expected", "sim/verify/rtl", "netlist",
			"backend/verilog", "backend/wrapper", "flow/icestorm", "flow/yosys", "target", "trainer/model",
			"internal/progress", "internal/tempdir", "internal/tool",
		}, Test: []string{"sim/verify/...", "backend/...", "compiler", "compiler/...", "flow/synth"}},
		{Package: "sim/verify/verifytest", Imports: []string{
			"sim", "sim/verify", "netlist", "netlist/freeze", "netlist/counts", "compiler", "compiler/...", "target",
			"trainer/encoding", "trainer/model", "internal/...",
		}},
		{
			// Nothing of the compiler: it is judged here.
			Package: "sim/verify/readback", Imports: []string{
				"sim", "sim/verify/cec", "netlist", "netlist/names", "backend/lowering",
				"backend/verilog", "backend/verilog/syntax", "internal/progress", "internal/tempdir",
				"internal/tool",
			},
			Test: []string{
				"backend/aiger", "backend/fold", "backend/wrapper", "compiler", "compiler/...", "target", "trainer/...",
			},
		},
		{Package: "sim/verify/certify", Imports: []string{
			"artifact", "artifact/plan", "backend/fold", "backend/wrapper", "sim/verify", "sim/verify/...", "trainer/model",
		}},
		{Package: "sim/verify/cec", Imports: []string{"netlist", "backend/aiger", "internal/tempdir", "internal/tool"}},
		{
			// Nothing of ours but the file reader: it is what everything else is held against.
			Package: "sim/verify/spec", Imports: []string{"trainer/model"},
			Test: []string{
				"netlist", "backend/aiger", "backend/lowering", "trainer/config", "trainer/encoding", "trainer/topology",
			},
		},

		{Package: "diagnose/subject", Imports: []string{"trainer", "trainer/config", "trainer/model"}},
		{Package: "diagnose/analysis", Imports: []string{
			"diagnose/census", "diagnose/depthuse", "diagnose/subject",
			"internal/plot", "trainer/model",
		}},
		{Package: "diagnose/entropy", Imports: []string{
			"diagnose/activation", "diagnose/subject", "internal/plot",
			"trainer",
		}},
		{Package: "diagnose/probes", Imports: []string{
			"diagnose/entropy", "diagnose/probe", "diagnose/subject",
			"internal/plot", "trainer",
		}},
		{Package: "diagnose/census", Imports: []string{"trainer/model"}, Test: []string{"netlist", "trainer/encoding"}},
		{Package: "diagnose/depthuse", Imports: []string{"diagnose/census", "internal/plot"}},
		{
			Package: "diagnose/credit",
			Imports: []string{
				"trainer", "trainer/config", "trainer/draw", "trainer/encoding", "trainer/kernel", "trainer/model",
				"trainer/topology", "diagnose/depthuse", "internal/crew", "internal/plot",
			},
			Test: []string{"trainer/engine"},
		},
		{
			Package: "experiment",
			Imports: []string{
				"experiment/grid", "trainer", "trainer/config", "diagnose/depthuse", "internal/atomicfile", "internal/plot",
				"internal/overwrite",
			},
			Test: []string{
				".", "diagnose/census", "netlist", "trainer/dataset", "trainer/model",
			},
			TestExternal: []string{yaml}, TestStandard: []string{"os/exec"},
		},
		{
			Package: "experiment/grid",
			Imports: []string{
				".", "trainer", "trainer/config", "trainer/dataset", "trainer/model", "trainer/ranks", "diagnose/census",
				"internal/atomicfile", "internal/build", "internal/crew", "internal/memory", "internal/plural",
				"internal/overwrite",
			},
			External: []string{sync, yaml},
		},
		{
			Package: "experiment/sweep",
			Imports: []string{
				"experiment/grid", "target", "trainer", "trainer/config", "trainer/dataset", "internal/atomicfile",
				"internal/overwrite", "internal/plot",
			},
		},

		{
			Package: "fit",
			Imports: []string{
				".", "artifact/plan", "trainer", "trainer/config", "trainer/dataset", "trainer/model",
				"trainer/runlog", "target",
				"internal/atomicfile", "internal/crew", "internal/jsonfault", "internal/overwrite", "internal/plot",
				"internal/plural", "internal/progress", "internal/tool",
			},
		},

		{
			Package: "explain",
			Imports: []string{
				"netlist", "netlist/freeze", "sim", "trainer/dataset", "trainer/encoding", "trainer/model",
				"internal/progress",
			},
		},

		{
			Package: "report",
			Imports: []string{
				".", "diagnose/analysis", "diagnose/census", "diagnose/depthuse", "explain", "internal/jsonfault",
				"internal/plot", "netlist", "trainer/dataset", "trainer/encoding",
				"compiler", "artifact", "flow/placement", "flow/synth", "trainer", "trainer/config", "trainer/model",
			},
			Test: []string{
				"backend/fold", "backend/wrapper", "compiler/lut", "compiler/pipeline", "target",
				"trainer/encoding",
			},
		},
		{
			// It serves its page to this machine.
			Package: "report/watch", Imports: []string{"trainer/runlog"}, Standard: []string{"net", "net/http"},
			Test:         []string{"internal/overwrite", "trainer", "trainer/estimate", "trainer/model", "internal/tool"},
			TestStandard: []string{"net/http/httptest"},
		},
	}),

	// Numbers as users write them, and the words of errors.
	Common: []string{"internal/decimal", "internal/hint", "internal/option"},
	Test: []string{
		"internal/modelgen", "internal/netgen", "internal/testbench", "internal/tooltest",
		"netlist/freeze",
	},
	TestExternal: []string{goCmp},
	TestStandard: []string{"log"}, // examples end with it

	// What a program that ends with the same bytes everywhere, runs tools only under a
	// limit and talks to nobody has no use for. A row may allow it all the same.
	Standard: []string{"C", "unsafe", "log", "math/rand", "net", "net/http", "os/exec", "plugin"},
}

var all = []string{"..."}
