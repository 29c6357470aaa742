package manual

import (
	"io"
	"strings"
)

// zshHead is the text before the commands.
const zshHead = `#compdef NAME
# Completion of NAME for zsh, made by NAME completion zsh: a file _NAME in a folder of $fpath, or
#     source <(NAME completion zsh)

_NAME() {
	local context state state_descr line
	typeset -A opt_args
	_arguments -C '(- *)'{-h,--help}'[show help]' '(- *)--version[print the version]' '1: :->command' '*:: :->arguments'
	case $state in
	command)
		local -a commands=(`

// zshFoot is the text after the commands. When zsh loads the completion from a file in $fpath, the file is the body
// of the completion function.
const zshFoot = `		esac
		;;
	esac
}

if [[ $funcstack[1] == _NAME ]]; then
	_NAME "$@"
else
	compdef _NAME NAME
fi`

// zsh writes the completion for zsh.
func zsh(w io.Writer, p *Program) error {
	l := &lines{w: w}
	l.add("%s", strings.ReplaceAll(zshHead, "NAME", p.Name))
	for _, c := range p.Commands {
		l.add("\t\t\t%s", quoted(c.Name+":"+c.About))
	}
	l.add("\t\t)\n\t\t_describe command commands\n\t\t;;\n\targuments)\n\t\tcase $words[1] in")
	for _, c := range p.Commands {
		l.add("\t\t%s)\n\t\t\t_arguments -S \\", c.Name)
		for _, o := range c.Options {
			l.add("\t\t\t\t%s \\", zshOption(o))
		}
		if c.Arguments.none() {
			l.add("\t\t\t\t'*: :'\n\t\t\t;;")
		} else {
			l.add("\t\t\t\t%s\n\t\t\t;;", quoted("*:"+zshText(c.Form)+":"+zshValues(c.Arguments)))
		}
	}
	l.add("%s", strings.ReplaceAll(zshFoot, "NAME", p.Name))
	return l.err
}

// zshOption returns the specification of an option for _arguments.
func zshOption(o Option) string {
	rest := "[" + zshText(o.About) + "]"
	if o.Meta != "" {
		rest += ":" + zshText(o.Meta) + ":" + zshValues(o.Values)
	}
	var specs []string
	for _, n := range o.Names {
		if strings.HasPrefix(n, "--") && o.Meta != "" {
			n += "=" // the value may also be the next word
		}
		specs = append(specs, n)
	}
	switch {
	case o.Many:
		return quoted("*" + specs[0] + rest)
	case len(specs) > 1:
		return quoted("("+strings.Join(o.Names, " ")+")") + "{" + strings.Join(specs, ",") + "}" + quoted(rest)
	}
	return quoted(specs[0] + rest)
}

// zshText escapes the characters that have a meaning in a specification.
func zshText(text string) string {
	return strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, ":", `\:`).Replace(text)
}

// zshValues returns the action that proposes values.
func zshValues(v Values) string {
	words, files := "", ""
	switch {
	case len(v.Words) > 0 && v.Comma:
		words = "_values -s , word " + strings.Join(v.Words, " ")
	case len(v.Words) > 0:
		words = "(" + strings.Join(v.Words, " ") + ")"
	}
	switch {
	case v.AnyFile:
		files = "_files"
	case len(v.Files) > 0:
		files = `_files -g "*.(` + strings.Join(v.Files, "|") + `)"`
	case v.Folders:
		files = "_files -/"
	}
	switch {
	case words != "" && files != "":
		return "_alternative \"words:word:" + strings.ReplaceAll(words, `"`, `\"`) + "\" \"files:file:" +
			strings.ReplaceAll(files, `"`, `\"`) + `"`
	case words == "" && files == "":
		return " "
	}
	return words + files
}
