package dataset

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/config"
)

func TestStratified(t *testing.T) {
	var labels []uint8
	for i := range 1000 {
		labels = append(labels, uint8(i%10/7)) // 700 and 300
	}
	labels = append(labels, 2) // a class of one sample stays in the training part
	chosen, n, err := stratified(labels, 3, 0.2, 1)
	if err != nil {
		t.Fatal(err)
	}
	counts, total := [3]int{}, 0
	for i, c := range chosen {
		if c {
			counts[labels[i]]++
			total++
		}
	}
	if counts != [3]int{140, 60, 0} || total != n {
		t.Errorf("test samples per class %v, %d in all; want 140, 60, 0", counts, n)
	}
}

// TestStratifiedStream compares the choice of test samples with a recorded choice. The split of a data set must never
// change.
func TestStratifiedStream(t *testing.T) {
	labels := make([]uint8, 40)
	for i := range labels {
		labels[i] = uint8(i & 1)
	}
	pick := func(seed uint64) string {
		chosen, _, err := stratified(labels, 2, 0.25, seed)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, c := range chosen {
			b.WriteByte(".x"[map[bool]int{true: 1}[c]])
		}
		return b.String()
	}
	want := map[uint64]string{
		0: "..x..x..xx.xxxx..........x..x...........",
		1: "...xx.....x...x.x..x.xxx.............x..",
	}
	for seed, w := range want {
		if diff := cmp.Diff(w, pick(seed)); diff != "" {
			t.Errorf("seed %d (-want +got):\n%s", seed, diff)
		}
	}
}

func TestBelow(t *testing.T) {
	src := rand.NewPCG(1, 2)
	counts := [7]int{}
	for range 70000 {
		counts[below(src, 7)]++
	}
	for v, n := range counts {
		if n < 9600 || n > 10400 { // more than four standard deviations
			t.Errorf("%d of 70000 draws are %d", n, v)
		}
	}
	// 2^64 mod (2^63+1) is 2^63-1, so exactly the words below this number are rejected.
	if got := below(&words{5, 1<<63 - 2, 1<<63 - 1, 9}, 1<<63+1); got != 1<<63-1 {
		t.Errorf("draw %d, want the first word that is not rejected", got)
	}
}

// words is a random source that returns the given words.
type words []uint64

func (w *words) Uint64() uint64 {
	x := (*w)[0]
	*w = (*w)[1:]
	return x
}

// TestCSVSplit checks that the parts are disjoint, keep the order of the file and together are the whole file. The
// quantiser must be computed only from the training part.
func TestCSVSplit(t *testing.T) {
	var text strings.Builder
	for i := range 256 {
		fmt.Fprintf(&text, "%d,%c\n", i, 'a'+i%2)
	}
	part := func(seed uint64) (s *Set, train, test []sample) {
		s, err := openCSVText(t, config.Data{TestShare: 0.25, SplitSeed: seed}, 8, text.String(), "")
		if err != nil {
			t.Fatal(err)
		}
		return s, mustCollect(t, s, Train), mustCollect(t, s, Test)
	}
	s, train, test := part(3)
	if len(train) != 192 || len(test) != 64 || s.TrainSamples != 192 || s.TestSamples != 64 {
		t.Fatalf("%d + %d samples, want 192 + 64", len(train), len(test))
	}
	lo, hi := s.Quantiser.Offset[0], s.Quantiser.Offset[0]+255/s.Quantiser.Scale[0]
	whole := map[uint16]int{}
	for _, r := range append(train, test...) {
		whole[r.Values[0]]++
	}
	if train[0].Values[0] != 0 || train[len(train)-1].Values[0] != 255 || lo < 0 || hi > 255 {
		t.Errorf("training values %d..%d, quantised from %g..%g", train[0].Values[0], train[len(train)-1].Values[0], lo, hi)
	}
	if len(whole) < 250 {
		t.Errorf("%d different values in both parts, want nearly 256", len(whole))
	}
	again, _, _ := part(3)
	other, _, _ := part(4)
	if again.Digest(Train) != s.Digest(Train) || again.Digest(Test) != s.Digest(Test) {
		t.Error("the same seed gives another split")
	}
	if other.Digest(Test) == s.Digest(Test) {
		t.Error("another seed gives the same split")
	}
}
