package readback

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
)

// These patterns match the lines of a netlist of cells as yosys writes it. A name may be escaped, and a value may have
// a constant, a range or a concatenation.
const (
	namePattern  = `(?:\w+|\\[^\s/` + "`" + `"]+ )`
	valuePattern = `(?:[\w\[\]:{},' ]|\\[^\s/` + "`" + `"]+ )*`
)

var structuralLine = regexp.MustCompile(`^(?:` +
	`module ` + namePattern + `\((?:` + namePattern + `|, )*\);` +
	`|endmodule` +
	`|  (?:input|output|wire) (?:\[\d+:\d+\] )?` + namePattern + `;` +
	`|  assign ` + valuePattern + ` = ` + valuePattern + `;` +
	`|  (\w+) ` + namePattern + ` ?\(` +
	`|    \.\w+\(` + valuePattern + `\),?` +
	`|  \);` +
	`|)$`)

// headerLine matches the comment that yosys writes in the first line.
var headerLine = regexp.MustCompile(`^/\* [\w .()+-]* \*/$`)

// CheckStructural returns the names of the cells in a netlist, in alphabetical order. It returns an error unless the
// text consists only of modules, declarations of wires, instances of cells and assignments of wires. yosys and
// simulators read such text in the same way.
func CheckStructural(text []byte) (cells []string, err error) {
	found := map[string]bool{}
	for i, line := range bytes.Split(text, []byte{'\n'}) {
		m := structuralLine.FindSubmatch(line)
		switch {
		case m != nil && len(m[1]) > 0:
			found[string(m[1])] = true
		case m == nil && (i > 0 || !headerLine.Match(line)):
			return nil, fmt.Errorf("line %d: %.60q is not a line of a netlist of cells", i+1, line)
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}
