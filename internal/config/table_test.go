package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNames(t *testing.T) {
	for list, want := range map[string][]string{
		"": nil, "  ": nil, "a": {"a"}, " a , b c,d": {"a", "b c", "d"}, `id, "a, b" , "say ""x"""`: {
			"id",
			"a, b", `say "x"`,
		},
	} {
		got, err := Names(list)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%q: error %v, names (-want +got):\n%s", list, err, diff)
		}
		again, err := Names(JoinNames(got))
		if diff := cmp.Diff(got, again); diff != "" || err != nil {
			t.Errorf("%q: error %v, written and read (-want +got):\n%s", list, err, diff)
		}
	}
	for list, want := range map[string]string{
		"a,,b": "name 2 is empty", "a, a": `"a" twice`, `"a`: "a quote is not closed", `"a" b, c`: `"b, c" follows`,
		`a, "" , c`: "name 2 is empty",
	} {
		if _, err := Names(list); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q in it", list, err, want)
		}
	}
}

// TestTableKeys checks which keys may be combined. It also checks that default choices are stored as empty text.
func TestTableKeys(t *testing.T) {
	base := "name: m\ndata: {set: csv, train: a.csv, label: l, %}\nencoder: {bits: 4}\nmodel: {tau: 3}\n"
	for keys, want := range map[string]string{
		"separator: auto, decimal: point, missing: refuse, drop: ' '": "",
		"separator: tab, decimal: comma, missing: median":             "",
		"separator: comma, decimal: comma, thousands: point":          "",
		"separator: pipe, thousands: none, missing_values: 'k.A., -'": "",
		"separator: bar":                     `m.yaml:2:53: data.separator: "bar" is unknown`,
		"missing: mean":                      `data.missing: "mean" is unknown`,
		"thousands: point":                   "data.thousands: a point cannot both",
		"decimal: comma, thousands: comma":   "data.thousands: a comma cannot both",
		"separator: space, thousands: space": "data.thousands: a space cannot both",
		"thousands: dot":                     `data.thousands: "dot" is unknown`,
		"missing_values: 'a,,b'":             "data.missing_values: \"a,,b\": name 2 is empty",
		"drop: a, columns: b":                "data.drop: data.columns already selects the columns that are read",
		"drop: a, categories: 'b, a'":        `data.categories: "a" is also in data.drop`,
		"drop: l":                            `data.drop: "l" is the label`,
		"categories: 'a,,b'":                 "data.categories: \"a,,b\": name 2 is empty",
	} {
		c, err := Parse("m.yaml", []byte(strings.Replace(base, "%", keys, 1)), nil)
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", keys, err)
		case want == "" && strings.HasPrefix(keys, "separator: auto") && c.Data.HasColumns():
			t.Errorf("%s: %+v has columns", keys, c.Data)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: error %v, want %q in it", keys, err, want)
		}
	}
	if _, err := Parse("m.yaml", []byte("data: {set: mnist, drop: a}"), nil); err == nil ||
		!strings.Contains(err.Error(), "data.drop: has no meaning for the data set mnist") {
		t.Errorf("drop with mnist: %v", err)
	}
}
