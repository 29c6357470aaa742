package kernel

// minGroup and maxGroup limit the number of chains in a group (see [Pass.Group]). groupWords limits the total number
// of words in a group's rows of one pin. At a depth of 4, groups of 96 chains took 2 to 4 % less time than groups of
// 24.
const (
	minGroup   = 4
	maxGroup   = 96
	groupWords = 1152
)

// LeastWords is the minimum number of words in a row that vector kernels accept. The rows of a smaller batch are
// padded.
const LeastWords = fusedWords

// These constants limit the shapes that the fused kernels accept. The constant fusedK is the largest number of
// candidates of a pin, fusedSamples is the largest number of samples, and fusedWords is the largest number of words
// in a row.
const (
	fusedK       = 32
	fusedSamples = 128
	fusedWords   = fusedSamples / 64
)

// blockGates is the number of gates in a block. A fused kernel takes all gates of a block through one phase before
// the next phase begins. In a larger block, a phase waits less often for its first result. However, the scratch
// memory of a block must fit in the L1 cache.
const blockGates = 32

// edgesAhead is the number of edges after a gate's own edges that a vector path may read. The path prefetches the
// rows that these edges lead to.
const edgesAhead = 16

// gradientRow is the length of a row of gradients. The row has a gradient for each sample, followed by zeros for
// groups that reach past the last sample.
const gradientRow = fusedSamples + 16

// frame is the argument of a fused kernel. It holds the arrays of a section, the gates to update, and scratch memory
// for the gates of a block. The generator (lab/avo/kernel) reads this file to find the offsets, so the struct must
// not refer to other files. The kernels change no pointer in the frame, because a pointer past the end of an array
// would crash the garbage collector.
//
//nolint:unused // assembly uses the fields
type frame struct {
	// The scratch memory comes first, and the size of each part is a multiple of a cache line, so that all parts are
	// aligned.
	beta  [blockGates + 1][gradientRow]float32 // gradients of pins B; the rounded gradients of a pin replace them
	block [blockGates + 1]frameGate
	masks [4][16]byte // one gate's masks for the four pairs of pin values

	// Offsets of the rows of one gate's candidates in x.
	rows [fusedK]uint32

	// AVX2 uses these fields for one gate. The field words holds the bits of the gate's candidates. The field pairs
	// holds the subset sums of two pairs for each group of samples.
	words [4][fusedK]uint32
	pairs [fusedSamples/5 + 1][2][4]float32

	gate   int64 // the first gate to update: the last gate of some chains, or the lowest gate of a layer
	left   int64 // number of gates to update, downward from gate or, in a layer, upward
	n      int64 // number of gates in the current block
	layers int64 // layers in a chain
	layer  int64 // layers of the current chain that are not yet done
	chain  int64 // index of the current chain's row in from and out

	w, m, v *float32 // operation logits and their moments, [gates][16]
	top     *float32
	op      *uint8

	u, um, uv *float32 // selection logits and their moments, [gates][k]
	utop      *float32
	bit       *uint32
	narrow    *uint16 // wires; either narrow or wide is in use
	wide      *uint32

	a, b     *uint64 // rows of the pins' values
	row, gap int64   // byte offset of the current gate's row, and gap between the rows of two chains
	from     [maxGroup]*float32
	out      *float32 // [maxGroup][gradientRow], the gradients of the pins A
	keep     int64    // whether out is used at the end of a chain
	x        *uint64
	samples  int64

	adam [8]float32 // the fields of Adam in order

	// Kernels that round gradients to 8 bits use these fields. start is the index of the row of dithers for the first
	// gate of each chain, among 256 rows of 16.
	dither *float32
	start  [maxGroup]int64

	// These fields are set for each layer. starts and edges lead from each gate of the layer to its readers. The fields
	// that begin with next hold the trace that the readers wrote. The fields that begin with own receive the trace of
	// this layer, unless keep is 0. rowsA and rowsB hold the rows that the pins can read. bitA and bitB hold the index
	// of the row that each gate's pin reads now.
	starts, edges       *uint32
	nextDelta, nextCoef *float32
	nextBits            *uint64
	ownDelta, ownCoef   *float32
	ownBits             *uint64
	rowsA, rowsB        *uint64
	bitA, bitB          *uint32
}

// layerWalk is the argument of the forward kernel of a layer. It holds a range of the layer's gates, the rows that
// the gates' pins can read, the index of the row that each pin reads now, and the gates' operations.
type layerWalk struct {
	rowsA, rowsB, out *uint64
	forms             *[16][4][2]uint64
	bitA, bitB        *uint32
	op                *uint8
	from, gates       int64
}

// walk is the argument of the forward kernel of chains. It holds the chains' rows and the current operations and
// wires of the chains' gates. The number of layers includes the first layer.
type walk struct {
	x, a, b, out *uint64 // rows; the rows of successive chains are contiguous
	forms        *[16][4][2]uint64
	firstOp      *uint8 // operations of the first layer, one for each chain
	firstA       *uint32
	firstB       *uint32
	op           *uint8 // operations of the other layers, one for each layer and chain
	bit          *uint32
	layers       int64
	chains       int64
}

// frameGate is the scratch memory of a gate between the phases of a fused kernel.
//
//nolint:unused // assembly uses the fields
type frameGate struct {
	p    [16]float32
	q, r [fusedK]float32
	t, s [4]float32
	step float32    // the value of one integer step, if gradients are rounded to 8 bits
	_    [7]float32 // pads the struct to a whole cache line
}

// nodeFrame is the argument of the fused kernel that updates the pins of one node. It updates only pins that choose
// among input bits. The batch has up to 128 samples. Only the fields node, next, start, delta and beta differ between
// the nodes of a layer.
//
//nolint:unused // assembly uses the fields
type nodeFrame struct {
	q [fusedSamples]int8 // gradients of one pin; first, to be aligned

	node, next int64 // indices in the arrays of the node and of the next node, which is prefetched
	pins       int64
	start      int64 // index of the row of dithers for pin 0, among 256 rows of 16

	line   *uint8 // [128]
	delta  *float32
	t      *float32 // truth values of the lines, [64]
	x      *uint64  // rows of two words
	dither *float32

	adam [8]float32 // the fields of Adam in order
	pin  [6]nodePin
}

// nodePin describes one pin of a node. It holds the pin's index, its arrays, and the place value of the pin's binary
// digit in a line's number.
type nodePin struct {
	digit, number int64
	w, m, v, top  *float32
	wires         *uint16
	bit           *uint32
	beta          *float32 // receives the pin's gradients, [128]; nil if nobody needs them
}
