package ialgn_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ialgn"
)

// TestInitValidates writes configurations for tables of 1,250 rows, from which at least 1,000 are for training. A
// configuration holds out validation samples only if training can do this.
func TestInitValidates(t *testing.T) {
	for name, test := range map[string]struct {
		persons int
		o       ialgn.InitOptions
		class   func(row int) int
		want    bool
	}{
		"many persons": {20, ialgn.InitOptions{Group: "person"}, func(row int) int { return row % 2 }, true},
		"few persons":  {5, ialgn.InitOptions{Group: "person"}, func(row int) int { return row % 2 }, true},
		"order":        {20, ialgn.InitOptions{Order: "time"}, func(row int) int { return row % 2 }, true},
		// The class 2 begins in the validation part, the last tenth of 1,000 training rows.
		"class at the end": {20, ialgn.InitOptions{Order: "time"}, func(row int) int { return row%2 + row/950 }, false},
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			b.WriteString("person,size,state\n")
			for i := range 1250 {
				fmt.Fprintf(&b, "p%d,%d.5,%d\n", i/2%test.persons, i*i%97, min(test.class(i), 2))
			}
			dir := t.TempDir()
			test.o.Data, test.o.Path = filepath.Join(dir, "t.csv"), filepath.Join(dir, "t.yaml")
			if err := os.WriteFile(test.o.Data, []byte(b.String()), 0o666); err != nil {
				t.Fatal(err)
			}
			if _, err := ialgn.Init(t.Context(), test.o); err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(test.o.Path)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(string(text), "validation:"); got != test.want {
				t.Errorf("holds samples out: %v, want %v, in\n%s", got, test.want, text)
			}
			cfg, err := ialgn.LoadConfig(ialgn.TrainOptions{}, test.o.Path, "train.epochs=1", "model.width=6", "model.tau=1")
			if err != nil {
				t.Fatal(err)
			}
			m, err := ialgn.Train(t.Context(), cfg, ialgn.Data{}, ialgn.TrainOptions{})
			if err != nil {
				t.Fatal(err)
			}
			m.Close()
		})
	}
}
