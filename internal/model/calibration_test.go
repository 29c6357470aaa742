package model_test

import (
	"encoding/json"
	"math"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/internal/testkit"
)

// TestMargin compares the margin of a share with a count of the uncertain samples.
func TestMargin(t *testing.T) {
	c := &model.Calibration{Samples: 100, Temperature: 1, Leads: []int{3, 0, 4, 0, 22, 71}, Correct: make([]int, 6)}
	for _, test := range []struct {
		share float64
		want  int
	}{
		{0, 1}, {0.0299, 1}, {0.03, 2}, {0.0699, 2}, {0.07, 4}, {0.28, 4}, {0.29, 5}, {0.99, 5}, {1, 5},
	} {
		if got := c.Margin(test.share); got != test.want {
			t.Errorf("share %v: margin %d, want %d", test.share, got, test.want)
		}
	}
	equal := &model.Calibration{Samples: 2, Temperature: 1, Leads: []int{2}, Correct: []int{1}}
	if got := equal.Margin(1); got != 1 {
		t.Errorf("leads of 0 only: margin %d, want 1", got)
	}
}

// TestOffsetsVersion checks that a model gets version 5 only if it has offsets or a tie order, and that both go with
// all forms of networks. A calibration does not change the version.
func TestOffsetsVersion(t *testing.T) {
	recurrent := recurrentNetwork(t)
	for name, m := range map[string]*model.Model{
		"1": netgen.Model(netgen.ModelOptions{Seed: 1}),
		"2": netgen.Model(netgen.ModelOptions{Inputs: 4, Depth: 2, Seed: 2}),
		"3": netgen.ConvForms()[0].Model(),
		"4": recurrent,
	} {
		group := m.Width / len(m.Classes)
		m.Calibration = &model.Calibration{Samples: 3, Temperature: 2.5, Leads: []int{0, 1, 2}, Correct: []int{0, 0, 2}}
		for i := range 4 {
			want := name
			if m.Offsets, m.Ties = nil, nil; i > 0 {
				want = "5"
			}
			if i&1 > 0 {
				m.Offsets = netgen.Offsets(7, len(m.Classes), group)
			}
			if i&2 > 0 {
				m.Ties = netgen.Ties(7, len(m.Classes))
			}
			h, _ := split(t, fileOf(t, m, model.Extra{}))
			if h.Meta["version"] != want {
				t.Errorf("version %q, want %q for offsets %v, ties %v", h.Meta["version"], want, m.Offsets, m.Ties)
			}
			path := filepath.Join(t.TempDir(), "m.safetensors")
			if _, err := m.Save(path); err != nil {
				t.Fatal(err)
			}
			got, err := model.ReadFrozen(path)
			if diff := cmp.Diff(m.Freeze(), got); diff != "" || err != nil {
				t.Errorf("version %s with offsets %v, ties %v: error %v (-want +got):\n%s", name, m.Offsets, m.Ties, err, diff)
			}
			if !cmp.Equal(got.Offsets, m.Offsets) || !cmp.Equal(got.Ties, m.Ties) || !cmp.Equal(got.Calibration, m.Calibration) {
				t.Errorf("version %s: offsets %v, ties %v, calibration %v", name, got.Offsets, got.Ties, got.Calibration)
			}
			checkCompact(t, path, m)
		}
	}
}

