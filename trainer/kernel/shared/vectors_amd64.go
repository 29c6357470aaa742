package shared

import "ialgn/trainer/kernel"

var (
	avx512 = path{
		forward:  forwardAVX512,
		backward: [3]backward{backwardDroppedAVX512, backwardStoredAVX512, backwardAddedAVX512},
		pool:     poolAVX512,
		unpool:   unpoolAVX512,
	}
	avx2 = path{
		forward:  forwardAVX2,
		backward: [3]backward{backwardDroppedAVX2, backwardStoredAVX2, backwardAddedAVX2},
		pool:     poolAVX2,
		unpool:   unpoolAVX2,
	}
)

// vectors returns the functions of the path in use, or nil on the plain path.
func vectors() *path {
	switch path, _ := kernel.Path(); path {
	case "avx512":
		return &avx512
	case "avx2":
		return &avx2
	}
	return nil
}
