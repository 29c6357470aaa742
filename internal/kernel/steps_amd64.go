package kernel

// vectors returns the functions of the SIMD path in use, or nil for the plain path.
func vectors() *steps {
	switch simd {
	case "avx512":
		return &stepsAVX512
	case "avx2":
		return &stepsAVX2
	}
	return nil
}

var stepsAVX512 = steps{
	operations: operationsAVX512, selection: selectionAVX512, bins: binsAVX512, binsAlone: binsAloneAVX512,
	offsets: offsetsAVX512, offsetsWide: offsetsWideAVX512,
	candidates: []candidatesStep{{64, candidates64AVX512}, {32, candidates32AVX512}, {16, candidates16AVX512}},
	opStep:     opStepAVX512, selectStep: selectStepAVX512,
	light: lightAVX512, lightStep: lightStepAVX512, gather: gatherAVX512, readers: readersAVX512,
}

var stepsAVX2 = steps{
	operations: operationsAVX2, selection: selectionAVX2, bins: binsAVX2, binsAlone: binsAloneAVX2,
	offsets: offsetsAVX2, offsetsWide: offsetsWideAVX2, pairs: pairsAVX2,
	candidates: []candidatesStep{{16, candidates16AVX2}, {8, candidates8AVX2}},
	opStep:     opStepAVX2, selectStep: selectStepAVX2,
	light: lightAVX2, lightStep: lightStepAVX2, gather: gatherAVX2, readers: readersAVX2,
}
