package verilog

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ialgn/internal/freeze"
	"ialgn/internal/netgen"
	"ialgn/internal/target"
	"ialgn/internal/testkit"
	"ialgn/netlist"
)

// luts returns a netlist with layers of carries and of functions. The parameter most is the largest number of inputs
// of a function.
func luts(r *rand.Rand, most int) *netlist.Netlist {
	b := netlist.NewBuilder("luts")
	nets := append([]netlist.Net{netlist.False, netlist.True}, b.Input("x", 20, 1, nil)...)
	b.Input("unread", 3, 1, nil)
	for i := range 150 {
		in := make([]netlist.Net, r.IntN(most+1))
		for j := range in {
			in[j] = nets[len(nets)-1-r.IntN(min(len(nets), 30))]
		}
		origin := netlist.Origin{Layer: uint16(1 + i/30), Chain: uint32(i % 30)}
		if i%10 == 9 {
			in = nets[len(nets)-3:]
			nets = append(nets, b.Cell(netlist.Carry, 0, origin, in...))
			continue
		}
		nets = append(nets, b.Function(r.Uint64()&(1<<(1<<len(in))-1), origin, in...))
	}
	b.Output("y", 1, nil, nets[len(nets)-60:])
	b.Probe("p", nets[30:40])
	return b.Netlist()
}

// emitLUTs writes n in the style LUTs of a target, with its primitives and a testbench.
func emitLUTs(t *testing.T, n *netlist.Netlist, f *target.Family, v Vectors) string {
	t.Helper()
	dir := t.TempDir()
	opt := Options{Style: LUTs, Target: f}
	for suffix, write := range map[string]func(io.Writer) error{
		".v":           func(w io.Writer) error { return Write(w, n, opt) },
		"_cells.v":     func(w io.Writer) error { return WriteCells(w, n, opt) },
		"_tb.v":        func(w io.Writer) error { return WriteTestbench(w, n, opt) },
		"_vectors.txt": func(w io.Writer) error { return WriteVectors(w, n, v) },
	} {
		writeFile(t, filepath.Join(dir, n.Name+suffix), write)
	}
	return dir
}

// lutCases calls f for every target, with a netlist whose functions fit into the target's LUTs. For the first
// target, it also calls f with a classifier. The long tests have more netlists.
func lutCases(t *testing.T, f func(t *testing.T, family *target.Family, n *netlist.Netlist)) {
	for i, family := range target.Families() {
		t.Run(family.Name, func(t *testing.T) {
			f(t, family, luts(rand.New(rand.NewPCG(0, 7)), family.LUT.Most))
			if i > 0 && !testkit.Whole() {
				return
			}
			if testkit.Whole() {
				f(t, family, luts(rand.New(rand.NewPCG(1, 7)), family.LUT.Most))
			}
			n, err := freeze.Network(netgen.Frozen(1, netgen.FrozenOptions{ShareA: 0.3, ShareBinary: 0.6}), netlist.Full)
			if err != nil {
				t.Fatal(err)
			}
			f(t, family, n)
		})
	}
}

// TestLUTs lints Verilog in the style LUTs, and simulates it with our models of the primitives.
func TestLUTs(t *testing.T) {
	needTool(t, "iverilog", "iverilog")
	needTool(t, "verilator", "verilator")
	lutCases(t, func(t *testing.T, family *target.Family, n *netlist.Netlist) {
		dir := emitLUTs(t, n, family, sampleVectors(rand.New(rand.NewPCG(1, 8)), n, 200))
		name := n.Name
		silent(t, dir, "verilator", "--lint-only", "-Wall", "--top-module", name, name+".v", name+"_cells.v")
		silent(t, dir, "iverilog", "-Wall", "-g2001", "-o", "a.vvp", name+"_tb.v", name+".v", name+"_cells.v")
		if out, err := tool(t, dir, "vvp", "a.vvp"); err != nil || out != "PASS: 200 vectors\n" {
			t.Errorf("vvp: %v\n%s", err, out)
		}
	})
}

// defaults matches the default values of open pins. Our Verilog leaves no pin open.
var defaults = regexp.MustCompile("`ICE40_DEFAULT_ASSIGNMENT_[A-Z0-9]+")

// vendor writes yosys's models of a target's primitives to vendor.v in dir. It omits the vendor's other models,
// because yosys needs a minute for the models of memories.
func vendor(t *testing.T, dir string, family *target.Family) {
	t.Helper()
	program, err := exec.LookPath("yosys")
	if err != nil {
		t.Fatal(err)
	}
	folder := cmp.Or(family.Synthesis.Library, target.Xilinx7.Synthesis.Library)
	text, err := os.ReadFile(filepath.Join(filepath.Dir(program), "..", "share", "yosys", folder,
		family.Synthesis.ModelFiles()[0]))
	if err != nil {
		t.Skipf("yosys has no models of %s: %v", family, err)
	}
	models := regexp.MustCompile(`(?ms)^module (SB_LUT4|SB_CARRY|LUT\d|EFX_LUT4|CC_LUT\d|MISTRAL_ALUT\d|CFG\d)\b.*?^endmodule`).FindAll(text, -1)
	if err := os.WriteFile(filepath.Join(dir, "vendor.v"), defaults.ReplaceAll(bytes.Join(models, []byte("\n")), nil),
		0o600); err != nil {
		t.Fatal(err)
	}
}

