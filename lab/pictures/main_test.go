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
