package rtl

import (
	_ "embed" // templates
	"fmt"
	"math/bits"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ialgn/internal/tool"
	"ialgn/internal/verify"
	"ialgn/internal/verify/verifytest"
	"ialgn/internal/wrapper"
	"ialgn/netlist"
)

// stubFiles are the files of a wrapper, with the netlist inside the wrapper. For an engine, the netlist only has the
// engine's ports.
type stubFiles struct {
	WrapperFiles
	Core   string // the module inside the wrapper
	Around *netlist.Netlist
}

// read returns, for each bit of the core's input port, whether the core reads it.
func (f stubFiles) read() []bool {
	nets := f.Around.DataInputs()[0].Nets
	if f.Fold != nil {
		return slices.Repeat([]bool{true}, len(nets))
	}
	readers := map[netlist.Net]bool{}
	for c := range netlist.Cell(f.Around.Cells()) {
		for _, v := range f.Around.Inputs(c) {
			readers[v] = true
		}
	}
	for _, p := range slices.Concat(f.Around.OutputPorts(), f.Around.Probes()) {
		for _, v := range p.Nets {
			readers[v] = true
		}
	}
	read := make([]bool, len(nets))
	for i, v := range nets {
		read[i] = readers[v]
	}
	return read
}

// stubResult is the result of playing samples to a wrapper that has a stub instead of its core.
type stubResult struct {
	words   int // number of words in the samples
	packets int // number of packets with a wrong length or cut short by a reset
	Run
}

// A rehearsal plays random samples to a wrapper around a stub. The stub knows which inputs it must get for each
// sample, and returns random results. So all bits of the wrapper's input and output are checked, and the simulation
// stays small for every network.
type rehearsal struct {
	*playback
	r       *rand.Rand
	f       stubFiles
	x       netlist.Port
	levels  *wrapper.Levels
	read    []bool   // bits of x that the core reads
	want    [][]bool // for each sample: the inputs that the core must get
	outputs [][]bool // for each sample: the outputs of the core
	packets int      // number of packets without a result
	resetIn int      // number of samples until the next reset
}

// These constants determine the samples. At least leastWords words are sent, unless they take more than
// mostStubClocks clocks. The first samples have the smallest and the largest words, and each later sample has words
// at another level.
const (
	leastWords  = 4096
	extremes    = 8
	mostClasses = 24
	eventsEvery = 5
	// mostStubClocks is the maximum number of clocks. It matters for samples with long results, for example if a
	// sample of one byte has a hundred counts and the wrapper is a serial line. iverilog takes about 20 s for this
	// number of clocks.
	mostStubClocks = 4_000_000
)

// newRehearsal returns samples and events for a wrapper, with at least the given number of words.
func newRehearsal(f stubFiles, p *playback, least int) *rehearsal {
	r := &rehearsal{
		playback: p, r: rand.New(rand.NewPCG(7, 11)), f: f, x: f.Around.DataInputs()[0], levels: f.Levels, read: f.read(),
	}
	words := len(r.x.Nets) / r.x.Word
	rounds := r.rounds()
	wanted := (least + words - 1) / words
	for i := range max(extremes+2*min(rounds, mostClasses), min(wanted, mostStubClocks/max(1, p.clocks))) {
		sample := r.words(i, words)
		if i%eventsEvery == 2 {
			r.event(sample)
		}
		r.play(sample)
	}
	return r
}

// rounds returns the number of samples after which each word has distinguished each pair of neighbouring levels.
func (r *rehearsal) rounds() int {
	if r.levels == nil {
		return r.x.Word
	}
	return len(r.levels.Thresholds) + 1
}

// size returns the number of bits of an arriving word.
func (r *rehearsal) size() int {
	if r.levels != nil {
		return r.levels.Word
	}
	return r.x.Word
}

