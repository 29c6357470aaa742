package ialgn

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"ialgn/internal/config"
	"ialgn/internal/dataset"
	"ialgn/internal/encoding"
	"ialgn/internal/message"
	"ialgn/internal/outfile"
)

// InitOptions are the options of [Init]. Only Data is required.
type InitOptions struct {
	Data string // a CSV file, an array file, or the name of a data set
	// Test is a file of test samples. If it is empty, and a file next to Data has a name that says so and fits, this
	// file has the test samples. Otherwise, or if Test is "none", a part of Data becomes the test part.
	Test  string
	Label string // column of a CSV file that holds the classes; empty: the last column
	// Group is the column of a CSV file whose equal values mark rows that stay in one part. If it is empty, Init chooses
	// a column that tells persons or machines apart, as its name says. If it is "none", there are no groups.
	Group string
	Order string // "time" if the rows are in the order of time; empty: they are in no order
	Path  string // the configuration to write; empty: a name derived from Data

	// Labels is the file of labels, if Data is an array. If it is empty, the labels are in a file next to Data whose
	// name differs only by a word, such as y instead of x.
	Labels     string
	TestLabels string // if Test is an array: the file of its labels

	// Set holds KEY=VALUE settings of section data. They tell Init facts about the CSV file that Init cannot find out
	// by itself.
	Set []string

	Folders []string // folders to search for data sets before the usual folders
	Force   bool     // overwrite an existing configuration
	Keep    []string // files that must not be overwritten
}

// Initial reports the configuration that [Init] wrote and what Init found in the data.
type Initial struct {
	Config    string             `json:"config"`
	Set       string             `json:"set"`
	Rows      int                `json:"rows"` // training samples
	Separator string             `json:"separator,omitempty"`
	Decimal   string             `json:"decimal,omitempty"`
	Thousands string             `json:"thousands,omitempty"`
	Header    bool               `json:"header"`
	Columns   []dataset.Surveyed `json:"columns"` // columns of a CSV file
	Classes   []dataset.Counted  `json:"classes"`
	Features  int                `json:"features"`
	Inputs    int                `json:"inputs"` // input bits of the network
	// Notes lists decisions of Init that a user should know, and what the user should look at.
	Notes []string `json:"notes,omitempty"`
	// Extremes lists the features in which some values are far from all other values. These values are clipped.
	Extremes []dataset.Clipped `json:"extremes,omitempty"`
}

// Init reads a data set and writes a configuration with comments for it. The configuration says how to read the file,
// and proposes a network and training settings that suit the number of samples, features and classes. Init does not
// overwrite an existing file unless o.Force is set.
func Init(ctx context.Context, o InitOptions) (*Initial, error) {
	i := &initial{
		options: o, report: &Initial{Config: o.Path, Set: o.Data, Columns: []dataset.Surveyed{}},
		folders: Data{Folders: o.Folders}.folders(),
	}
	if o.Path == "" {
		i.report.Config = config.NameFor(o.Data) + ".yaml"
	}
	i.name = config.NameFor(i.report.Config)
	if guard(o.Force, o.Keep).Check(i.report.Config, outfile.Any) != nil {
		return nil, outfile.Remedied(fmt.Errorf("%s: exists and would be overwritten", i.report.Config))
	}
	if err := outfile.CheckWritable(i.report.Config); err != nil {
		return nil, err
	}
	if err := i.look(ctx); err != nil {
		return nil, err
	}
	text, err := i.text(ctx)
	if err != nil {
		return nil, err
	}
	err = outfile.Write(i.report.Config, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", i.report.Config, err)
	}
	return i.report, nil
}

// initial is the state of one call of [Init].
type initial struct {
	options InitOptions
	report  *Initial
	name    string
	folders []string
	data    []setting    // settings of section data
	set     *dataset.Set // the data set that data describes; nil if it is not open yet
}

// setting is one line of a configuration. It has a key, a value and a comment.
type setting struct{ key, value, comment string }

