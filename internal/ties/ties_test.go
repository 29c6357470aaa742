package ties

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestWinner compares the winner with the class of the largest count that has the first place.
func TestWinner(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		classes := 1 + r.IntN(6)
		order := r.Perm(classes)
		if Check(order, classes) != nil {
			order = nil
		}
		counts := make([]int32, classes)
		for c := range counts {
			counts[c] = int32(r.IntN(3))
		}
		want, places := -1, Places(order, classes)
		for c, n := range counts {
			if n == slices.Max(counts) && (want < 0 || places[c] < places[want]) {
				want = c
			}
		}
		if got := Winner(counts, order); got != want {
			t.Errorf("counts %v, order %v: class %d, want %d", counts, order, got, want)
		}
	}
}

// TestCheck checks which orders are refused.
func TestCheck(t *testing.T) {
	for _, test := range []struct {
		order []int
		want  string
	}{
		{nil, ""},
		{[]int{2, 0, 1}, ""},
		{[]int{0, 1, 2}, "the tie order is ascending, want none"},
		{[]int{}, "a tie order of 0 classes, want 3"},
		{[]int{1, 0}, "a tie order of 2 classes, want 3"},
		{[]int{1, 0, 3}, "tie order: class 3, want 0 to 2"},
		{[]int{1, 0, -1}, "tie order: class -1, want 0 to 2"},
		{[]int{1, 0, 1}, "tie order: class 1 occurs twice"},
	} {
		if err := Check(test.order, 3); (err == nil) != (test.want == "") || err != nil && err.Error() != test.want {
			t.Errorf("%v: error %v, want %q", test.order, err, test.want)
		}
	}
}

// TestTexts checks the forms that written files have.
func TestTexts(t *testing.T) {
	order := []uint16{2, 0, 1}
	for got, want := range map[string]string{
		Rule[int](nil): "the lowest class", Rule(order): "the first class in the order 2 0 1",
		Verilog(order, 2): "6'h12", Verilog([]uint16{0, 1, 2, 3}, 3): "12'h688", Verilog([]uint16{1, 0}, 1): "2'h1",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
