package verilog

// TagRows returns the bit rows of the tags of samples ([ialgn/netlist.WithTag]). Each tag has the given number of
// bits. The argument first is the number of the first sample. A tag is a pseudo-random number that depends only on
// the sample's number.
func TagRows(bits, words, first, samples int) []uint64 {
	rows := make([]uint64, bits*words)
	for s := range samples {
		tag := tagOf(uint64(first + s))
		for b := range bits {
			rows[b*words+s/64] |= tag >> b & 1 << (s % 64)
		}
	}
	return rows
}

// tagOf returns a tag of 64 bits for a sample. Shorter tags are the lowest bits of this tag. The function is one
// step of the generator splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
func tagOf(sample uint64) uint64 {
	z := (sample + 1) * 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// WithTags returns the vectors for a netlist with a tag of the given number of bits. The last input port and the
// last output port have the tags of samples 0, 1 and so on.
func (v Vectors) WithTags(bits int) Vectors {
	rows := TagRows(bits, v.Words, 0, v.Samples)
	v.Inputs = append(v.Inputs[:len(v.Inputs):len(v.Inputs)], rows...)
	v.Outputs = append(v.Outputs[:len(v.Outputs):len(v.Outputs)], rows...)
	return v
}

// WithoutTags returns the vectors without the tags that [Vectors.WithTags] adds.
func (v Vectors) WithoutTags(bits int) Vectors {
	v.Inputs = v.Inputs[:len(v.Inputs)-bits*v.Words]
	v.Outputs = v.Outputs[:len(v.Outputs)-bits*v.Words]
	return v
}
