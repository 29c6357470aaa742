package handover

import (
	"fmt"
	"slices"
	"strings"

	"ialgn/netlist"
)

// class is the constant for a class.
type class struct {
	name  string // name of the constant, without the module's name
	label string // the class's name in the model
}

// maxClassName limits the length of the part of a constant's name that names the class.
const maxClassName = 40

// classes returns a constant for each class of the netlist's output. If the output is not a class, it returns nil.
// Names consist of letters, digits and single underscores. They differ even if case is ignored, as in VHDL. A label
// that is already a valid name is used unchanged. If the name for another label is taken, the number of its class is
// added as a suffix.
func (d *design) classes(n *netlist.Netlist) (all []class) {
	if !slices.ContainsFunc(n.OutputPorts(), func(p netlist.Port) bool { return p.Name == netlist.ClassPort }) {
		return nil
	}
	taken := map[string]bool{}
	all = make([]class, len(d.Classes))
	for _, plain := range []bool{true, false} {
		for i, label := range d.Classes {
			word := identifier(label)
			if (word == label) != plain {
				continue
			}
			if word == "" {
				word = fmt.Sprint(i)
			}
			for taken[strings.ToLower(word)] {
				word += fmt.Sprintf("_%d", i)
			}
			taken[strings.ToLower(word)] = true
			all[i] = class{"CLASS_" + word, label}
		}
	}
	return all
}

// identifier returns the letters and digits of a text, with an underscore in place of each run of other characters
// between letters or digits. The sign of a negative number becomes a word.
func identifier(text string) string {
	if len(text) > 1 && text[0] == '-' && text[1] >= '0' && text[1] <= '9' {
		text = "minus" + text
	}
	words := strings.FieldsFunc(text, func(r rune) bool {
		return !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z')
	})
	joined := strings.Join(words, "_")
	return strings.TrimRight(joined[:min(len(joined), maxClassName)], "_")
}
