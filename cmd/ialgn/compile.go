package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"ialgn/artifact"
	"ialgn/backend/handover"
	"ialgn/backend/verilog"
	"ialgn/backend/wrapper"
	"ialgn/internal/hint"
	"ialgn/internal/plural"
	"ialgn/netlist"
	"ialgn/target"
	"ialgn/trainer/model"
)

func compileCommand() *cli.Command {
	return &cli.Command{
		Name:        "compile",
		Usage:       "freeze, optimise, map and emit a model as Verilog with a testbench",
		ArgsUsage:   "MODEL -o DIR",
		Description: "Scopes: gates (thermometer bits to last-layer bits), core (to the class), full (from words).",
		UsageText:   "ialgn compile demo/digits.safetensors -o out --target ice40",
		Flags: everywhere(dataFlag,
			&cli.StringFlag{Name: "o", Usage: "write the design to `DIR`"},
			&cli.StringFlag{Name: "scope", Value: "full", Usage: "compile `SCOPE`: gates, core or full"},
			&cli.IntFlag{Name: "lut", Usage: "map to LUTs of `K` inputs, 2 to 6 (default: the target's, where one is given)"},
			&cli.StringFlag{Name: "target", Usage: "map to `TARGET`: " + plural.Or(target.Names())},
			&cli.StringFlag{Name: "objective", Usage: "map for `WHAT`: area, depth or balanced (default: balanced)"},
			&cli.IntFlag{Name: "max-depth", Usage: "allow the gates `N` levels of LUTs"},
			&cli.StringFlag{Name: "pipeline", Usage: "put registers in: none, auto or `N` stages (default: none)"},
			&cli.IntFlag{Name: "max-levels", Usage: "with --pipeline auto: at most `N` levels of LUTs a stage (default: 3)"},
			&cli.BoolFlag{Name: "counts", Usage: "with scope core or full: give the class counts as an output port, too"},
			&cli.BoolFlag{Name: "assume-thermometer", Usage: "with scope gates or core: use that the inputs are thermometer codes"},
			&cli.StringFlag{Name: "style", Value: "auto", Usage: "write `STYLE`: gates (assigns), lut (primitives) or auto"},
			&cli.StringFlag{Name: "wrap", Value: "none", Usage: "write `MODULE` around it: " + plural.Or(append([]string{"none"}, wrapper.Kinds()...))},
			&cli.StringFlag{Name: "board", Usage: "with --wrap uart or spi: pins of `NAME`, hx8k-breakout or icebreaker"},
			&cli.IntFlag{Name: "baud", Usage: "with --wrap uart: `N` bits a second (default: 115200)"},
			&cli.IntFlag{Name: "fold", Usage: "write an engine in block RAM that runs `N` gates of chains a clock: 1, 2 or 4"},
			&cli.IntFlag{Name: "fold-steps", Usage: "with --fold: room for `N` steps, for other models (default: as there are)"},
			&cli.Float64Flag{Name: "freq", Usage: "write constraints for a clock of `MHZ`"},
			&cli.IntFlag{Name: "vectors", Value: usualVectors, Usage: "write `N` test samples for the testbenches"},
			&cli.StringFlag{Name: "emit", Usage: "further formats, a `LIST` of aiger,blif,c,dot,go,yosys-json"},
			&cli.StringFlag{Name: "module", Usage: "call the module `NAME` (default: after the model)"},
			&cli.IntFlag{Name: "O", Value: 2, Usage: "optimise at `LEVEL` 0 (a cell a gate), 1 (once) or 2 (to the end)"},
			forceFlag,
		),
		Action: compile,
	}
}

