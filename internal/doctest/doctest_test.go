package doctest

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/manual"
)

// common are the options of every command of fake.
var common = []manual.Option{{Names: []string{"--threads"}, Meta: "N"}, {Names: []string{"-h"}}}

// fake is a program with three commands.
var fake = &manual.Program{Commands: []manual.Command{
	{Name: "train", Form: "CONFIG.yaml [-o MODEL]", Options: append([]manual.Option{
		{Names: []string{"-o"}, Meta: "MODEL"}, {Names: []string{"--resume"}}, {Names: []string{"-v", "--vary"}, Meta: "N"},
	}, common...)},
	{
		Name: "data", Form: "list | check [NAME]...", Options: append([]manual.Option{{Names: []string{"--json"}}}, common...),
		Arguments: manual.Values{Words: []string{"list", "check"}},
	},
	{Name: "info", Options: common},
}}

func TestSteps(t *testing.T) {
	markdown := "text\n```sh\n# comment\nialgn one \\\n  two\n\npython3 -c \"\na\" > b\n```\n```go\nx\n```\n" +
		"```console\n$ ialgn three\nout\n\nmore\n$ echo $?\n2\n```\n"
	want := []Step{
		{Line: 4, Command: "ialgn one \\\n  two"},
		{Line: 7, Command: "python3 -c \"\na\" > b"},
		{Line: 14, Command: "ialgn three", Output: []string{"out", "", "more"}, Console: true, Status: "2"},
		{Line: 18, Command: "echo $?", Output: []string{"2"}, Console: true},
	}
	got, err := Steps(markdown)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	for name, markdown := range map[string]string{"open": "```sh\nls\n", "output first": "```console\nout\n```\n"} {
		if _, err := Steps(markdown); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestCheck checks good and bad command lines.
func TestCheck(t *testing.T) {
	c := &Checker{
		Program: fake,
		Files:   fstest.MapFS{"a.yaml": {}, "x/in.csv": {}},
		Targets: []string{"test"},
	}
	for _, test := range []struct{ name, commands, want string }{
		{"good", "ialgn train a.yaml -o m\nialgn train a.yaml -o m --resume", ""},
		{"options first", "ialgn train -o m a.yaml", ""},
		{"option with =", "ialgn train -o=m a.yaml", ""},
		{"help", "ialgn train -h", ""},
		{"forms", "ialgn data list\nialgn data check\nialgn data check a b", ""},
		{"pipe and list", "FOO=1 ialgn data list | head -n 3 > out.csv && cat out.csv", ""},
		{"quotes", "grep 'no/such file' x/in.csv; echo \"a; b\"", ""},
		{"unknown command", "ialgn tran a.yaml", "d.md:2: ialgn has no command tran"},
		{"no command", "ialgn", "d.md:2: ialgn without a command"},
		{"unknown option", "ialgn train a.yaml --rezume", "d.md:2: ialgn train has no option --rezume"},
		{"option of another", "ialgn train a.yaml --json", "d.md:2: ialgn train has no option --json"},
		{"no value", "ialgn train a.yaml -o", "d.md:2: ialgn train -o wants a value"},
		{"value for a switch", "ialgn train a.yaml --resume=1", "d.md:2: ialgn train --resume takes no value"},
		{"too many", "ialgn train a.yaml a.yaml", `d.md:2: ialgn train takes CONFIG.yaml [-o MODEL], not ["a.yaml" "a.yaml"]`},
		{"none", "ialgn train", `d.md:2: ialgn train takes CONFIG.yaml [-o MODEL], not []`},
		{"wrong form", "ialgn data lst", `d.md:2: ialgn data takes list | check [NAME]..., not ["lst"]`},
		{"no such file", "\nialgn train b.yaml", "d.md:3: b.yaml: neither in the repository nor made by a command above"},
		{
			"made below", "head -n 1 m\ncat ./m.x\nialgn train a.yaml -o m.x",
			"d.md:3: m.x: neither in the repository nor made by a command above",
		},
		{
			"no checkpoint", "ialgn train a.yaml -o m --resume",
			"d.md:2: m.checkpoint: neither in the repository nor made by a command above",
		},
		{
			"in a list", "ialgn data list; ialgn data nothing",
			`d.md:2: ialgn data takes list | check [NAME]..., not ["nothing"]`,
		},
		{
			"another program's file", "head -n 3 y/in.csv",
			"d.md:2: y/in.csv: neither in the repository nor made by a command above",
		},
		{
			"another program", "frobnicate",
			"d.md:2: frobnicate: not a program that documents use: choose another, or add it to package doctest",
		},
		{"copy", "ialgn train a.yaml -o t/m\ncp -r x y\ncp t/m.checkpoint c\ncat c ./x/in.csv", ""},
		{"copy of nothing", "cp -r z y", "d.md:2: z: neither in the repository nor made by a command above"},
		{"build and run", "gcc -O2 -o t/p x/in.csv\nt/p -v", ""},
		{"build of nothing", "gcc -o t/p z.c", "d.md:2: z.c: neither in the repository nor made by a command above"},
		{"build of no program", "gcc x/in.csv", "d.md:2: gcc: name the program with -o"},
		{"run before", "t/p", "d.md:2: t/p: not a program that documents use: choose another, or add it to package doctest"},
		{"target", "make test A=1", ""},
		{"no target", "make tests", "d.md:2: the Makefile has no target tests"},
		{"redirection", "echo a >", "d.md:2: a redirection names no file"},
		{"open quote", "echo 'a", "d.md:2: a quote is not closed"},
		{"nowhere to go on", "echo a \\", "d.md:2: a quote is not closed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := strings.Join(c.Check("d.md", "```sh\n"+test.commands+"\n```\n"), "\n")
			if got != test.want {
				t.Errorf("%s\nwant %s", got, test.want)
			}
		})
	}
	if got := c.Check("d.md", "```sh\n"); len(got) != 1 {
		t.Errorf("an open block: %q", got)
	}
	if got := c.Check("d.md", "```console\n$ ialgn nothing\nialgn: no\n$ echo $?\n1\n```\n"); len(got) != 0 {
		t.Errorf("a refusal that is shown: %q", got)
	}
	if got := c.Check("d.md", "```console\n$ ialgn nothing\n$ echo $?\n2\n```\n"); len(got) != 1 {
		t.Errorf("a refusal with another status: %q", got)
	}
}

func TestReferenceChecks(t *testing.T) {
	page := "# Page\n## Everywhere\n| option | meaning |\n|---|---|\n| `--threads N`, `-h` | |\n\n" +
		"## train\n\n| option | meaning |\n|---|---|\n| `-o MODEL` | |\n| `--resume` | |\n" +
		"| `--vary N` | |\n\n" +
		"## info\n\n## data\n| option | |\n|---|---|\n| `--json` | see `--other` |\n"
	for _, test := range []struct{ name, from, to, want string }{
		{"good", "", "", ""},
		{"option missing", "| `--resume` | |\n", "", "command train: option --resume is not on the page"},
		{"option too many", "`--json`", "`--json`, `--jsonl`", "command data: it has no option --jsonl"},
		{
			"shared by not all", "`--threads N`, `-h`", "`--threads N`, `-h`, `--json`",
			"command train: it has no option --json, which the page says all have\n" +
				"command info: it has no option --json, which the page says all have",
		},
		{"command missing", "## data", "## dato", "command data: not on the page\ncommand dato: there is none"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := strings.Join(Reference(fake, strings.Replace(page, test.from, test.to, 1)), "\n")
			if got != test.want {
				t.Errorf("%s\nwant %s", got, test.want)
			}
		})
	}
}

