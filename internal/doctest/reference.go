package doctest

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"ialgn/internal/manual"
)

// commonOptions is the heading above the options that all commands share.
const commonOptions = "Everywhere"

var (
	codeSpan = regexp.MustCompile("`([^`]+)`")
	flagSpan = regexp.MustCompile("`(-[-a-zA-Z]+)[^`]*`")
)

// Reference returns the differences between the reference page and the program, one line for each difference. The
// page has a heading of level two for each command, with a table of options below the heading. Options are code spans
// in the first column. The options that all commands share are below the heading "Everywhere".
func Reference(p *manual.Program, markdown string) []string {
	var wrong []string
	tables := optionTables(markdown)
	shared := tables[commonOptions]
	delete(tables, commonOptions)
	for _, c := range p.Commands {
		documented, ok := tables[c.Name]
		delete(tables, c.Name)
		if !ok {
			wrong = append(wrong, fmt.Sprintf("command %s: not on the page", c.Name))
			continue
		}
		for _, f := range c.Options {
			if !slices.ContainsFunc(f.Names, func(n string) bool { return documented[n] || shared[n] }) {
				wrong = append(wrong, fmt.Sprintf("command %s: option %s is not on the page", c.Name, f.Names[0]))
			}
		}
		for _, name := range slices.Sorted(maps.Keys(documented)) {
			if _, ok := c.Option(name); !ok {
				wrong = append(wrong, fmt.Sprintf("command %s: it has no option %s", c.Name, name))
			}
		}
		for _, name := range slices.Sorted(maps.Keys(shared)) {
			if _, ok := c.Option(name); !ok {
				wrong = append(wrong, fmt.Sprintf("command %s: it has no option %s, which the page says all have", c.Name, name))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		wrong = append(wrong, fmt.Sprintf("command %s: there is none", name))
	}
	return wrong
}

// optionTables maps each heading to the options in the first column of the tables below the heading.
func optionTables(markdown string) map[string]map[string]bool {
	tables := map[string]map[string]bool{}
	heading, inTable := "", false
	for line := range strings.Lines(markdown) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "## "); ok {
			heading, tables[name] = name, map[string]bool{}
		}
		if !strings.HasPrefix(line, "|") {
			inTable = false
			continue
		}
		cell := firstCell(line)
		inTable = inTable || cell == "option"
		if inTable && heading != "" {
			for _, m := range flagSpan.FindAllStringSubmatch(cell, -1) {
				tables[heading][m[1]] = true
			}
		}
	}
	return tables
}

func firstCell(row string) string {
	cell, _, _ := strings.Cut(row[1:], "|")
	return strings.TrimSpace(cell)
}

// keyHeading matches the first cell of a table of JSON keys. The keys belong to the command of the section, or to one
// of the command's forms.
var keyHeading = regexp.MustCompile("^JSON key(?: of `([^`]+)`)?$")

// key is a documented JSON key.
type key struct {
	path     string // path such as passes[].name; a final .* includes all keys below
	optional bool   // whether some outputs lack the key
}

// keyTables maps each command, or each form of a command, to the JSON keys in the first column of its tables.
func keyTables(markdown string) map[string][]key {
	tables := map[string][]key{}
	heading, table := "", ""
	for line := range strings.Lines(markdown) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "## "); ok {
			heading = name
		}
		if !strings.HasPrefix(line, "|") {
			table = ""
			continue
		}
		cell := firstCell(line)
		if m := keyHeading.FindStringSubmatch(cell); m != nil {
			table = strings.TrimSpace(heading + " " + m[1])
		}
		if table == "" {
			continue
		}
		for _, m := range codeSpan.FindAllStringSubmatch(cell, -1) {
			if !keyHeading.MatchString(cell) {
				tables[table] = append(tables[table], key{m[1], strings.Contains(line, "(only if")})
			}
		}
	}
	return tables
}

// Keys returns the differences between the reference page and the program's outputs with --json, one line for each
// difference. outputs maps each command and form, such as "sim" or "data list", to its outputs. Together, the outputs
// of a command must have every key on the page that is not marked "(only if ...)". They must not have any key that is
// not on the page.
func Keys(markdown string, outputs map[string][]any) []string {
	var wrong []string
	tables := keyTables(markdown)
	for _, name := range slices.Sorted(maps.Keys(outputs)) {
		printed := map[string]bool{}
		for _, v := range outputs[name] {
			paths(printed, "", v)
		}
		for _, k := range tables[name] {
			if !k.optional && !slices.ContainsFunc(slices.Collect(maps.Keys(printed)), k.covers) {
				wrong = append(wrong, fmt.Sprintf("%s: does not print the key %s", name, k.path))
			}
		}
		for _, path := range slices.Sorted(maps.Keys(printed)) {
			if !slices.ContainsFunc(tables[name], func(k key) bool { return k.covers(path) }) {
				wrong = append(wrong, fmt.Sprintf("%s: the key %s is not on the page", name, path))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		if outputs[name] == nil {
			wrong = append(wrong, fmt.Sprintf("%s: keys on the page, but no output to compare them with", name))
		}
	}
	return wrong
}

func (k key) covers(path string) bool {
	prefix, all := strings.CutSuffix(k.path, "*")
	return all && strings.HasPrefix(path, prefix) || path == k.path
}

// paths adds to the map set the path of every value in v that is neither an object nor an array.
func paths(set map[string]bool, path string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, x := range v {
			paths(set, strings.TrimPrefix(path+"."+name, "."), x)
		}
	case []any:
		for _, x := range v {
			paths(set, path+"[]", x)
		}
	default:
		set[path] = true
	}
}