// words returns the words of sample i. The first samples come in pairs. If a word has all ones in one sample of a
// pair, it has all zeros in the other sample. So every bit takes both values in each pair. In later samples, the
// number of exceeded thresholds at each place changes from sample to sample.
func (r *rehearsal) words(i, count int) []uint64 {
	words := make([]uint64, count)
	top := uint64(1)<<r.size() - 1
	draw := rand.New(rand.NewPCG(uint64(i/2), 3))
	for k := range words {
		switch {
		case i < extremes:
			words[k] = -(draw.Uint64()&1 ^ uint64(i&1)) & top
		case r.levels == nil:
			words[k] = r.r.Uint64() & top
		default:
			words[k] = r.class((i + k*7 + k/11) % r.rounds())
		}
	}
	return words
}

// class returns a random word that exceeds exactly the given number of thresholds.
func (r *rehearsal) class(exceeded int) uint64 {
	t := slices.Sorted(slices.Values(r.levels.Thresholds))
	low, high := uint64(0), uint64(1)<<r.levels.Word-1
	if exceeded > 0 {
		low = t[exceeded-1] + 1
	}
	if exceeded < len(t) {
		high = t[exceeded]
	}
	if low > high { // there is no word between equal thresholds
		return r.r.Uint64() & (1<<r.levels.Word - 1)
	}
	return low + r.r.Uint64N(high-low+1)
}

// moved returns the bits of words as they are transferred. Bits without a meaning are random.
func (r *rehearsal) moved(words []uint64) (bits []bool) {
	size, lane := r.size(), r.size()
	if wrapper.Is(r.f.Kind, wrapper.TakesBytes) && size > 1 {
		lane = (size + 7) / 8 * 8
	}
	for _, w := range words {
		w |= r.r.Uint64() << size
		for k := range lane {
			bits = append(bits, w>>k&1 == 1)
		}
	}
	return bits
}

// coreInput returns the expected input of the core. It has the levels or bits that the core reads, and 0 in all other
// places.
func (r *rehearsal) coreInput(words []uint64) (bits []bool) {
	for _, w := range words {
		if r.levels == nil {
			for k := range r.x.Word {
				bits = append(bits, w>>k&1 == 1)
			}
			continue
		}
		for _, t := range r.levels.Thresholds {
			bits = append(bits, w > t)
		}
		for _, b := range r.levels.Bits {
			bits = append(bits, w>>b&1 == 1)
		}
	}
	for i := range bits {
		bits[i] = bits[i] && r.read[i]
	}
	return bits
}

// play adds a sample and a random result.
func (r *rehearsal) play(words []uint64) {
	from, want := len(r.units), r.coreInput(words)
	outputs := r.result()
	for i, earlier := range r.want[max(0, len(r.want)-2):] { // a stub without a clock cannot distinguish equal inputs
		if slices.Equal(earlier, want) {
			outputs = r.outputs[max(0, len(r.want)-2)+i]
		}
	}
	r.sample(r.moved(words), r.moves(outputs))
	if r.resetIn--; r.resetIn == 0 {
		r.units[from].reset = true
	}
	r.outputs = append(r.outputs, outputs)
	r.want = append(r.want, want)
}

// moves returns the core's outputs in the form in which they are transferred.
func (r *rehearsal) moves(outputs []bool) []bool {
	if !wrapper.Is(r.f.Kind, wrapper.TakesBytes) {
		return outputs
	}
	var rows []uint64 // bits of one sample
	for _, one := range outputs {
		rows = append(rows, uint64(bit(one)))
	}
	return wired(r.f.Around.OutputPorts(), rows, 1, 0, false)
}

// result returns random outputs of the core, port by port.
func (r *rehearsal) result() (bits []bool) {
	for _, p := range r.f.Around.OutputPorts() {
		for range p.Nets {
			bits = append(bits, r.r.Uint64()&1 == 1)
		}
	}
	return bits
}

