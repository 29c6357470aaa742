package verilog

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTags adds tags to vectors and removes them again. If a set of samples is written in parts, the tag of a sample
// must not depend on the part. If tags have eight bits or more, neighbouring samples must have different tags.
func TestTags(t *testing.T) {
	v := Vectors{Samples: 70, Words: 2, Inputs: []uint64{1, 2, 3, 4}, Outputs: []uint64{5, 6}, Probes: []uint64{7, 8}}
	for _, bits := range []int{0, 1, 8, 64} {
		with := v.WithTags(bits)
		if got, want := len(with.Inputs)+len(with.Outputs), len(v.Inputs)+len(v.Outputs)+4*bits; got != want {
			t.Errorf("%d bits: %d words, want %d", bits, got, want)
		}
		if diff := cmp.Diff(with.Inputs[4:], with.Outputs[2:]); diff != "" {
			t.Errorf("%d bits: the tags wanted are others than those given:\n%s", bits, diff)
		}
		if diff := cmp.Diff(v, with.WithoutTags(bits)); diff != "" {
			t.Errorf("%d bits: not the same without the tags (-want +got):\n%s", bits, diff)
		}
	}
	whole, part := TagRows(8, 2, 0, 70), TagRows(8, 1, 64, 6)
	for b := range 8 {
		if whole[2*b+1] != part[b] {
			t.Errorf("bit %d: samples 64 and up have other tags as a part of their own", b)
		}
	}
	for s := range uint64(1000) {
		if tagOf(s)&0xff == tagOf(s+1)&0xff && tagOf(s) == tagOf(s+2) || tagOf(s) == tagOf(s+1) {
			t.Errorf("sample %d has the tag of the next", s)
		}
	}
}