func TestKeysChecks(t *testing.T) {
	page := "## train\n| JSON key | meaning |\n|---|---|\n| `a`, `b[].c` | |\n| `d.*` | (only if there) |\n\n" +
		"## data\n| JSON key of `list` | meaning |\n|---|---|\n| `e[][]` | not `f` |\n"
	const train, data = `{"a": 1, "b": [{"c": 2}]}`, `{"e": [[1], [2, 3]]}`
	for _, test := range []struct{ name, train, data, want string }{
		{"good", train, data, ""},
		{"optional", `{"a": 1, "b": [{"c": 2}], "d": {"x": 1}}`, data, ""},
		{"not printed", `{"a": 1, "b": []}`, data, "train: does not print the key b[].c"},
		{"not on the page", `{"a": 1, "b": [{"c": 2, "f": 1}]}`, data, "train: the key b[].f is not on the page"},
		{
			"other form", train, `{"e": [1]}`,
			"data list: does not print the key e[][]\ndata list: the key e[] is not on the page",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			outputs := map[string][]any{}
			for name, text := range map[string]string{"train": test.train, "data list": test.data} {
				var v any
				if err := json.Unmarshal([]byte(text), &v); err != nil {
					t.Fatal(err)
				}
				outputs[name] = []any{v}
			}
			if got := strings.Join(Keys(page, outputs), "\n"); got != test.want {
				t.Errorf("%s\nwant %s", got, test.want)
			}
		})
	}
	if got := Keys(page, nil); len(got) != 2 {
		t.Errorf("without outputs: %q", got)
	}
}

func TestLinks(t *testing.T) {
	got := Links("[a](b.md) [c](https://x.org/d.md) [e](f/g#h) `x[0](y z)` [i](#j)")
	if diff := cmp.Diff([]string{"b.md", "f/g"}, got); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
}
