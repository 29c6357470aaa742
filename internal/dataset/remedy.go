package dataset

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"ialgn/internal/config"
	"ialgn/internal/message"
)

// declare returns advice that says how to declare a word for a missing value.
func (t *table) declare(text string) string {
	if t.known {
		return "write a number"
	}
	return fmt.Sprintf("to treat it as a missing value, set data.missing_values: %s; data.missing: median fills it in",
		config.JoinNames(append(slices.Clone(t.declared), text)))
}

// notNumber returns the error for a text in a column of numbers if the text is not a number.
func (t *table) notNumber(c *column, text string) error {
	err := t.wrong("%s: %s is not a number", t.called(c.at), shown(text))
	if !utf8.ValidString(text) {
		return message.WithHint(err, "%s", toUTF8)
	}
	if remedy := t.otherForm(text); remedy != "" {
		return message.WithHint(err, "%s", remedy)
	}
	switch words := "name the column in data.categories if it holds words, or in data.drop to exclude it"; {
	case t.known:
		return message.WithHint(err, "write a number, or leave the field empty if values may be missing")
	case c.words:
		return message.WithHint(err, "%s; if this column holds the classes, name it in data.label", words)
	default:
		return message.WithHint(err, "%s; %s", t.declare(text), words)
	}
}

// otherForm returns advice for a text that is a number in another notation, or several numbers. For other texts, it
// returns "".
func (t *table) otherForm(text string) string {
	n, ok := numeralOf(text)
	switch {
	case !ok:
		return notOneNumber(text)
	case t.known:
		return "write numbers as in training: " + t.String()
	case t.points && !t.comma && n.group < 0:
		return "other numbers have a point; write all numbers in the same way"
	case n.either >= 0:
		return t.eitherForm(text, n.either)
	case n.group >= 0:
		return t.groupedForm(n)
	case n.decimal == markComma && !t.comma:
		return t.sayComma() + " reads numbers with a comma"
	}
	return "the number has a point, but data.decimal is comma"
}

// sayComma returns the keys that declare decimal commas.
func (t *table) sayComma() string {
	if t.csv.separator == ',' {
		return "data.decimal: comma with data.separator: comma"
	}
	return "data.decimal: comma"
}

// eitherForm returns advice for a number whose mark may be a thousands separator or a decimal mark.
func (t *table) eitherForm(text string, mark int) string {
	whole := strings.Replace(text, groupMarks[mark].marks, "", 1)
	if mark == markPoint {
		return "data.thousands: point reads it as " + whole
	}
	return fmt.Sprintf("data.thousands: comma reads it as %s, %s as %s", whole, t.sayComma(),
		strings.Replace(text, ",", ".", 1))
}

// groupedForm returns advice for a number with thousands separators.
func (t *table) groupedForm(n numeral) string {
	thousands := "data.thousands: " + groupMarks[n.group].name
	if !t.comma && (n.decimal == markComma || n.group == markPoint) {
		return thousands + " and " + t.sayComma() + " read it"
	}
	return thousands + " reads it"
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

// notOneNumber returns advice for a text that contains digits but is not one number. It returns "" if the text has no
// digits.
func notOneNumber(text string) string {
	parts := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t|", r) })
	numbers := 0
	for _, p := range parts {
		if looksNumeric(p) {
			numbers++
		}
	}
	switch {
	case numbers > 2 && strings.Contains(text, "|"):
		return "the field holds several numbers; set data.separator: pipe"
	case numbers > 2:
		return "the field holds several numbers; set data.separator: space"
	}
	if bare := strings.Trim(text, "%€$£ \u00a0\u202f°"); bare != text && looksNumeric(bare) {
		return "write the number without its unit"
	}
	if plain := strings.NewReplacer("\u2212", "-", "\u2013", "-").Replace(text); plain != text && looksNumeric(plain) {
		return `write the minus sign as "-"`
	}
	if parts := strings.Split(strings.TrimLeft(text, "+-"), ","); len(parts) > 2 && allDigits(strings.Join(parts, "")) {
		return "write the number without commas: they do not separate groups of three digits"
	}
	return ""
}

// toUTF8 is the remedy for text in another encoding.
const toUTF8 = "save the file in UTF-8; for a file written by Windows in Western Europe, use " +
	"iconv -f WINDOWS-1252 -t UTF-8 FILE > NEW"