// event adds a packet without a result. The packet is too short, too long, cut off by a reset, or has a wrong stop
// bit. Successive calls use the possible kinds of broken packets in turn. A broken packet sets error until the next
// reset, which comes two samples later.
func (r *rehearsal) event(words []uint64) {
	forms := r.broken
	form := forms[r.packets%len(forms)]
	from := len(r.units)
	all := len(r.packet(r.moved(words)))
	if all == 1 && form != wrapper.TooLong && form != wrapper.WrongStop {
		r.units = r.units[:from]
		return
	}
	r.packets++
	r.units[from].alone = true
	switch form {
	case wrapper.TooLong:
		r.units[from+all-1].last, r.units[from+all-1].fails = false, true
		for range r.excess(all) {
			r.units = append(r.units, r.units[from+r.r.IntN(all)])
			r.units[len(r.units)-1].fails, r.units[len(r.units)-1].alone = false, false
		}
	case wrapper.TooShort, wrapper.CutOff:
		r.units = r.units[:from+1+r.r.IntN(all-1)]
	}
	last := &r.units[len(r.units)-1]
	last.last, last.breaks = form != wrapper.CutOff, form == wrapper.WrongStop
	last.fails = last.fails || form == wrapper.TooShort || form == wrapper.WrongStop
	r.resetIn = 2
	if form == wrapper.CutOff {
		r.resetIn = 1
	}
}

// excess returns the number of units by which a packet is too long. It is either a few units or the full range of a
// counter of units. In the second case, the counter has the same value at the end as after a correct packet.
func (r *rehearsal) excess(all int) int {
	if r.r.IntN(2) == 0 {
		return 1 + r.r.IntN(3)
	}
	return 1 << max(2, bits.Len(uint(all-1)))
}

// module returns the Verilog of the stub.
func (r *rehearsal) module(name string) string {
	pins, text, stages := corePins, stubCore, 0
	switch p, err := r.f.Around.Pipeline(); {
	case r.f.Fold != nil:
		pins, text = enginePins, stubEngine
	case err == nil && p != nil:
		pins, text, stages = pipelinePins, stubPipeline, p.Stages
	}
	var ports, assigns strings.Builder
	low := 0
	for _, p := range r.f.Around.OutputPorts() {
		high := low + len(p.Nets) - 1
		fmt.Fprintf(&ports, ",\n    output wire [%d:0] %s", high-low, p.Name)
		fmt.Fprintf(&assigns, "  assign %s = outputs[%d:%d];\n", p.Name, high, low)
		low = high + 1
	}
	if r.tag > 0 {
		fmt.Fprintf(&ports, ",\n    input wire [%d:0] in_tag, output wire [%[1]d:0] out_tag", r.tag-1)
		assigns.WriteString(stubTag(r.tag, stages))
	}
	drop, dropped, pauses := "input wire drop, ", "drop", "0"
	if !wrapper.Is(r.f.Kind, wrapper.DropsPackets) {
		drop, dropped, pauses = "", "0", "1"
	}
	return strings.NewReplacer(
		"@NAME@", name, "@X@", r.x.Name, "@HIGH@", fmt.Sprint(len(r.x.Nets)-1), "@WORD@", fmt.Sprint(r.x.Word), "@WORDS@",
		fmt.Sprint(len(r.x.Nets)/r.x.Word),
		"@PORTS@", ports.String(), "@ASSIGNS@", assigns.String(), "@OUT@", fmt.Sprint(low-1), "@SAMPLES@",
		fmt.Sprint(len(r.want)),
		"@STAGES@", fmt.Sprint(stages), "@DROP@", drop, "@DROPPED@", dropped, "@PAUSES@", pauses,
	).Replace(strings.Replace(stubHead, "@PINS@", pins, 1) + text)
}

// stubTag returns the Verilog that passes the tag through a stub.
func stubTag(bits, stages int) string {
	if stages == 0 {
		return "  assign out_tag = in_tag;\n"
	}
	return fmt.Sprintf("  reg [%d:0] tags;\n  assign out_tag = tags[%[1]d-:%d];\n"+
		"  always @(posedge clk) if (ce) tags <= {tags, in_tag};\n", bits*stages-1, bits)
}

