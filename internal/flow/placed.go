package flow

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

// placed holds the parts that we need from the netlist that nextpnr writes after placement.
type placed struct {
	Modules map[string]struct {
		Cells map[string]struct {
			Type       string            `json:"type"`
			Parameters map[string]string `json:"parameters"`
			Attributes map[string]string `json:"attributes"`
		} `json:"cells"`
	} `json:"modules"`
}

// padSuffix is the end of the name of a pad's cell. The name begins with the name of the port's bit.
const padSuffix = "$sb_io"

// readPlaced reads the positions of the pads, and counts the carries.
func readPlaced(r *Result, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var p placed
	if err := json.Unmarshal(text, &p); err != nil {
		return err
	}
	for _, m := range p.Modules {
		for name, c := range m.Cells {
			port, isPad := strings.CutSuffix(name, padSuffix)
			switch {
			case c.Type == "ICESTORM_LC" && strings.TrimLeft(c.Parameters["CARRY_ENABLE"], "0") == "1":
				r.Carries++
			case c.Type == "SB_IO" && isPad:
				pad := Pad{Port: port}
				bel := c.Attributes["NEXTPNR_BEL"]
				if _, err := fmt.Sscanf(bel, "X%d/Y%d/io%d", &pad.X, &pad.Y, &pad.Z); err != nil {
					return fmt.Errorf("port %s is on %q, which is no pad", port, bel)
				}
				r.Pads = append(r.Pads, pad)
			}
		}
	}
	if len(r.Pads) == 0 {
		return errors.New("no port is on a pad")
	}
	slices.SortFunc(r.Pads, func(a, b Pad) int { return cmp.Compare(a.Port, b.Port) })
	return nil
}
