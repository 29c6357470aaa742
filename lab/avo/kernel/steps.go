package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A step is a function that handles one gate, for shapes that no fused kernel supports. The steps do not check their
// arguments. The Go code that calls them does.

// A group has groupSize samples. The constant chunk is the number of groups in a chunk. The first group of each chunk
// begins at the first bit of a 32-bit word. A sum may end only after a number of groups that is a multiple of the
// constant checked.
const (
	groupSize = 5
	chunk     = 32
	checked   = 4
)

// step begins a function of a path.
func step(name, path, signature, doc string) {
	TEXT(name+path, NOSPLIT, signature)
	Pragma("noescape")
	Doc(name + path + " " + doc)
}

// These are the signatures of the steps. Both SIMD paths have the same signatures.
const (
	operationsSignature = "func(p, w, t *float32, top float32)"
	selectionSignature  = "func(q, u *float32, k int, top float32)"
	binsSignature       = "func(delta, beta *float32, a, b *uint64, blocks int, t, s *float32)"
	aloneSignature      = "func(delta *float32, a, b *uint64, blocks int, t, s *float32)"
	offsetsSignature    = "func(offsets *uint32, wires *uint16, k, rows, bytes int) (beyond int)"
	wideSignature       = "func(offsets, wires *uint32, k, rows, bytes int) (beyond int)"
	candidatesSignature = "func(r, values *float32, samples int, x *uint64, offsets *uint32, k, last int, bits *uint32)"
	opStepSignature     = "func(w, m, v, p, s, t, adam *float32) (arg int, top float32)"
	selectStepSignature = "func(w, m, v, q, r *float32, k int, adam *float32) (arg int, top float32)"
	gatherSignature     = "func(dst, delta *float32, bits *uint64, coef *float32, edges *uint32, n, blocks, words int)"
	lightSignature      = "func(p, w, t *float32)"
	lightStepSignature  = "func(w, m, v, p, s, adam *float32) (op int)"
	readersSignature    = "func(delta *float32, bits *uint64, coef *float32, edges *uint32, n, blocks, words int)"
)

// These are the doc comments of the steps.
const (
	operationsDoc = "does Operations."
	selectionDoc  = "does Selection, and leaves anything after the last of q, up to a multiple of 16."
	binsDoc       = "does Bins for blocks of 16 samples."
	offsetsDoc    = "writes where the rows of k wires begin, in bytes, and returns whether a wire is beyond the rows."
	opStepDoc     = "does OpGradient and Update."
	selectStepDoc = "does SelectGradient and Update."
	gatherDoc     = "does Trace.gather along at least one edge, for blocks of 16 samples."
	lightDoc      = "does Light."
	lightStepDoc  = "makes the step of Adam on a light gate, and returns its operation."
	readersDoc    = "fetches what gather reads along at least one edge."
)

// general loads a parameter of the function into a new register.
func general(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }

// address returns the memory operand for a parameter of the function.
func address(name string) Mem {
	p, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return p.Addr
}

// broadcastField loads a float32 parameter into all lanes of z.
func broadcastField(name string, z reg.VecVirtual) { VBROADCASTSS(address(name), z) }

// blocks emits a loop over k floats. The function body handles one vector and gets the byte offset of the vector. The
// function rest handles the remaining floats, if there are any. It gets the byte offset of these floats as its
// argument. Their number, from 1 to lanes - 1, is in CX. The argument lanes is the number of floats in a vector, a
// power of two.
func blocks(k reg.Register, lanes int, body, rest func(at reg.GPVirtual)) {
	at, n := GP64(), GP64()
	XORQ(at, at)
	MOVQ(k, n)
	SHRQ(U8(log2(lanes)), n)
	unless(JZ, func() {
		loop(n, func() {
			body(at)
			ADDQ(U8(4*lanes), at)
		})
	})
	MOVQ(k, reg.RCX)
	ANDQ(U8(lanes-1), reg.RCX)
	unless(JZ, func() { rest(at) })
}

func log2(n int) (l int) {
	for ; n > 1; n /= 2 {
		l++
	}
	return l
}

// gatherLoop emits the body for every four 32-bit words of the candidates' rows. The body gets two addresses. To read
// the words of a row, it adds the row's offset to the first address. It writes to the second address. The argument
// words is the size in bytes of one word of all candidates. If a row has an odd number of 64-bit words, the last four
// 32-bit words overlap the preceding four.
func gatherLoop(from, to reg.Register, words int, body func(from, to reg.GPVirtual)) {
	done, last := GP64(), general("last")
	x, dst := GP64(), GP64()
	XORQ(done, done)
	next, end := label(), label()
	Label(next)
	MOVQ(done, dst)
	SHLQ(U8(log2(words/4)), dst)
	ADDQ(to, dst)
	LEAQ(index(from, done, 1, 0), x)
	body(x, dst)
	CMPQ(done, last)
	JEQ(LabelRef(end))
	ADDQ(U8(16), done)
	CMPQ(done, last)
	CMOVQGT(last, done)
	JMP(LabelRef(next))
	Label(end)
}

// sumLoop emits a loop over chunks of groups. The function group emits the code for group i of a chunk, and the
// function advance emits the code that goes on to the next chunk. The loop counts down the register samples.
func sumLoop(samples reg.Register, advance func(), group func(i int)) {
	again, end := label(), label()
	Label(again)
	for i := range chunk {
		if i > 0 && i%checked == 0 {
			CMPQ(samples, U32(groupSize*i))
			JLE(LabelRef(end))
		}
		group(i)
	}
	SUBQ(U32(groupSize*chunk), samples)
	JLE(LabelRef(end))
	advance()
	JMP(LabelRef(again))
	Label(end)
}

// label returns a new label.
func label() string {
	labels++
	return fmt.Sprintf("label%d", labels)
}
