package main

import (
	"fmt"
	"iter"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// zmm is the number of bytes in a vector, and vectors is the number of vectors for the samples of a batch.
const (
	zmm     = 64
	vectors = 8
)

// candidates is the largest number of candidates of a pin that the fused kernels support.
const candidates = 32

// A row of samples has fiveGroups groups of five samples. The usual batch of 100 samples needs only doneAt groups.
const (
	fiveGroups = 26
	doneAt     = 20
)

// fused is a kernel that updates gates. It updates either the gates of some chains, from the last gate of the last
// chain down, or the gates of a layer, from the first gate up. In both cases it goes through memory in order. A whole
// block of gates goes through one phase before the next phase begins. The phases of one gate depend on each other.
// Different gates are independent, except that the gradient passes down a chain.
type fused struct {
	f     reg.GPVirtual // the frame
	ops   bool          // updates the gates' operations
	light bool          // gates with a logit for each line of the truth table
	pin   bool          // updates a relaxed pin; if ops is false, the kernel updates only this pin
	k     int           // number of candidates of the pin
	wide  bool          // wires of 32 bits
	round bool          // gradients of pins are rounded to 8 bits before they are summed
}

// pinKernels returns the kernels for pins of k candidates. There are kernels for whole gates and kernels for pins
// only. Each kind has one kernel for wires of 16 bits and one for wires of 32 bits.
func pinKernels(k int) []fused {
	return []fused{
		{ops: true, pin: true, k: k},
		{ops: true, pin: true, k: k, wide: true},
		{pin: true, k: k},
		{pin: true, k: k, wide: true},
	}
}

// roundingKernels returns the kernels of [pinKernels] that round gradients.
func roundingKernels(k int) []fused {
	all := pinKernels(k)
	for i := range all {
		all[i].round = true
	}
	return all
}

// up reports whether the kernel walks up from the first gate, as it does for the gates of a layer without a pin.
func (k *fused) up() bool { return !k.pin }

// ahead returns the signed distance to the gate that is updated n gates later.
func (k *fused) ahead(n int) int {
	if k.up() {
		return n
	}
	return -n
}

// next advances g, the index of a gate, to the next gate.
func (k *fused) next(g reg.Register) {
	if k.up() {
		INCQ(g)
	} else {
		DECQ(g)
	}
}

// nextScratch advances gate, the address of a gate's scratch memory, to the next gate.
func (k *fused) nextScratch(gate reg.Register) {
	if k.up() {
		ADDQ(U32(gateBytes), gate)
	} else {
		SUBQ(U32(gateBytes), gate)
	}
}

// first returns the scratch memory of a block's first gate.
func (k *fused) first() reg.GPVirtual {
	if !k.up() {
		return k.last("block", gateBytes)
	}
	gate := GP64()
	LEAQ(in(k.f, "block").Offset(gateBytes), gate)
	return gate
}

// begin begins the function and its loop over blocks.
func (k *fused) begin(path string) {
	name, what := "gates", "updates the gates of some chains"
	switch {
	case k.light:
		name, what = "lightLayer", "updates light gates of a layer"
	case !k.pin:
		name, what = "layer", "updates gates of a layer"
	case !k.ops:
		name, what = "pin", "updates a pin of one gate a chain from the gradients in out"
	}
	if k.round {
		name, what = name+"Rounded", what+", rounded to 8 bits"
	}
	if k.pin && k.k < candidates {
		name, what = fmt.Sprint(name, k.k), fmt.Sprintf("%s with %d candidates", what, k.k)
	}
	if k.wide {
		name, what = name+"Wide", what+" with wires of 32 bits"
	}
	k.f = text(name+path, "frame", name+path+" "+what+".")
	Label("block")
	n, left := GP64(), load(k.f, "left")
	MOVQ(U32(blockGates), n)
	CMPQ(left, n)
	CMOVQLT(left, n)
	MOVQ(n, in(k.f, "n"))
	k.prefetchTops()
}

// prefetchTops prefetches the largest logits of the next block. A cache line of this array holds the logits of
// several gates. Without the prefetch, the first gate of each cache line would wait for memory.
func (k *fused) prefetchTops() {
	g := load(k.f, "gate")
	var fields []string
	if k.pin {
		fields = append(fields, "utop")
	}
	if k.ops && !k.light {
		fields = append(fields, "top")
	}
	for _, field := range fields {
		top := load(k.f, field)
		PREFETCHT0(index(top, g, 4, 4*k.ahead(blockGates)))
		PREFETCHT0(index(top, g, 4, 4*k.ahead(2*blockGates-1)))
	}
}

// end ends the loop over blocks and the function.
func (k *fused) end() {
	n := load(k.f, "n")
	if k.up() {
		ADDQ(n, in(k.f, "gate"))
	} else {
		SUBQ(n, in(k.f, "gate"))
	}
	SUBQ(n, in(k.f, "left"))
	JNZ(LabelRef("block"))
	VZEROUPPER()
	RET()
}

// last returns the last row of a block in an array of rows. This row is processed first.
func (k *fused) last(array string, bytes int) reg.GPVirtual {
	p, i, n := GP64(), GP64(), load(k.f, "n")
	DECQ(n)
	IMUL3Q(U32(bytes), n, i)
	LEAQ(in(k.f, array).Idx(i, 1), p)
	return p
}

// upstream returns the row of gradients of the block's last gate. In a kernel for whole gates, this is the gradient
// of pin B. In a kernel for pins only, this is the gradient of the pin.
func (k *fused) upstream() reg.GPVirtual {
	if k.ops {
		return k.last("beta", betaRow)
	}
	p, left := GP64(), load(k.f, "left")
	DECQ(left)
	IMUL3Q(U32(betaRow), left, p)
	ADDQ(in(k.f, "out"), p)
	return p
}

func (k fused) wireBytes() int {
	if k.wide {
		return 4
	}
	return 2
}

// wires returns the address of the wires of gate g.
func (k fused) wires(g reg.Register) reg.GPVirtual {
	field := "narrow"
	if k.wide {
		field = "wide"
	}
	r := shifted(g, uint8(log2(k.k*k.wireBytes())))
	ADDQ(in(k.f, field), r)
	return r
}

// prefetch prefetches parameters of the gate that comes one block after gate g. A kernel that rounds gradients is faster
// if these parameters do not fill the L1 cache, most of all with CIFAR-10's inputs.
func (k fused) prefetch(g reg.Register) {
	prefetch := PREFETCHT0
	if k.round {
		prefetch = PREFETCHT1
	}
	line := shifted(g, 6)
	fetch := func(bytes int, fields ...string) {
		next, scale := k.place(g, line, bytes)
		for _, field := range fields {
			base := load(k.f, field)
			for i := 0; i < bytes; i += zmm {
				prefetch(index(base, next, scale, i+k.ahead(blockGates*bytes)))
			}
		}
	}
	if k.ops {
		fetch(zmm, "w", "m", "v")
	}
	switch {
	case k.wide:
		fetch(4*k.k, "u", "um", "uv", "wide")
	case k.pin:
		fetch(4*k.k, "u", "um", "uv")
		fetch(2*k.k, "narrow")
	}
}

// place returns a register and a scale that together address the entry of gate g in an array. The argument bytes is
// the size of an entry. The register line must hold the offset of g in an array whose entries have the size of a
// cache line.
func (k fused) place(g, line reg.Register, bytes int) (reg.Register, uint8) {
	if bytes < zmm {
		return shifted(g, uint8(log2(bytes))), 1
	}
	return line, uint8(bytes / zmm)
}

// extract128 is the instruction that extracts half of a YMM register. Its encoding depends on the path.
var extract128 = VEXTRACTF32X4

// power returns the bits of 2^(i/16), as in package detmath, minus i << 19.
func power(i int) uint32 {
	return math.Float32bits(float32(math.Exp2(float64(i)/16))) - uint32(i)<<19
}

// fold4 returns the sums of lanes i and i+4 of y.
func fold4(y reg.VecVirtual) reg.VecVirtual {
	x := XMM()
	extract128(U8(1), y, x)
	VADDPS(y.AsX(), x, x)
	return x
}

// foldFour adds up the four lanes of each of four sums. Lane i of the result is (v_0 + v_2) + (v_1 + v_3), where v_j
// is lane j of vector i.
func foldFour(a, b, c, d reg.VecVirtual) reg.VecVirtual {
	two := func(a, b reg.VecVirtual) reg.VecVirtual {
		lo, hi := XMM(), XMM()
		VUNPCKLPD(b, a, lo)
		VUNPCKHPD(b, a, hi)
		VADDPS(lo, hi, lo)
		return lo
	}
	ab, cd := two(a, b), two(c, d)
	even, odd := XMM(), XMM()
	VSHUFPS(U8(0x88), cd, ab, even)
	VSHUFPS(U8(0xdd), cd, ab, odd)
	VADDPS(even, odd, even)
	return even
}

// maxTwo returns the largest of the four lanes of a in lanes 0 and 1, and the largest of b in lanes 2 and 3.
func maxTwo(a, b reg.VecVirtual) reg.VecVirtual {
	lo, hi := XMM(), XMM()
	VUNPCKLPD(b, a, lo)
	VUNPCKHPD(b, a, hi)
	VMAXPS(lo, hi, lo)
	VPERMILPS(U8(0xb1), lo, hi)
	VMAXPS(hi, lo, lo)
	return lo
}

// lowest returns the index of the lowest set bit of the mask, or 0 if there is none.
func lowest(mask reg.GPVirtual) reg.GPVirtual {
	arg, zero := GP64(), GP64()
	XORQ(zero, zero)
	TZCNTQ(mask, arg)
	CMOVQCS(zero, arg)
	return arg
}

// storeTop stores lane 0 of x. A zero is stored as +0.
func storeTop(m Mem, x reg.VecVirtual) {
	zero := XMM()
	VXORPS(zero, zero, zero)
	VADDSS(zero, x, zero)
	VMOVSS(zero, m)
}

// storeBit stores the number of the input bit that candidate arg reads. The candidate belongs to the gate at distance
// off from g.
func (k fused) storeBit(arg, g reg.Register, off int) {
	wire := GP32()
	if k.wide {
		MOVL(index(k.wires(g), arg, 4, 4*k.k*off), wire)
	} else {
		MOVWLZX(index(k.wires(g), arg, 2, 2*k.k*off), wire)
	}
	MOVL(wire, index(load(k.f, "bit"), g, 4, 4*off))
}

// body emits instructions. It calls pause where another body's instructions may be inserted.
type body func(pause func())

// nothing is a body without instructions.
func nothing(func()) {}

// weave interleaves two bodies. It emits a piece of the second body at each pause of the first body, and the rest of
// the second body at the end.
func weave(first, second body) {
	next, stop := iter.Pull(func(yield func(bool) bool) {
		second(func() { yield(true) })
	})
	defer stop()
	first(func() { next() })
	for _, more := next(); more; _, more = next() { //nolint:revive // all is in the header
	}
}

// shifted returns x << by in a new register.
func shifted(x reg.Register, by uint8) reg.GPVirtual {
	r := GP64()
	MOVQ(x, r)
	SHLQ(U8(by), r)
	return r
}

// index returns the memory at base + i*scale + disp.
func index(base, i reg.Register, scale uint8, disp int) Mem {
	return Mem{Base: base, Index: i, Scale: scale, Disp: disp}
}
