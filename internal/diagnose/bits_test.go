package diagnose

import "testing"

// TestDigest changes each field of a Bits value and checks that the digest changes.
func TestDigest(t *testing.T) {
	seen := map[[32]byte]int{}
	for i, b := range []*Bits{
		NewBits(64, []uint8{1, 2}),
		NewBits(63, []uint8{1, 2}),
		NewBits(65, []uint8{1, 2}),
		NewBits(64, []uint8{2, 1}),
		NewBits(64, []uint8{1, 2, 0}),
		NewBits(64, []uint8{1, 2}),
		NewBits(64, []uint8{1, 2}),
		NewBits(65, []uint8{1, 2}),
	} {
		switch i {
		case 5:
			b.Sample(0)[0] = 1 << 63
		case 6:
			b.Sample(1)[0] = 1 << 63
		case 7:
			b.Sample(1)[1] = 1
		}
		if first, ok := seen[b.Digest()]; ok {
			t.Errorf("bits %d and %d have the same digest", first, i)
		}
		seen[b.Digest()] = i
	}
	if i, ok := seen[NewBits(63, []uint8{1, 2}).Digest()]; !ok || i != 1 {
		t.Error("the same bits have two digests")
	}
}
