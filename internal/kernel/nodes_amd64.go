package kernel

import "golang.org/x/sys/cpu"

// turnsIntegers reports whether the processor has the byte and integer instructions that only the AVX-512 steps of
// nodes need. A processor without these instructions does these steps with AVX2 and gets the same bits.
var turnsIntegers = cpu.X86.HasAVX512VBMI && cpu.X86.HasAVX512VNNI && cpu.X86.HasBMI2

// nodeVectors returns the functions of the SIMD path in use, or nil for the plain path.
func nodeVectors() *nodeSteps {
	switch {
	case simd == "avx512" && turnsIntegers:
		return &nodesAVX512
	case simd == "avx512", simd == "avx2":
		return &nodesAVX2
	}
	return nil
}

var nodesAVX2 = nodeSteps{
	forward: nodeForwardAVX2, lines: nodeLinesAVX2, sigmoids: sigmoidsAVX2, lineSums: lineSumsAVX2,
	pinGradient16: pinGradient16AVX2, pinGradient64: pinGradient64AVX2, quantise: quantiseAVX2,
	integerSums: integerSumsAVX2, addProducts: addProductsAVX2, productPins: 4, tableStep: tableStepAVX2,
	gatherRounded: gatherRoundedAVX2,
}

var nodesAVX512 = nodeSteps{
	forward: nodeForwardAVX512, lines: nodeLinesAVX512, sigmoids: sigmoidsAVX512, lineSums: lineSumsAVX512,
	pinGradient16: pinGradient16AVX512, pinGradient64: pinGradient64AVX512, quantise: quantiseAVX512,
	integerSums: integerSumsAVX512, addProducts: addProductsAVX512, productPins: 8, tableStep: tableStepAVX512,
	gatherRounded: gatherRoundedAVX2, // its time is the time of the memory
	pins: func(candidates, lines int) func(*nodeFrame) {
		few := lines <= 16
		switch {
		case candidates == 16 && few:
			return nodePins16Lines16AVX512
		case candidates == 16:
			return nodePins16Lines64AVX512
		case candidates == 32 && few:
			return nodePins32Lines16AVX512
		case candidates == 32:
			return nodePins32Lines64AVX512
		}
		return nil
	},
}
