package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"ialgn/internal/tool"
)

// verdict is the result of `ialgn verify --level all --json` for a folder.
type verdict struct {
	Exit     int
	Message  string // standard error
	Software *simulation
	RTL      *simulation
	Wrapper  *simulation
	Fold     *simulation
	FoldRTL  *simulation `json:"fold_rtl"`
	Formal   *struct{ Proved bool }
	Verilog  *struct{ Verdict string }
	Folder   []string
	Verified bool
}

// simulation is the result of a level that simulates.
type simulation struct{ Mismatches int }

func (s *simulation) differ() bool { return s != nil && s.Mismatches > 0 }

// judgeSamples is the number of samples that verify simulates. The number is so small that most mutants must be found
// by the proofs.
const judgeSamples = "100"

// exitPanic is the exit status for an internal error of the program, which does not count as finding the mutant.
const exitPanic = 70

// judge runs verify on a folder.
func judge(ctx context.Context, ialgn *tool.Tool, model, dir string) (*verdict, error) {
	args := []string{"verify", model, dir, "--level", "all", "--samples", judgeSamples, "--json", "--threads", "1"}
	r, err := ialgn.Run(ctx, tool.Command{Args: args, Limit: commandLimit})
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
	}
	if v.Verified != (v.Exit == 0) {
		return nil, fmt.Errorf("verify ended with exit status %d, and verified is %v", v.Exit, v.Verified)
	}
	return v, nil
}

// These are the checks that find mutants, in the order of the table's columns.
const (
	refused    = "refused" // exit status 1, before any level runs
	bySoftware = "software"
	byRTL      = "rtl"
	byWrapper  = "wrapper"
	byFormal   = "formal"
	byVerilog  = "verilog" // the netlist is proved, but its Verilog is not
	byParts    = "parts"   // the netlist and its Verilog are proved, but not a part around them
	unproved   = "unproved"
	byText     = "text" // everything is proved, but a file differs from the file that ialgn writes for the netlist
	missed     = "missed"
)

var checks = []string{refused, bySoftware, byRTL, byWrapper, byFormal, byVerilog, byParts, unproved, byText, missed}

// check returns the first check that found the mutant.
func (v *verdict) check() string {
	switch {
	case v.Exit == 0 || v.Exit == exitPanic:
		return missed
	case v.Exit == 1 || v.Software == nil:
		return refused
	case v.Software.differ():
		return bySoftware
	case v.Exit == 3 && v.Formal != nil:
		return unproved
	case v.RTL == nil || v.RTL.differ() || v.Formal == nil && v.Exit == 3 || v.Fold.differ() || v.FoldRTL.differ():
		return byRTL
	case v.Wrapper.differ():
		return byWrapper
	case v.Verilog != nil && v.Verilog.Verdict == "different":
		return byVerilog
	case v.Formal == nil || !v.Formal.Proved:
		return byFormal
	case len(v.Folder) > 0:
		return byText
	}
	return byParts
}

func (v *verdict) String() string {
	return fmt.Sprintf("exit status %d, %s: %s %s", v.Exit, v.check(), v.Message, strings.Join(v.Folder, "; "))
}
