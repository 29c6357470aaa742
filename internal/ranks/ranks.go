// Package ranks says how one network is trained by several processes, the ranks: which chains each holds, and how they
// talk.
//
// Every rank holds a share of each class's chains ([Share]), and no rank the others'. All that a step needs of the
// others are the class counts, which are whole numbers: their sum is the same in any order.
package ranks

// Comm is what the ranks of a run talk by. All ranks call the same methods in the same order. After an error nothing
// else is called: the run is over.
type Comm interface {
	Rank() int // from 0
	Size() int

	// Sum replaces the numbers by their sums over all ranks. They do not overflow.
	Sum(counts []int32) error

	// Gather returns what each rank passed, by rank, to all of them.
	Gather(data []byte) ([][]byte, error)
}

// Share is what a rank holds of a network: of each class the chains from From up to To.
type Share struct {
	Classes  int
	PerClass int // chains of a class in the whole network
	From, To int
}

// ShareOf returns the share of a rank. There are at most as many ranks as a class has chains.
func ShareOf(rank, ranks, classes, perClass int) Share {
	return Share{Classes: classes, PerClass: perClass, From: perClass * rank / ranks, To: perClass * (rank + 1) / ranks}
}

// Own returns how many chains of a class the rank holds.
func (s Share) Own() int { return s.To - s.From }

// Width returns how many chains the rank holds.
func (s Share) Width() int { return s.Classes * s.Own() }

// Number returns the number in the whole network of the rank's chain i.
func (s Share) Number(i int) int { return i/s.Own()*s.PerClass + s.From + i%s.Own() }

// Before returns how many of the rank's chains have a number below that of a chain of the whole network.
func (s Share) Before(number int) int {
	class, in := number/s.PerClass, number%s.PerClass
	return class*s.Own() + min(max(in-s.From, 0), s.Own())
}
