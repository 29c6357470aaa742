package manual_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v2"

	"ialgn/internal/manual"
)

func TestPermuteArgs(t *testing.T) {
	commands := []*cli.Command{
		{Name: "eval", Flags: []cli.Flag{&cli.StringFlag{Name: "o"}}},
		{Name: "train", Flags: []cli.Flag{
			&cli.StringFlag{Name: "o"}, &cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}},
			&cli.StringSliceFlag{Name: "set"}, &cli.IntFlag{Name: "threads"},
		}},
	}
	for _, c := range []struct{ args, want string }{
		{"ialgn", "ialgn"},
		{"ialgn --version", "ialgn --version"},
		{"ialgn unknown x -o y", "ialgn unknown x -o y"},
		{"train train c.yaml", "train train c.yaml"}, // the first word is the program
		{"ialgn train c.yaml -o m", "ialgn train -o m c.yaml"},
		{"ialgn train -o m c.yaml", "ialgn train -o m c.yaml"},
		{"ialgn train c.yaml --quiet -o m", "ialgn train --quiet -o m c.yaml"},
		{"ialgn train c.yaml -q d.yaml", "ialgn train -q c.yaml d.yaml"},
		{"ialgn train c.yaml --set a=b --set c=-1 --threads 2", "ialgn train --set a=b --set c=-1 --threads 2 c.yaml"},
		{"ialgn train c.yaml --threads=2 d", "ialgn train --threads=2 c.yaml d"},
		{"ialgn train c.yaml --unknown d", "ialgn train --unknown c.yaml d"},
		{"ialgn train c.yaml -o", "ialgn train -o"},
		{"ialgn train - -o m", "ialgn train -o m -"}, // standard input is an argument
		{"ialgn train c.yaml -o m -- -x -y", "ialgn train -o m -- c.yaml -x -y"},
		{"ialgn train eval -o m", "ialgn train -o m eval"},
	} {
		args := strings.Fields(c.args)
		got := manual.PermuteArgs(args, commands)
		if diff := cmp.Diff(strings.Fields(c.want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.args, diff)
		}
		if diff := cmp.Diff(strings.Fields(c.args), args); diff != "" {
			t.Errorf("%s: the arguments themselves were changed:\n%s", c.args, diff)
		}
	}
}

func TestHasFlag(t *testing.T) {
	commands := []*cli.Command{{Name: "train", Flags: []cli.Flag{
		&cli.StringFlag{Name: "o"}, &cli.BoolFlag{Name: "json"},
	}}}
	for args, want := range map[string]bool{
		"ialgn":                         false,
		"ialgn --json":                  true,
		"ialgn train":                   false,
		"ialgn train a --json":          true,
		"ialgn train -json a":           true,
		"ialgn train --json=true":       true,
		"ialgn train --json=1":          true,
		"ialgn train --json=false":      false,
		"ialgn train --jsonl":           false,
		"ialgn train json":              false,
		"ialgn train -o --json":         false, // here --json is the value of -o
		"ialgn train -o=m --json":       true,
		"ialgn train -o m --json":       true,
		"ialgn train --unknown --json":  true,
		"ialgn trian a --json":          true,
		"ialgn train -- --json":         false,
		"ialgn train train -o a --json": true,
	} {
		if got := manual.HasFlag(strings.Fields(args), commands, "json"); got != want {
			t.Errorf("%s: %v, want %v", args, got, want)
		}
	}
}
