package verilog_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"ialgn/internal/blif"
	"ialgn/internal/lowering"
	"ialgn/internal/netgen"
	"ialgn/internal/target"
	"ialgn/internal/tool"
	"ialgn/internal/verilog"
	"ialgn/internal/yosysjson"
	"ialgn/netlist"
)

// cellCount matches a line of yosys stat.
var cellCount = regexp.MustCompile(`(?m)^ +(\$lut|LUT\d|SB_LUT4|SB_CARRY) +(\d+)$`)

// counted returns yosys's counts of LUTs (of any kind) and carries in an unchanged file.
func counted(t *testing.T, yosys *tool.Tool, read string, write func(io.Writer) error) (luts, carries int) {
	t.Helper()
	dir := t.TempDir()
	file, err := os.Create(filepath.Join(dir, "top"))
	if err != nil {
		t.Fatal(err)
	}
	if err := write(file); err != nil {
		t.Fatal(err)
	}
	file.Close()
	r, err := yosys.Run(t.Context(), tool.Command{Args: []string{"-p", read + " top; stat"}, Dir: dir, Limit: time.Minute})
	if err != nil {
		t.Fatalf("%v\n%s", err, r.Stdout)
	}
	for _, m := range cellCount.FindAllStringSubmatch(r.Stdout, -1) {
		count, _ := strconv.Atoi(m[2])
		if m[1] == "SB_CARRY" {
			carries += count
		} else {
			luts += count
		}
	}
	return luts, carries
}

// TestCounts compares the numbers in a report with yosys's counts, for every file that users get. yosys does not
// optimise the files.
func TestCounts(t *testing.T) {
	yosys, err := tool.Find("yosys")
	if err != nil {
		t.Skip(err)
	}
	o := netgen.Paper(100, 12)
	o.Mix, o.ShareA, o.ShareBinary, o.Classes = netgen.Measured, 0.6, 0.39, 4
	for _, scope := range []netlist.Scope{netlist.Gates, netlist.Core, netlist.Full} {
		for _, k := range []int{4, 6} {
			t.Run(fmt.Sprintf("%v-%d", scope, k), func(t *testing.T) {
				n := compiled(t, netgen.Frozen(1, o), scope, k, 1)
				m := netlist.Measure(n)
				luts := netlist.Measure(lowering.Functions(n)).LUTs.Total // comparators and carries also count as LUTs
				if m.LUTs.Total == 0 || k == 4 && scope > netlist.Gates && m.Carries.Total == 0 {
					t.Fatalf("nothing to count: %+v", m)
				}
				if sum := m.LUTs.Gates + m.LUTs.Head + m.LUTs.Encoder; sum != m.LUTs.Total || scope != netlist.Full &&
					m.LUTs.Encoder > 0 {
					t.Errorf("LUTs by part: %+v", m.LUTs)
				}
				check := func(name string, gotLUTs, gotCarries, wantLUTs, wantCarries int) {
					if gotLUTs != wantLUTs || gotCarries != wantCarries {
						t.Errorf("%s: yosys counts %d LUTs and %d carries, want %d and %d", name, gotLUTs, gotCarries, wantLUTs,
							wantCarries)
					}
				}
				family, wantLUTs, wantCarries := target.Generic, m.LUTs.Total, 0
				if k == 4 {
					family, wantCarries = target.ICE40, m.Carries.Total
				}
				gotLUTs, gotCarries := counted(t, yosys, "read_verilog", func(w io.Writer) error {
					return verilog.Write(w, n, verilog.Options{Style: verilog.LUTs, Target: family})
				})
				check("verilog", gotLUTs, gotCarries, wantLUTs, wantCarries)
				gotLUTs, gotCarries = counted(t, yosys, "read_blif -wideports", func(w io.Writer) error {
					return blif.Write(w, n, blif.Options{})
				})
				check("blif", gotLUTs, gotCarries, luts, 0)
				gotLUTs, gotCarries = counted(t, yosys, "read_json", func(w io.Writer) error {
					return yosysjson.Write(w, n, yosysjson.Options{})
				})
				check("yosys-json", gotLUTs, gotCarries, luts, 0)
				if scope == netlist.Core && k == 6 && luts != m.LUTs.Total {
					t.Errorf("%d LUTs after a lowering that has nothing to do, %d before", luts, m.LUTs.Total)
				}
			})
		}
	}
}
