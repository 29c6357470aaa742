// Command benchcompile compares the compiler with yosys and abc on one machine, one after the other, and prints
// Markdown tables for docs/evidence/benchmarks.md. `make bench-compile` runs it in the root of the repository.
//
// It has three parts, which can be run separately:
//
//   - map: gates of random networks are mapped to LUTs by the compiler, by abc and, for small networks, by yosys.
//   - core: gates and heads (popcounts and argmax) of model files, or of a random network, are compiled. yosys gets
//     the same netlist in three forms.
//   - scale: model files are compiled from disk to the mapped netlist and Verilog on disk. Each compilation runs in
//     its own process, with limits on time and memory.
//
// Times in seconds are the CPU time of all threads, including programs that were started, unless a column says
// otherwise. The compiler's results are proved equivalent to the networks at verify's level formal.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"ialgn/lab/internal/command"
)

// options holds the options of the command line.
type options struct {
	parts    []string
	networks []string
	seeds    int
	yosys    []string // networks that yosys also maps
	models   []string
	forms    []string // names of the models for part scale
	runs     int
	dir      string
	keep     bool
}

// parts lists the parts of the benchmark in order.
var parts = []struct {
	name string
	run  func(context.Context, io.Writer, *options) error
}{{"map", mapPart}, {"core", corePart}, {"scale", scalePart}}

func main() { command.Main("benchcompile", run) }

func run(ctx context.Context, w io.Writer, args []string) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(o.dir, 0o777); err != nil {
		return err
	}
	for _, p := range parts {
		if !slices.Contains(o.parts, p.name) {
			continue
		}
		fmt.Fprintf(w, "\n%s\n", machine())
		if err := p.run(ctx, w, o); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// machine describes how busy the machine is, if the system reports it. Wall times depend on how busy it is.
func machine() string {
	s := fmt.Sprintf("On %d processors", runtime.NumCPU())
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		s += fmt.Sprintf(", at a load of %s before", strings.Fields(string(load) + " -")[0])
	}
	return s + "."
}

func parse(args []string) (*options, error) {
	o := &options{}
	f := flag.NewFlagSet("benchcompile", flag.ContinueOnError)
	lists := map[*[]string]*string{
		&o.parts:    f.String("parts", "map,core,scale", "run these `PARTS`"),
		&o.networks: f.String("networks", "b,c,d", "part map: these `NETWORKS`, a to d"),
		&o.yosys:    f.String("yosys", "b", "part map: `NETWORKS` that yosys maps too, minutes each beyond b"),
		&o.forms:    f.String("forms", "8k,paper,trained,binary", "part scale: these `MODELS`"),
	}
	models := f.String("models", os.Getenv("IALGN_MODELS"),
		"part core: model `FILES`, as in $IALGN_MODELS (default: a random network)")
	f.IntVar(&o.seeds, "seeds", 1, "part map: networks of the seeds 1 to `N`")
	f.IntVar(&o.runs, "runs", 1, "part scale: the best of `N` runs")
	f.StringVar(&o.dir, "dir", filepath.Join("runs", "bench-compile"), "work in `DIR`")
	f.BoolVar(&o.keep, "keep", false, "keep the model files of the part scale, 2.65 GB each")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	for to, list := range lists {
		*to = strings.FieldsFunc(*list, func(r rune) bool { return r == ',' })
	}
	o.models = filepath.SplitList(*models)
	return o, o.check(f.Args())
}

func (o *options) check(rest []string) error {
	var known []string
	for _, p := range parts {
		known = append(known, p.name)
	}
	for _, list := range []struct {
		flag          string
		values, known []string
	}{
		{"-parts", o.parts, known},
		{"-networks", o.networks, []string{"a", "b", "c", "d"}},
		{"-yosys", o.yosys, []string{"a", "b", "c", "d"}},
		{"-forms", o.forms, formNames()},
	} {
		for _, s := range list.values {
			if !slices.Contains(list.known, s) {
				return fmt.Errorf("%s: no %q: give a list of %s", list.flag, s, strings.Join(list.known, ","))
			}
		}
	}
	if o.seeds < 1 || o.runs < 1 || len(rest) > 0 {
		return errors.New("-seeds and -runs must be 1 or more, and nothing follows the options")
	}
	return nil
}

// row is one row of a Markdown table.
type row []string

// table prints a Markdown table row by row, so that users can watch a long run.
type table struct{ w io.Writer }

func newTable(w io.Writer, columns ...string) table {
	t := table{w}
	t.add(columns...)
	t.add(slices.Repeat(row{"---"}, len(columns))...)
	return t
}

func (t table) add(cells ...string) { fmt.Fprintf(t.w, "| %s |\n", strings.Join(cells, " | ")) }

// number formats a number with commas as thousands separators.
func number(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// seconds formats a time with two to three significant digits.
func seconds(s float64) string {
	if s < 10 {
		return fmt.Sprintf("%.2f", s)
	}
	return fmt.Sprintf("%.1f", s)
}