// look fills in i.data, which holds the settings of section data. The data are a named data set, arrays or a CSV
// file.
func (i *initial) look(ctx context.Context) error {
	if err := i.checkSplit(); err != nil {
		return err
	}
	if len(i.options.Set) > 0 && (i.options.Labels != "" || dataset.IsArray(i.options.Data)) {
		return message.Optionf("{Set %s}: applies only to a CSV file", i.options.Set[0])
	}
	known := slices.ContainsFunc(dataset.List(), func(d dataset.Info) bool { return d.Name == i.options.Data })
	if known && !dataset.Own(i.options.Data) {
		if o := i.options; o.Label+o.Test+o.Labels+o.TestLabels+o.Group+o.Order != "" || len(o.Set) > 0 {
			return message.Optionf(
				"{Label}, {Labels}, {Test}, {TestLabels}, {Group}, {Order} and {Set} are for files, but the data set %s has its "+
					"own",
				i.options.Data)
		}
		i.data = []setting{{"set", i.options.Data, ""}}
		return nil
	}
	if i.options.Labels != "" {
		return i.nameArrays(ctx)
	}
	if dataset.IsArray(i.options.Data) {
		if err := i.findLabels(ctx); err != nil {
			return err
		}
		return i.nameArrays(ctx)
	}
	if i.options.TestLabels != "" {
		return message.Optionf("{TestLabels} %s: applies only to an array with {Labels}", i.options.TestLabels)
	}
	if _, err := os.Stat(i.options.Data); err != nil {
		return message.WithHint(fmt.Errorf("%s: neither a file nor a data set", i.options.Data),
			"name a CSV file, an array or a data set; `ialgn data list` shows the data sets")
	}
	return i.lookAtTable(ctx)
}

// nameArrays writes settings that name the files of arrays.
func (i *initial) nameArrays(ctx context.Context) error {
	o := &i.options
	if o.Label != "" {
		return message.Optionf("{Label} %s: names a column of a CSV file, but {Labels} is for arrays",
			o.Label)
	}
	if (o.Test == "" || o.Test == none) != (o.TestLabels == "") {
		return message.Optionf(
			"{Test} and {TestLabels} must be given together: the test samples of an array, and their labels")
	}
	i.report.Set = "arrays"
	settings := func(test, labels string) []setting {
		all := []setting{
			{"set", "arrays", ""},
			{"train", config.Quoted(o.Data), ""},
			{"train_labels", config.Quoted(o.Labels), ""},
		}
		if test == "" {
			all = append(all, testShare)
		} else {
			all = append(all, setting{"test", config.Quoted(test), ""}, setting{"test_labels", config.Quoted(labels), ""})
		}
		return i.withOrder(all)
	}
	test, labels := unlessNone(o.Test), o.TestLabels
	if o.Test == "" {
		test, labels = i.findTestArrays(ctx, settings)
	}
	i.data = settings(test, labels)
	return nil
}

// testShare is the setting that is written if there are no separate test samples.
var testShare = setting{"test_share", "0.2", "share of the samples in the test set"}

// lookAtTable surveys a CSV file and writes the settings that read it.
func (i *initial) lookAtTable(ctx context.Context) error {
	i.report.Set = "csv"
	cfg, err := i.said()
	if err != nil {
		return err
	}
	s, err := dataset.SurveyTable(ctx, cfg, i.folders)
	if remedy := message.Hint(err); strings.Contains(remedy, "data.") {
		return message.WithHint(err, "%s; use {Set KEY=VALUE}", remedy)
	} else if err != nil {
		return err
	}
	if o := &i.options; o.Group+o.Order == "" {
		if note := s.ChooseGroup(); note != "" {
			i.note("%s; `ialgn init --group none` draws single rows", note)
		}
	}
	if i.options.Group == "" {
		i.report.Notes = append(i.report.Notes, s.Ungrouped...)
	}
	switch {
	case i.options.Test == "":
		s, cfg.Test = i.findTestTable(ctx, cfg, s)
	case cfg.Test != "":
		if err := s.AddTest(ctx, cfg, i.folders); err != nil {
			return err
		}
	}
	i.data, err = i.tableSettings(s, cfg.Test)
	i.noteRare(s)
	i.report.Rows, i.report.Separator, i.report.Decimal, i.report.Header = s.Rows, s.Separator, s.Decimal, s.Header
	i.report.Thousands, i.report.Columns, i.report.Classes = s.Thousands, s.Columns, s.Classes
	return err
}

