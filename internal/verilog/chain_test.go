package verilog

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"regexp"
	"strconv"
	"testing"

	"ialgn/internal/hardware/head"
	"ialgn/internal/target"
	"ialgn/internal/testkit"
	"ialgn/netlist"
)

// popcount returns the count of size bits on carry chains.
func popcount(t *testing.T, size int) *netlist.Netlist {
	t.Helper()
	b := netlist.NewBuilder("popcount")
	x := b.Input("x", size, 1, nil)
	width := bits.Len(uint(size))
	b.Output("y", width, nil, netlist.Word(b.Cell(netlist.Popcount, 0, netlist.Origin{}, x...), width))
	n, _, err := head.Lower(b.Netlist(), head.Options{K: 4, Carry: true})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// stat returns the number of cells of a type in yosys's statistics.
func stat(out, cell string) (count int) {
	if m := regexp.MustCompile(`(?m)^ +` + regexp.QuoteMeta(cell) + ` +(\d+)$`).FindStringSubmatch(out); m != nil {
		count, _ = strconv.Atoi(m[1])
	}
	return count
}

var logicCells = regexp.MustCompile(`ICESTORM_LC: +(\d+)/`)

// packed runs yosys with the given script, and returns the number of logic cells into which nextpnr packs the result.
func packed(t *testing.T, dir, script string) (cells int, out string) {
	t.Helper()
	out, err := tool(t, dir, "yosys", "-p", script+"; write_json top.json")
	if err != nil {
		t.Fatalf("yosys: %v\n%s", err, out)
	}
	log, err := tool(t, dir, "nextpnr-ice40", "--hx1k", "--package", "tq144", "--json", "top.json", "--pack-only")
	m := logicCells.FindStringSubmatch(log)
	if err != nil || m == nil {
		t.Fatalf("nextpnr: %v\n%s", err, log)
	}
	cells, _ = strconv.Atoi(m[1])
	return cells, out
}

// TestIce40Pairs checks counts on carry chains. The test simulates the counts with our models of the cells, has yosys
// count the cells, and has nextpnr pack the design, both unchanged and after synth_ice40. If nextpnr does not
// recognise a carry and its LUT as a pair, the carry takes another logic cell. The counts include the cells that
// nextpnr makes for constants. The long tests have more sizes.
func TestIce40Pairs(t *testing.T) {
	needTool(t, "iverilog", "iverilog")
	needTool(t, "yosys", "yosys")
	needTool(t, "nextpnr-ice40", "nextpnr-ice40")
	for i, tt := range []struct{ size, cells int }{{100, 154}, {7, 9}, {30, 45}, {800, 1255}} {
		if i > 0 && !testkit.Whole() {
			break
		}
		t.Run(fmt.Sprint(tt.size), func(t *testing.T) {
			n := popcount(t, tt.size)
			dir := emitLUTs(t, n, target.ICE40, sampleVectors(rand.New(rand.NewPCG(1, 1)), n, 300))
			silent(t, dir, "iverilog", "-Wall", "-g2001", "-o", "a.vvp", "popcount_tb.v", "popcount.v", "popcount_cells.v")
			if out, err := tool(t, dir, "vvp", "a.vvp"); err != nil || out != "PASS: 300 vectors\n" {
				t.Fatalf("vvp: %v\n%s", err, out)
			}
			read := "read_verilog -lib +/ice40/cells_sim.v; read_verilog popcount.v; hierarchy -check -purge_lib -top popcount; "
			cells, out := packed(t, dir, read+"check -assert; stat")
			m := netlist.Measure(n)
			if luts, carries := stat(out, "SB_LUT4"), stat(out, "SB_CARRY"); luts != m.LUTs.Total ||
				carries != m.Carries.Total || luts == 0 {
				t.Errorf("yosys counts %d LUTs and %d carries, want %d and %d", luts, carries, m.LUTs.Total, m.Carries.Total)
			}
			synth, out := packed(t, dir, "read_verilog popcount.v; synth_ice40 -top popcount")
			t.Logf("%d bits: %d logic cells (%d LUTs, %d carries), after synth_ice40 %d (%d LUTs, %d carries)",
				tt.size, cells, m.LUTs.Total, m.Carries.Total, synth, stat(out, "SB_LUT4"), stat(out, "SB_CARRY"))
			if cells > tt.cells || synth > tt.cells {
				t.Errorf("%d logic cells, %d after synth_ice40, want at most %d", cells, synth, tt.cells)
			}
		})
	}
}
