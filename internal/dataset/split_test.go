package dataset

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
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
	chosen, n, err := Split{Share: 0.2, Seed: 1, Classes: make([]string, 3)}.Choose(labels)
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
		chosen, _, err := Split{Share: 0.25, Seed: seed, Classes: make([]string, 2)}.Choose(labels)
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

// TestStratifiedSmallClasses has classes of one to eight samples.
func TestStratifiedSmallClasses(t *testing.T) {
	var labels []uint8
	for c := range 8 {
		for range c + 1 {
			labels = append(labels, uint8(c))
		}
	}
	for share, want := range map[float64][]int{0.2: {0, 0, 1, 1, 1, 1, 1, 2}, 0.8: {0, 1, 2, 3, 4, 5, 6, 6}} {
		_, got := chosenOf(t, Split{Share: share, Classes: make([]string, 8)}, labels)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("share %g, samples of each class (-want +got):\n%s", share, diff)
		}
	}
}

// grouping returns random labels of four classes and random groups. Some classes occur in few groups.
func grouping(r *rand.Rand) (labels []uint8, groups *Groups) {
	groups = &Groups{}
	for g := range 2 + r.IntN(30) {
		for range 1 + r.IntN(20) {
			c := uint8(r.IntN(3))
			if g%7 == 1 && r.IntN(2) == 0 {
				c = 3
			}
			labels = append(labels, c)
			groups.add(fmt.Sprint(g))
		}
	}
	return labels, groups
}

// slowGrouped is [Split.grouped] as its comment says. It counts all samples again for each group that might move.
func slowGrouped(s Split, labels []uint8) map[int32]bool {
	taken := map[int32]bool{}
	miss := func() (sum float64, all bool) {
		for c := range s.Classes {
			in, total := 0, 0
			for i, l := range labels {
				if int(l) == c {
					if total++; taken[s.Groups.Of[i]] {
						in++
					}
				}
			}
			if total > 0 {
				sum += math.Pow(float64(in)/float64(total)-s.Share, 2)
				all = all || in == total
			}
		}
		return sum, all
	}
	order, src := make([]int, len(s.Groups.Names)), s.source()
	for i := range order {
		order[i] = i
	}
	best, least := taken, math.Inf(1)
	for range attempts {
		taken = map[int32]bool{}
		shuffle(src, order)
		for moved := true; moved; {
			moved = false
			for _, i := range order {
				g := int32(i)
				before, _ := miss()
				taken[g] = !taken[g]
				if after, all := miss(); after < before-leastGain && !all {
					moved = true
				} else {
					taken[g] = !taken[g]
				}
			}
		}
		if !slices.Contains(slices.Collect(maps.Values(taken)), true) {
			only, alone := int32(-1), math.Inf(1)
			for _, g := range order {
				taken = map[int32]bool{int32(g): true}
				if m, all := miss(); m < alone-leastGain && !all {
					only, alone = int32(g), m
				}
			}
			taken = map[int32]bool{only: true}
		}
		if m, _ := miss(); m < least-leastGain {
			best, least = taken, m
		}
	}
	return best
}

// TestGrouped compares the choice of groups with the choice of the slow function. No group may be in both parts, and
// each class must keep a sample.
func TestGrouped(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	refused := 0
	for n := range 200 {
		labels, groups := grouping(r)
		s := Split{
			Share: []float64{0.05, 0.2, 0.5, 0.8}[n%4], Seed: r.Uint64(), Classes: make([]string, 4), Groups: groups,
			Validation: n%3 == 0,
		}
		chosen, _, err := s.Choose(labels)
		if err != nil {
			refused++
			continue
		}
		want, left := slowGrouped(s, labels), [4]bool{}
		for i, in := range chosen {
			if in != want[groups.Of[i]] {
				t.Fatalf("%d: sample %d of group %d: chosen %v, want %v", n, i, groups.Of[i], in, want[groups.Of[i]])
			}
			left[labels[i]] = left[labels[i]] || !in
		}
		for i, l := range labels {
			if !left[l] {
				t.Fatalf("%d: class %d of sample %d has no sample left", n, l, i)
			}
		}
	}
	if refused > 40 {
		t.Errorf("%d of 200 tables were refused, want fewer", refused)
	}
}

// TestFewGroups divides the samples of two groups of equal size. One of them is chosen, whatever the share.
func TestFewGroups(t *testing.T) {
	groups := &Groups{}
	for i := range 40 {
		groups.add([]string{"a", "b"}[i/20])
	}
	s := Split{Share: 0.1, Classes: []string{"x", "y"}, Groups: groups}
	labels := make([]uint8, 40)
	for i := range labels {
		labels[i] = uint8(i & 1)
	}
	if _, got := chosenOf(t, s, labels); !slices.Equal(got, []int{10, 10}) {
		t.Errorf("%v samples of the classes are chosen, want 10 and 10", got)
	}
}

// TestGroupsRefused gives one group nearly all samples.
func TestGroupsRefused(t *testing.T) {
	labels, groups := make([]uint8, 100), &Groups{}
	for i := range labels {
		labels[i] = uint8(i & 1)
		groups.add([]string{"all", "few"}[max(0, i-97)&1])
	}
	s := Split{Share: 0.2, Classes: []string{"a", "b"}, Groups: groups}
	_, _, err := s.Choose(labels)
	wantError(t, err, "data.group", "whole groups give 1 of 100 samples", `"all", has 99 samples`)
	s.Validation = true
	_, _, err = s.Choose(labels)
	wantError(t, err, "the validation part, but train.validation.share is 0.2")
}

// TestOrdered checks that the last samples are chosen, and that a class that occurs only there is an error.
func TestOrdered(t *testing.T) {
	s := Split{Share: 0.25, Classes: []string{"a", "b"}, Ordered: true}
	chosen, n, err := s.Choose([]uint8{1, 0, 1, 0, 0, 1})
	if diff := cmp.Diff([]bool{false, false, false, false, true, true}, chosen); diff != "" || n != 2 || err != nil {
		t.Errorf("%d chosen, error %v (-want +got):\n%s", n, err, diff)
	}
	_, _, err = s.Choose([]uint8{0, 0, 0, 0, 0, 1})
	wantError(t, err, `data.order: class "b" occurs only in the last 2 of 6 samples, which are the test part`)
	_, _, err = s.Choose([]uint8{0})
	wantError(t, err, "data.test_share: 0.25 of 1 samples gives no test sample")
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