// tableSettings returns the settings that read a table as a survey suggests. test is the test file, if there is one.
func (i *initial) tableSettings(s *dataset.Survey, test string) ([]setting, error) {
	all := []setting{{"set", "csv", ""}, {"train", config.Quoted(i.options.Data), ""}}
	if test != "" {
		all = append(all, setting{"test", config.Quoted(test), ""})
	} else {
		all = append(all, testShare)
	}
	all = append(i.withOrder(all),
		setting{"label", config.Quoted(s.Label()), message.Plural(len(s.Classes), "class", "classes")})
	keys, err := s.Keys()
	for _, k := range keys {
		name := strings.TrimPrefix(k.Name, "data.")
		all = append(all, setting{name, config.Quoted(k.Value), tableComments[name]})
	}
	return all, err
}

// note adds a note to the report.
func (i *initial) note(format string, args ...any) {
	i.report.Notes = append(i.report.Notes, fmt.Sprintf(format, args...))
}

// noteRare notes the columns with words that are no features.
func (i *initial) noteRare(s *dataset.Survey) {
	for _, c := range s.Columns {
		if c.Rare > 0 {
			i.note("Column %d%s has %d different words: the %d most frequent ones are features, and the others, in %s, are none",
				c.Number, quotedName(c.Name), c.Distinct, len(c.Categories), message.Plural(c.Rare, "row", "rows"))
		}
	}
}

// saidKeys are the keys of section data that the user may set before the survey of a CSV file.
var saidKeys = []string{
	"data.label", "data.header", "data.separator", "data.decimal", "data.thousands", "data.missing_values",
}

// said returns the section data for a CSV file. It has only the keys that the options set.
func (i *initial) said() (config.Data, error) {
	for _, set := range i.options.Set {
		if key, _, _ := strings.Cut(set, "="); !slices.Contains(saidKeys, key) {
			return config.Data{}, message.WithHint(message.Optionf("{Set %s}: want one of the keys %s", set,
				strings.Join(saidKeys, ", ")),
				"write other keys to the configuration")
		}
	}
	d, err := config.ParseDraft(i.name, nil, append([]string{"data.set=csv"}, i.options.Set...))
	cfg := d.Data()
	cfg.Train, cfg.Label = i.options.Data, cmp.Or(i.options.Label, cfg.Label)
	cfg.Test, cfg.Group, cfg.Order = unlessNone(i.options.Test), unlessNone(i.options.Group), i.options.Order
	if err != nil {
		return cfg, err
	}
	return cfg, d.CheckTable()
}

// tableComments holds the comment of each key that describes a CSV file.
var tableComments = map[string]string{
	"header":     "whether the first line names the columns",
	"separator":  "separates the fields",
	"decimal":    "numbers are written 1,5",
	"thousands":  "separates thousands in numbers",
	"group":      "rows with the same value are in one part",
	"columns":    "the columns that are read",
	"drop":       "columns that are not read, for the reasons above",
	"categories": "columns of words; each word becomes a feature",
	"missing":    "a missing number becomes the median of its column",

	"missing_values": "words that say that a number is missing; delete those that do not",
}

// text returns the configuration. It checks that the configuration can be parsed and fits the data.
func (i *initial) text(ctx context.Context) (string, error) {
	if i.set == nil {
		if err := i.open(ctx, i.data); err != nil {
			return "", err
		}
	}
	set := i.set
	var err error
	if i.report.Extremes, err = extremes(ctx, set); err != nil {
		return "", err
	}
	samples, err := i.count(ctx, set)
	if err != nil {
		return "", err
	}
	validated, err := i.canValidate(ctx, set, samples)
	if err != nil {
		return "", err
	}
	if note := rare(i.report.Classes); note != "" {
		i.note("%s", note)
	}
	if err := set.Read(ctx, dataset.Test, func([]uint16, int) error { return nil }); err != nil {
		return "", err
	}
	if warning := set.Shared().Warning(); warning != nil {
		i.note("%s", strings.ToUpper(warning.Error()[:1])+warning.Error()[1:])
	}
	sections, inputs := choose(set, samples, validated, i.report.Classes)
	i.report.Features, i.report.Inputs = set.Features, inputs
	text := i.head() + i.sections(append([]section{{"data", i.data}}, sections...))
	if err := i.checkLength(text); err != nil {
		return "", err
	}
	cfg, err := config.Parse(i.report.Config, []byte(text), nil)
	if err != nil {
		return "", err
	}
	if err := cfg.CheckClasses(len(set.Classes), inputs); err != nil {
		return "", err
	}
	return text, nil
}