// stub plays random samples to a wrapper that has a stub instead of its core or engine. There are enough samples to
// give every bit of every word both values several times, and to distinguish each pair of neighbouring levels. stub
// plays several thousand words, or fewer if their results take long. Between the samples, there are packets with a
// wrong length, resets, and pauses on both sides.
func stub(t *testing.T, d verify.Design, f stubFiles, least int) stubResult {
	t.Helper()
	dir := t.TempDir()
	sources, err := f.copy(dir, d)
	if err != nil {
		t.Fatal(err)
	}
	core, b := f.Core, f.wrapped(sources[0], stubName)
	if f.Fold != nil {
		core, b.cycles = f.Fold.Module, 1
	}
	p, err := newPlayback(d, b)
	if err != nil {
		t.Fatal(err)
	}
	re := newRehearsal(f, p, least)
	for name, text := range map[string]string{
		"want.txt": inBinary(re.want), "results.txt": inBinary(re.outputs), stubName: re.module(core),
	} {
		verifytest.Write(t, filepath.Join(dir, name), text)
	}
	if err := p.write(b, dir); err != nil {
		t.Fatal(err)
	}
	out, err := Simulation{
		Dir: dir, Sources: append(b.sources, TestbenchName), Tops: []string{"player_tb"},
	}.Run(t.Context(), re.simulator())
	if err != nil {
		t.Fatal(err)
	}
	r := stubResult{
		words: len(p.results) * len(re.x.Nets) / re.x.Word, packets: re.packets, Run: Run{Checked: len(p.results)},
	}
	if err := r.Read(out.Text, verify.Consecutive(0, r.Checked)); err != nil {
		t.Fatal(err)
	}
	return r
}

// stubName is the stub's file.
const stubName = "stub.v"

// clocks returns the number of clocks that the samples take.
func (r *rehearsal) clocks() int { return r.playback.clocks * len(r.units) / r.each }

// largestStub is the product of clocks and registers above which verilator finishes before iverilog.
const largestStub = 200_000_000

// simulator returns the simulator that is expected to finish first.
func (r *rehearsal) simulator() string {
	kept := 0
	for _, read := range r.read {
		kept += bit(read)
	}
	if _, err := tool.Find("verilator"); err == nil && r.clocks()*(kept+100) > largestStub {
		return "verilator"
	}
	return "iverilog"
}

// stubHead is the common part of all stubs. It has the expected input and the random outputs for each sample. For any
// other input, the stub returns other outputs.
//
//go:embed testdata/stub_head.v
var stubHead string

// stubCore is the stub for a core without a clock, which cannot know when a sample is complete. It compares its input
// with the next three samples for which the testbench expects results. For any other input, it returns a result that
// differs from the results for these three samples, if such a result exists.
//
//go:embed testdata/stub_core.v
var stubCore string

// stubPipeline is the stub for a pipeline. It compares each sample when the sample arrives. It returns the result
// after one enabled clock for each stage of the core.
//
//go:embed testdata/stub_pipeline.v
var stubPipeline string

// stubEngine is the stub for a folded engine. It takes words and has at most two samples in progress. It compares
// each sample when the sample is complete. In some clocks, it does not take a word. With uart and spi, it takes a
// word in every clock, because these protocols cannot wait and would lose a byte.
//
//go:embed testdata/stub_engine.v
var stubEngine string

// These are the ports of the stubs.
const (
	corePins = `    input wire [@HIGH@:0] @X@`

	pipelinePins = `    input wire clk, input wire rst, input wire ce, input wire in_valid, output wire out_valid,
    input wire [@HIGH@:0] @X@`

	enginePins = `    input wire clk, input wire rst, input wire in_valid, output wire in_ready, input wire [@WORD@-1:0] in_data,
    input wire in_last, @DROP@output wire out_valid, input wire out_ready, output wire error`
)
