package manual

import (
	"io"
	"strings"
)

// fish writes the completion for fish.
func fish(w io.Writer, p *Program) error {
	l := &lines{w: w}
	l.add("# Completion of %[1]s for fish, made by %[1]s completion fish. To be read by\n"+
		"#     %[1]s completion fish | source\n", p.Name)
	l.add("complete -c %s -f", p.Name)
	first := "complete -c " + p.Name + " -n __fish_use_subcommand"
	l.add("%s -s h -l help -d 'show help'\n%s -l version -d 'print the version'", first, first)
	for _, c := range p.Commands {
		l.add("%s -a %s -d %s", first, c.Name, fishQuoted(c.About))
	}
	for _, c := range p.Commands {
		begin := "complete -c " + p.Name + " -n '__fish_seen_subcommand_from " + c.Name + "'"
		for _, o := range c.Options {
			line := begin
			for _, n := range o.Names {
				if long, ok := strings.CutPrefix(n, "--"); ok {
					line += " -l " + long
				} else {
					line += " -s " + strings.TrimPrefix(n, "-")
				}
			}
			line += " -d " + fishQuoted(o.About)
			if o.Meta == "" {
				l.add("%s", line)
				continue
			}
			fishValues(l, line+" -r", o.Values)
		}
		if !c.Arguments.none() {
			fishValues(l, begin, c.Arguments)
		}
	}
	return l.err
}

// fishValues adds one line for each kind of value.
func fishValues(l *lines, line string, v Values) {
	if len(v.Words) > 0 {
		words := strings.Join(v.Words, " ")
		if v.Comma {
			words = "(__fish_append , " + words + ")"
		}
		l.add("%s -f -a %s", line, fishQuoted(words))
	}
	switch {
	case v.AnyFile:
		l.add("%s -F", line)
	case v.Folders && len(v.Files) == 0:
		l.add("%s -f -a '(__fish_complete_directories)'", line)
	}
	if !v.AnyFile {
		for _, ending := range v.Files { // fish also proposes folders
			l.add("%s -f -k -a '(__fish_complete_suffix .%s)'", line, ending)
		}
	}
	if v.none() {
		l.add("%s -f", line)
	}
}

// fishQuoted returns a text as one word for fish.
func fishQuoted(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
}
