package report

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/dataset"
	"ialgn/internal/explain"
)

// ofImages replaces the network of a page by a network for images with two planes, two rows and three columns. The
// network has the given number of classes.
func ofImages(p *Page, classes int) *Page {
	p.Shape = dataset.Shape{Planes: 2, Height: 2, Width: 3}
	p.Reads = &explain.Reads{All: []int{6, 0, 0, 0, 0, 3, 0, 0, 1, 0, 0, 3}}
	p.Info.Model.Classes, p.Test = nil, nil
	for c := range classes {
		p.Info.Model.Classes = append(p.Info.Model.Classes, fmt.Sprintf("%s %d", evil, c))
		by := make([]int, 12)
		by[c%12] = c + 1
		p.Reads.ByClass = append(p.Reads.ByClass, by)
	}
	return p
}

// shades returns the opacity of each pixel in a picture, which is given as a data URL.
func shades(t *testing.T, address string) (rows [][]uint8) {
	t.Helper()
	data, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(address, "data:image/png;base64,"))
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for y := range img.Bounds().Dy() {
		var row []uint8
		for x := range img.Bounds().Dx() {
			_, _, _, a := img.At(x, y).RGBA()
			row = append(row, uint8(a>>8))
		}
		rows = append(rows, row)
	}
	return rows
}

// TestHeatMaps checks that there is a map of all classes and one for each class, that a map adds up the planes, and
// that all maps of classes have the same scale.
func TestHeatMaps(t *testing.T) {
	for _, classes := range []int{2, 8, 9, 100} {
		out := html(t, ofImages(full(), classes))
		got := read(t, out)
		if len(got.pictures) != 1+classes {
			t.Fatalf("%d pictures for %d classes, want one more than classes", len(got.pictures), classes)
		}
		if diff := cmp.Diff([][]uint8{{255, 0, 75}, {0, 0, 255}}, shades(t, got.pictures[0])); diff != "" {
			t.Errorf("all classes (-want +got):\n%s", diff)
		}
		one := uint8(faintest + (255-faintest)*1/classes)
		if diff := cmp.Diff([][]uint8{{one, 0, 0}, {0, 0, 0}}, shades(t, got.pictures[1])); diff != "" {
			t.Errorf("the first of %d classes (-want +got):\n%s", classes, diff)
		}
		last, where := shades(t, got.pictures[classes]), (classes-1)%12%6
		if v := last[where/3][where%3]; v != 255 {
			t.Errorf("the last of %d classes, at %d: %v", classes, where, last)
		}
		if want := "class " + evil + " 1: 1 of 6 pixels are read, 2 times"; !slices.Contains(got.titles, want) {
			t.Errorf("no map has the title %q", want)
		}
		if want := []string{"6", evil + " 0", "100.00 %", ""}; classes == 2 {
			if diff := cmp.Diff(want, got.rows["feature 0 (plane 0, row 0, column 0)"]); diff != "" {
				t.Errorf("row of the first pixel (-want +got):\n%s", diff)
			}
		}
	}
}

// TestMostRead checks that the list of features is cut off if it is long, and that features that nothing reads have no
// class.
func TestMostRead(t *testing.T) {
	p := full()
	p.Reads = &explain.Reads{All: make([]int, mostFeatures+1), ByClass: [][]int{make([]int, mostFeatures+1), make([]int, mostFeatures+1)}}
	p.Reads.All[7], p.Reads.ByClass[1][7] = 5, 5
	got := read(t, html(t, p))
	if diff := cmp.Diff([]string{"5", "one", "100.00 %", ""}, got.rows["feature 7"]); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"0", "", "", ""}, got.rows["feature 99"]); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if _, ok := got.rows["feature 100"]; ok || !strings.Contains(got.all, "The 100 of 101 features with the most reads") {
		t.Error("the list is not cut off, or does not say so")
	}
}
