package flow

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// path returns a path of a report in nextpnr's format.
func path(from, to, ns string) string {
	return `{"from": "` + from + `", "to": "` + to + `", "path": [{"delay": ` + ns + `, "net": "a$SB_IO_IN"}, ` +
		`{"delay": 1}]}`
}

// TestSlowest reads reports of every kind. It must find the path that limits the clock or, in a design without a
// clock, the longest path.
func TestSlowest(t *testing.T) {
	const clk = "posedge clk$SB_IO_IN_$glb_clk"
	registers := path(clk, clk, "4")
	fmax := `"clk": {"achieved": 200}`
	in, late, out, through := path("<async>", clk, "3"), path("<async>", clk, "8"), path(clk, "<async>", "6"),
		path("<async>", "<async>", "40")
	for _, c := range []struct {
		name, fmax, paths string
		want              Slowest
		critical          PathKind
	}{
		{"registers alone", fmax, registers, Slowest{RegisterToRegister, 5, 200}, RegisterToRegister},
		{"registers and shorter paths", fmax, registers + "," + in, Slowest{RegisterToRegister, 5, 200}, RegisterToRegister},
		{"a late input", fmax, registers + "," + late, Slowest{InputToRegister, 9, 1000. / 9}, RegisterToRegister},
		{
			"a late output", fmax, in + "," + out + "," + registers,
			Slowest{RegisterToOutput, 7, 1000. / 7},
			RegisterToRegister,
		},
		{"one stage", "", in + "," + out, Slowest{RegisterToOutput, 7, 1000. / 7}, RegisterToOutput},
		{"one stage, late inputs", "", late + "," + out, Slowest{InputToRegister, 9, 1000. / 9}, InputToRegister},
		{"registers that nothing reads", "", in, Slowest{InputToRegister, 4, 250}, InputToRegister},
		{"registers of constants", "", out, Slowest{RegisterToOutput, 7, 1000. / 7}, RegisterToOutput},
		{"one stage and a path beside it", "", through + "," + in, Slowest{InputToRegister, 4, 250}, InputToOutput},
		{"no registers", "", through, Slowest{Kind: InputToOutput, NS: 41}, InputToOutput},
		{"two of a kind", "", late + "," + in, Slowest{InputToRegister, 9, 1000. / 9}, InputToRegister},
		{
			"other edges", fmax, path("negedge clk", "posedge clk", "2") + "," + late,
			Slowest{InputToRegister, 9, 1000. / 9},
			RegisterToRegister,
		},
		{"a clock without paths", fmax, "", Slowest{RegisterToRegister, 5, 200}, ""},
		{"nothing", "", "", Slowest{}, ""},
	} {
		file := filepath.Join(t.TempDir(), "report.json")
		text := `{"fmax": {` + c.fmax + `}, "utilization": {"SB_IO": {"used": 1, "available": 2}}, "critical_paths": [` +
			c.paths + `]}`
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var r Result
		if err := r.ReadReport(file); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, r.Slowest()); diff != "" || r.Critical.Kind != c.critical {
			t.Errorf("%s: critical %s, want %s; slowest (-want +got):\n%s", c.name, r.Critical.Kind, c.critical, diff)
		}
	}
}
