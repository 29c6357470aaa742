// This file has sets of small integers, with one bit for each integer.

package bitplane

// Set contains the integer i if bit i%64 of element i/64 is 1.
type Set []uint64

// NewSet returns an empty set for integers below n.
func NewSet(n int) Set { return make(Set, (n+63)/64) }

// Has reports whether i is in the set.
func (s Set) Has(i int) bool { return s[i>>6]>>(i&63)&1 == 1 }

// Add puts i into the set, and reports whether it was not there before.
func (s Set) Add(i int) bool {
	old := s[i>>6]
	s[i>>6] = old | 1<<(i&63)
	return s[i>>6] != old
}
