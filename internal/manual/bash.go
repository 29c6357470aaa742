package manual

import (
	"io"
	"strings"
)

// bashHead holds the functions that propose completions. The variable cur is the word that is being typed.
const bashHead = `# Completion of NAME for bash, made by NAME completion bash. To be read by
#     source <(NAME completion bash)

# Those of the words $1 that begin with what is typed.
_NAME_words() {
	[[ $1 == *= ]] && compopt -o nospace 2>/dev/null
	COMPREPLY+=($(compgen -W "$1" -- "$cur"))
}

# The same for the last word of a list with commas.
_NAME_list() {
	local before=""
	[[ $cur == *,* ]] && before=${cur%,*},
	COMPREPLY+=($(compgen -P "$before" -W "$1" -- "${cur##*,}"))
}

# Folders, and files with an ending of those given; with * all files.
_NAME_files() {
	local IFS=$'\n' ending
	compopt -o filenames 2>/dev/null
	[[ $1 == "*" ]] || COMPREPLY+=($(compgen -d -- "$cur"))
	for ending in "$@"; do
		COMPREPLY+=($(compgen -f -X "!*$ending" -- "$cur"))
	done
}

_NAME() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev="" command="" i
	COMPREPLY=()
	((COMP_CWORD > 0)) && prev=${COMP_WORDS[COMP_CWORD - 1]}
	if [[ $cur == "=" ]]; then # bash takes --option=value for three words
		cur=""
		[[ $prev == -* ]] || return # the value of a key
	elif [[ $prev == "=" ]] && ((COMP_CWORD > 1)); then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
		[[ $prev == -* ]] || return # the value of a key
	fi
	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		COMMANDS)
			command=${COMP_WORDS[i]}
			break
			;;
		esac
	done
	case "$command $prev" in`

// bash writes the completion for bash. The completion does not need the package bash-completion.
func bash(w io.Writer, p *Program) error {
	l := &lines{w: w}
	l.add("%s", strings.NewReplacer("NAME", p.Name, "COMMANDS", strings.Join(p.commands(), " | ")).Replace(bashHead))
	for _, c := range p.Commands {
		for _, o := range c.Options {
			if o.Meta != "" {
				l.add("\t%s)", places(c.Name, o.Names))
				p.bashValues(l, o.Values)
				l.add("\t\treturn\n\t\t;;")
			}
		}
	}
	l.add("\tesac\n\tcase $command in\n\t\"\")\n\t\t_%s_words %s\n\t\t;;", p.Name,
		quoted(strings.Join(append(p.commands(), "--help", "--version"), " ")))
	for _, c := range p.Commands {
		l.add("\t%s)\n\t\tif [[ $cur == -* ]]; then\n\t\t\t_%s_words %s\n\t\t\treturn\n\t\tfi", c.Name, p.Name,
			quoted(strings.Join(c.OptionNames(), " ")))
		p.bashValues(l, c.Arguments)
		l.add("\t\t;;")
	}
	l.add("\tesac\n}\n\ncomplete -F _%s %s", p.Name, p.Name)
	return l.err
}

// places returns shell patterns that match a command followed by one of the names of an option.
func places(command string, names []string) string {
	var all []string
	for _, n := range names {
		all = append(all, `"`+command+" "+n+`"`)
	}
	return strings.Join(all, " | ")
}

func (p *Program) bashValues(l *lines, v Values) {
	if len(v.Words) > 0 {
		how := "words"
		if v.Comma {
			how = "list"
		}
		l.add("\t\t_%s_%s %s", p.Name, how, quoted(strings.Join(v.Words, " ")))
	}
	switch {
	case v.AnyFile:
		l.add("\t\t_%s_files '*'", p.Name)
	case len(v.Files) > 0:
		l.add("\t\t_%s_files .%s", p.Name, strings.Join(v.Files, " ."))
	case v.Folders:
		l.add("\t\t_%s_files", p.Name)
	}
}
