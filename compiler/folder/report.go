package folder

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"time"

	"ialgn/compiler"
	"ialgn/netlist"
)

// Report is the content of report.json, and what the compile command prints.
type Report struct {
	Module    string                `json:"module"`
	Scope     string                `json:"scope"`
	GatesRaw  int                   `json:"gates_raw"` // of the model: width times depth
	Gates     int                   `json:"gates"`     // function cells that come from gates, optimised
	Cells     netlist.Sizes         `json:"cells"`     // optimised
	Kinds     []netlist.KindCount   `json:"kinds"`
	Levels    netlist.Sizes         `json:"levels"`
	Seconds   float64               `json:"seconds"`              // from the start of the compilation to the last netlist file
	PeakBytes int64                 `json:"peak_bytes,omitempty"` // largest resident memory of the process; left out where the system does not tell
	Passes    []compiler.PassReport `json:"passes"`
}

// newReport measures a product whose netlist files are written.
func newReport(p Product) *Report {
	m := netlist.Measure(p.Netlist)
	return &Report{
		Module:    p.Manifest.Module,
		Scope:     p.Manifest.Scope,
		GatesRaw:  p.GatesRaw,
		Gates:     m.Cells.Gates,
		Cells:     m.Cells,
		Kinds:     m.Kinds,
		Levels:    m.Levels,
		Seconds:   time.Since(p.Started).Seconds(),
		PeakBytes: peakBytes("/proc/self/status"),
		Passes:    append([]compiler.PassReport{}, p.Passes...),
	}
}

// peakBytes returns the high-water mark of the process's resident memory from a status
// file of Linux (VmHWM, proc(5)), 0 if there is none.
func peakBytes(status string) int64 {
	file, err := os.Open(status)
	if err != nil {
		return 0
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		rest, ok := strings.CutPrefix(lines.Text(), "VmHWM:")
		if !ok {
			continue
		}
		kib, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(rest, "kB")), 10, 64)
		if err != nil {
			return 0
		}
		return kib << 10
	}
	return 0
}
