package encoding

import "fmt"

// Thermometer turns bit planes of levels into thermometer bits. Input bit j of a feature is level >= j, for j = 1 ..
// Bits-1. planes holds the bit rows of the levels, as [Packed.Gather] writes them. It has Features()*LevelBits()
// rows. dst receives Inputs() rows. Each row has the given number of words.
//
// It panics if planes or dst is too short. It allocates nothing, and several goroutines may call it at once.
//
// The comparison is bit-sliced and recursive over the digits of the level. If x is a binary digit of weight h, and
// T'_j is the comparison of the digits below x with j, then
//
//	T_j = x | T'_j        for j < h
//	T_h = x
//	T_j = x & T'_{j-h}    for j > h
func (e *Encoder) Thermometer(dst, planes []uint64, words int) {
	features, rows, digits := e.Features(), e.Bits-1, e.LevelBits()
	if len(planes) < features*digits*words || len(dst) < features*rows*words {
		panic(fmt.Sprintf("encoding: %d words of planes and %d of bits for %d features, %d words a row",
			len(planes), len(dst), features, words))
	}
	e.spread(dst, planes, words, features)
}

// spread is [Encoder.Thermometer] for some features. planes and dst hold only the rows of these features.
func (e *Encoder) spread(dst, planes []uint64, words, features int) {
	rows, digits := e.Bits-1, e.LevelBits()
	for f := range features {
		x := planes[f*digits*words : (f+1)*digits*words]
		t := dst[f*rows*words : (f+1)*rows*words]
		switch {
		case rows == 1:
			copy(t, x)
		case rows == 3:
			spread3(t, x, words)
		case rows == 7:
			spread7(t, x, words)
		case rows == 15 && words == 2:
			spread15Pairs((*[2 * 15]uint64)(t), (*[2 * 4]uint64)(x))
		case rows == 15:
			spread15(t, x, words)
		default:
			spreadAny(t, x, words, rows, digits)
		}
	}
}

// spreadAny handles any number of rows. Only the last digit can lead to comparisons beyond the last row. These
// comparisons are computed but not written.
func spreadAny(t, x []uint64, words, rows, digits int) {
	var c [MaxBits]uint64
	for w := range words {
		for d := range digits {
			h, top := 1<<d, x[d*words+w]
			c[h] = top
			for j := 1; j < h; j++ {
				c[h+j] = top & c[j]
				c[j] |= top
			}
		}
		for j := range rows {
			t[j*words+w] = c[j+1]
		}
	}
}

func spread3(t, x []uint64, words int) {
	x0, x1 := x[:words], x[words:2*words]
	t1, t2, t3 := t[:words], t[words:2*words], t[2*words:3*words]
	for w := range words {
		t1[w], t2[w], t3[w] = x0[w]|x1[w], x1[w], x0[w]&x1[w]
	}
}

func spread7(t, x []uint64, words int) {
	x0, x1, x2 := x[:words], x[words:2*words], x[2*words:3*words]
	t = t[:7*words]
	for w := range words {
		a, b, c := x0[w]|x1[w], x1[w], x0[w]&x1[w]
		h := x2[w]
		t[w], t[words+w], t[2*words+w] = h|a, h|b, h|c
		t[3*words+w] = h
		t[4*words+w], t[5*words+w], t[6*words+w] = h&a, h&b, h&c
	}
}

func spread15(t, x []uint64, words int) {
	x0, x1, x2, x3 := x[:words], x[words:2*words], x[2*words:3*words], x[3*words:4*words]
	t = t[:15*words]
	for w := range words {
		a, b, c := x0[w]|x1[w], x1[w], x0[w]&x1[w]
		d, h := x2[w], x3[w]
		t[w], t[words+w], t[2*words+w] = h|d|a, h|d|b, h|d|c
		t[3*words+w] = h | d
		t[4*words+w], t[5*words+w], t[6*words+w] = h|d&a, h|d&b, h|d&c
		t[7*words+w] = h
		t[8*words+w], t[9*words+w], t[10*words+w] = h&(d|a), h&(d|b), h&(d|c)
		t[11*words+w] = h & d
		t[12*words+w], t[13*words+w], t[14*words+w] = h&d&a, h&d&b, h&d&c
	}
}

// spread15Pairs is spread15 for two-word rows. Batches of 65 to 128 samples have such rows. With constant offsets, it
// takes two thirds of the time.
func spread15Pairs(t *[2 * 15]uint64, x *[2 * 4]uint64) {
	for w := range 2 {
		a, b, c := x[w]|x[2+w], x[2+w], x[w]&x[2+w]
		d, h := x[4+w], x[6+w]
		t[w], t[2+w], t[4+w] = h|d|a, h|d|b, h|d|c
		t[6+w] = h | d
		t[8+w], t[10+w], t[12+w] = h|d&a, h|d&b, h|d&c
		t[14+w] = h
		t[16+w], t[18+w], t[20+w] = h&(d|a), h&(d|b), h&(d|c)
		t[22+w] = h & d
		t[24+w], t[26+w], t[28+w] = h&d&a, h&d&b, h&d&c
	}
}
