package dataset

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ialgn/internal/message"
)

// exactDigits is the largest number of decimal digits that double precision always represents exactly.
const exactDigits = 15

// key returns a text that is equal for all labels of the same class. Equal numbers, such as 1, 1.0 and 1e0, are the
// same class. A number that begins with a zero, such as 007, is a code. A code is equal only to itself.
func (n notation) key(label string) string {
	digits := strings.TrimLeft(label, "+-")
	if len(digits) > exactDigits || len(digits) > 1 && digits[0] == '0' && allDigits(digits[1:2]) {
		return label
	}
	x, ok := n.finite(label)
	if !ok {
		return label
	}
	return strconv.FormatFloat(x+0, 'g', -1, 64) // -0 becomes 0
}

// classes holds the classes of a table, in the order of their first rows.
type classes struct {
	notation
	names []string
	at    map[string]int // for each label and for each label's key, the class
}

// add returns the class of a label. It adds the class if the class is new. A class is named after the shortest of its
// labels. Of several equally short labels, it gets the alphabetically first.
func (c *classes) add(label string) (class int) {
	class, known := c.at[label]
	if known {
		return class
	}
	key := c.key(label)
	class, known = c.at[key]
	if !known {
		class = len(c.names)
		c.names = append(c.names, strings.Clone(label))
	} else if name := c.names[class]; len(label) < len(name) || len(label) == len(name) && label < name {
		c.names[class] = strings.Clone(label)
	}
	if c.at == nil {
		c.at = map[string]int{}
	}
	c.at[strings.Clone(key)] = class
	if len(c.at) < 4*MaxClasses {
		c.at[strings.Clone(label)] = class // faster than by key
	}
	return class
}

// find returns the class of a label. The boolean result is false if no class has this label.
func (c *classes) find(label string) (class int, known bool) {
	if class, known = c.at[label]; !known {
		class, known = c.at[c.key(label)]
	}
	return class, known
}

// sorted returns the names of the classes in order, and the position of each class in this order. Numbers are ordered
// by value.
func (c *classes) sorted() (names []string, place []int, err error) {
	names = slices.Clone(c.names)
	if err := sortLabels(names); err != nil {
		return nil, nil, err
	}
	rank := make(map[string]int, len(names))
	for i, n := range names {
		rank[n] = i
	}
	for _, n := range c.names {
		place = append(place, rank[n])
	}
	return names, place, nil
}

// check returns an error for labels that are unlikely. The labels are unlikely if there is only one class. They are
// also unlikely if there are too many classes, unless the user named the column.
func (c *classes) check(rows int, column string, given bool) error {
	switch {
	case len(c.names) < 2:
		return fmt.Errorf("all records have the label %s, want at least two classes", shown(c.names[0]))
	case given:
		return nil
	}
	fraction := slices.ContainsFunc(c.names, isFraction)
	if rows >= fewRows && len(c.names) > rows/2 || fraction && len(c.names) > manyFractions {
		return message.WithHint(fmt.Errorf("%s has %d different values in %d rows, such as %s: is this column the label?",
			column,
			len(c.names), rows, shown(c.names[0])), "set data.label to the name or the number of the column with the classes")
	}
	return nil
}

// sortLabels sorts the labels of a table. If all labels are numbers with a decimal point, it sorts the labels by
// value. Otherwise it sorts them as texts.
func sortLabels(labels []string) error {
	values := make(map[string]float64, len(labels))
	for _, l := range labels {
		x, ok := notation{}.finite(l)
		if !ok {
			slices.Sort(labels)
			return nil
		}
		values[l] = x
	}
	slices.SortFunc(labels, func(a, b string) int {
		if values[a] != values[b] {
			if values[a] < values[b] {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	for i := 1; i < len(labels); i++ {
		if values[labels[i]] == values[labels[i-1]] && len(labels[i]) <= exactDigits {
			return message.WithHint(fmt.Errorf("labels %s and %s are the same number; write them in the same way",
				shown(labels[i-1]),
				shown(labels[i])), "a label that begins with a zero is a code, not a number")
		}
	}
	return nil
}
