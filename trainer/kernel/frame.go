package kernel

// Chains is how many chains a [Pass] walks side by side: the more, the less often a
// kernel waits for its first result, until the scratch fills the L1 cache. Measured on
// Zen 4 (8k x 6, ns a gate): 4: 165, 8: 150, 12: 137, 24: 131, 48: 130.
const Chains = 24

// LeastWords is the least number of words of a row that vector kernels work on: a row
// of a smaller batch is made longer.
const LeastWords = fusedWords

// The candidates of a pin and the samples of a batch that the fused kernels are for.
const (
	fusedK       = 32
	fusedSamples = 128
	fusedWords   = fusedSamples / 64
)

// frame is what a fused kernel is called with: the arrays of a section, the gates to
// update, and scratch for one gate of each chain. The generator (tools/avo/kernel) reads
// this file for the offsets, so it must not refer to others. The kernels change no
// pointer in it: one past an array would stop the garbage collector.
//
//nolint:unused // assembly uses the fields
type frame struct {
	// Scratch, first and in multiples of a cache line for its alignment. The gradient
	// of pin B is followed by zeros, for groups that reach past the last sample.
	beta  [Chains][fusedSamples + 16]float32
	block [Chains]frameGate
	masks [4][16]byte // of the four pairs of pin values, of one gate

	// Of one gate, for AVX2: the bits of its candidates, and for each group of samples
	// the subset sums of two pairs and of the fifth alone.
	words [4][fusedK]uint32
	pairs [fusedSamples/5 + 1][3][4]float32

	gate   int64 // the last gate of the first chain
	layers int64
	chains int64
	stride int64 // gates from chain to chain

	w, m, v *float32 // operation logits, moments, [gates][16]
	top     *float32
	op      *uint8

	u, um, uv *float32 // selection logits, moments, [gates][fusedK]
	utop      *float32
	bit       *uint32
	narrow    *uint16 // wires, one of the two
	wide      *uint32

	a, b      *uint64  // rows of the pins' values
	row, rows int64    // byte offset of those of the gate, and from chain to chain
	delta     *float32 // [Chains][fusedSamples]
	x         *uint64
	samples   int64

	// While more than near layers are left, the gate to fetch is ahead of the current
	// one, then wrap.
	near, ahead, wrap int64
	fetch             int64 // the one of the two, of the layer at hand

	adam [8]float32 // the fields of Adam in order
}

// walk is what the forward kernel is called with: the chains' rows and what their gates
// compute at present. There is one more layer than the rest has.
type walk struct {
	x, a, b, out *uint64 // rows; those of chains follow each other
	forms        *[16][4][2]uint64
	firstOp      *uint8 // of the first layer, an entry a chain
	firstA       *uint32
	firstB       *uint32
	op           *uint8 // of the rest, layers entries a chain
	bit          *uint32
	layers       int64
	chains       int64
}

// frameGate is the scratch of a gate between the phases.
//
//nolint:unused // assembly uses the fields
type frameGate struct {
	p    [16]float32
	q, r [fusedK]float32
	t, s [4]float32
}
