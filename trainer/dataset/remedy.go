package dataset

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"ialgn/internal/hint"
	"ialgn/trainer/config"
)

// declare says how a word is made one for a missing value.
func (t *table) declare(text string) string {
	if t.known {
		return "write a number"
	}
	return fmt.Sprintf("data.missing_values: %s takes it for a missing value, which data.missing: median fills in",
		config.JoinNames(append(slices.Clone(t.declared), text)))
}

// notNumber is the error that a column of numbers holds something else.
func (t *table) notNumber(c *column, text string) error {
	err := t.wrong("%s: %s is not a number", t.called(c.at), shown(text))
	if !utf8.ValidString(text) {
		return hint.With(err, "%s", toUTF8)
	}
	if remedy := t.otherForm(text); remedy != "" {
		return hint.With(err, "%s", remedy)
	}
	switch words := "name the column in data.categories if it holds words, or in data.drop to leave it out"; {
	case t.known:
		return hint.With(err, "write a number; where it may be missing, an empty field")
	case c.words:
		return hint.With(err, "%s; data.label names the column with the classes", words)
	default:
		return hint.With(err, "%s; %s", t.declare(text), words)
	}
}

// otherForm says how to read a text that is a number in another notation, or several; it is empty if it is neither.
func (t *table) otherForm(text string) string {
	n, ok := numeralOf(text)
	if _, comma := (notation{comma: true}).finite(text); !ok && !comma {
		return severalNumbers(text)
	} else if !ok {
		n = numeral{-1, markComma, -1}
	}
	if t.known {
		return "write numbers as in training: " + t.notation.String()
	}
	if t.points && !t.comma && n.group < 0 {
		return "other numbers have a point: write all alike"
	}
	decimal := fmt.Sprintf("data.decimal: %s", groupMarks[markComma].name)
	if t.csv.separator == ',' {
		decimal += " with data.separator: comma"
	}
	switch {
	case n.either == markComma && !t.comma && t.thousands == "":
		return fmt.Sprintf("data.thousands: comma reads it as %s, %s as %s", strings.Replace(text, ",", "", 1), decimal,
			strings.Replace(text, ",", ".", 1))
	case n.either == markPoint && t.comma:
		return "data.thousands: point reads it as " + strings.Replace(text, ".", "", 1)
	case n.group >= 0 && n.decimal == markComma:
		return fmt.Sprintf("data.thousands: %s and %s read it", groupMarks[n.group].name, decimal)
	case n.group == markPoint && !t.comma:
		return "data.thousands: point and data.decimal: comma read it"
	case n.group >= 0:
		return fmt.Sprintf("data.thousands: %s reads it", groupMarks[n.group].name)
	case n.decimal == markComma && !t.comma:
		return decimal + " reads numbers with a comma"
	}
	return "it has a point, and data.decimal is comma"
}

// String describes the notation.
func (n notation) String() string {
	decimal := "point"
	if n.comma {
		decimal = "comma"
	}
	text := "with a decimal " + decimal
	if n.thousands != "" {
		text += ", thousands by " + n.thousands
	}
	return text
}

// severalNumbers says how to read a text that holds numbers, and something between or behind them.
func severalNumbers(text string) string {
	parts := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t|", r) })
	numbers := 0
	for _, p := range parts {
		if looksNumeric(p) {
			numbers++
		}
	}
	switch {
	case numbers > 2 && strings.Contains(text, "|"):
		return "it holds several numbers: data.separator: pipe"
	case numbers > 2:
		return "it holds several numbers: data.separator: space"
	}
	if bare := strings.Trim(text, "%€$£ \u00a0\u202f°"); bare != text && looksNumeric(bare) {
		return "write the number without its unit"
	}
	return ""
}

// toUTF8 is the remedy for text in another encoding.
const toUTF8 = "save it in UTF-8; what Windows writes in Western Europe becomes that by " +
	"iconv -f WINDOWS-1252 -t UTF-8 FILE > NEW"
