package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ialgn/internal/tool"
)

// verdict is what `ialgn verify --level all --samples 100 --json` says of a folder.
type verdict struct {
	Exit     int
	Message  string // message on standard error
	Software *struct{ Mismatches int }
	RTL      *struct{ Mismatches int }
	Wrapper  *struct{ Mismatches int }
	Fold     *struct{ Mismatches int }
	FoldRTL  *struct{ Mismatches int } `json:"fold_rtl"`
	Formal   *struct {
		Proved          bool
		Verdict, Reason string
		Mismatches      int
	}
	Verilog  *struct{ Verdict, Reason string }
	Folder   []string
	Verified bool

	played map[string]int // what each level counts, by the level's name and the number's
}

// judgeSamples is how many samples the simulation of verify gets: the fewer, the more is left
// to the proof.
const judgeSamples = "100"

// exitPanic is the exit status of a program that met a fault of its own, which finds nothing.
const exitPanic = 70

// judge has a folder verified.
func judge(ctx context.Context, ialgn *tool.Tool, model, dir string) (*verdict, error) {
	r, err := ialgn.Run(ctx, tool.Command{Args: []string{
		"verify", model, dir, "--level", "all", "--samples", judgeSamples,
		"--json", "--threads", "1",
	}, Limit: verifyLimit})
	v := &verdict{Message: strings.TrimSpace(r.Stderr)}
	if err != nil {
		exit := (interface{ ExitCode() int })(nil)
		if !errors.As(err, &exit) || exit.ExitCode() < 1 || exit.ExitCode() > 3 && exit.ExitCode() != exitPanic {
			return nil, err
		}
		v.Exit = exit.ExitCode()
	}
	if r.Stdout != "" {
		if err := json.Unmarshal([]byte(r.Stdout), v); err != nil {
			return nil, fmt.Errorf("verify --json: %w in %.200s", err, r.Stdout)
		}
		v.played = countsOf(r.Stdout)
	}
	if v.Verified != (v.Exit == 0) {
		return nil, fmt.Errorf("verify ended with exit status %d, and verified is %v", v.Exit, v.Verified)
	}
	return v, nil
}

// countsOf returns the numbers that each level of a report has of what it did, but for times.
func countsOf(report string) map[string]int {
	var levels map[string]any
	if json.Unmarshal([]byte(report), &levels) != nil {
		return nil
	}
	counts := map[string]int{}
	addCounts(counts, "", levels)
	return counts
}

// addCounts adds the numbers of a level, and of the parts that it has.
func addCounts(counts map[string]int, name string, level map[string]any) {
	for key, value := range level {
		full := strings.TrimSpace(name + " " + key)
		switch v := value.(type) {
		case map[string]any:
			addCounts(counts, full, v)
		case float64:
			if name != "" && slices.Contains(amounts, key) {
				counts[full] = int(v)
			}
		}
	}
}

// amounts are the numbers of a level that say how much it did.
var amounts = []string{
	"checked", "values", "words", "packets", "samples", "clocks", "steps", "registers", "wires",
	"outputs", "hidden_bits",
}

// found reports whether the folder was not verified.
func (v *verdict) found() bool { return v.Exit != 0 }

// The levels that find mutants, and how.
const (
	bySoftware = "software"
	byRTL      = "rtl"
	byWrapper  = "wrapper"
	byFormal   = "formal"
	byVerilog  = "verilog" // the netlist is proved, and the Verilog is shown not to be it
	byParts    = "parts"   // the netlist and its Verilog are proved, and something around them is not
	unproved   = "unproved"
	byText     = "text" // proved, but a file is not what is written for the netlist
	refused    = "refused"
	missed     = "missed"
	none       = "none" // there is no mutant: no change that was tried was shown to matter
)

// level returns which level found the mutant, the first of them.
func (v *verdict) level() string {
	switch {
	case v.Exit == 0 || v.Exit == exitPanic:
		return missed
	case v.Exit == 1 || v.Software == nil:
		return refused
	case v.Software.Mismatches > 0:
		return bySoftware
	case v.Exit == 3 && v.Formal != nil:
		return unproved
	case v.RTL == nil || v.RTL.Mismatches > 0 || v.Formal == nil && v.Exit == 3, differ(v.Fold), differ(v.FoldRTL):
		return byRTL
	case differ(v.Wrapper):
		return byWrapper
	}
	if v.Verilog != nil && v.Verilog.Verdict == "different" {
		return byVerilog
	}
	switch {
	case v.Formal == nil || !v.Formal.Proved:
		return byFormal
	case len(v.Folder) > 0:
		return byText
	}
	return byParts
}

// differ reports whether a simulation that was made found a difference.
func differ(level *struct{ Mismatches int }) bool { return level != nil && level.Mismatches > 0 }

func (v *verdict) String() string {
	s := fmt.Sprintf("exit status %d, %s", v.Exit, v.level())
	if v.Formal != nil {
		s += ": " + v.Formal.Verdict + " " + v.Formal.Reason
	}
	if v.Verilog != nil {
		s += ": verilog " + v.Verilog.Verdict + " " + v.Verilog.Reason
	}
	if len(v.Folder) > 0 {
		s += ": " + strings.Join(v.Folder, "; ")
	}
	if v.Message != "" {
		s += ": " + v.Message
	}
	return s
}
