package archtest

// helpers are the rows of internal packages and of the commands for developers.
var helpers = []Rule{
	{Package: "internal/atomicfile", Imports: []string{"internal/filelock"}},
	{Package: "internal/bitplane"},
	{Package: "internal/build"},
	{Package: "internal/command"},
	{Package: "internal/crew", External: []string{sync}},
	{Package: "internal/decimal"},
	{Package: "internal/filekind", Imports: []string{"internal/hint"}},
	{Package: "internal/filelock", External: []string{sys}},
	{Package: "internal/hint"},
	{Package: "internal/option"},
	{Package: "internal/jsonfault"},
	{ // of which only the files for the build tag mpi need cgo
		Package: "internal/mpi", Imports: []string{"internal/hint", "internal/tool"},
		Standard: []string{"C", "os/exec", "unsafe"}, TestStandard: []string{"os/exec"},
	},
	{Package: "internal/memory", TestStandard: []string{"os/exec"}},
	{Package: "internal/markdown"},
	{Package: "docs"},
	{Package: "internal/manual", Imports: []string{"internal/markdown"}, TestStandard: []string{"os/exec"}},
	{Package: "internal/overwrite"},
	{
		Package: "internal/plot", Imports: []string{"internal/atomicfile", "internal/overwrite"},
		External: []string{gonumPlot},
	},
	{Package: "internal/bitset"},
	{Package: "internal/npytest"},
	{Package: "internal/plural"},
	{Package: "internal/tempdir", Imports: []string{"internal/hint"}},
	{Package: "internal/readahead", Imports: []string{"internal/crew"}},
	{Package: "internal/interrupt", External: []string{sys}},
	{Package: "internal/permute", External: []string{cli}},
	{Package: "internal/screen", Imports: []string{"internal/plural", "internal/progress"}, External: []string{term}},
	{Package: "internal/progress", Imports: []string{"internal/crew"}},
	{Package: "internal/guardpage", Standard: []string{"unsafe"}},
	{Package: "internal/hugepage", Standard: []string{"unsafe"}},
	{Package: "internal/nativecall", External: []string{sys}, Standard: []string{"unsafe"}},
	{
		Package: "internal/tool", Imports: []string{"internal/hint", "internal/memory", "internal/tempdir"},
		External: []string{sys}, Standard: []string{"os/exec"}, TestStandard: []string{"os/exec"},
	},
	{Package: "internal/modelgen", Imports: []string{
		"trainer/config", "trainer/encoding", "trainer/model", "trainer/topology",
		"internal/hugepage",
	}},
	{
		Package:  "tools/dist",
		Imports:  []string{".", "internal/atomicfile", "internal/command", "internal/tool"},
		Standard: []string{"os/exec"}, TestStandard: []string{"os/exec"},
	},
	{Package: "tools/netdelay", External: []string{sys}, Standard: []string{"os/exec"}},
	{Package: "tools/architecture", Imports: []string{"internal/archtest"}},
	{
		Package:  "tools/hostsim",
		Imports:  []string{".", "artifact", "backend/wrapper", "internal/...", "sim/verify/rtl"},
		External: []string{sys}, Standard: []string{"os/exec"}, Test: []string{"trainer/model"},
	},
	{
		Package: "tools/mcu", Imports: []string{"internal/command"}, Standard: []string{"os/exec"},
		Test: []string{"backend/ccode", "netlist", "netlist/freeze"}, TestStandard: []string{"os/exec"},
	},
	{Package: "tools/genmodel", Imports: []string{"internal/modelgen", "trainer/topology"}},
	{Package: "tools/benchcompile", Imports: []string{
		"netlist", "netlist/freeze", "compiler", "compiler/...",
		"backend/...", "sim/verify", "sim/verify/proof", "target", "trainer/model", "internal/...",
	}},
	{
		Package: "tools/benchnative", Imports: []string{
			".", "backend/native", "backend/native/rows", "netlist", "netlist/freeze", "netlist/positions", "sim", "sim/native",
			"trainer/model", "internal/nativecall",
		},
		Standard: []string{"os/exec", "unsafe"},
	},
	{
		Package: "tools/fuzzcompile",
		Imports: []string{
			"artifact", "artifact/plan", "netlist", "netlist/freeze", "netlist/counts", "compiler", "compiler/...",
			"backend/verilog", "backend/aiger", "backend/fold", "backend/lowering", "backend/wrapper",
			"sim", "sim/verify", "sim/verify/...", "target", "trainer/config", "trainer/model",
			"trainer/encoding", "trainer/topology", "internal/...",
		},
		TestStandard: []string{"os/exec"},
	},
	{
		Package: "tools/mutate",
		Imports: []string{
			"netlist", "netlist/freeze", "netlist/names", "artifact", "artifact/plan", "backend/handover",
			"backend/verilog", "backend/wrapper",
			"sim", "sim/verify", "sim/verify/...", "target", "trainer", "trainer/...", "internal/...",
		},
		External: []string{sync}, TestStandard: []string{"os/exec"},
	},
	{Package: "internal/tooltest", Imports: []string{"internal/tool"}, Standard: []string{"os/exec"}},
	{Package: "internal/testbench", Imports: []string{"netlist", "sim"}, TestStandard: []string{"os/exec"}},
	{Package: "internal/netgen", Imports: []string{"netlist", "trainer/encoding", "trainer/model"}},
	{Package: "internal/archtest", TestStandard: []string{"os/exec"}},
	{Package: "internal/doctor", Imports: []string{
		"trainer/dataset", "trainer/kernel", "internal/build", "internal/crew", "internal/filelock", "internal/memory",
		"internal/tool",
	}},
	{
		Package: "internal/doctest", Imports: []string{"artifact"}, Test: []string{"internal/resign"},
		TestStandard: []string{"os/exec"},
	},
	{Package: "internal/resign"},

	{Package: "examples", Test: all, TestStandard: []string{"os/exec"}},
	{Package: "examples/python", Test: []string{"trainer/..."}, TestStandard: []string{"os/exec"}},
	{Package: "python", Test: []string{"trainer/...", "internal/doctest"}, TestStandard: []string{"os/exec"}},
}
