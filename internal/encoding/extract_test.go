package encoding

import (
	"slices"
	"testing"
)

// numbered returns n samples of 13 features of 7 bits, in chunks of 16 samples. The values and the label of a sample
// encode the sample's number.
func numbered(n int) *Packed {
	p := NewPacked(13, 7)
	p.shift = 4
	for i := range n {
		values := make([]uint16, 13)
		for f := range values {
			values[f] = uint16((i + f) % 128)
		}
		p.Append(values, i)
	}
	return p
}

// numbers returns the numbers of samples that come from a call of numbered. It checks all their values first.
func numbers(t *testing.T, p *Packed) []int32 {
	t.Helper()
	var all []int32
	values := make([]uint16, 13)
	for i, label := range p.Labels {
		p.Values(values, i)
		for f, v := range values {
			if int(v) != (int(label)+f)%128 {
				t.Fatalf("sample %d: feature %d is %d", label, f, v)
			}
		}
		all = append(all, int32(label))
	}
	return all
}

func TestExtract(t *testing.T) {
	for _, index := range [][]int32{{}, {0}, {99}, {0, 1, 2}, {3, 50, 51, 98, 99}} {
		p := numbered(100)
		out := p.Extract(index)
		if got := numbers(t, out); !slices.Equal(got, index) {
			t.Errorf("samples %v: Extract took out %v", index, got)
		}
		want := slices.DeleteFunc(numbers(t, numbered(100)), func(i int32) bool { return slices.Contains(index, i) })
		if got := numbers(t, p); !slices.Equal(got, want) || len(p.chunks) != (len(want)+15)/16 {
			t.Errorf("samples %v: Extract left %v", index, got)
		}
		p.Append(make([]uint16, 13), 0)
		if p.Len() != len(want)+1 || p.Row(len(want))[0] != 0 {
			t.Errorf("%v: a sample added after Extract does not follow the remaining ones", index)
		}
	}
	for _, index := range [][]int32{{-1}, {100}, {5, 5}, {6, 5}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%v: no panic", index)
				}
			}()
			numbered(100).Extract(index)
		}()
	}
}
