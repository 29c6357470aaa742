package readback

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ialgn/backend/aiger"
	"ialgn/backend/verilog"
	"ialgn/internal/tool"
)

// The files of a run of yosys, in a folder of its own.
const (
	scriptName    = "read.ys"
	adderName     = "adder.v"
	graphName     = "graph.aig"
	mapName       = "graph.map"
	registersName = "registers.json"
)

//go:embed adder.v
var adder []byte

// script is what yosys does. Nothing is optimised but what reading processes does, and
// nothing unknown is given a value. Cells but sums are mapped by yosys's own rules. What cannot be
// said by gates and plain registers, such as a latch or a memory, ends the last command.
// Modules are mapped before they are made one, for some have many instances.
const script = `read_verilog %s
hierarchy -check -top %s
proc
check -assert
techmap -map ` + adderName + ` t:$add
simplemap
techmap t:$*
aigmap
flatten
select -assert-none t:$_DFF_N_ t:$_FF_
json -o ` + registersName + ` t:$_DFF_P_ w:clk
write_aiger -symbols -vmap ` + mapName + ` ` + graphName + `
`

// read has yosys read the files. Whatever it warns of is an error, since where something is
// unknown, what it means is yosys's choice.
func read(ctx context.Context, o Options) (g *graph, version string, err error) {
	yosys, err := tool.Find("yosys")
	if err != nil {
		return nil, "", err
	}
	version = yosys.Version(ctx)
	dir, err := os.MkdirTemp("", "ialgn-readback-")
	if err != nil {
		return nil, version, err
	}
	defer os.RemoveAll(dir)
	if err := writeScript(dir, o); err != nil {
		return nil, version, err
	}
	out, err := yosys.Run(ctx, tool.Command{Args: []string{"-q", "-T", "-e", ".", "-s", scriptName}, Dir: dir, Limit: o.Limit})
	var failed *tool.FailedError
	if errors.As(err, &failed) && ctx.Err() == nil {
		return nil, version, mismatch("yosys does not read it: %s", complaint(out.Stdout+out.Stderr, failed))
	}
	if err != nil {
		return nil, version, err
	}
	if err := checkClock(filepath.Join(dir, registersName)); err != nil {
		return nil, version, err
	}
	g, err = load(dir)
	return g, version, err
}

// complaint is the line in which yosys says what is wrong, or how it ended.
func complaint(out string, failed *tool.FailedError) string {
	for line := range strings.Lines(out) {
		if i := strings.Index(line, "ERROR: "); i >= 0 {
			return strings.TrimSpace(line[i:])
		}
	}
	return failed.Error()
}

// writeScript puts the files under plain names into dir, for paths have spaces and more
// that scripts take for something else.
func writeScript(dir string, o Options) error {
	if err := verilog.CheckIdentifier(o.Module); err != nil {
		return fmt.Errorf("readback: %w", err)
	}
	var names []string
	for i, path := range o.Files {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if at := unknown(text); at > 0 {
			return mismatch("%s, line %d: an x or z", filepath.Base(path), at)
		}
		names = append(names, "file"+strconv.Itoa(i)+".v")
		if err := os.WriteFile(filepath.Join(dir, names[i]), text, 0o666); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, adderName), adder, 0o666); err != nil {
		return err
	}
	text := fmt.Sprintf(script, strings.Join(names, " "), o.Module)
	return os.WriteFile(filepath.Join(dir, scriptName), []byte(text), 0o666)
}

// unknownPattern is a number with an unknown digit, or an unsized one.
var unknownPattern = regexp.MustCompile(`'(?:[sS]?[bBoOhHdD]\s*[0-9a-fA-F_]*[xXzZ?]|[xXzZ])`)

// commentPattern is a line that is a comment: names from outside stand only there.
var commentPattern = regexp.MustCompile(`(?m)^[ \t]*//.*$`)

// unknown returns the number of the first line with an unknown digit, 0 if there is none.
// yosys takes them for whatever it likes.
func unknown(text []byte) int {
	text = commentPattern.ReplaceAll(text, nil)
	at := unknownPattern.FindIndex(text)
	if at == nil {
		return 0
	}
	return 1 + bytes.Count(text[:at[0]], []byte{'\n'})
}

// checkClock checks that all registers have the clock clk.
func checkClock(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	type cell struct {
		Connections map[string][]any
	}
	var design struct {
		Modules map[string]struct {
			Cells    map[string]cell
			Netnames map[string]struct{ Bits []any }
		}
	}
	if err := json.Unmarshal(data, &design); err != nil {
		return fmt.Errorf("readback: %s of yosys: %w", registersName, err)
	}
	for _, m := range design.Modules {
		for _, c := range m.Cells {
			if !slices.Equal(c.Connections["C"], m.Netnames["clk"].Bits) {
				return mismatch("a register has another clock than clk")
			}
		}
	}
	return nil
}

// load reads what yosys wrote.
func load(dir string) (*graph, error) {
	file, err := os.Open(filepath.Join(dir, graphName))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	f, err := aiger.ReadSequential(file)
	if err != nil {
		return nil, fmt.Errorf("readback: graph of yosys: %w", err)
	}
	names, err := os.Open(filepath.Join(dir, mapName))
	if err != nil {
		return nil, err
	}
	defer names.Close()
	g := newGraph(f)
	s := bufio.NewScanner(names)
	for s.Scan() {
		field := strings.Fields(s.Text())
		if len(field) != 4 || field[0] != "wire" || strings.HasPrefix(field[3], "$") {
			continue
		}
		l, err1 := strconv.ParseUint(field[1], 10, 32)
		i, err2 := strconv.Atoi(field[2])
		if err1 != nil || err2 != nil || int(l/2) >= g.variables() {
			return nil, fmt.Errorf("readback: map of yosys: %.100q", s.Text())
		}
		g.wires[bit{field[3], i}] = literal(l)
	}
	return g, s.Err()
}
