package kernel

// fusedLayer holds the arguments with which a pass calls the fused kernels of layers.
type fusedLayer struct {
	frame *frame
	walk  layerWalk
	same  []uint32 // same[i] is i, because gate i reads row i on the spine
}

// alone holds one SIMD path's kernels for layers without relaxed pins.
type alone struct{ gates, light func(*frame) }

var layerKernels = map[string]alone{
	"avx512": {layerAVX512, lightLayerAVX512},
	"avx2":   {layerAVX2, lightLayerAVX2},
}

// of returns the kernel for a layer, or nil if no kernel fits the layer.
func (k alone) of(l *Layer) func(*frame) {
	if l.Light {
		return k.light
	}
	return k.gates
}

// fuse does the work of Update with a fused kernel. It returns false if there is no kernel for the layer.
func (p *LayerPass) fuse(l *Layer, own, next *Trace, from, to int) bool {
	slotsA, slotsB := l.Slots()
	alone := l.B.K == 1 && (l.A == nil || l.A.K == 1) && slotsA == slotsB
	kernel := layerKernels[simd].of(l)
	if kernel == nil || p.words != fusedWords || l.Layers != 1 || !alone {
		return false
	}
	if from < 0 || to > len(l.Op) || p.Samples > fusedSamples || len(l.Uses.start) <= to {
		panic("kernel: gates out of range") // the assembly does not check
	}
	if from >= to {
		return true
	}
	f, c := p.fusedFrame(), &p.Adam
	f.gate, f.left = int64(from), int64(to-from)
	if f.w, f.m, f.v, f.op = &l.W[0], &l.M[0], &l.V[0], &l.Op[0]; !l.Light {
		f.top = &l.Top[0]
	}
	f.starts, f.edges = &l.Uses.start[0], &l.Uses.edges[:1][0].Pin
	f.nextDelta, f.nextBits, f.nextCoef = &next.Delta[0], &next.Bits[0], &next.Coef[0]
	f.keep = int64(slotsA)
	if slotsA > 0 {
		f.ownDelta, f.ownBits, f.ownCoef = &own.Delta[:to*fusedSamples][0], &own.Bits[:to*2*fusedWords][0],
			&own.Coef[:to*4][0]
	}
	f.rowsA, f.bitA = p.pinRows(l.A, to)
	f.rowsB, f.bitB = p.pinRows(l.B, to)
	f.samples, f.adam = int64(p.Samples), [8]float32{c.Beta1, c.Rest1, c.Beta2, c.Rest2, c.Rate, c.Root, c.Eps}
	kernel(f)
	return true
}

func (p *LayerPass) fusedFrame() *frame {
	if p.fused.frame == nil {
		p.fused.frame = new(frame)
	}
	return p.fused.frame
}

// fusePin does the work of the method pin with a fused kernel. It returns false if there is no kernel for this pin.
func (p *LayerPass) fusePin(l *Layer, pin *Pin, from, to int, grads []float32) bool {
	k := kernelsFor(pin.K)
	if k == nil || p.words != fusedWords || l.Layers != 1 {
		return false
	}
	if uint(p.Samples) > fusedSamples || to-from > stepGates || to > len(pin.Bit) {
		panic("kernel: gates out of range") // the assembly does not check
	}
	f, c := p.fusedFrame(), &p.Adam
	f.gate, f.left, f.out = int64(to-1), int64(to-from), &grads[0]
	f.setPin(pin)
	f.x, f.samples = &p.batch.X[0], int64(p.Samples)
	f.adam = [8]float32{c.Beta1, c.Rest1, c.Beta2, c.Rest2, c.Rate, c.Root, c.Eps}
	if pin.Wide != nil {
		k.pin[1](f)
	} else {
		k.pin[0](f)
	}
	if pin.Hidden {
		for j := range to - from {
			copy(p.steps[j].q, f.block[j].q[:pin.K])
		}
	}
	return true
}

// pinRows returns the rows that a pin can read. For the gates 0, ..., to-1, it also returns the index of the row that
// the gate's pin reads now.
func (p *LayerPass) pinRows(pin *Pin, to int) (rows *uint64, bits *uint32) {
	if pin == nil {
		for i := len(p.fused.same); i < to; i++ {
			p.fused.same = append(p.fused.same, uint32(i))
		}
		return &p.Below[0], &p.fused.same[0]
	}
	if pin.Hidden {
		return &p.Below[0], &pin.Bit[:to][0]
	}
	return &p.X[0], &pin.Bit[:to][0]
}

// fuseForward does the work of Forward with a vector kernel. It returns false if there is no such kernel.
func (p *LayerPass) fuseForward(l *Layer, out []uint64, from, to int) bool {
	if simd == "none" || p.words != fusedWords || l.Layers != 1 {
		return false
	}
	if from < 0 || to > len(l.Op) {
		panic("kernel: gates out of range")
	}
	if from >= to {
		return true
	}
	rowsA, bitA := p.pinRows(l.A, to)
	rowsB, bitB := p.pinRows(l.B, to)
	w := &p.fused.walk
	*w = layerWalk{
		rowsA: rowsA, rowsB: rowsB, bitA: bitA, bitB: bitB, forms: &forms,
		out: &out[:to*fusedWords][0], op: &l.Op[0], from: int64(from), gates: int64(to - from),
	}
	forwardLayerAVX2(w)
	return true
}
