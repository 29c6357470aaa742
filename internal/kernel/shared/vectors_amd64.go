package shared

import "ialgn/internal/kernel"

var (
	pathAVX512 = path{
		forward:  [MaxPins + 1]forward{2: forwardAVX512, 4: forward4AVX512, 6: forward6AVX512},
		backward: [MaxPins + 1]backward{2: backwardAVX512, 4: backward4AVX512, 6: backward6AVX512},
		pool:     poolAVX512,
		unpool:   unpoolAVX512,
		mean:     meanAVX512,
		sums:     sumsAVX512,
		spread:   spreadAVX512,
	}
	pathAVX2 = path{
		forward:  [MaxPins + 1]forward{2: forwardAVX2, 4: forward4AVX2, 6: forward6AVX2},
		backward: [MaxPins + 1]backward{2: backwardAVX2, 4: backward4AVX2, 6: backward6AVX2},
		pool:     poolAVX2,
		unpool:   unpoolAVX2,
		mean:     meanAVX2,
		sums:     sumsAVX2,
		spread:   spreadAVX2,
	}
)

// vectors returns the functions of the SIMD path in use, or nil for the plain path.
func vectors() *path {
	switch path, _ := kernel.Path(); path {
	case "avx512":
		return &pathAVX512
	case "avx2":
		return &pathAVX2
	}
	return nil
}
