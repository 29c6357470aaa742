package archtest

import "slices"

// policy holds the rules of this module that folders named internal cannot express.
var policy = Policy{
	Public: []string{".", "trainer", "netlist", "compiler", "backend", "sim"},
	// Programs lists the programs, and the packages that only embed documents or examples.
	Programs: []string{"cmd/...", "lab/...", "examples/...", "docs", "python"},

	Never: []Never{
		{
			From: []string{"netlist"}, To: []string{"..."}, Except: append(slices.Clip(messages), "internal/ties"),
			Why: "the intermediate form knows neither its makers nor its readers",
		},
		{
			From: []string{"internal/target"}, To: []string{"..."}, Except: messages,
			Why: "a target is data",
		},
		{
			From: trained, To: slices.Concat([]string{"netlist", "sim"}, compiling, writing, judging),
			Why: "training and compiling meet in internal/freeze and in the model file",
		},
		{
			From: compiling, To: slices.Concat([]string{"trainer/...", "internal/model", "internal/dataset"}, writing, judging),
			Why: "a pass sees a netlist and nothing else",
		},
		{
			From: writing, To: slices.Concat([]string{"trainer/...", "internal/model", "internal/dataset"}, judging),
			Why: "a writer sees a netlist and its options",
		},
		{
			From: []string{"sim"}, To: slices.Concat([]string{"internal/model"}, compiling, writing, judging),
			Why: "the simulator is what the compiler and the writers are compared with",
		},
		{
			From: []string{"internal/verify/spec"}, To: []string{"..."}, Except: []string{"internal/model"},
			Why: "the second reader of the model must not share code with the compiler",
		},
		{
			From: []string{"internal/verify/readback", "internal/verify/cec"},
			To:   slices.Concat([]string{"trainer/...", "internal/freeze"}, compiling),
			Why:  "Verilog is read again without the compiler that wrote it",
		},
		{
			From: []string{"internal/verify", "internal/verify/software", "internal/verify/proof", "internal/verify/rtl"},
			To:   []string{".", "backend", "internal/plan"},
			Why:  "a check knows a design; internal/verify/certify knows folders and options",
		},
		{
			From: []string{
				"internal/interchange/difflogic", "internal/interchange/dwn", "internal/interchange/gates",
				"internal/interchange/qonnx", "internal/interchange/torchfile", "internal/interchange/torchlogix",
			},
			To:  []string{"internal/model", "internal/dataset", "trainer/..."},
			Why: "a reader of a format returns a graph; internal/interchange makes a model of it",
		},
		{
			From: []string{"internal/flow", "internal/tool"},
			To:   slices.Concat([]string{"netlist", "internal/model"}, compiling),
			Why:  "drivers of external programs take files",
		},
		{
			From: []string{"backend"}, To: []string{"internal/verify/...", "internal/model", "internal/dataset", "trainer/..."},
			Why: "an output folder is made of a netlist",
		},
		{
			From: []string{"."}, To: []string{
				"cmd/...", "internal/experiment/...", "internal/fit", "internal/report/...", "internal/diagnose/...",
				"internal/manual",
			},
			Why: "the library is below the commands",
		},
		{
			From: []string{"trainer/...", "netlist", "compiler", "backend/...", "sim", "internal/..."},
			To:   []string{"lab/...", "cmd/..."},
			Why:  "programs are at the top",
		},
	},

	External: map[string][]string{
		"github.com/urfave/cli/v2":   {"cmd/ialgn", "internal/manual"},
		"gonum.org/v1/gonum":         {"netlist", "backend/internal/dot"},
		"gonum.org/v1/plot":          {"internal/plot"},
		"github.com/chewxy/math32":   {"internal/model", "internal/interchange"},
		"google.golang.org/protobuf": {"internal/onnx"},
		"golang.org/x/sync":          {"internal/crew", "lab/..."},
		"golang.org/x/sys":           {"internal/...", "trainer/internal/augment", "lab/..."},
		"golang.org/x/term":          {"cmd/ialgn", "internal/screen"},
		"github.com/goccy/go-yaml":   {"internal/config", "internal/experiment/...", "internal/interchange/given"},
	},
	ExternalTest: []string{"github.com/google/go-cmp", "github.com/rogpeppe/go-internal"},

	// These rules ensure that results have the same bytes on every machine, that external programs run only under
	// limits, and that the program does not use the network.
	Standard: map[string][]string{
		"C": {"internal/mpi"}, "log": {}, "math/rand": {}, "plugin": {},
		"unsafe": {
			"internal/memory", "internal/mpi", "internal/nativecall", "internal/runner", "internal/testkit",
			"lab/...",
		},
		"net":      {"internal/report/watch", "examples/server"},
		"net/http": {"internal/report/watch", "examples/server"},
		"os/exec": {
			"internal/mpi", "internal/testkit", "internal/tool", "internal/native/arm64/arm64test", "lab/...",
		},
	},
}

var (
	messages  = []string{"internal/message", "internal/decimal"}
	trained   = []string{"trainer/...", "internal/model", "internal/dataset", "internal/engine", "internal/kernel/..."}
	compiling = []string{"compiler", "internal/hardware/...", "internal/chain"}
	writing   = []string{
		"backend/internal/...", "internal/blif", "internal/yosysjson", "internal/ccode", "internal/object/...",
		"internal/folded", "internal/verilog/...", "internal/wrapper", "internal/aiger", "internal/native/...",
	}
	judging = []string{"internal/verify/...", "backend", "internal/plan"}
)