func compile(c *cli.Context) error {
	args, err := arguments(c, 1)
	if err != nil {
		return err
	}
	if c.String("o") == "" {
		return hint.With(errors.New("compile: no output folder given"), "name one with -o DIR")
	}
	o := compileOptions{
		Scope: c.String("scope"), Module: c.String("module"), Optimise: c.Int("O"),
		LUT: c.Int("lut"), Target: c.String("target"), Objective: c.String("objective"), MaxDepth: c.Int("max-depth"),
		Pipeline: c.String("pipeline"), MaxLevels: c.Int("max-levels"), Style: c.String("style"), Wrap: c.String("wrap"), Baud: c.Int("baud"), Board: c.String("board"), Fold: c.Int("fold"), FoldSteps: c.Int("fold-steps"), MHz: c.Float64("freq"), Assume: c.Bool("assume-thermometer"), Counts: c.Bool("counts"), threads: threads(c), guard: guard(c), folders: folders(c),
	}
	if o.Vectors, err = parseVectors(c.Int("vectors")); err != nil {
		return err
	}
	if e := c.String("emit"); e != "" {
		o.Emit = strings.Split(e, ",")
	}
	if err := o.resolveStyle(); err != nil {
		return err
	}
	r, err := compileModel(c.Context, args[0], c.String("o"), o)
	if err != nil {
		return err
	}
	return show(c, compileReport{r, c.String("o")})
}

// compileModel takes a model file to an output folder.
func compileModel(ctx context.Context, path, dir string, o compileOptions) (*artifact.Report, error) {
	started := time.Now()
	plan, err := o.plan()
	if err != nil {
		return nil, err
	}
	file, err := model.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	sum := hashing(ctx, file)
	info, err := file.Info()
	if err != nil {
		return nil, err
	}
	if o.Module == "" {
		o.Module = moduleName(info.Model.Config.Name)
	}
	if err := artifact.CheckModule(o.Module); err != nil {
		return nil, hint.With(fmt.Errorf("module name: %w", err), "choose another with --module NAME")
	}
	p := o.product(plan, artifact.Manifest{Version: version, Module: o.Module})
	p.Started, p.GatesRaw = started, info.Model.Width*info.Model.Depth()
	raw, err := freezeFile(file, plan, func(f *model.Frozen, raw *netlist.Netlist) error {
		return o.makeVectors(ctx, f, info.Model, raw, &p)
	})
	if err != nil {
		return nil, err
	}
	if err := plan.run(ctx, raw, &info.Model.Encoder, &p); err != nil {
		return nil, err
	}
	if err := p.Netlist.Validate(); err != nil {
		return nil, err
	}
	if p.Manifest, err = newManifest(version, sum, info.Model, o); err != nil {
		return nil, err
	}
	p.Header = header(p.Manifest, o)
	return artifact.Write(ctx, dir, p)
}

// product returns what the options alone say of a product.
func (o compileOptions) product(p compilePlan, m artifact.Manifest) artifact.Product {
	return artifact.Product{Emit: o.Emit, MHz: o.MHz, Wrap: p.wrap, Baud: o.Baud, Board: p.board, Manifest: m, Header: header(m, o), Guard: o.guard}
}

// freezeFile streams a model file into the raw netlist. The frozen network is garbage
// when it returns, which the largest models need.
func freezeFile(file *model.File, p compilePlan, vectors func(*model.Frozen, *netlist.Netlist) error) (*netlist.Netlist, error) {
	f, err := file.Frozen()
	if err != nil {
		return nil, err
	}
	n, err := p.freeze(f)
	if err == nil {
		err = vectors(f, n)
	}
	debug.FreeOSMemory()
	return n, err
}

// moduleName turns a configuration's name into a name that Verilog takes.
func moduleName(name string) string {
	id := netlist.Identifier(name)
	if id = id[:min(len(id), verilog.MaxIdentifier-len("m_"))]; verilog.CheckIdentifier(id) != nil {
		id = "m_" + id
	}
	return id
}

// newManifest returns the manifest that a version of this program gives a product of a model.
func newManifest(version string, modelSum func() (string, error), m *model.Model, o compileOptions) (artifact.Manifest, error) {
	sum, err := modelSum()
	if err != nil {
		return artifact.Manifest{}, err
	}
	man := artifact.Manifest{
		Version: version, Module: o.Module, Scope: o.Scope, Classes: m.Classes, Test: m.Record.Test,
		Model: artifact.ModelRef{Name: m.Config.Name, SHA256: sum},
	}
	for dst, v := range map[*json.RawMessage]any{
		&man.Options: o,
		&man.Data:    m.Config.Data,
		&man.Encoder: m.Encoder,
	} {
		if *dst, err = json.Marshal(v); err != nil {
			return man, err
		}
	}
	man.Word, err = versionWord(man)
	return man, err
}

