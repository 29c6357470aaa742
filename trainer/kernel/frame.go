package kernel

// Sizes of the fused kernels: the gates that pass through a phase together, the
// candidates of the pin and the samples of a batch that they are made for.
const (
	blockGates   = 4
	fusedK       = 32
	fusedSamples = 128
	fusedWords   = fusedSamples / 64
)

// frame is what a fused kernel is called with: the arrays of a section, the gates to
// update, and scratch for one block of gates. The generator (tools/avo/kernel) reads
// this file for the offsets, so it must not refer to others. The kernels change no
// pointer in it: one past an array would stop the garbage collector.
type frame struct {
	// Scratch, first and in multiples of a cache line for its alignment. The gradient
	// of pin B is followed by zeros, for groups that reach past the last sample.
	beta  [blockGates][fusedSamples + 16]float32
	block [blockGates]frameGate
	masks [4][16]byte // of the four pairs of pin values, of one gate

	gate  int64 // the gate to begin with; the others stand below it
	gates int64 // how many

	w, m, v *float32 // operation logits, moments, [gates][16]
	top     *float32
	op      *uint8

	u, um, uv *float32 // selection logits, moments, [gates][fusedK]
	utop      *float32
	bit       *uint32
	narrow    *uint16 // wires, one of the two
	wide      *uint32

	a, b    *uint64 // rows of the pins' values
	row     int64   // byte offset of those of the gate to begin with; the others' stand below
	delta   *float32
	x       *uint64
	samples int64

	// While more than near gates are left, the gate to fetch is ahead of the current
	// one, then wrap.
	near, ahead, wrap int64

	adam [8]float32 // the fields of Adam in order
}

// frameGate is the scratch of a gate between the phases.
type frameGate struct {
	p    [16]float32
	q, r [fusedK]float32
	t, s [4]float32
}
