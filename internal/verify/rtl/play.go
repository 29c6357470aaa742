// This file sends samples through a design in a Verilog simulator, and compares the results with the trainer's
// results. The design is a wrapper, a folded engine or a bitstream, so it takes samples by a protocol.

package rtl

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ialgn/internal/flow"
	"ialgn/internal/model"
	"ialgn/internal/tool"
	"ialgn/internal/verify"
	"ialgn/internal/wrapper"
	"ialgn/netlist"
	"ialgn/sim"
)

// playback holds the samples that are sent to a wrapper by its protocol, and the results that must come back.
type playback struct {
	units []unit // units of all samples, in order; a unit is a byte, or the data of one clock
	size  int    // bits of a unit
	each  int    // units in a sample

	results [][]bool // expected results in order of arrival

	tag  int        // bits of the tag; 0: no tag
	tags *rand.Rand // source of the tags

	bench  string           // the part of the testbench for the protocol
	broken []wrapper.Broken // kinds of broken packets, which have no result
	clocks int              // minimum number of clocks for a sample
	late   int              // number of clocks without a result after which the testbench gives up
	quiet  int              // number of clocks after the last result in which no further result may come
}

// unit is a word or a byte that is transferred, with the flags that playerBench describes. The least significant bit
// comes first.
type unit struct {
	data                                     []bool
	last, reset, fails, whole, breaks, alone bool
	tag                                      []bool // empty: no tag
}

// bits returns the unit in the form that playerBench reads.
func (u unit) bits() []bool {
	return append(append(slices.Clone(u.data), u.last, u.reset, u.fails, u.whole, u.breaks, u.alone), u.tag...)
}

// packet adds a packet with the given bits to the playback, and returns the units of the packet.
func (p *playback) packet(bits []bool) []unit {
	bits = append(bits, make([]bool, (p.size-len(bits)%p.size)%p.size)...) // fill the last beat with zeros
	from := len(p.units)
	for data := range slices.Chunk(bits, p.size) {
		u := unit{data: data}
		for range p.tag { // random for each unit; the result must have the tag of the last unit
			u.tag = append(u.tag, p.tags.Uint64()&1 == 1)
		}
		p.units = append(p.units, u)
	}
	p.units[len(p.units)-1].last = true
	return p.units[from:]
}

// sample adds the units of a sample that has a result.
func (p *playback) sample(bits, result []bool) {
	units := p.packet(bits)
	last := &units[len(units)-1]
	last.whole = true
	p.results = append(p.results, slices.Concat(result, last.tag))
}

// wrapped is a design that takes samples by a wrapper's protocol.
type wrapped struct {
	wrapper   string
	options   wrapper.Options
	top       string
	cycles    int  // clocks for a sample in a folded engine
	drop      bool // the design has the input drop
	quick     bool // module parameters give a serial line the rate in options and few idle bits
	sources   []string
	library   *flow.Library // models of a bitstream's cells
	simulator string        // empty: chosen by the size of the simulation
}

// play simulates a design with samples. dir has the design's Verilog.
func play(
	ctx context.Context, d verify.Design, s verify.Samples, b wrapped, dir string, samples int,
) (*Run, error) {
	want, err := d.Model.Evaluate(ctx, s.Levels, 0)
	if err != nil {
		return nil, err
	}
	r := &Run{}
	index, ties := Choose(want.Counts, want.Classes, samples)
	r.Checked, r.Ties = len(index), ties
	p, err := newPlayback(d, b)
	if err != nil {
		return nil, err
	}
	if err := load(d, p, s, index, want, !wrapper.Is(b.wrapper, wrapper.TakesBytes)); err != nil {
		return nil, err
	}
	if err := p.write(b, dir); err != nil {
		return nil, err
	}
	out, err := Simulation{
		Dir: dir, Sources: append(b.sources, TestbenchName), Tops: []string{"player_tb"}, Count: len(index),
		Library: b.library,
	}.Run(ctx, cmp.Or(b.simulator, playerOf(d, p, len(index))))
	if err != nil {
		return nil, err
	}
	r.Simulator, r.BuildCPU, r.RunCPU = out.Version, out.Build, out.Run
	return r, r.Read(out.Text, index)
}

// largestPlay is the product of clocks and cells above which verilator finishes before iverilog. It was measured with
// a serial wrapper around the design digits of docs/evidence/reliability.md.
const largestPlay = 100_000_000

