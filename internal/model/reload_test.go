package model_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/model"
	"ialgn/internal/netgen"
)

// TestReload reads the parameters of another model into a model of the same form. The arrays must stay in place, and
// the model must keep its record.
func TestReload(t *testing.T) {
	for _, form := range netgen.Forms() {
		t.Run(form.Name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "other")
			other := form.Model()
			if _, err := other.Save(path); err != nil {
				t.Fatal(err)
			}
			form.Options.Seed += 17
			m := form.Model()
			ops, record := &m.Sections[0].Ops[0], m.Record
			thresholds := &m.Encoder.Thresholds[0][0]
			*thresholds = 0 // differs from the file's
			if err := m.Reload(path); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(other.Sections, m.Sections); diff != "" {
				t.Errorf("sections (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(other.Encoder, m.Encoder); diff != "" || &m.Encoder.Thresholds[0][0] != thresholds {
				t.Errorf("the thresholds have a new array, or the encoder differs (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(record, m.Record); diff != "" || &m.Sections[0].Ops[0] != ops {
				t.Errorf("the record changed, or the arrays are new:\n%s", diff)
			}
		})
	}
}

func TestReloadRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "other")
	b := fileOf(t, netgen.Model(netgen.ModelOptions{}), model.Extra{})
	wide := fileOf(t, netgen.Model(netgen.ModelOptions{Width: 900}), model.Extra{})
	nan := bytes.Clone(b)
	copy(nan[len(nan)-len(nan)%4-400:], bytes.Repeat([]byte{0xff}, 400))
	for _, c := range []struct {
		name string
		file []byte
		want string
	}{
		{"another width", wide, "shape"},
		{"cut off", b[:len(b)-1], "other"},
		{"no numbers", nan, "other"},
	} {
		if err := os.WriteFile(path, c.file, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := netgen.Model(netgen.ModelOptions{}).Reload(path); err == nil || !strings.Contains(err.Error(), c.want) ||
			!strings.HasPrefix(err.Error(), path) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		}
	}
}
