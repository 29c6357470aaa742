package kernel

// The chains of a group, see [Pass.Group], and the words of its rows of one pin. At a
// depth of 4, 96 chains took 2 to 4 % less time than 24.
const (
	minGroup   = 4
	maxGroup   = 96
	groupWords = 1152
)

// LeastWords is the least number of words of a row that vector kernels work on: a row
// of a smaller batch is made longer.
const LeastWords = fusedWords

// The most candidates of a pin and samples of a batch that the fused kernels are for.
const (
	fusedK       = 32
	fusedSamples = 128
	fusedWords   = fusedSamples / 64
)

// blockGates is how many gates a fused kernel takes through a phase before the next
// phase: the more, the less often a phase waits for its first result, until the scratch
// leaves the L1 cache.
const blockGates = 32

// edgesAhead is how many edges a vector path may read after those of a gate, to fetch what
// they lead to.
const edgesAhead = 16

// gradientRow is the length of a row of gradients by sample. The samples are followed
// by zeros, for groups that reach past the last one.
const gradientRow = fusedSamples + 16

// frame is what a fused kernel is called with: the arrays of a section, the gates to
// update, and scratch for the gates of a block. The generator (lab/avo/kernel) reads
// this file for the offsets, so it must not refer to others. The kernels change no
// pointer in it: one past an array would stop the garbage collector.
//
//nolint:unused // assembly uses the fields
type frame struct {
	// Scratch, first and in multiples of a cache line for its alignment.
	beta  [blockGates][gradientRow]float32 // the gradients of the pins B
	block [blockGates + 1]frameGate
	masks [4][16]byte // one gate's masks for the four pairs of pin values

	// Of one gate, the offsets of the rows of its candidates in x.
	rows [fusedK]uint32

	// Of one gate, for AVX2: the bits of its candidates, and for each group of samples
	// the subset sums of two pairs.
	words [4][fusedK]uint32
	pairs [fusedSamples/5 + 1][2][4]float32

	gate   int64 // the first gate to update: the last of some chains, the lowest of a layer
	left   int64 // gates to update, down from it or, in a layer, up
	n      int64 // number of gates in the current block
	layers int64 // layers in a chain
	layer  int64 // layers of the current chain that are still to be done
	chain  int64 // the chain at hand, by its place in from and out

	w, m, v *float32 // operation logits, moments, [gates][16]
	top     *float32
	op      *uint8

	u, um, uv *float32 // selection logits, moments, [gates][k]
	utop      *float32
	bit       *uint32
	narrow    *uint16 // wires, one of the two
	wide      *uint32

	a, b     *uint64 // rows of the pins' values
	row, gap int64   // byte offset of those of the gate at hand, and between chains
	from     [maxGroup]*float32
	out      *float32 // [maxGroup][gradientRow], the gradients of the pins A
	keep     int64    // whether out is of use at the end of a chain
	x        *uint64
	samples  int64

	adam [8]float32 // the fields of Adam in order

	// Of a layer, the edges to the readers of its gates, the trace that these have left and
	// the one to leave, unless keep is 0, and for each pin the rows that it may read and the
	// number of its own.
	starts, edges       *uint32
	nextDelta, nextCoef *float32
	nextBits            *uint64
	ownDelta, ownCoef   *float32
	ownBits             *uint64
	rowsA, rowsB        *uint64
	bitA, bitB          *uint32
}

// layerWalk is what the forward kernel of a layer is called with: some of its gates, the
// rows that their pins may read, the numbers of their own, and their operations.
type layerWalk struct {
	rowsA, rowsB, out *uint64
	forms             *[16][4][2]uint64
	bitA, bitB        *uint32
	op                *uint8
	from, gates       int64
}

// walk is what the forward kernel is called with: the chains' rows and what their gates
// compute at present. There is one more layer than the rest has.
type walk struct {
	x, a, b, out *uint64 // rows; those of chains follow each other
	forms        *[16][4][2]uint64
	firstOp      *uint8 // operations of the first layer, one entry a chain
	firstA       *uint32
	firstB       *uint32
	op           *uint8 // operations of the other layers, one entry a layer and chain
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
	_    [8]float32 // pads the struct to a whole cache line
}

// nodeFrame is what the fused kernel of a node's pins is called with: the pins that choose among input bits, in a batch
// of up to 128 samples. The rest of what it needs is the same for all nodes of a layer.
//
//nolint:unused // assembly uses the fields
type nodeFrame struct {
	q [fusedSamples]int8 // one pin's gradients, first for the alignment

	node, next int64 // index of the node in the arrays, and of the next one, which is fetched
	pins       int64
	start      int64 // of the dithers of pin 0, in rows of 16 of 256

	line   *uint8 // [128]
	delta  *float32
	t      *float32 // truth values of the lines, [64]
	x      *uint64  // rows of two words
	dither *float32

	adam [8]float32 // the fields of Adam in order
	pin  [6]nodePin
}

// nodePin is one of the pins: its digit in the number of a line, its number, and its arrays.
type nodePin struct {
	digit, number int64
	w, m, v, top  *float32
	wires         *uint16
	bit           *uint32
	beta          *float32 // unless nil, where the gradients go, [128]
}
