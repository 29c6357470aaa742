package kernel

// relaxedVectors returns the functions of the path in use, or nil on the plain one.
func relaxedVectors() *relaxedSteps {
	switch simd {
	case "avx512":
		return &relaxedAVX512
	case "avx2":
		return &relaxedAVX2
	}
	return nil
}

var relaxedAVX512 = relaxedSteps{
	mix: mixAVX512, bins: relaxedBinsAVX512, spread: spreadAVX512, meanBits: meanBitsAVX512,
	meanRows: meanRowsAVX512, rowSums: rowSumsAVX512, gather: gatherAVX512,
	fetch: fetchAVX512, fetchRow: fetchRowAVX512, fetchEdges: fetchEdgesAVX512,
}

var relaxedAVX2 = relaxedSteps{
	mix: mixAVX2, bins: relaxedBinsAVX2, spread: spreadAVX2, meanBits: meanBitsAVX2,
	meanRows: meanRowsAVX2, rowSums: rowSumsAVX2, gather: gatherAVX2,
	fetch: fetchAVX2, fetchRow: fetchRowAVX2, fetchEdges: fetchEdgesAVX2,
}
