package kernel

import "golang.org/x/sys/cpu"

// Paths returns the SIMD paths that this processor supports, the fastest path first.
func Paths() []string {
	var have []string
	x := &cpu.X86
	if x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL && x.HasAVX512VBMI2 && x.HasFMA && x.HasBMI1 {
		have = append(have, "avx512")
	}
	if x.HasAVX2 && x.HasBMI1 {
		have = append(have, "avx2")
	}
	return append(have, "none")
}

// kernels holds a path's fused kernels for whole gates and for single pins. There is a variant of each for wires of
// 16 bits and a variant for wires of 32 bits.
type kernels struct {
	gates, pin [2]func(*frame)
}

// fullKernels holds each SIMD path's kernels for pins of 32 candidates.
var fullKernels = map[string]*kernels{
	"avx512": {[2]func(*frame){gatesAVX512, gatesWideAVX512}, [2]func(*frame){pinAVX512, pinWideAVX512}},
	"avx2":   {[2]func(*frame){gatesAVX2, gatesWideAVX2}, [2]func(*frame){pinAVX2, pinWideAVX2}},
}

// fewKernels holds the kernels for pins of fewer than 32 candidates. These kernels use AVX2 on the AVX-512 path too,
// because such pins would leave parts of AVX-512's vectors empty.
var fewKernels = map[int]*kernels{
	16: {[2]func(*frame){gates16AVX2, gates16WideAVX2}, [2]func(*frame){pin16AVX2, pin16WideAVX2}},
	8:  {[2]func(*frame){gates8AVX2, gates8WideAVX2}, [2]func(*frame){pin8AVX2, pin8WideAVX2}},
	4:  {[2]func(*frame){gates4AVX2, gates4WideAVX2}, [2]func(*frame){pin4AVX2, pin4WideAVX2}},
}

// kernelsFor returns the fused kernels for pins of k candidates, or nil if there are none.
func kernelsFor(k int) *kernels {
	switch {
	case k == fusedK:
		return fullKernels[simd]
	case simd == "none":
		return nil
	}
	return fewKernels[k]
}

// roundingKernels holds the kernels that round gradients to 8 bits, for pins of 32 candidates.
var roundingKernels = map[string]*kernels{
	"avx512": {[2]func(*frame){gatesRoundedAVX512, gatesRoundedWideAVX512}, [2]func(*frame){pinRoundedAVX512, pinRoundedWideAVX512}},
	"avx2":   {[2]func(*frame){gatesRoundedAVX2, gatesRoundedWideAVX2}, [2]func(*frame){pinRoundedAVX2, pinRoundedWideAVX2}},
}

// fewRoundingKernels is the same as fewKernels, for kernels that round gradients.
var fewRoundingKernels = map[int]*kernels{
	16: {[2]func(*frame){gatesRounded16AVX2, gatesRounded16WideAVX2}, [2]func(*frame){pinRounded16AVX2, pinRounded16WideAVX2}},
	8:  {[2]func(*frame){gatesRounded8AVX2, gatesRounded8WideAVX2}, [2]func(*frame){pinRounded8AVX2, pinRounded8WideAVX2}},
	4:  {[2]func(*frame){gatesRounded4AVX2, gatesRounded4WideAVX2}, [2]func(*frame){pinRounded4AVX2, pinRounded4WideAVX2}},
}

// kernelsFor returns the fused kernels of the pass for pins of k candidates, or nil if there are none.
func (p *Pass) kernelsFor(k int) *kernels {
	switch {
	case !p.Integer:
		return kernelsFor(k)
	case simd == "none":
		return nil
	case k == fusedK && simd == "avx512" && !turnsIntegers:
		return roundingKernels["avx2"]
	case k == fusedK:
		return roundingKernels[simd]
	}
	return fewRoundingKernels[k]
}

// fused holds the frames of a pass, one for each section and pin.
type fused struct {
	frames []*frame
	owners []any
	walk   walk
}

