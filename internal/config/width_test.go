package config_test

import (
	"testing"

	"ialgn/internal/config"
)

// TestFitWidth rounds the default width to a multiple of the classes and keeps a given width.
func TestFitWidth(t *testing.T) {
	const text = "data: {set: csv, train: t.csv}\nencoder: {bits: 4}\nmodel: {tau: 3}\n"
	for _, test := range []struct {
		name    string
		sets    []string
		classes int
		want    int
		given   bool
	}{
		{"default", nil, 3, 8001, false},
		{"default that fits", nil, 10, 8000, false},
		{"down", nil, 7, 8001, false},
		{"more classes than chains", []string{"model.width=2"}, 3, 2, true},
		{"given", []string{"model.width=8000"}, 3, 8000, true},
	} {
		c, err := config.Parse("m.yaml", []byte(text), test.sets)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.FitWidth(test.classes).Model.Width; got != test.want || c.WidthGiven() != test.given {
			t.Errorf("%s: width %d (given: %v), want %d", test.name, got, c.WidthGiven(), test.want)
		}
		if err := c.FitWidth(test.classes).CheckClasses(test.classes, 100); (err != nil) != (test.want%test.classes != 0) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	c := config.Default()
	if got := c.FitWidth(3).Model.Width; got != 8000 {
		t.Errorf("configuration made in code: width %d, want 8000", got)
	}
}
