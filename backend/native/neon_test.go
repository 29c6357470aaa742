package native

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"ialgn/backend/native/arm64"
	"ialgn/backend/native/arm64/arm64test"
	"ialgn/internal/netgen"
	"ialgn/netlist"
	"ialgn/sim"
)

// emulated runs NEON code on one block of random samples in the emulator and compares every output with the
// simulator's.
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

// segmentCalls returns a function that calls the segments behind it on one block, with the areas behind each other
// at x0.
func segmentCalls(c *Code) []byte {
	var a arm64.Asm
	row, starts := c.ISA.RowBytes, make([]arm64.Label, len(c.Segments))
	const x19, x30 = 19, 30
	a.Stp(x19, x30, arm64.Pre(arm64.SP, -16))
	a.MovX(x19, 0)
	for i := range starts {
		starts[i] = a.Label()
		a.MovX(0, x19)
		a.MovImm(1, uint64(len(c.Rows)*row))
		a.Add(1, 1, x19)
		a.MovImm(2, uint64((len(c.Rows)+c.State)*row))
		a.Add(2, 2, x19)
		a.MovImm(3, 1)
		a.MovImm(4, 0)
		a.MovImm(5, 0)
		a.Bl(starts[i])
	}
	a.Ldp(x19, x30, arm64.Post(arm64.SP, 16))
	a.Ret()
	end := a.Len()
	for i, s := range c.Segments {
		for a.Len() < end+s.Offset {
			a.Word(0)
		}
		a.Bind(starts[i])
	}
	return a.Bytes()[:end]
}

// TestNEON holds NEON code, with and without the instructions of SHA3, against the simulator, in the emulator.
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