// versionWord returns the word that identifies a build: of the program, the model and the
// options that the manifest names.
func versionWord(m artifact.Manifest) (uint32, error) {
	var options bytes.Buffer
	if err := json.Compact(&options, m.Options); err != nil {
		return 0, err
	}
	return handover.Version(m.Version, m.Model.SHA256, options.Bytes()), nil
}

// header returns what the head of the Verilog says of the origin.
func header(m artifact.Manifest, o compileOptions) []string {
	lines := []string{
		"made by ialgn " + m.Version,
		"model " + m.Model.Name + ", sha256 " + m.Model.SHA256,
		"scope " + m.Scope + ", classes " + strings.Join(m.Classes, ", "),
	}
	if o.Assume {
		lines = append(lines, "right for thermometer codes alone: a bit of x that is 1 must have all lower bits of its feature 1")
	}
	return lines
}

// hashing begins to compute a model file's SHA-256, beside passes that have one thread, and
// returns what waits for it. It gives up when ctx ends.
func hashing(ctx context.Context, file *model.File) (wait func() (string, error)) {
	var sum string
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		sum, err = file.SHA256(ctx)
	}()
	return func() (string, error) {
		<-done
		return sum, err
	}
}

func fileSHA256(ctx context.Context, path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h, buf := sha256.New(), make([]byte, 1<<20)
	for ctx.Err() == nil {
		n, err := f.Read(buf)
		h.Write(buf[:n])
		switch {
		case err == io.EOF:
			return hex.EncodeToString(h.Sum(nil)), nil
		case err != nil:
			return "", err
		}
	}
	return "", ctx.Err()
}

type compileReport struct {
	*artifact.Report
	dir string
}

// text tells the passes that changed something, and what came out.
func (r compileReport) text(w io.Writer) {
	fmt.Fprintf(w, "%s: %d gates of the model, %d after optimisation\n", filepath.Clean(r.dir), r.GatesRaw, r.Gates)
	for _, p := range r.Passes {
		switch {
		case p.Sweep == 0:
			fmt.Fprintf(w, "          %-14s %9d -> %9d cells  %.3f s\n", p.Name, p.Before, p.After, p.Seconds)
		case p.Before != p.After:
			fmt.Fprintf(w, "  sweep %d %-14s %9d -> %9d cells  %.3f s\n", p.Sweep, p.Name, p.Before, p.After, p.Seconds)
		}
	}
	if m := r.Mapping; m != nil {
		fmt.Fprintf(w, "LUTs of %d inputs: %s", m.K, parts(*r.LUTs))
		if r.Carries.Total > 0 {
			fmt.Fprintf(w, "; %d carries", r.Carries.Total)
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "levels: %s\n", parts(r.Levels))
	if p := r.Pipeline; p != nil {
		fmt.Fprintf(w, "pipeline: %d stages of at most %d levels, %d flip-flops\n", p.Stages, p.LevelsPerStage, p.FlipFlops.Total)
	}
	if x := r.Wrapper; x != nil {
		fmt.Fprintf(w, "wrapper %s: a sample in %d clocks", x.Kind, x.Cycles)
		if x.MHz > 0 {
			fmt.Fprintf(w, ", %.4g samples/s at %v MHz", x.SamplesPerSecond, x.MHz)
		}
		fmt.Fprintln(w)
	}
	foldText(w, r.Fold)
	vectorsText(w, r.Samples)
	if r.Latency > 0 {
		fmt.Fprintf(w, "latency: %d clocks from the first word of a sample to its result\n", r.Latency)
	}
	fmt.Fprintf(w, "%.2f s, peak memory %.0f MB\n", r.Seconds, float64(r.PeakBytes)/1e6)
}

func parts(s netlist.Sizes) string {
	return fmt.Sprintf("gates %d, head %d, encoder %d, total %d", s.Gates, s.Head, s.Encoder, s.Total)
}