// TestVendorLUTs simulates Verilog in the style LUTs with yosys's models of the primitives, which are independent of
// ours. It also has yosys count the LUTs.
func TestVendorLUTs(t *testing.T) {
	needTool(t, "iverilog", "iverilog")
	needTool(t, "yosys", "yosys")
	count := regexp.MustCompile(`(?m)^ +(?:(?:SB_|EFX_|CC_|MISTRAL_A)?LUT|CFG)\d +(\d+)$`)
	lutCases(t, func(t *testing.T, family *target.Family, n *netlist.Netlist) {
		dir := emitLUTs(t, n, family, sampleVectors(rand.New(rand.NewPCG(1, 9)), n, 200))
		name := n.Name
		vendor(t, dir, family)
		script := fmt.Sprintf("read_verilog -lib vendor.v; read_verilog %[1]s.v; hierarchy -check -top %[1]s; check "+
			"-assert; stat; "+
			"design -reset; read_verilog vendor.v; read_verilog %[1]s.v; hierarchy -top %[1]s; proc; flatten; write_verilog "+
			"-noattr flat.v",
			name)
		out, err := tool(t, dir, "yosys", "-p", script)
		if err != nil {
			t.Fatalf("yosys: %v\n%s", err, out)
		}
		if out, err := tool(t, dir, "iverilog", "-g2005", "-DNO_PROBES", "-o", "a.vvp", name+"_tb.v", "flat.v"); err != nil {
			t.Fatalf("iverilog: %v\n%s", err, out)
		}
		if out, err := tool(t, dir, "vvp", "a.vvp"); err != nil || out != "PASS: 200 vectors\n" {
			t.Errorf("vvp: %v\n%s", err, out)
		}
		_, out, _ = strings.Cut(out, "=== "+name+" ===")
		out, _, _ = strings.Cut(out, "===")
		got := 0
		for _, m := range count.FindAllStringSubmatch(out, -1) {
			var cells int
			fmt.Sscan(m[1], &cells)
			got += cells
		}
		m := netlist.Measure(n)
		want := m.LUTs.Total
		if !family.Carry { // carries are ordinary LUTs in this family
			want += m.Carries.Total - n.CarryChains().LUTs()
		}
		if got != want || want == 0 {
			t.Errorf("yosys counts %d LUTs, want %d", got, want)
		}
	})
}

func TestGoldenLUTs(t *testing.T) {
	for _, family := range target.Families() {
		opt := Options{Module: "tiny_luts", Header: []string{"model tiny"}, Style: LUTs, Target: family}
		var module, cells bytes.Buffer
		if err := Write(&module, tiny(), opt); err != nil {
			t.Fatal(err)
		}
		if err := WriteCells(&cells, tiny(), opt); err != nil {
			t.Fatal(err)
		}
		golden(t, fmt.Sprintf("tiny_%s.v", family), module.Bytes())
		golden(t, fmt.Sprintf("tiny_%s_cells.v", family), cells.Bytes())
	}
	var cells bytes.Buffer
	if err := WriteCells(&cells, tiny(), Options{}); err != nil || cells.Len() > 0 {
		t.Errorf("of the style gates %d bytes of cells: %v", cells.Len(), err)
	}
}

func TestLUTsRefuse(t *testing.T) {
	b := netlist.NewBuilder("net")
	x := b.Input("x", 5, 1, nil)
	b.Output("y", 1, nil, []netlist.Net{b.Function(1<<31, netlist.Origin{}, x...)})
	n := b.Netlist()
	for _, tt := range []struct {
		opt  Options
		want string
	}{
		{
			Options{Style: LUTs, Target: target.ICE40},
			"verilog: cell 0 depends on 5 inputs, SB_LUT4 has 4: map to LUTs of 4 inputs, or write the style gates",
		},
		{Options{Style: LUTs, Target: target.ECP5}, "verilog: cell 0 depends on 5 inputs, LUT4 has 4"},
		{Options{Style: LUTs, Target: target.Gowin}, "verilog: cell 0 depends on 5 inputs, LUT4 has 4"},
		{Options{Style: LUTs, Target: target.Xilinx7}, ""},
		{Options{Style: 7}, `verilog: style 7 is unknown`},
		{Options{Style: LUTs, Module: "LUT6"}, `verilog: module: "LUT6" is a primitive of the target generic`},
	} {
		var out bytes.Buffer
		err := Write(&out, n, tt.opt)
		if tt.want == "" {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) || out.Len() > 0 {
			t.Errorf("got error %v and %d bytes, want %s", err, out.Len(), tt.want)
		}
	}
}
