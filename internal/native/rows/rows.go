// Package rows writes machine code for the two ends of a network that is evaluated bit-parallel. [Input] turns
// feature words into bit rows. [Output] turns bit rows into class indices and counts. The code is
// position-independent, includes its constants, calls no other code, and follows the C calling convention. The same
// bytes are used in the process and in an object file.
//
// A block has R*8 samples, where R is the number of bytes of a vector. R is 64 with AVX-512, 32 with AVX2 and 16 with
// NEON. A row has R bytes. Bit i of the row's 64-bit word w, in little-endian order, is sample 64 w + i.
//
// Input and Output both transpose squares. Input takes these steps for a vector of neighbouring features:
//
//  1. Level. A binary search compares each feature's value with the feature's thresholds, in all lanes at once. With 3
//     thresholds, two comparisons give the two bits of the level, which is the number of thresholds that the value
//     exceeds. For each bit of the level, the bits of 8 samples (16 for words of 16 bits) are collected in one
//     element of a vector. These vectors are called a plane.
//  2. Transposition. A plane is a square of elements, [samples in eights][features]. Stages turn the plane into
//     [features][samples]. Each [stage] moves the elements so that one bit of the register's number and one
//     bit of the place in the register are exchanged.
//  3. Rows. The thermometer bits, value > threshold, are functions of the level's bits. The bits
//     that are needed are stored.
//
// The code does not read outside the samples. If whole vectors would reach beyond the end, the last samples are first
// copied to scratch memory. Prefetches do go beyond the samples, but they cannot fault.
//
// Output adds the bits of a digit to the numbers of many samples at once, class by class. It transposes squares of
// these numbers into [sample][class].
//
// Input and Output are written once, for a [machine], which is AVX-512, AVX2 or NEON.
package rows
