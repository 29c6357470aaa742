package kernel

import "golang.org/x/sys/cpu"

// turnsBits reports whether the processor has the byte and bit instructions that only meanBitsAVX512 needs. So far,
// all processors with the AVX-512 path have these instructions. A processor without these instructions would do the
// relaxed steps with AVX2 and get the same bits.
var turnsBits = cpu.X86.HasAVX512VBMI && cpu.X86.HasAVX512GFNI

// relaxedVectors returns the functions of the SIMD path in use, or nil for the plain path.
func relaxedVectors() *relaxedSteps {
	switch {
	case simd == "avx512" && turnsBits:
		return &relaxedAVX512
	case simd == "avx512", simd == "avx2":
		return &relaxedAVX2
	}
	return nil
}

var relaxedAVX512 = relaxedSteps{
	mix: mixAVX512, bins: relaxedBinsAVX512, spread: spreadAVX512, meanBits: meanBitsAVX512,
	meanRows: meanRowsAVX512, rowSums: rowSumsAVX512, gather: gatherRelaxedAVX512,
	fetch: fetchAVX512, fetchRow: fetchRowAVX512, fetchEdges: fetchEdgesAVX512,
}

var relaxedAVX2 = relaxedSteps{
	mix: mixAVX2, bins: relaxedBinsAVX2, spread: spreadAVX2, meanBits: meanBitsAVX2,
	meanRows: meanRowsAVX2, rowSums: rowSumsAVX2, gather: gatherRelaxedAVX2,
	fetch: fetchAVX2, fetchRow: fetchRowAVX2, fetchEdges: fetchEdgesAVX2,
}
