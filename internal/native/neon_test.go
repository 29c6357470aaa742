package native

import (
	"encoding/binary"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"ialgn/internal/freeze"
	"ialgn/internal/model"
	"ialgn/internal/native/arm64"
	"ialgn/internal/native/arm64/arm64test"
	"ialgn/internal/netgen"
	"ialgn/netlist"
	"ialgn/sim"
)

// emulated runs NEON code on one block of random samples in the emulator and compares every output with the
// simulator's output.
func emulated(t *testing.T, n *netlist.Netlist, isa *ISA, cpu arm64test.CPU) {
	t.Helper()
	c, err := Compile(n, isa)
	if err != nil {
		t.Fatal(err)
	}
	r, words, inputs := rand.New(rand.NewPCG(3, 4)), isa.RowBytes/8, int(n.FirstCellNet())-2
	in := make([]uint64, inputs*words)
	for i := range in {
		in[i] = r.Uint64()
	}
	var data []byte
	for _, bit := range c.Rows {
		for _, x := range in[bit*words:][:words] {
			data = binary.LittleEndian.AppendUint64(data, x)
		}
	}
	state := len(data)
	data = append(data, make([]byte, (c.State+c.Local+1)*isa.RowBytes)...)
	data = arm64test.RunOn(t, cpu, append(segmentCalls(c), c.Text...), data)
	s, err := sim.NewBlock(n, words)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]uint64, c.Outputs*words)
	for i := range got {
		got[i] = binary.LittleEndian.Uint64(data[state+8*i:])
	}
	compareBlock(t, s, in, got)
}

// emulatedLooped runs NEON code with loops over positions on a block of random samples in the emulator. Such code
// contains each kernel once. The function compares every output with the simulator's results for the unrolled
// network.
func emulatedLooped(t *testing.T, m *model.Model, isa *ISA, cpu arm64test.CPU) {
	t.Helper()
	kernels, err := freeze.Positions(m.Compact())
	if err != nil {
		t.Fatal(err)
	}
	c, err := CompileLooped(kernels, isa, nil)
	if err != nil {
		t.Fatal(err)
	}
	n, err := freeze.Network(m.Freeze(), netlist.Core)
	if err != nil {
		t.Fatal(err)
	}
	r, words := rand.New(rand.NewPCG(5, 6)), isa.RowBytes/8
	in := make([]uint64, kernels.Inputs()*words)
	for i := range in {
		in[i] = r.Uint64()
	}
	var data []byte
	for _, bit := range c.Rows {
		for w := range words {
			x := uint64(0)
			if bit >= 0 {
				x = in[bit*words+w]
			}
			data = binary.LittleEndian.AppendUint64(data, x)
		}
	}
	code, state := loopedCalls(c)
	data = append(data, make([]byte, state+(c.State+c.Local+1)*isa.RowBytes-len(data))...)
	data = arm64test.RunOn(t, cpu, append(code, c.Text...), data)
	s, err := sim.NewBlock(n, words)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]uint64, c.Outputs*words)
	for i := range got {
		got[i] = binary.LittleEndian.Uint64(data[state+8*i:])
	}
	compareBlock(t, s, in, got)
}

// loopedCalls returns a function that calls all functions of the appended code for one block, and the offset of the
// state rows. The argument in x0 points to the images, one after another, followed by the other areas.
func loopedCalls(c *Code) (code []byte, state int) {
	row := c.ISA.RowBytes
	starts := []int{0}
	for i := range c.Stages {
		starts = append(starts, starts[i]+c.Stages[i].Image*row)
	}
	last := starts[len(c.Stages)]
	state = last + c.Last*row
	var all []call
	for i := range c.Stages {
		s := &c.Stages[i]
		s.Each(row, func(offset, from, to, positions int) {
			all = append(all, call{offset, [...]int{
				starts[i] + from, starts[i+1] + to, state + c.State*row, positions, s.Out.Column * row, s.In.Column * row,
			}})
		})
	}
	for _, s := range c.Segments {
		all = append(all, call{s.Offset, [...]int{last, state, state + c.State*row, 1, 0, 0}})
	}
	return calls(all), state
}

// call describes one function call. The arguments are three addresses, given as offsets from x0, and three numbers.
type call struct {
	offset    int
	arguments [6]int
}

// calls returns a function that makes the given calls. The called functions must be in the code that is appended to
// the result.
func calls(all []call) []byte {
	var a arm64.Asm
	const x19, x30 = 19, 30
	a.Stp(x19, x30, arm64.Pre(arm64.SP, -16))
	a.MovX(x19, 0)
	functions := map[int]arm64.Label{}
	for _, c := range all {
		if _, ok := functions[c.offset]; !ok {
			functions[c.offset] = a.Label()
		}
		for i, v := range c.arguments {
			a.MovImm(arm64.X(i), uint64(v))
			if i < 3 {
				a.Add(arm64.X(i), arm64.X(i), x19)
			}
		}
		a.Bl(functions[c.offset])
	}
	a.Ldp(x19, x30, arm64.Post(arm64.SP, 16))
	a.Ret()
	end := a.Len()
	for _, offset := range slices.Sorted(maps.Keys(functions)) {
		for a.Len() < end+offset {
			a.Word(0)
		}
		a.Bind(functions[offset])
	}
	return a.Bytes()[:end]
}

// TestNEONLooped uses the emulator to run NEON code that loops over positions, and compares the results with the
// simulator.
func TestNEONLooped(t *testing.T) {
	for isa, cpu := range map[*ISA]arm64test.CPU{NEON: arm64test.Plain, NEONSHA3: arm64test.Max} {
		t.Run(isa.Name, func(t *testing.T) {
			t.Parallel()
			for i, form := range netgen.Convolutions() {
				if form.Name != "anchored" {
					emulatedLooped(t, form.Model(uint64(i)), isa, cpu)
				}
			}
		})
	}
}

// segmentCalls returns a function that calls the appended segments on one block. The argument in x0 points to the
// areas, one after another.
func segmentCalls(c *Code) []byte {
	row := c.ISA.RowBytes
	var all []call
	for _, s := range c.Segments {
		all = append(all, call{s.Offset, [...]int{0, len(c.Rows) * row, (len(c.Rows) + c.State) * row, 1, 0, 0}})
	}
	return calls(all)
}

// TestNEON compares NEON code with the simulator. It runs the code in the emulator, with and without the instructions
// of SHA3.
func TestNEON(t *testing.T) {
	for isa, cpu := range map[*ISA]arm64test.CPU{NEON: arm64test.Plain, NEONSHA3: arm64test.Max} {
		t.Run(isa.Name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(10) {
				emulated(t, netgen.Netlist(seed, netgen.NetlistOptions{Cells: 10 + 40*int(seed)}), isa, cpu)
			}
			for _, topology := range []netgen.Topology{netgen.Chain, netgen.Random} {
				emulated(t, network(t, 900, 12, topology, netlist.Core), isa, cpu)
			}
		})
	}
}
