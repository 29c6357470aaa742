package grid

import "testing"

// TestAlign aligns cells with a bar, which must be escaped, and cells with letters of several bytes.
func TestAlign(t *testing.T) {
	got := Align([][]string{{"file", "n"}, {"a|b.csv", "10"}, {"größe", "1"}})
	want := `| file     | n  |
|----------|----|
| a\|b.csv | 10 |
| größe    | 1  |`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
