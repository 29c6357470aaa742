package manual

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const page = `# Title

First [line](to.md#a)
and **second**. ![picture](p.svg)

## One

| what | means | default |
|---|:---:|---|
| ` + "`-a`" + ` | a \| b | |
| ` + "`-b`" + ` | long | ` + "`x`" + ` |

    .code in
    a block

### Below

- an item
  of two lines
- another

` + "```sh\n# no heading\n```" + `

## Two
.dot and \ slash
`

func TestPlain(t *testing.T) {
	const want = "Title\n\nFirst line and second.\n\nOne\n\n`-a`\n    a | b\n`-b`\n    long\n    default: `x`\n\n" +
		"    .code in\n    a block\n\nBelow\n\n  - an item of two lines\n  - another\n\n    # no heading\n\nTwo\n\n" +
		".dot and \\ slash\n"
	if diff := cmp.Diff(want, plain(t, Parse(page))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	long := Parse("- " + strings.Repeat("word ", 40))
	lines := strings.Split(strings.TrimSuffix(plain(t, long), "\n"), "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[0], "  - word") || !strings.HasPrefix(lines[1], "    word") {
		t.Errorf("%q", lines)
	}
	for _, l := range lines {
		if len(l) > columns {
			t.Errorf("%d columns: %s", len(l), l)
		}
	}
}

func plain(t *testing.T, text Text) string {
	t.Helper()
	var b strings.Builder
	if err := text.Plain(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestParts(t *testing.T) {
	all := Parse(page)
	for name, want := range map[string]string{
		"Two": ".dot and \\ slash\n", "Below": "  - an item of two lines\n  - another\n\n    # no heading\n", "Three": "",
	} {
		if got := plain(t, all.Section(name)); got != want {
			t.Errorf("section %s: %q, want %q", name, got, want)
		}
	}
	if got := plain(t, all.Section("One")); !strings.Contains(got, "Below\n") || strings.Contains(got, "Two") {
		t.Errorf("a section ends at the next heading that is no deeper: %q", got)
	}
	if got := plain(t, all.Table("what")); !strings.HasPrefix(got, "`-a`\n") || strings.Contains(got, "code") {
		t.Errorf("table: %q", got)
	}
	if all.Table("which") != nil {
		t.Error("a table that is not there")
	}
}

func TestRoff(t *testing.T) {
	var b strings.Builder
	if err := Parse(page).Roff(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		".SS Below\n", ".TP\n\\fB\\-a\\fR\na | b\n", "long\n.br\ndefault: \\fBx\\fR\n", ".nf\n\\&.code in\na block\n.fi\n",
		".IP \\(bu 2\nan item of two lines\n", "\\&.dot and \\e slash\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}
