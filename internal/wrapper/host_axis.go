package wrapper

import (
	_ "embed" // templates
	"fmt"
	"io"
	"slices"
	"strings"

	"ialgn/internal/inputs"
)

// axisHost is the template of the host program for AXI4-Stream, in C.
//
//go:embed templates/host_axis.c
var axisHost string

// writeAXISHost writes the host program with the tables of the design.
func writeAXISHost(w io.Writer, h Hosted) error {
	t, p := h.Inputs, h.Protocol
	values := []string{
		"@MODULE@", t.Module, "@NAME@", h.File, "@HEADER@\n", cHeader(h.Header),
		"@CLASSAT@", p.Class.cText(), "@COUNTSAT@", p.Counts.cText(), "@LABEL@", inputs.CString(t.Label),
		"@COLUMNTABLE@", cColumns(t), "@FEATURETABLE@", cFeatures(t), "@THRESHOLDTABLE@", cThresholds(t),
		"@CLASSTABLE@", cClasses(t), "@RULE@", wordOf(t).rule, "@WORD@\n", wordOf(t).c,
		"@MISSINGWORDS@", cList(t.Missing.Words), "@MISSINGNUMBERS@", cList(t.Missing.Numbers),
		"@DECLARED@", cList(t.Missing.Declared),
	}
	at, name, value := "", "", ""
	if p.Uncertain.Number > 0 {
		at, name = ", uncertain_at = {"+p.Uncertain.cText()+"}", ",uncertain"
		value = "    printf(\",%lu\", number_at(result, uncertain_at.first, uncertain_at.bits));\n"
	}
	values = append(values, "@UNCERTAINAT@", at, "@UNCERTAINNAME@", name, "@UNCERTAIN@", value)
	for _, n := range cNumbers(t, p) {
		values = append(values, n.key, fmt.Sprint(n.value))
	}
	_, err := strings.NewReplacer(values...).WriteString(w, axisHost)
	return err
}

// cHeader returns the lines as a C comment.
func cHeader(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("/*\n")
	for _, s := range lines {
		fmt.Fprintf(&b, " * - %s\n", inputs.CComment(s))
	}
	return b.String() + " */\n"
}

// cNumber is a number in the program. The number replaces a mark in the template.
type cNumber struct {
	key   string
	value int
}

func cNumbers(t *inputs.Table, p *Protocol) []cNumber {
	read, levels := 0, 0
	for i := range t.Columns {
		if t.Columns[i].Features() > 0 {
			read++
		}
	}
	if len(t.Thresholds) > 0 {
		levels = len(t.Thresholds[0])
	}
	return []cNumber{
		{"@FEATURES@", len(t.Features)},
		{"@COLUMNS@", len(t.Columns)},
		{"@READ@", read},
		{"@CLASSES@", len(t.Classes)},
		{"@TOP@", int(t.Max)},
		{"@SCALED@", oneIf(t.Scaled)},
		{"@COMMA@", oneIf(t.DecimalComma)},
		{"@LEVELS@", levels},
		{"@LANE@", p.WordBits},
		{"@SAMPLE@", (p.SampleBytes + p.Beat - 1) / p.Beat * p.Beat},
		{"@RESULT@", p.ResultBytes},
	}
}

// cList returns the elements of a C array of strings, beginning with the first one.
func cList(texts []string) string {
	var b strings.Builder
	for _, text := range texts {
		fmt.Fprintf(&b, "%s, ", inputs.CString(text))
	}
	return b.String()
}

func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (d Digits) cText() string {
	return fmt.Sprintf("%d, %d, %d, %d", d.First, d.Bits, d.Step, d.Number)
}

// cKinds maps kinds of columns to their constants in C.
var cKinds = map[inputs.Kind]string{
	inputs.Number: "NUMBER", inputs.Category: "CATEGORY", inputs.Label: "LABEL", inputs.Dropped: "DROPPED",
}

func cColumns(t *inputs.Table) string {
	var b strings.Builder
	for i := range t.Columns {
		c := &t.Columns[i]
		fmt.Fprintf(&b, "    {%s, %s, %d, %d},\n", inputs.CString(c.Name), cKinds[c.Kind], c.Feature, c.Features())
	}
	return b.String()
}

func cFeatures(t *inputs.Table) string {
	words := make([]string, len(t.Features))
	for i := range t.Columns {
		c := &t.Columns[i]
		copy(words[min(c.Feature, len(words)):], c.Values)
	}
	var b strings.Builder
	for i, f := range t.Features {
		word := "0"
		if f.Category {
			word = inputs.CString(words[i])
		}
		fmt.Fprintf(&b, "    {%s, %d, %s}, /* %s */\n", cRule(t, &f), f.FillWord(), word, inputs.CComment(f.Name))
	}
	return b.String()
}

func cThresholds(t *inputs.Table) string {
	if len(t.Thresholds) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\nstatic const uint16_t thresholds[FEATURES][THRESHOLDS] = {\n")
	for _, row := range t.Thresholds {
		b.WriteString("    {")
		for part := range slices.Chunk(row, thresholdsPerLine) {
			if b.String()[b.Len()-1] != '{' {
				b.WriteString(",\n     ")
			}
			b.WriteString(strings.Trim(strings.ReplaceAll(fmt.Sprint(part), " ", ", "), "[]"))
		}
		b.WriteString("},\n")
	}
	return b.String() + "};\n"
}

// thresholdsPerLine is the number of thresholds on a line.
const thresholdsPerLine = 16

func cClasses(t *inputs.Table) string {
	var b strings.Builder
	for _, c := range t.Classes {
		fmt.Fprintf(&b, "    %s,\n", inputs.CString(c))
	}
	return b.String()
}
