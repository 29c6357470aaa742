// Package cec asks abc whether two circuits are equivalent.
//
// Circuits are binary AIGER files with symbol tables. abc compares inputs and outputs by position, so both files
// must have the same names in the same order. An [Engine] refuses other files. Only abc's line "Networks are
// equivalent" is a proof, because abc exits with status 0 even after a time-out or for a missing file.
package cec

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"ialgn/internal/aiger"
	"ialgn/internal/outfile"
	"ialgn/internal/tool"
	"ialgn/netlist"
)

// Verdict is the result of a check, by abc or in any other way.
type Verdict string

// These are the verdicts. A check is undecided if it found neither a proof nor a difference.
const (
	Equivalent Verdict = "equivalent"
	Different  Verdict = "different"
	Undecided  Verdict = "undecided"
)

// DefaultLimit is the initial value of [Engine.Limit].
const DefaultLimit = 10 * time.Minute

// Circuit writes a circuit as an AIGER file.
type Circuit func(w io.Writer) error

// Netlist returns the circuit of a netlist of function cells.
func Netlist(n *netlist.Netlist) Circuit {
	return func(w io.Writer) error { return aiger.Write(w, n) }
}

// Engine is abc together with a folder for its files. An Engine must not be used concurrently.
type Engine struct {
	Limit time.Duration // time limit for one comparison

	abc *tool.Tool
	dir string
}

// New returns an engine, or an error of package tool if abc is missing. The caller closes the engine.
func New() (*Engine, error) {
	abc, err := tool.Find("abc")
	if err != nil {
		return nil, err
	}
	dir, err := outfile.MakeTemp("ialgn-cec-")
	return &Engine{DefaultLimit, abc, dir}, err
}

// Close removes the engine's files.
func (e *Engine) Close() error { return os.RemoveAll(e.dir) }

// Version returns abc's version.
func (e *Engine) Version(ctx context.Context) string { return e.abc.Version(ctx) }

// These are the names of the files of the two circuits and of the counterexample.
const (
	referenceName      = "reference.aig"
	otherName          = "other.aig"
	counterexampleName = "counterexample.txt"
)

// Compare asks whether two circuits are equivalent, and returns the verdict and abc's output. It returns an error if
// the inputs or outputs of the two circuits differ in name or order. If abc fails, the error is of package tool.
func (e *Engine) Compare(ctx context.Context, reference, other Circuit) (v Verdict, said string, err error) {
	if err := e.write(reference, other); err != nil {
		return Undecided, "", err
	}
	// abc may exceed its own time limit, so this limit is shorter than the limit for the process.
	said, err = e.ask(ctx, fmt.Sprintf("&r %s; &cec -T %d %s", referenceName, max(1, int(e.Limit.Seconds()*0.9)),
		otherName))
	if v = verdict(said); v == Undecided && err == nil {
		err = tool.CheckRoom(e.dir) // abc does not report a full disk
	}
	return v, strings.TrimSpace(said), err
}

func (e *Engine) ask(ctx context.Context, script string) (string, error) {
	out, err := e.abc.Run(ctx, tool.Command{Args: []string{"-c", script}, Dir: e.dir, Limit: e.Limit})
	return out.Stdout, err
}

// write writes both circuits and reads them back to compare their names.
func (e *Engine) write(reference, other Circuit) error {
	a, err := e.writeOne(referenceName, reference)
	if err != nil {
		return err
	}
	b, err := e.writeOne(otherName, other)
	if err != nil {
		return err
	}
	if _, err := aiger.Match(a, b); err != nil {
		return err
	}
	sameOutputs := slices.EqualFunc(a.Outputs, b.Outputs, func(a, b aiger.Output) bool { return a.Name == b.Name })
	if !slices.Equal(a.Inputs, b.Inputs) || !sameOutputs {
		return errors.New("cec: the two circuits name their inputs or outputs in different orders")
	}
	return nil
}

func (e *Engine) writeOne(name string, c Circuit) (*aiger.File, error) {
	var buf bytes.Buffer
	if err := c(&buf); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(e.dir, name), buf.Bytes(), 0o666); err != nil {
		return nil, err
	}
	return aiger.Read(&buf)
}

// verdict derives the verdict from abc's output.
func verdict(out string) Verdict {
	v := Undecided
	for line := range strings.Lines(out) {
		switch {
		case strings.HasPrefix(line, "Networks are equivalent"):
			v = Equivalent
		case strings.HasPrefix(line, "Networks are NOT EQUIVALENT"):
			return Different
		}
	}
	return v
}

// Counterexample returns values of the input port x for which the circuits of the last comparison differ. The port
// has the given number of inputs. Element i of the result is x[i], which is 0 or 1. If abc finds no counterexample,
// all values are 0, so the caller has to check whether the values show a difference. The abc command &cec could also
// print a counterexample, but that would contain only the inputs on which the first circuit's output depends.
func (e *Engine) Counterexample(ctx context.Context, inputs int) (x []uint64, said string, err error) {
	return e.pattern(ctx, fmt.Sprintf("miter %s %s", referenceName, otherName), inputs)
}

// pattern returns an input, found by abc, for which the output of the circuit is 1. The argument read is the abc
// command that reads the circuit.
func (e *Engine) pattern(ctx context.Context, read string, inputs int) (x []uint64, said string, err error) {
	path := filepath.Join(e.dir, counterexampleName)
	if err := os.RemoveAll(path); err != nil {
		return nil, "", err
	}
	said, err = e.ask(ctx, fmt.Sprintf("%s; iprove; write_cex -n %s", read, counterexampleName))
	if err != nil {
		return nil, "", err
	}
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, "", err
	}
	x, err = readPattern(string(text), inputs)
	return x, strings.TrimSpace(said), err
}

// Satisfy returns values of the input port x for which the only output of a circuit is 1. The result has the form of
// the result of [Engine.Counterexample]. If no input makes the output 1, or if abc finds no such input in time, all
// values are 0.
func (e *Engine) Satisfy(ctx context.Context, c Circuit, inputs int) (x []uint64, said string, err error) {
	if _, err := e.writeOne(otherName, c); err != nil {
		return nil, "", err
	}
	return e.pattern(ctx, "read "+otherName, inputs)
}

// inputPattern matches an input with the value 1 in a counterexample of abc, such as x[12]@0=1.
var inputPattern = regexp.MustCompile(`(?m)^x(?:\[(\d+)\])?(?:@0)?=1\b`)

// readPattern returns the inputs of a counterexample.
func readPattern(text string, inputs int) ([]uint64, error) {
	x := make([]uint64, inputs)
	for _, m := range inputPattern.FindAllStringSubmatch(text, -1) {
		i := 0
		if m[1] != "" {
			var err error
			if i, err = strconv.Atoi(m[1]); err != nil || i >= inputs {
				return nil, fmt.Errorf("cec: abc names an input x[%s], there are %d", m[1], inputs)
			}
		}
		x[i] = 1
	}
	return x, nil
}