// TestCalibrationErrors changes the entries offsets, ties and calibration of a valid file.
func TestCalibrationErrors(t *testing.T) {
	m := netgen.Model(netgen.ModelOptions{Offsets: true, Seed: 3}) // 10 chains for each of 3 classes
	m.Offsets, m.Ties = []int{4, 0, 10}, []int{2, 0, 1}
	file := fileOf(t, m, model.Extra{})
	changed := func(change func(c *model.Calibration)) string {
		c := model.Calibration{Samples: 5, Temperature: 1, Leads: []int{2, 0, 3}, Correct: []int{1, 0, 3}}
		change(&c)
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for _, test := range []struct{ name, entry, text, want string }{
		{"few", "offsets", "[0,1]", "2 offsets for 3 classes"},
		{"many", "offsets", "[0,1,2,3]", "4 offsets for 3 classes"},
		{"null", "offsets", "null", "metadata: offsets in version 5, want version 5 and a list"},
		{"negative", "offsets", "[0,-1,2]", "class 1: offset -1, want 0 to 10"},
		{"large", "offsets", "[0,1,11]", "class 2: offset 11, want 0 to 10"},
		{"not whole", "offsets", "[0,1,2.5]", "metadata: offsets"},
		{"smallest", "offsets", "[1,2,3]", "the smallest offset is 1, want 0"},
		{"version 1", "version", "1", "metadata: offsets in version 1, want version 5 and a list"},
		{"few", "ties", "[1,0]", "a tie order of 2 classes, want 3"},
		{"null", "ties", "null", "metadata: ties in version 5, want version 5 and a list"},
		{"twice", "ties", "[1,0,1]", "tie order: class 1 occurs twice"},
		{"unknown", "ties", "[1,0,3]", "tie order: class 3, want 0 to 2"},
		{"negative", "ties", "[1,0,-1]", "tie order: class -1, want 0 to 2"},
		{"ascending", "ties", "[0,1,2]", "the tie order is ascending, want none"},
		{"not whole", "ties", "[0,2.5,1]", "metadata: ties"},
		{"null", "calibration", "null", "calibration: 0 samples, want 1"},
		{"unknown", "calibration", `{"x":1}`, `unknown field "x"`},
		{"temperature", "calibration", changed(func(c *model.Calibration) { c.Temperature = 0 }), "temperature 0, want a number"},
		{"huge", "calibration", `{"temperature":1e999}`, "metadata: calibration"},
		{"no leads", "calibration", changed(func(c *model.Calibration) { c.Leads = nil }), "0 leads, want 1 to 21"},
		{"many leads", "calibration", changed(func(c *model.Calibration) {
			c.Leads = append(make([]int, 21), 5)
		}), "22 leads, want 1 to 21"},
		{"no last lead", "calibration", changed(func(c *model.Calibration) { c.Leads = []int{5, 0} }), "and the last one above 0"},
		{"correct", "calibration", changed(func(c *model.Calibration) { c.Correct = []int{1} }), "1 numbers of correct samples"},
		{"too correct", "calibration", changed(func(c *model.Calibration) { c.Correct[0] = 3 }), "3 correct samples of 2"},
		{"negative", "calibration", changed(func(c *model.Calibration) { c.Leads[0] = -1 }), "-1 samples with lead 0"},
		{"negative correct", "calibration", changed(func(c *model.Calibration) { c.Correct[0] = -1 }), "-1 correct samples"},
		{"more", "calibration", changed(func(c *model.Calibration) { c.Samples = 4 }), "3 samples with lead 2, want 0 to 2"},
		{"fewer", "calibration", changed(func(c *model.Calibration) { c.Samples = 6 }), "not those of all samples"},
		{"samples", "calibration", changed(func(c *model.Calibration) { c.Samples = math.MaxInt }), "samples, want 1 to"},
	} {
		t.Run(test.entry+"/"+test.name, func(t *testing.T) {
			h, data := split(t, file)
			if h.Meta[test.entry] = test.text; test.text == "" {
				delete(h.Meta, test.entry)
			}
			expectRefusal(t, testkit.ResignModel(h.join(t, data)), test.want)
		})
	}
}

// TestTiesErrors checks that only files of version 5 have a tie order, and that they have offsets, a tie order or both.
func TestTiesErrors(t *testing.T) {
	for name, test := range map[string]struct {
		change func(meta map[string]string)
		want   string
	}{
		"version": {func(meta map[string]string) { meta["version"] = "1" }, "ties in version 1, want version 5 and a list"},
		"none":    {func(meta map[string]string) { delete(meta, "ties") }, "metadata: offsets is missing"},
	} {
		h, data := split(t, fileOf(t, netgen.Model(netgen.ModelOptions{Ties: true, Seed: 3}), model.Extra{}))
		test.change(h.Meta)
		t.Run(name, func(t *testing.T) { expectRefusal(t, testkit.ResignModel(h.join(t, data)), test.want) })
	}
}