// fuse does the work of Update with a fused kernel. It returns false if there is no kernel for the section and the
// batch.
func (p *Pass) fuse(s *Gates, layer, chain, chains int) bool {
	k := p.kernelsFor(s.B.K)
	p.batch = Batch{p.X, p.words, p.Samples}
	if k == nil || s.Light || !p.batch.suits() || p.words != fusedWords || s.A != nil &&
		(s.Layers != 1 || p.kernelsFor(s.A.K) == nil && s.A.K != 1) {
		return false
	}
	if uint(chains-1) >= uint(p.Group) || chain < 0 || (chain+chains)*s.Layers > len(s.Op) || layer+s.Layers > p.depth ||
		p.Samples > fusedSamples {
		panic("kernel: chains out of range") // the assembly does not check
	}
	gates := p.frame(s)
	gates.keep = 1
	if s.A != nil && s.A.K == 1 {
		gates.keep = 0
	}
	p.call(&k.gates, s.B, gates, 1, s.Layers, layer, chain, chains)
	if s.A != nil && s.A.K != 1 {
		f := p.frame(s.A)
		p.call(&p.kernelsFor(s.A.K).pin, s.A, f, 0, 1, layer, chain, chains)
	}
	for c := range chains {
		p.Delta[c] = p.grad(c)
	}
	return true
}

// call calls the kernel for a section of the given number of layers. The argument index is the index of the pin.
func (p *Pass) call(kernel *[2]func(*frame), pin *Pin, f *frame, index, layers, layer, chain, chains int) {
	f.gate, f.left = int64((chain+chains)*layers-1), int64(chains*layers)
	f.layers, f.layer, f.chain = int64(layers), int64(layers), int64(chains-1)
	f.a, f.b = &p.A[0], &p.B[0]
	f.row, f.gap = int64(8*fusedWords*((chains-1)*p.depth+layer+layers-1)), int64(8*fusedWords*(p.depth-layers))
	for c := range chains {
		f.from[c] = &p.Delta[c][:fusedSamples][0]
	}
	f.x, f.samples = &p.X[0], int64(p.Samples)
	if p.Integer {
		f.dither = &dithers[0]
		for c := range chains {
			f.start[c] = int64(p.start(layer, chain+c, index))
		}
	}
	c := &p.Adam
	f.adam = [8]float32{c.Beta1, c.Rest1, c.Beta2, c.Rest2, c.Rate, c.Root, c.Eps}
	if pin.Wide != nil {
		kernel[1](f)
	} else {
		kernel[0](f)
	}
}

// frame returns the frame of a section or of a single pin.
func (p *Pass) frame(owner any) *frame {
	for i, o := range p.fused.owners {
		if o == owner {
			return p.fused.frames[i]
		}
	}
	f := &frame{out: &p.grads[0]}
	switch s := owner.(type) {
	case *Gates:
		f.w, f.m, f.v, f.top, f.op = &s.W[0], &s.M[0], &s.V[0], &s.Top[0], &s.Op[0]
		f.setPin(s.B)
	case *Pin:
		f.setPin(s)
	}
	p.fused.owners, p.fused.frames = append(p.fused.owners, owner), append(p.fused.frames, f)
	return f
}

func (f *frame) setPin(p *Pin) {
	f.u, f.um, f.uv, f.utop, f.bit = &p.W[0], &p.M[0], &p.V[0], &p.Top[0], &p.Bit[0]
	if p.Wide != nil {
		f.wide = &p.Wide[0]
	} else {
		f.narrow = &p.Narrow[0]
	}
}

// fuseForward does the work of Forward with a vector kernel. It returns false if there is no such kernel.
func (p *Pass) fuseForward(first, rest *Gates, chain, chains int) bool {
	if simd == "none" || p.words != fusedWords {
		return false
	}
	if uint(chains-1) >= uint(p.Group) || chain < 0 || chain+chains > len(first.Op) {
		panic("kernel: chains out of range")
	}
	w := &p.fused.walk
	*w = walk{
		x: &p.X[0], a: &p.A[0], b: &p.B[0], out: &p.Out[0], forms: &forms, chains: int64(chains),
		firstOp: &first.Op[chain], firstA: &first.A.Bit[chain], firstB: &first.B.Bit[chain],
	}
	if rest != nil {
		n := rest.Layers
		w.op, w.bit, w.layers = &rest.Op[chain*n], &rest.B.Bit[chain*n], int64(n)
	}
	forwardAVX2(w)
	return true
}
