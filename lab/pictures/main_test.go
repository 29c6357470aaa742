package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ialgn/internal/testkit"
)

// TestStream simulates the wrapper again and checks that the picture in the documentation is up to date.
func TestStream(t *testing.T) {
	testkit.FindTool(t, "iverilog")
	dir := t.TempDir()
	if err := design(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	got, err := stream(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join("..", "..", "docs", "pictures", "stream.svg"))
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Error("docs/pictures/stream.svg is not what the simulation shows: run `go run ./lab/pictures`")
	}
}

// TestDraw draws a bit that rises in the second time step, and a bus. It also checks that a dump that lacks a signal
// is refused.
func TestDraw(t *testing.T) {
	dump := "$var reg 1 ! a $end $var reg 4 \" b [3:0] $end $enddefinitions $end\n#0\n0!\nb101 \"\n#1\n1!\n#3\n"
	svg, err := draw([]byte(dump), []string{"a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"M100 40H124L124 20H148L148 20H172", ">5</text>"} {
		if !strings.Contains(string(svg), want) {
			t.Errorf("no %s in\n%s", want, svg)
		}
	}
	if _, err := draw([]byte(dump), []string{"c"}); err == nil {
		t.Error("a signal that the dump lacks is drawn")
	}
}

// TestRejection draws the accuracy of a model that answers all or half of the samples. It also checks that JSON of
// another command is refused.
func TestRejection(t *testing.T) {
	file := filepath.Join(t.TempDir(), "eval.json")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"rejection": [{"margin": 0, "answered": 1, "accuracy": 0.8, "balanced_accuracy": 0.7},
		{"margin": 1, "answered": 0.5, "accuracy": 0.9, "balanced_accuracy": 0.85}]}`)
	svg, err := rejection(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{">samples answered (%)<", ">accuracy<", ">balanced accuracy<"} {
		if !strings.Contains(string(svg), want) {
			t.Errorf("no %s in\n%s", want, svg)
		}
	}
	for _, other := range []string{`{"samples": 3}`, "sample,class"} {
		write(other)
		if _, err := rejection(file); err == nil || !strings.Contains(err.Error(), "ialgn eval MODEL --json") {
			t.Errorf("%s: error %v, want the command that writes the file", other, err)
		}
	}
}
