package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// splitStream selects the stream of random numbers for splits. Other uses of a seed have streams of their own.
const splitStream = 0x69616c676e2f7370 // "ialgn/sp"

// stratified chooses the test part of a split. From each class, it chooses the given share of the samples, rounded
// half up, but never all samples. It returns which samples are chosen, and their number.
//
// The choice depends only on labels, share and seed. Classes are processed in the order 0, 1 and so on. The samples
// of a class are shuffled by Fisher and Yates' method (Knuth, The Art of Computer Programming 2, algorithm 3.4.2P),
// and the first samples are chosen. All classes use one PCG stream.
func stratified(labels []uint8, classes int, share float64, seed uint64) (chosen []bool, n int, err error) {
	if !(share > 0 && share < 1) {
		return nil, 0,
			fmt.Errorf("data.test_share: %g is not between 0 and 1; give a share, or name a test file with data.test", share)
	}
	members := make([][]int, classes)
	for i, c := range labels {
		members[c] = append(members[c], i)
	}
	chosen, src := make([]bool, len(labels)), rand.NewPCG(seed, splitStream)
	for _, m := range members {
		shuffle(src, m)
		k := min(int(math.Floor(float64(share*float64(len(m)))+0.5)), len(m)-1)
		for _, i := range m[:max(k, 0)] {
			chosen[i] = true
			n++
		}
	}
	if n == 0 {
		return nil, 0, fmt.Errorf("data.test_share: %g of %d samples gives no test sample; use a larger share", share,
			len(labels))
	}
	return chosen, n, nil
}

// shuffle permutes s. It does not use rand.Shuffle, because the stream of rand.Shuffle is not specified and a split
// must never change.
func shuffle(src rand.Source, s []int) {
	for i := len(s) - 1; i > 0; i-- {
		j := below(src, uint64(i+1))
		s[i], s[j] = s[j], s[i]
	}
}

// below returns a uniform random number below n, for n > 0. It rejects the lowest 2^64 mod n words, so that all
// remainders are equally likely.
func below(src rand.Source, n uint64) uint64 {
	for reject := -n % n; ; {
		if x := src.Uint64(); x >= reject {
			return x % n
		}
	}
}