// playerOf returns the simulator to use for the given number of samples.
func playerOf(d verify.Design, p *playback, samples int) string {
	if _, err := tool.Find("verilator"); err == nil && p.clocks*samples*d.Product.Cells() > largestPlay {
		return "verilator"
	}
	return "iverilog"
}

// load adds the given samples to the playback.
func load(d verify.Design, p *playback, s verify.Samples, index []int32, want *model.Scores, words bool) error {
	simulator, err := sim.New(d.Product)
	if err != nil {
		return err
	}
	x, outputs := d.Product.DataInputs()[0], d.Product.OutputPorts()
	block := simulator.Block() * 64
	for from := 0; from < len(index); from += block {
		part := index[from:min(from+block, len(index))]
		stride := (len(part) + 63) / 64
		in, err := s.Gather(&d.Model.Encoder, d.Input(), stride, part)
		if err != nil {
			return err
		}
		if err := simulator.Settle(stride, in); err != nil {
			return err
		}
		out := verify.BusRows(simulator, outputs, want, d.Margin, part)
		for i := range part {
			p.sample(wired([]netlist.Port{x}, in, stride, i, words), wired(outputs, out, stride, i, words))
		}
	}
	return nil
}

// wired returns the bits of a sample in the order in which they are sent. They are sent port by port if words is set,
// and as bytes otherwise. The argument rows has the bit rows of the ports.
func wired(ports []netlist.Port, rows []uint64, stride, sample int, words bool) (bits []bool) {
	bit := func(i int) uint64 { return rows[i*stride+sample/64] >> (sample % 64) & 1 }
	if words {
		for i := range len(rows) / stride {
			bits = append(bits, bit(i) == 1)
		}
		return bits
	}
	for _, b := range wrapper.Bytes(ports, bit) {
		for k := range 8 {
			bits = append(bits, b>>k&1 == 1)
		}
	}
	return bits
}

// inBinary returns numbers in binary, one on each line.
func inBinary(numbers [][]bool) string {
	var text strings.Builder
	for _, bits := range numbers {
		for _, one := range slices.Backward(bits) {
			text.WriteByte("01"[bit(one)])
		}
		text.WriteByte('\n')
	}
	return text.String()
}

func bit(one bool) int {
	if one {
		return 1
	}
	return 0
}

// newPlayback returns the playback for a wrapper.
func newPlayback(d verify.Design, b wrapped) (*playback, error) {
	rate, err := wrapper.NewRate(b.wrapper, d.Product, b.options)
	if err != nil {
		return nil, err
	}
	kind, err := wrapper.Find(b.wrapper)
	if err != nil {
		return nil, err
	}
	player := kind.Play(wrapper.Played{
		Options: b.options, Input: d.Product.DataInputs()[0], Outputs: d.Product.OutputPorts(), Engine: b.cycles,
		Tag: d.Tag, Drop: b.drop, Quick: b.quick,
	})
	stages := 0
	if clock, err := d.Product.Pipeline(); err == nil && clock != nil {
		stages = clock.Stages
	}
	return &playback{
		tag: d.Tag, tags: rand.New(rand.NewPCG(13, 17)), size: player.Unit, each: player.Units,
		bench: player.Bench, broken: kind.Broken,
		clocks: max(int(math.Ceil(rate.Cycles)), b.cycles), quiet: player.Quiet,
		late: player.Late + 5000 + 10*stages,
	}, nil
}

// write writes the testbench and the files that it reads.
func (p *playback) write(b wrapped, dir string) error {
	units := make([][]bool, len(p.units))
	for i, u := range p.units {
		units[i] = u.bits()
	}
	for name, text := range map[string]string{
		"units.txt": inBinary(units), "expected.txt": inBinary(p.results), TestbenchName: p.testbench(b),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// testbench returns the testbench.
func (p *playback) testbench(b wrapped) string {
	result := 1
	if len(p.results) > 0 {
		result = len(p.results[0])
	}
	return strings.NewReplacer(
		"@TAG@", fmt.Sprint(p.tag),
		"@TOP@", b.top, "@UNIT@", fmt.Sprint(p.size), "@UNITS@", fmt.Sprint(len(p.units)), "@EACH@", fmt.Sprint(p.each),
		"@RESULT@", fmt.Sprint(result),
		"@SAMPLES@", fmt.Sprint(len(p.results)), "@LATE@", fmt.Sprint(p.late), "@QUIET@", fmt.Sprint(p.quiet),
	).Replace(strings.Replace(playerBench, "@PLAYER@", p.bench, 1))
}
