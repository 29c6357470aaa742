package encoding

// Packed holds samples of small unsigned features, bit-packed sample by sample: the
// levels of a data set for training, or its feature words for the simulation of a
// full design. Bit b of feature f of a sample stands at bit f*Width+b of its row.
type Packed struct {
	Features int
	Width    int // bits a feature
	Labels   []uint8

	stride int // words a sample
	words  []uint64
}
