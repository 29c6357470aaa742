package handover

import (
	"fmt"
	"slices"
	"strings"

	"ialgn/netlist"
)

// class is a constant for a class.
type class struct {
	name  string // name of the constant, without the module's
	label string // the class as the model calls it
}

// maxClassName bounds the part of a constant's name that the class gives.
const maxClassName = 40

// classes returns a constant for each class that the netlist's output can be, none where it gives no class. Names are
// letters, digits and single underscores, and differ even if case is ignored, as VHDL does. A label that is such a name
// itself keeps it, and others that come to the same name get the number of the class behind it.
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

// identifier returns the letters and digits of a text, with an underscore for each run of anything else between them.
// The sign of a negative number is a word.
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
