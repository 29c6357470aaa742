package trainer

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ialgn/internal/config"
	"ialgn/internal/encoding"
)

func TestHoldOut(t *testing.T) {
	set := func(n int) *encoding.Packed {
		p := encoding.NewPacked(1, 8)
		for i := range n {
			p.Append([]uint16{uint16(i)}, i)
		}
		return p
	}
	for _, c := range []struct {
		samples int
		share   float64
		want    int
	}{{200, 0.1, 20}, {200, 0.9, 180}, {200, 0.0001, 1}, {3, 0.9, 2}, {2, 0.9, 1}, {25, 0.1, 3}} {
		d := &Data{Train: set(c.samples), Words: set(c.samples)}
		err := d.holdOut(config.Validation{Share: c.share}, 1)
		if err != nil || d.held.Len() != c.want || d.Train.Len() != c.samples-c.want {
			t.Errorf("%+v: %d held, %d left, error %v", c, d.held.Len(), d.Train.Len(), err)
		}
		if !bytes.Equal(d.Words.Labels, d.Train.Labels) || !bytes.Equal(d.heldWords.Labels, d.held.Labels) {
			t.Errorf("%+v: words and levels are of other samples", c)
		}
	}
	if err := (&Data{Train: set(1)}).holdOut(config.Validation{Share: 0.5}, 1); err == nil {
		t.Error("a single sample was split")
	}
	draws := map[string]bool{}
	for _, seed := range []uint64{1, 1, 2} {
		d := &Data{Train: set(200)}
		if err := d.holdOut(config.Validation{Share: 0.1}, seed); err != nil || d.heldWords != nil {
			t.Fatal(err)
		}
		draws[string(d.held.Labels)] = true
	}
	if len(draws) != 2 {
		t.Errorf("two seeds, one of them twice, gave %d draws", len(draws))
	}
}

// TestHoldOutOfTable trains on a table of 20 rows of each of two classes, from ten users. It checks which rows become
// the validation set: a share of each class, whole users, or the last rows.
func TestHoldOutOfTable(t *testing.T) {
	var text strings.Builder
	text.WriteString("user,row,class\n")
	for i := range 40 {
		fmt.Fprintf(&text, "u%d,%d,%s\n", i%10, i, []string{"a", "b"}[i/10%2])
	}
	file := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(file, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, keys := range map[string]string{"class": "drop: user", "user": "group: user", "time": "drop: user, order: time"} {
		cfg, err := config.Parse("t.yaml", fmt.Appendf(nil, "data: {set: csv, train: %s, test_share: 0.25, %s}\n"+
			"encoder: {raw: true, bits_in: 6, thresholds: learned}\nmodel: {width: 20, anchors: 4, tau: 2}\ntrain: {validation: {share: 0.2}}", file, keys), nil)
		if err != nil {
			t.Fatal(err)
		}
		data, err := LoadData(t.Context(), cfg, nil)
		if err == nil {
			err = data.holdOut(cfg.Train.Validation, cfg.Train.Seed)
		}
		if err != nil {
			t.Fatal(err)
		}
		parts := []map[int]bool{rowsOf(data.Words), rowsOf(data.heldWords), rowsOf(data.TestWords)}
		switch name {
		case "class":
			if n := bytes.Count(data.held.Labels, []byte{0}); n != 3 || data.held.Len() != 6 || data.Test.Len() != 10 {
				t.Errorf("%d held, %d of class a; %d test samples", data.held.Len(), n, data.Test.Len())
			}
		case "user":
			users := map[int]int{}
			for part, rows := range parts {
				for row := range rows {
					if users[row%10] |= 1 << part; users[row%10]&(users[row%10]-1) != 0 {
						t.Errorf("user %d is in several parts", row%10)
					}
				}
			}
			if len(users) != 10 || data.held.Len() == 0 {
				t.Errorf("%d users, %d held", len(users), data.held.Len())
			}
		case "time":
			for row := range 40 {
				part := 0
				if row >= 24 {
					part = 1
				}
				if row >= 30 {
					part = 2
				}
				if !parts[part][row] {
					t.Errorf("row %d is not in part %d", row, part)
				}
			}
		}
	}
}

// rowsOf returns the first feature of all samples.
func rowsOf(p *encoding.Packed) map[int]bool {
	rows, value := map[int]bool{}, make([]uint16, 1)
	for i := range p.Len() {
		p.Values(value, i)
		rows[int(value[0])] = true
	}
	return rows
}
