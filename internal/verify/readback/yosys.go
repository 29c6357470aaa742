package readback

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"ialgn/internal/names"
	"ialgn/internal/outfile"
	"ialgn/internal/tool"
	"ialgn/internal/verilog/syntax"
)

// These are the names of the files of a yosys run. Each run has its own folder.
const (
	scriptName = "read.ys"
	blifName   = "design.blif"
)

// script is the script for yosys. It optimises nothing, and leaves unknown values unknown. It maps all cells except
// sums and comparisons by yosys's own rules. It does not flatten instances, so that a popcount of hundreds of bits
// is read once, not once for each class.
//
// yosys's rules for a comparison of a word leave about 900 additional wires, each on its own line of BLIF. For a
// design with 462 comparisons (digits), the text had 50 MB, and yosys in WebAssembly took minutes. The first techmap
// leaves parts of multiplications. The second techmap maps these parts.
const script = `%s
logger -werror .
read_verilog -nosynthesis %s
hierarchy -check -top %s
proc -noopt
%s%ssimplemap
techmap t:$* t:$add %%d t:$gt %%d
techmap t:$* t:$add %%d t:$gt %%d
write_blif -param ` + blifName + `
`

// resetScript turns asynchronous resets of yosys's models into multiplexers before and after the register. A constant
// reset then has no effect. If a design uses the reset, its registers no longer form a pipeline, and the proof fails.
const resetScript = "async2sync t:$adff t:$adffe\ndffunmap -srst-only t:$sdff t:$sdffe t:$sdffce\n"

// checkScript makes yosys fail if a wire is read but has no driver. The BLIF also shows such wires, except if the
// file has escaped names, because several of these names can become the same name in BLIF.
const checkScript = "check -assert\n"

// read has yosys read the files. A warning is an error, because yosys warns when it guesses a meaning.
func read(ctx context.Context, o Options) (g *graph, version string, err error) {
	yosys, err := tool.Find("yosys")
	if err != nil {
		return nil, "", err
	}
	version = yosys.Version(ctx)
	dir, err := outfile.MakeTemp("ialgn-readback-")
	if err != nil {
		return nil, version, err
	}
	defer os.RemoveAll(dir)
	if err := writeScript(dir, o); err != nil {
		return nil, version, err
	}
	out, err := yosys.Run(ctx, tool.Command{Args: []string{"-q", "-T", "-s", scriptName}, Dir: dir, Limit: o.Limit})
	var failed *tool.FailedError
	if errors.As(err, &failed) && ctx.Err() == nil {
		return nil, version, mismatch("yosys does not read it: %s", complaint(out.Stdout+out.Stderr, failed))
	}
	if err != nil {
		return nil, version, err
	}
	if g, err = o.load(filepath.Join(dir, blifName)); err != nil {
		err = cmp.Or(tool.CheckRoom(dir), err) // yosys does not report that its output is truncated
	}
	return g, version, err
}

// complaint returns the line with yosys's error message. If there is no such line, it returns a description of how
// yosys ended.
func complaint(out string, failed *tool.FailedError) string {
	for line := range strings.Lines(out) {
		if i := strings.Index(line, "ERROR: "); i >= 0 {
			return strings.TrimSpace(line[i:])
		}
	}
	return failed.Error()
}

// writeScript writes the script, and copies the files into dir under simple names. The original paths may have
// spaces and other characters with a meaning in scripts.
func writeScript(dir string, o Options) error {
	if err := names.CheckIdentifier(o.Module); err != nil {
		return fmt.Errorf("readback: %w", err)
	}
	var names []string
	check, resets := "", ""
	if o.Synthesised {
		resets = resetScript
	}
	for i, path := range o.Files {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := o.checkText(i, text); err != nil {
			return mismatch("%s, %v", filepath.Base(path), err)
		}
		if o.Synthesised && bytes.IndexByte(commentPattern.ReplaceAll(text, nil), '\\') >= 0 {
			check = checkScript
		}
		names = append(names, "file"+strconv.Itoa(i)+".v")
		if err := os.WriteFile(filepath.Join(dir, names[i]), text, 0o666); err != nil {
			return err
		}
	}
	text := fmt.Sprintf(script, o.Library, strings.Join(names, " "), o.Module, resets, check)
	return os.WriteFile(filepath.Join(dir, scriptName), []byte(text), 0o666)
}

// checkText returns an error for a text that yosys and a simulator may read in different ways.
func (o Options) checkText(number int, text []byte) error {
	switch {
	case !o.Synthesised && number == 0:
		return syntax.Check(text, o.Module)
	case !o.Synthesised:
		return syntax.CheckCells(text)
	default:
		if at := unknown(text); at > 0 {
			return fmt.Errorf("line %d: an x or z", at)
		}
		return nil
	}
}

// unknownPattern matches a number with an unknown digit, including a number without a size.
var unknownPattern = regexp.MustCompile(`'(?:[sS]?[bBoOhHdD]\s*[0-9a-fA-F_]*[xXzZ?]|[xXzZ])`)

// startPattern matches the start value of a register that may start with any value. The start value does not matter,
// because registers are treated as wires.
var startPattern = regexp.MustCompile(`\.INIT\(1'hx\)`)

// commentPattern matches a line comment. Text from outside, such as names of features, occurs only in comments.
var commentPattern = regexp.MustCompile(`(?m)^[ \t]*//.*$`)

// unknown returns the number of the first line with an unknown digit, or 0 if there is none. yosys replaces such
// digits by arbitrary values.
func unknown(text []byte) int {
	text = commentPattern.ReplaceAll(text, nil)
	text = startPattern.ReplaceAll(text, nil)
	at := unknownPattern.FindIndex(text)
	if at == nil {
		return 0
	}
	return 1 + bytes.Count(text[:at[0]], []byte{'\n'})
}

// load reads the BLIF file that yosys wrote.
func (o Options) load(path string) (*graph, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	start := byte(unknownStart)
	if o.Synthesised {
		start = '0' // on most targets, flip-flops start as 0
	}
	modules, err := readBLIF(file, start)
	if err != nil {
		return nil, err
	}
	return elaborate(modules, o.Module)
}
