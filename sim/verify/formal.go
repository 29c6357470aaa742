package verify

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"ialgn/backend/aiger"
	"ialgn/internal/tool"
	"ialgn/netlist"
	"ialgn/sim"
)

// FormalResult is the outcome of [Design.Formal].
type FormalResult struct {
	Proved  bool    `json:"proved"`
	Verdict string  `json:"verdict"` // equivalent, different or unproved
	Outputs int     `json:"outputs"` // last-layer bits compared
	Reason  string  `json:"reason,omitempty"`
	Tool    string  `json:"tool"`
	Seconds float64 `json:"seconds"`
	findings
}

// formalLimit bounds a proof. abc is told a shorter time than the process gets, for it
// keeps its own limit only roughly.
const formalLimit = 10 * time.Minute

// Formal proves with abc that the optimised gates compute the raw gates' function for
// every input, thermometer or not. The head's operators and the comparators are equal
// cells in both netlists and are matched, not proved.
//
// Only abc's line "Networks are equivalent" counts as a proof: it exits 0 for
// everything. A difference is believed when our simulator replays it. It returns an
// error of package tool if abc is missing or fails.
func (d Design) Formal(ctx context.Context) (*FormalResult, error) {
	begin := time.Now()
	r := &FormalResult{Verdict: "unproved"}
	defer func() { r.Seconds = time.Since(begin).Seconds() }()
	raw, product, err := d.cuts()
	if err != nil {
		r.Reason = err.Error()
		return r, nil
	}
	r.Outputs = len(raw.OutputPorts()[0].Nets)
	dir, err := os.MkdirTemp("", "ialgn-formal-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := writePair(dir, raw, product); err != nil {
		return nil, err
	}
	abc, err := tool.Find("abc")
	if err != nil {
		return nil, err
	}
	r.Tool = abc.Version(ctx)
	ask := func(script string) (string, error) {
		out, err := abc.Run(ctx, tool.Command{Args: []string{"-c", script}, Dir: dir, Limit: formalLimit})
		return out.Stdout, err
	}
	out, err := ask(fmt.Sprintf("&r raw.aig; &cec -T %d product.aig", int(formalLimit.Seconds()*0.9)))
	if err != nil {
		return nil, err
	}
	switch verdict(out) {
	case "equivalent":
		r.Verdict, r.Proved = "equivalent", true
		return r, nil
	case "different":
		return r, d.replay(ask, raw, product, r)
	}
	r.Reason = fmt.Sprintf("abc gave no verdict: %.200s", strings.TrimSpace(out))
	return r, nil
}

// writePair writes both cuts and reads them back: their names must be the same in the
// same order, for abc compares by position.
func writePair(dir string, raw, product *netlist.Netlist) error {
	var files [2]*aiger.File
	for i, n := range []*netlist.Netlist{raw, product} {
		var buf bytes.Buffer
		if err := aiger.Write(&buf, n); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, []string{"raw.aig", "product.aig"}[i]), buf.Bytes(), 0o666); err != nil {
			return err
		}
		f, err := aiger.Read(&buf)
		if err != nil {
			return err
		}
		files[i] = f
	}
	if _, err := aiger.Match(files[0], files[1]); err != nil {
		return err
	}
	sameOutputs := slices.EqualFunc(files[0].Outputs, files[1].Outputs, func(a, b aiger.Output) bool { return a.Name == b.Name })
	if !slices.Equal(files[0].Inputs, files[1].Inputs) || !sameOutputs {
		return fmt.Errorf("verify: the two AIGER files name their inputs or outputs in different orders")
	}
	return nil
}

// verdict reads abc's output: equivalent, different, or "" for anything else.
func verdict(out string) string {
	v := ""
	for line := range strings.Lines(out) {
		switch {
		case strings.HasPrefix(line, "Networks are equivalent"):
			v = "equivalent"
		case strings.HasPrefix(line, "Networks are NOT EQUIVALENT"):
			return "different"
		}
	}
	return v
}

// inputPattern is how abc's cec tells a counterexample: the inputs by name and value.
var inputPattern = regexp.MustCompile(`\bx(?:\[(\d+)\])?=1\b`)

// replay has abc tell the counterexample and looks for the difference in our own
// simulator; without it the result stays unproved.
func (d Design) replay(ask func(script string) (string, error), raw, product *netlist.Netlist, r *FormalResult) error {
	text, err := ask("cec raw.aig product.aig")
	if err != nil {
		return err
	}
	x := make([]uint64, len(raw.InputPorts()[0].Nets))
	for _, m := range inputPattern.FindAllStringSubmatch(text, -1) {
		i := 0
		if len(m[1]) > 0 {
			if i, err = strconv.Atoi(string(m[1])); err != nil || i >= len(x) {
				return fmt.Errorf("verify: abc names an input x[%s], there are %d", m[1], len(x))
			}
		}
		x[i] = 1
	}
	a, err := outputBits(raw, x)
	if err != nil {
		return err
	}
	b, err := outputBits(product, x)
	if err != nil {
		return err
	}
	for i := range a {
		if a[i] != b[i] {
			r.add(Mismatch{-1, d.Model.Depth(), i, fmt.Sprintf("the optimised gates give %d, the raw ones %d, for the counterexample with %d ones", b[i], a[i], ones(x))})
		}
	}
	if r.Mismatches == 0 {
		r.Reason = fmt.Sprintf("abc says the networks differ, but its counterexample does not show it here: %.200s", strings.TrimSpace(text))
		return nil
	}
	r.Verdict = "different"
	return nil
}

func ones(x []uint64) int {
	n := 0
	for _, v := range x {
		n += int(v & 1)
	}
	return n
}

// outputBits returns the bits of output h for one sample.
func outputBits(n *netlist.Netlist, x []uint64) ([]uint64, error) {
	s, err := sim.NewBlock(n, 1)
	if err != nil {
		return nil, err
	}
	if err := s.Run(1, x); err != nil {
		return nil, err
	}
	var bits []uint64
	for _, v := range n.OutputPorts()[0].Nets {
		bits = append(bits, s.Net(v)[0]&1)
	}
	return bits, nil
}
