// Package rows writes machine code for the two ends of a network that is evaluated bit-parallel.
// [Input] turns feature words into bit rows. [Output] turns bit rows into class indices and counts.
// The code is position-independent, has its constants next to it, calls nothing outside, and
// follows the C calling convention; the same bytes are used in the process and in an object file.
//
// A block has R*8 samples, where R is the number of bytes of a vector: 64 with AVX-512, 32 with
// AVX2, 16 with NEON. A row has R bytes: bit i of its 64-bit word w, in little-endian order, is
// sample 64 w + i.
//
// Both directions are transpositions of squares. Input takes these steps for a vector of
// neighbouring features:
//
//  1. Level. Each feature's value is compared with its thresholds, by binary search in all lanes
//     at once: with 3 thresholds, two comparisons give the two bits of the number of thresholds
//     that the value exceeds. For each bit, the bits of 8 samples (16 for words of 16 bits) are
//     collected in one element of a vector, a "plane".
//  2. Transposition. A plane is a square of elements, [samples in eights][features]. In stages
//     that each exchange one bit of a register's number with one bit of the place in the register
//     ([stage]), it becomes [features][samples].
//  3. Rows. The thermometer bits, value > threshold, are functions of the level's bits. The bits
//     that are needed are stored.
//
// Nothing is read outside the samples: the last samples, where whole vectors would reach too far,
// are first copied to scratch memory. Prefetches do go beyond the samples, but they cannot fault.
// Output adds the bits of a digit to numbers of many samples at once, class by class, and
// transposes squares of these into [sample][class].
//
// Both are written once, for a [machine], which is AVX-512, AVX2 or NEON.
package rows
