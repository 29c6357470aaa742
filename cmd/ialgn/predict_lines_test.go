package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// prediction is one result of predict. encoding/json writes it in the same form.
type prediction struct {
	Sample    int     `json:"sample"`
	Class     string  `json:"class"`
	Uncertain *bool   `json:"uncertain,omitempty"`
	Counts    []int32 `json:"counts"`
}

// isUncertain reports whether the largest count leads the second largest by less than a margin. If there is one count,
// the second largest is 0.
func isUncertain(counts []int32, margin int) bool {
	sorted := slices.Sorted(slices.Values(append([]int32{0, 0}, counts...)))
	return int(sorted[len(sorted)-1])-int(sorted[len(sorted)-2]) < margin
}

// awkward lists parts of names that CSV or JSON must quote or escape.
var awkward = []string{
	`"`, ",", "\n", "\r", "\\", "<b>", "&", "\u2028", "\x00", "\x7f", "\xff", "é", "𝔸", "\u202e", " ", "", "7", "cat",
}

// randomResults returns class names and the results of samples, with counts of all sizes.
func randomResults(r *rand.Rand, width, samples int) (names []string, classes []uint16, counts []int32) {
	for range width {
		name := ""
		for range r.IntN(5) {
			name += awkward[r.IntN(len(awkward))]
		}
		names = append(names, name)
	}
	sizes := []int32{1, 10, 11, 100, 101, 1000, 1001, math.MaxInt32}
	for range samples {
		classes = append(classes, uint16(r.IntN(width)))
		for range width {
			counts = append(counts, r.Int32N(sizes[r.IntN(len(sizes))]))
		}
	}
	return names, classes, counts
}

// TestObjectLines compares the lines with the output of encoding/json.
func TestObjectLines(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		width, first := 1+r.IntN(6), r.IntN(2)*r.IntN(1_000_000)
		names, classes, counts := randomResults(r, width, r.IntN(20))
		var got, want bytes.Buffer
		margin := r.IntN(2) * r.IntN(20)
		l := objectLines(&got, names, countNumbers, margin)
		if err := errors.Join(l.add(first, classes, counts), l.flush()); err != nil {
			t.Fatal(err)
		}
		for i, class := range classes {
			p := prediction{first + i, names[class], nil, counts[i*width:][:width]}
			if uncertain := isUncertain(p.Counts, margin); margin > 0 {
				p.Uncertain = &uncertain
			}
			if err := json.NewEncoder(&want).Encode(p); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(want.String(), got.String()); diff != "" {
			t.Fatalf("names %q (-want +got):\n%s", names, diff)
		}
	}
}

// TestTableLines reads the lines back with encoding/csv.
func TestTableLines(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 300 {
		width, first := 1+r.IntN(6), r.IntN(2)*r.IntN(1_000_000)
		names, classes, counts := randomResults(r, width, r.IntN(20))
		var out bytes.Buffer
		margin := r.IntN(2) * r.IntN(20)
		l := tableLines(&out, names, countNumbers, margin)
		if err := errors.Join(l.add(first, classes, counts), l.flush()); err != nil {
			t.Fatal(err)
		}
		want := [][]string{{"sample", "class"}}
		if margin > 0 {
			want[0] = append(want[0], "uncertain")
		}
		for _, name := range names {
			want[0] = append(want[0], "count_"+name)
		}
		for i, class := range classes {
			line := []string{strconv.Itoa(first + i), names[class]}
			if margin > 0 {
				line = append(line, map[bool]string{false: "0", true: "1"}[isUncertain(counts[i*width:][:width], margin)])
			}
			for _, n := range counts[i*width:][:width] {
				line = append(line, strconv.Itoa(int(n)))
			}
			want = append(want, line)
		}
		for _, line := range want {
			for i := range line { // the CSV reader turns \r\n into \n
				line[i] = string(bytes.ReplaceAll([]byte(line[i]), []byte("\r\n"), []byte("\n")))
			}
		}
		got, err := csv.NewReader(&out).ReadAll()
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Fatalf("names %q: error %v (-want +got):\n%s", names, err, diff)
		}
	}
}

// failing is a writer that accepts a limited number of bytes.
type failing struct{ room int }

var errFull = errors.New("full")

func (f *failing) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// TestLinesFail lets the writer fail within a block of lines, and at the last lines.
func TestLinesFail(t *testing.T) {
	classes, counts := make([]uint16, 100_000), make([]int32, 200_000)
	l := tableLines(&failing{linesRoom + 100}, []string{"a", "b"}, countNumbers, 0)
	if err := l.add(0, classes, counts); !errors.Is(err, errFull) {
		t.Errorf("error %v, want the writer's error %v", err, errFull)
	}
	l = tableLines(&failing{100}, []string{"a", "b"}, countNumbers, 0)
	if err := l.add(0, classes[:50], counts[:100]); err != nil {
		t.Fatal(err)
	}
	if err := l.flush(); !errors.Is(err, errFull) {
		t.Errorf("error %v, want the writer's error %v", err, errFull)
	}
}

// BenchmarkLines writes the lines of 1024 samples of ten classes with counts as in networks for MNIST.
func BenchmarkLines(b *testing.B) {
	const width, samples = 10, 1024
	r := rand.New(rand.NewPCG(9, 10))
	names := make([]string, width)
	classes, counts := make([]uint16, samples), make([]int32, samples*width)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	for i := range counts {
		counts[i] = r.Int32N(400)
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer null.Close()
	for name, l := range map[string]*lines{
		"csv": tableLines(null, names, countNumbers, 0), "json": objectLines(null, names, countNumbers, 0),
	} {
		b.Run("form="+name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				if err := errors.Join(l.add(i*samples, classes, counts), l.flush()); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(samples*float64(b.N)/b.Elapsed().Seconds(), "images/s")
		})
	}
}
