package synth

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"ialgn/internal/flow"
	"ialgn/internal/target"
)

// packLimit is the time limit of a program that packs a bitstream.
const packLimit = 20 * time.Minute

// Report is the result of [Run] and the content of synth.json.
type Report struct {
	Target string        `json:"target"`
	Module string        `json:"module"` // the top module
	Device target.Device `json:"device"`
	Dir    string        `json:"dir"`

	// These are numbers of cells in yosys's netlist.
	LUTs    int `json:"luts"`
	Carries int `json:"carries"` // bits of carry chains
	FFs     int `json:"ffs"`
	RAM     int `json:"block_ram_bits,omitempty"` // bits of all block RAMs that are used completely or partly
	LUTRAM  int `json:"lut_ram,omitempty"`        // LUTs that are used as memory; included in LUTs
	Pins    int `json:"pins"`                     // bits of the ports

	Estimate *Estimate `json:"estimate,omitempty"` // estimate of the wiring; iCE40 only

	// Reused is the checksum of the manifest of the design whose placement was reused. Both have the same
	// Verilog.
	Reused    string `json:"reused_manifest_sha256,omitempty"`
	NotPlaced string `json:"not_placed,omitempty"`    // why the fields below are empty
	Command   string `json:"place_command,omitempty"` // command that places the design on another machine

	Aim Aim     `json:"placed_for,omitempty"`
	MHz float64 `json:"mhz"` // clock frequency of the constraints
	// Met says whether the fastest seed reaches MHz. It is false if the design has no clock or was not placed.
	Met     bool         `json:"timing_met"`
	Slowest flow.Slowest `json:"slowest_path,omitzero"` // of the fastest seed, including paths from and to pins

	Chip *Chip `json:"chip,omitempty"` // of standard cells; its paths decide Met and Slowest

	// Fmax is the clock frequency after routing, for paths from register to register. It is the median over the
	// seeds. It is 0 if there is no such path.
	Fmax          float64  `json:"fmax_mhz,omitempty"`
	Least         float64  `json:"fmax_least_mhz,omitempty"`
	Most          float64  `json:"fmax_most_mhz,omitempty"`
	Routed        int      `json:"routed,omitempty"` // number of seeds that were routed
	Runs          []Placed `json:"seeds,omitempty"`
	Bitstream     string   `json:"bitstream,omitempty"` // bitstream of the fastest seed
	BitstreamSeed int      `json:"bitstream_seed,omitempty"`

	Synthesis *flow.YosysResult `json:"synthesis"`
	Tools     map[string]string `json:"tools"`
	Manifest  string            `json:"manifest_sha256"`
	Files     []string          `json:"files,omitempty"`  // files in the folder other than the report
	Digests   map[string]string `json:"sha256,omitempty"` // SHA-256 of each of the files
	Seconds   float64           `json:"seconds"`
}

// Best returns the run that made the bitstream, or nil if there is no bitstream.
func (r *Report) Best() *Placed {
	for i := range r.Runs {
		if r.Runs[i].Result != nil && r.Runs[i].Seed == r.BitstreamSeed {
			return &r.Runs[i]
		}
	}
	return nil
}

// count sets the numbers of cells and the number of bits of the ports.
func (r *Report) count(y *flow.YosysResult) error {
	for cell, n := range y.Cells {
		c := r.Device.Of().Takes(cell)
		r.LUTs += n * c.LUTs
		r.Carries += n * c.Carries
		r.FFs += n * c.FlipFlops
		r.RAM += n * c.RAMBits
		r.LUTRAM += n * c.LUTRAM
	}
	m, err := readModule(y.JSON, r.Module)
	if err != nil {
		return err
	}
	r.Pins = m.pins()
	if r.Device.Icestorm() {
		r.Estimate = m.estimate(r.Device.LUTs)
	}
	return nil
}

// ReadReport reads the report in a target's folder.
func ReadReport(dir string) (*Report, error) {
	path := filepath.Join(dir, ReportName)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := &Report{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%s: not a report of synth (%w): synthesise that folder again", path, err)
	}
	return r, nil
}
