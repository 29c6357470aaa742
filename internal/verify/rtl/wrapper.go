package rtl

import (
	"context"
	_ "embed" // templates
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"ialgn/internal/outfile"
	"ialgn/internal/progress"
	"ialgn/internal/target"
	"ialgn/internal/verify"
	"ialgn/internal/verilog"
	"ialgn/internal/wrapper"
)

// WrapperFiles describes an emitted wrapper around the product.
type WrapperFiles struct {
	Kind    string   // a kind of package wrapper
	Module  string   // name of the product's module; the wrapper's name begins with this name
	Sources []string // paths of the wrapper's file and of the file of the module inside
	Style   verilog.Style
	Target  *target.Family      // nil: [target.Generic]
	Levels  *wrapper.Levels     // the levels that the wrapper's encoder must give; nil: no encoder
	Fold    *verify.EngineFiles // the folded engine inside the wrapper; nil if the netlist is inside
}

// WrapperResult is the outcome of [CheckWrapper].
type WrapperResult struct {
	Values int `json:"values"` // number of word values tried on the wrapper's encoder; 0: no encoder
	// Unplayed says why no sample was sent through the wrapper. It is empty if samples were sent.
	Unplayed string `json:"unplayed,omitempty"`
	Run
}

// CheckWrapper simulates a wrapper. If the wrapper has an encoder, CheckWrapper first tries the encoder with every
// value of a word. Then it sends test samples, chosen as in [Check], through the complete wrapper by the wrapper's
// protocol. It sends at least two samples and at most the given number. Within these limits, the number depends on
// the clocks per sample and on the cells. A serial line runs at the highest possible rate instead of its own rate. If
// a design has more than 200,000 cells, CheckWrapper sends no samples, and Unplayed says so.
//
// CheckWrapper returns an error of package tool if a simulator is missing or fails.
func CheckWrapper(ctx context.Context, d verify.Design, s verify.Samples, f WrapperFiles,
	samples int,
) (*WrapperResult, error) {
	ctx, end := progress.Begin(ctx, "wrapper")
	defer end()
	begin := time.Now()
	dir, err := outfile.MakeTemp("ialgn-wrapper-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	sources, err := f.copy(dir, d)
	if err != nil {
		return nil, err
	}
	r := &WrapperResult{}
	if err := r.encoder(ctx, f, dir, sources); err != nil {
		return nil, err
	}
	switch cells := d.Product.Cells(); {
	case r.Mismatches > 0:
		r.Unplayed = "its encoder is wrong"
	case f.Fold == nil && cells > LargestWhole:
		r.Unplayed = fmt.Sprintf("%d cells are more than %d", cells, LargestWhole)
	default:
		err = playWrapper(ctx, d, s, f, sources, dir, samples, r)
	}
	r.Seconds = time.Since(begin).Seconds()
	return r, err
}

// playWrapper sends test samples to the wrapper with its real core.
func playWrapper(ctx context.Context, d verify.Design, s verify.Samples, f WrapperFiles, sources []string,
	dir string, samples int, r *WrapperResult,
) error {
	b := f.wrapped(sources...)
	rate, err := wrapper.NewRate(f.Kind, d.Product, b.options)
	if err != nil {
		return err
	}
	cycles := int(math.Ceil(rate.Cycles))
	cost := cycles * max(1, d.Product.Cells())
	if f.Fold != nil {
		if b.cycles, err = foldCycles(d, *f.Fold); err != nil {
			return err
		}
		cost = max(cycles, b.cycles) * engineCells
	}
	played, err := play(ctx, d, s, b, dir, min(samples, max(2, largestWrapped/cost)))
	if err != nil {
		return err
	}
	for i := range played.First {
		played.First[i].What = strings.Replace(played.First[i].What, "the Verilog differs", "the wrapper differs", 1)
	}
	r.Run = *played
	return nil
}

// largestWrapped bounds the product of clocks and cells for all samples together. At least two samples are sent in
// any case. In measurements, iverilog took 6 to 10 us for each pair of a clock and a cell, because gates change with
// every word of a sample.
const largestWrapped = 500_000

// engineCells is used to estimate simulation times. iverilog takes as much time for a clock of a folded engine as for
// a clock of a netlist with this number of cells.
const engineCells = 5

// wrapped returns the wrapper with options for a simulation in iverilog, in which a serial line runs at its highest
// rate.
func (f WrapperFiles) wrapped(sources ...string) wrapped {
	return wrapped{
		wrapper: f.Kind, options: wrapper.Options{ClockHz: 8_000_000, Baud: 1_000_000}, quick: true, top: f.Module + "_" +
			f.Kind,
		sources: sources, simulator: "iverilog",
	}
}

// copy copies the files into a folder under fixed names, and returns these names. Simulators write paths into
// generated programs, where a quote in a path would end a string.
func (f WrapperFiles) copy(dir string, d verify.Design) (names []string, err error) {
	for i, path := range f.Sources {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		names = append(names, fmt.Sprintf("source%d.v", i))
		if err := os.WriteFile(filepath.Join(dir, names[i]), text, 0o666); err != nil {
			return nil, err
		}
	}
	if f.Fold != nil {
		return append(names, f.Fold.Sources()[1:]...), f.Fold.Copy(dir)
	}
	if f.Style != verilog.LUTs {
		return names, nil
	}
	o := verilog.Options{Module: f.Module, Style: f.Style, Target: f.Target}
	return append(names, CellsName), WriteSource(filepath.Join(dir, CellsName), d.Product, o,
		verilog.WriteCells)
}

// encoderLine matches a line that the encoder's testbench prints. The line has a value and the value's levels, the
// highest level first.
var encoderLine = regexp.MustCompile(`(?m)^value (\d+): ([01xz]+)$`)

// encoder compares the levels for every value with the expected levels. The simulation does not include the module
// inside the wrapper.
func (r *WrapperResult) encoder(ctx context.Context, f WrapperFiles, dir string, sources []string) error {
	if f.Levels == nil {
		return nil
	}
	module, bits := f.Module+"_"+f.Kind, f.Levels.Word
	if wrapper.Is(f.Kind, wrapper.TakesBytes) {
		module, bits = module+"_stream", 8 // the bits of a byte above the word have no meaning
	}
	bench := strings.NewReplacer("@MODULE@", module, "@BITS@", fmt.Sprint(bits)).Replace(encoderBench)
	if err := os.WriteFile(filepath.Join(dir, TestbenchName), []byte(bench), 0o666); err != nil {
		return err
	}
	out, err := Simulation{
		Dir: dir, Sources: []string{TestbenchName, sources[0]}, Tops: []string{"encoder_tb"},
		Apart: true,
	}.Iverilog(ctx)
	if err != nil {
		return err
	}
	r.Simulator = out.Version
	for _, m := range encoderLine.FindAllStringSubmatch(out.Text, -1) {
		value, err := strconv.ParseUint(m[1], 10, 32)
		if err != nil || value != uint64(r.Values) {
			return fmt.Errorf("verify: the testbench of the encoder printed %q, want value %d", m[0], r.Values)
		}
		r.Values++
		if want := levelsOf(f.Levels, value&(1<<f.Levels.Word-1)); m[2] != want {
			r.Add(verify.Mismatch{
				Sample: -1, Gate: -1,
				What: fmt.Sprintf("the wrapper's encoder gives the levels %s for the word %d, the netlist's "+
					"gives %s", m[2], value, want),
			})
		}
	}
	if r.Values != 1<<bits {
		return fmt.Errorf("verify: the encoder was tried with %d of %d values; it printed:\n%.400s", r.Values, 1<<bits,
			out.Text)
	}
	return nil
}

// levelsOf returns the levels of a word in binary digits. The highest level comes first.
func levelsOf(l *wrapper.Levels, word uint64) string {
	var text strings.Builder
	for i := len(l.Bits) - 1; i >= 0; i-- {
		text.WriteByte("01"[word>>l.Bits[i]&1])
	}
	for i := len(l.Thresholds) - 1; i >= 0; i-- {
		text.WriteByte("01"[bit(word > l.Thresholds[i])])
	}
	return text.String()
}

// encoderBench gives every value to the encoder. Each value is a beat of one word.
//
//go:embed templates/encoder_bench.v
var encoderBench string
