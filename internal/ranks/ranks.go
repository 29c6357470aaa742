// Package ranks defines how several processes, the ranks, train one network: which chains each rank holds, and how
// the ranks communicate.
//
// Every rank holds only a share of each class's chains ([Share]). In a training step, a rank needs only the class
// counts of the other ranks. Counts are integers, so their sum does not depend on the order of the ranks.
package ranks

// Comm is the communication between the ranks of a run. All ranks call the same methods in the same order. After an
// error the run is over, and no method may be called.
type Comm interface {
	Rank() int // from 0
	Size() int

	// Sum replaces each count by its sum over all ranks. Sums must not overflow.
	Sum(counts []int32) error

	// Gather returns to every rank the data that each rank passed, indexed by rank.
	Gather(data []byte) ([][]byte, error)
}

// Share is the part of a network that a rank holds. In each class, it consists of the chains with numbers in the
// range [From, To).
type Share struct {
	Classes  int
	PerClass int // number of chains of each class in the whole network
	From, To int
}

// ShareOf returns the share of a rank. There must not be more ranks than chains in a class.
func ShareOf(rank, ranks, classes, perClass int) Share {
	return Share{Classes: classes, PerClass: perClass, From: perClass * rank / ranks, To: perClass * (rank + 1) / ranks}
}

// Own returns the number of chains that the rank holds in each class.
func (s Share) Own() int { return s.To - s.From }

// Width returns the number of chains that the rank holds.
func (s Share) Width() int { return s.Classes * s.Own() }

// Number returns the number that the rank's chain i has in the whole network.
func (s Share) Number(i int) int { return i/s.Own()*s.PerClass + s.From + i%s.Own() }

// Before returns how many of the rank's chains have numbers in the whole network that are lower than number.
func (s Share) Before(number int) int {
	class, in := number/s.PerClass, number%s.PerClass
	return class*s.Own() + min(max(in-s.From, 0), s.Own())
}
