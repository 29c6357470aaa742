package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rowWords is the number of words in a row of samples.
const rowWords = 4

// passing goes over the bits of eight candidates, sample by sample. The bits are in words of 32 samples, which are
// shifted in their register.
type passing struct {
	word func(w int) Mem

	now reg.VecVirtual // the current word of each candidate; bit 0 belongs to the sample whose number is in at
	at  int
}

// to loads the word that holds the sample, unless that word is loaded already. It returns false if the sample lies
// after the end of the row.
func (p *passing) to(sample int) bool {
	w := sample / 32
	if w < rowWords && (p.now == nil || p.at/32 != w) {
		p.now, p.at = YMM(), 32*w
		VMOVDQU(p.word(w), p.now)
	}
	return w < rowWords
}

// pair returns a vector. The two lowest bits of each lane belong to the given sample and the next sample. The caller
// must not modify the vector, because pair computes later results from the same vector.
func (p *passing) pair(sample int) reg.VecVirtual {
	if !p.to(sample) {
		return zero8()
	}
	if sample > p.at {
		VPSRLD(U8(sample-p.at), p.now, p.now)
		p.at = sample
	}
	if next := sample/32 + 1; sample%32 == 31 && next < rowWords {
		x := YMM()
		VMOVDQU(p.word(next), x)
		VPADDD(x, x, x)
		VPOR(x, p.now, p.now)
	}
	return p.now
}

// selected returns value in the lanes where the bit of the given sample is 1, and 0 in the other lanes. The sample
// must be the last sample passed to pair, or at most two samples later. No shifts or permutations are used, because
// only two of a Zen 3's four vector ports execute them and pair keeps both ports busy.
func (p *passing) selected(sample int, value reg.VecVirtual, c constants) reg.VecVirtual {
	if !p.to(sample) {
		return zero8()
	}
	bit, x := c[fmt.Sprintf("bit%d", sample-p.at)], YMM()
	VPAND(bit, p.now, x)
	VPCMPEQD(bit, x, x)
	VANDPS(value, x, x)
	return x
}