// open opens the data set that settings of section data describe.
func (i *initial) open(ctx context.Context, settings []setting) error {
	draft := i.sections([]section{{"data", settings}})
	if err := i.checkLength(draft); err != nil {
		return err
	}
	d, err := config.ParseDraft(i.report.Config, []byte(draft), nil)
	if err != nil {
		return err
	}
	i.set, err = dataset.OpenWith(ctx, d.Data(), d.Encoder(), i.folders)
	return err
}

// checkLength returns an error if a configuration is too long to be read.
func (i *initial) checkLength(text string) error {
	if len(text) <= config.MaxSource {
		return nil
	}
	return message.WithHint(fmt.Errorf("%s: the column names take more than the %d bytes that a configuration "+
		"may have",
		i.options.Data, config.MaxSource), "remove columns from the file, or give them shorter names")
}

// count returns the number of training samples. For a named data set it also counts the samples of each class.
func (i *initial) count(ctx context.Context, set *dataset.Set) (int, error) {
	if i.report.Classes != nil {
		return set.TrainSamples, nil
	}
	for _, name := range set.Classes {
		i.report.Classes = append(i.report.Classes, dataset.Counted{Name: name})
	}
	err := set.Read(ctx, dataset.Train, func(_ []uint16, label int) error {
		i.report.Classes[label].Count++
		return nil
	})
	i.report.Rows = set.TrainSamples
	return set.TrainSamples, err
}

// mostNoted is the maximum number of dropped columns that the head comment lists.
const mostNoted = 20

// mostExtremes is the maximum number of features with extreme values that the head comment lists.
const mostExtremes = 5

// head returns the comment at the top of the configuration. It says what the data contain and which columns are not
// read.
func (i *initial) head() string {
	r := i.report
	var b strings.Builder
	fmt.Fprintf(&b, "# Written by `ialgn init`: %s, %s, %s.\n", message.Plural(r.Rows, "row", "rows"),
		message.Plural(r.Features, "feature", "features"), message.Plural(len(r.Classes), "class", "classes"))
	dropped := slices.DeleteFunc(slices.Clone(r.Columns), func(c dataset.Surveyed) bool {
		return c.Kind != encoding.DroppedColumn
	})
	for _, c := range dropped[:min(len(dropped), mostNoted)] {
		fmt.Fprintf(&b, "# Not read: column %d%s %s.\n", c.Number, quotedName(c.Name), c.Reason)
	}
	if more := len(dropped) - mostNoted; more > 0 {
		fmt.Fprintf(&b, "# Not read either: %s; `ialgn init --json` says why.\n", message.Plural(more, "column", "columns"))
	}
	for _, note := range append(r.Odd(), r.Notes...) {
		fmt.Fprintf(&b, "# %s.\n", note)
	}
	for _, c := range r.Extremes[:min(len(r.Extremes), mostExtremes)] {
		fmt.Fprintf(&b, "# Extreme: %s.\n", r.Extreme(&c))
	}
	if more := len(r.Extremes) - mostExtremes; more > 0 {
		fmt.Fprintf(&b, "# Extreme values in %s, too; `ialgn init --json` has them.\n", message.Plural(more, "more feature",
			"more features"))
	}
	fmt.Fprintf(&b, "name: %s\n", config.Quoted(i.name))
	return b.String()
}

// Odd returns one line of text for each word that occurs in a column of numbers and is therefore treated as a missing
// value. It returns at most 20 lines.
func (r *Initial) Odd() (lines []string) {
	for _, c := range r.Columns {
		for _, o := range c.Odd {
			line := fmt.Sprintf("Taken for a missing value: %q in line %d, column %d%s", o.Word, o.Line, c.Number,
				quotedName(c.Name))
			if o.Count > 1 {
				line += fmt.Sprintf(", and in %s more", message.Plural(o.Count-1, "line", "lines"))
			}
			if lines = append(lines, line); len(lines) == mostNoted {
				return lines
			}
		}
	}
	return lines
}

func quotedName(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf(" (%q)", name)
}
