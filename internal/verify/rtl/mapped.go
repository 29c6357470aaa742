package rtl

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"ialgn/internal/flow"
	"ialgn/internal/liberty"
	"ialgn/internal/outfile"
	"ialgn/internal/progress"
	"ialgn/internal/verify"
	"ialgn/internal/verify/readback"
)

// Mapped is a netlist of standard cells that was synthesised from a design.
type Mapped struct {
	Netlist string // the Verilog file
	Library *liberty.Library
}

// MappedResult is the outcome of [CheckMapped].
type MappedResult struct {
	Library       string           `json:"library"` // name of the library
	LibrarySHA256 string           `json:"library_sha256"`
	SHA256        string           `json:"netlist_sha256"`
	Proof         *readback.Result `json:"proof,omitempty"`
	Run
}

// CheckMapped runs a netlist of standard cells in a simulator, as [Check] runs the Verilog. The cells have the
// functions in the Liberty file, without delays. If no sample differs and prove is set, CheckMapped also proves that
// the netlist computes the optimised netlist, in the same way as [CheckText].
//
// CheckMapped returns an error of package tool if a program is missing or fails.
func CheckMapped(ctx context.Context, d verify.Design, s verify.Samples, files Files, m Mapped, simulator string,
	samples int, prove bool,
) (*MappedResult, error) {
	ctx, end := progress.Begin(ctx, "mapped")
	defer end()
	dir, err := outfile.MakeTemp("ialgn-mapped-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	text, err := os.ReadFile(m.Netlist)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	r := &MappedResult{Library: m.Library.Name, LibrarySHA256: m.Library.SHA256, SHA256: hex.EncodeToString(sum[:])}
	used, err := readback.CheckStructural(text)
	if err != nil {
		r.Mismatches = 1
		r.First = []verify.Mismatch{{Gate: -1, What: filepath.Base(m.Netlist) + ", " + err.Error()}}
		return r, nil
	}
	models, err := m.Library.Models(used)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Netlist, err)
	}
	cells := filepath.Join(dir, CellsName)
	if err := os.WriteFile(cells, []byte(models), 0o666); err != nil {
		return nil, err
	}
	copied := filepath.Join(dir, "netlist.v") // the file that was checked, whatever happens to the folder
	if err := os.WriteFile(copied, text, 0o666); err != nil {
		return nil, err
	}
	files.Design, files.ByClass, files.Library = copied, false, &flow.Library{Files: []string{cells}}
	simulated, err := Check(ctx, d, s, files, simulator, samples)
	if err != nil {
		return nil, err
	}
	r.Run = *simulated
	if prove && r.Mismatches == 0 {
		r.Proof, err = CheckText(ctx, d, files)
	}
	return r, err
}
