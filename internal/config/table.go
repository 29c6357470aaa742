package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Names returns the names in a list such as data.drop. Commas separate names, and spaces around names are ignored. A
// name that contains a comma or begins with a quote is written in double quotes, and quotes in the name are doubled:
//
//	id, "height, cm", remarks
//
// Names returns an error if a name is empty or occurs twice. An empty list has no names.
func Names(list string) (names []string, err error) {
	rest := strings.TrimSpace(list)
	for more := rest != ""; more; {
		var name string
		if name, rest, err = firstName(rest); err != nil {
			return nil, fmt.Errorf("%.60q is not a list of names: %w", list, err)
		}
		rest, more = strings.CutPrefix(rest, ",")
		switch {
		case rest != "" && !more:
			return nil, fmt.Errorf("%.60q is not a list of names: %.20q follows a closing quote", list, rest)
		case name == "":
			return nil, fmt.Errorf("%.60q: name %d is empty", list, len(names)+1)
		case slices.Contains(names, name):
			return nil, fmt.Errorf("%.60q names %.40q twice", list, name)
		}
		names = append(names, name)
	}
	return names, nil
}

// firstName returns the first name of a list. It also returns the rest of the list.
func firstName(list string) (name, rest string, err error) {
	list = strings.TrimSpace(list)
	if !strings.HasPrefix(list, `"`) {
		end := len(list)
		if comma := strings.IndexByte(list, ','); comma >= 0 {
			end = comma
		}
		return strings.TrimSpace(list[:end]), list[end:], nil
	}
	for rest = list[1:]; ; {
		part, after, closed := strings.Cut(rest, `"`)
		if !closed {
			return "", "", errors.New("a quote is not closed")
		}
		name += part
		var doubled bool
		if rest, doubled = strings.CutPrefix(after, `"`); !doubled {
			return strings.TrimSpace(name), strings.TrimSpace(rest), nil
		}
		name += `"`
	}
}

// JoinNames joins names to a list that [Names] can read.
func JoinNames(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		if quoted[i] = n; strings.ContainsAny(n, `,"`) {
			quoted[i] = `"` + strings.ReplaceAll(n, `"`, `""`) + `"`
		}
	}
	return strings.Join(quoted, ", ")
}

// HasColumns reports whether a model must record the columns of its training table. A model needs them to read other
// tables.
func (d *Data) HasColumns() bool {
	return d.Columns != "" || d.Drop != "" || d.Categories != "" || d.Missing != "" || d.Group != ""
}

// completeTable fills in data.header. It stores other default choices as empty text, so that models of earlier
// versions keep their bytes.
func (c *Config) completeTable() {
	if c.Data.Header == "" && !c.isSet("data.header") {
		c.Data.Header = defaultHeader
	}
	for _, ch := range csvChoices {
		if v := c.value(ch.key); v.String() == ch.values[0] {
			v.SetString("")
		}
	}
	for _, key := range csvLists {
		if v := c.value(key); strings.TrimSpace(v.String()) == "" {
			v.SetString("")
		}
	}
}

// csvLists names the keys whose values are lists of names.
var csvLists = []string{"data.columns", "data.drop", "data.categories", "data.missing_values"}

// checkTable checks the keys that say how to read a CSV file.
func (c *Config) checkTable() error {
	if err := c.checkChoice(headers, headers.values); err != nil {
		return err
	}
	for _, ch := range append(slices.Clone(csvChoices), thousands) {
		if c.value(ch.key).String() == "" {
			continue
		}
		if err := c.checkChoice(ch, ch.values); err != nil {
			return err
		}
	}
	lists := map[string][]string{}
	for _, key := range csvLists {
		names, err := Names(c.value(key).String())
		if err != nil {
			return c.wrong(key, `write a, b, "c, d"`, "%s", err)
		}
		lists[key] = names
	}
	if len(lists["data.columns"]) > 0 && len(lists["data.drop"]) > 0 {
		return c.wrong("data.drop", "omit data.drop or data.columns",
			"data.columns already selects the columns that are read")
	}
	for _, name := range lists["data.categories"] {
		if slices.Contains(lists["data.drop"], name) {
			return c.wrong("data.categories", "remove the column from one of the two keys", "%.40q is also in data.drop", name)
		}
	}
	if c.Data.Label != "" {
		for _, key := range csvLists[1:3] {
			if slices.Contains(lists[key], c.Data.Label) {
				return c.wrong(key, "remove it from the list", "%.40q is the label (data.label)", c.Data.Label)
			}
		}
	}
	return c.checkThousands()
}

// checkThousands checks that the thousands separator is used for nothing else.
func (c *Config) checkThousands() error {
	decimal := cmp.Or(c.Data.Decimal, "point")
	switch c.Data.Thousands {
	case decimal:
		return c.wrong(thousands.key, "set data.decimal to the decimal mark",
			"a %s cannot both separate thousands and be the decimal mark", decimal)
	case "space":
		if c.Data.Separator == c.Data.Thousands {
			return c.wrong(thousands.key, "use another data.separator", "a space cannot both separate thousands and columns")
		}
	}
	return nil
}
