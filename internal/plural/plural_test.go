package plural

import "testing"

func TestOf(t *testing.T) {
	for n, want := range map[int]string{0: "0 batches", 1: "1 batch", 2: "2 batches", -1: "-1 batches"} {
		if got := Of(n, "batch", "batches"); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
