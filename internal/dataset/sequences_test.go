package dataset

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"ialgn/internal/config"
)

// readSequences returns the samples and labels of one part of a generated data set.
func readSequences(t *testing.T, name string, length int, part Part) (all [][]uint16, labels []int) {
	t.Helper()
	s, err := Open(context.Background(), config.Data{Set: name, Length: length}, 8, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = s.Read(context.Background(), part, func(values []uint16, label int) error {
		all, labels = append(all, slices.Clone(values)), append(labels, label)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != s.Samples(part) || len(all[0]) != s.Features {
		t.Fatalf("%s: %d samples of %d features, want %d of %d", name, len(all), len(all[0]), s.Samples(part), s.Features)
	}
	return all, labels
}

// TestParity compares the labels with the bits. It checks that no string is in both parts, and that short strings are
// only in the training part.
func TestParity(t *testing.T) {
	for _, length := range []int{4, 5, 8, 16, 256} {
		train := map[string]bool{}
		for part := range 2 {
			all, labels := readSequences(t, "parity", length, Part(part))
			ones, first := 0, 0
			for i, values := range all {
				sum := 0
				for _, v := range values {
					sum += int(v)
				}
				if sum%2 != labels[i] {
					t.Fatalf("length %d: %v has label %d", length, values, labels[i])
				}
				ones, first = ones+labels[i], first+int(values[0])
				if key := fmt.Sprint(values); Part(part) == Train {
					train[key] = true
				} else if train[key] {
					t.Fatalf("length %d: %v is in both parts", length, values)
				}
			}
			if n := len(all); length >= 8 && (ones < n*4/10 || ones > n*6/10 || (first > n*4/10) != (Part(part) == Test)) {
				t.Errorf("length %d, part %v: %d of %d odd, %d begin with 1", length, Part(part), ones, n, first)
			}
		}
	}
}

// TestCopy checks that the label is the symbol in the middle.
func TestCopy(t *testing.T) {
	for length, at := range map[int]int{4: 1, 5: 2, 16: 7} {
		all, labels := readSequences(t, "copy", length, Test)
		for i, values := range all {
			if got := int(values[2*at]) + 2*int(values[2*at+1]); got != labels[i] {
				t.Fatalf("length %d: %v has label %d, want %d", length, values, labels[i], got)
			}
		}
	}
}

// TestSequenceContents compares the contents of the generated sets with recorded digests. Every version of the
// program must generate the same contents.
func TestSequenceContents(t *testing.T) {
	for _, k := range sequences {
		st, err := Check(context.Background(), k.name, nil)
		if err != nil || !st.Known {
			t.Errorf("%s: %+v, %v: its content has changed", k.name, st, err)
		}
	}
	if _, err := Open(context.Background(), config.Data{Set: "copy", Length: 3}, 8, nil); err == nil {
		t.Error("sequences of 3 steps: no error")
	}
}
