package ialgn

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ialgn/internal/config"
	"ialgn/internal/dataset"
	"ialgn/internal/interchange"
	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/graph"
	"ialgn/internal/message"
	"ialgn/internal/model"
	"ialgn/internal/outfile"
	"ialgn/trainer"
)

// ImportFormats returns the names of the formats that [Import] can read.
func ImportFormats() []string { return interchange.ReaderNames() }

// ImportOptions provide information that a file of another framework does not contain.
type ImportOptions struct {
	From       string   // one of [ImportFormats]; empty: detected from the file
	Facts      string   // a file of facts in JSON or YAML (docs/guides/frameworks.md)
	Fact       []string // more facts, each KEY=VALUE
	Wiring     string   // a file with the connections of the nodes: difflogic's C or Verilog output, or JSON
	Thresholds string   // a NumPy array of thresholds, [feature][bit] or in the framework's own layout
	Classes    []string // names of the classes; nil: their numbers
	Name       string   // the model's name; empty: the file's name without its extension

	// Set assigns a data set to the network. Its elements are settings data.KEY=VALUE from the section data of a
	// configuration. [Model.Evaluate] and the checks of designs use the test part of the data set. If Set is empty,
	// there is no data set, so checks use random samples and evaluations fail.
	Set     []string
	Folders []string // folders to search first for data sets, as in [Data]

	Force bool     // overwrite files that ialgn did not write, and files that Import reads
	Keep  []string // files that must not be overwritten, in addition to the files that Import reads
}

// Imported is an imported network and a report about the import.
type Imported struct {
	Model    string          `json:"model"` // path of the model file; empty until Save
	Name     string          `json:"name"`
	Format   string          `json:"format"`
	Findings []graph.Finding `json:"findings"` // facts about the network, with the source of each fact
	Unused   []string        `json:"unused"`   // given facts that do not apply to this network
	Features int             `json:"features"`
	Inputs   int             `json:"inputs"` // thermometer bits of all features
	Layers   []int           `json:"layers"` // number of nodes in each layer
	Pins     []int           `json:"pins"`   // number of pins of each node, for each layer
	Classes  []string        `json:"classes"`
	Tau      float64         `json:"tau"`
	Beta     float64         `json:"beta"`
	DataSet  string          `json:"data_set,omitempty"` // the data set of ImportOptions.Set
	Samples  int             `json:"test_samples,omitempty"`
	// Trainable reports whether training can continue from the model. If not, Reason says why.
	Trainable bool   `json:"trainable"`
	Reason    string `json:"reason,omitempty"`

	network *model.Model
	guard   outfile.Guard
}

// Import reads a network that another framework trained. The file is treated as data: no code in it is executed. If
// neither the file nor the options contain a required fact, the error says which fact is missing.
func Import(ctx context.Context, path string, o ImportOptions) (*Imported, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; name a file of another framework", path, errors.Unwrap(err))
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: not a file", path)
	}
	if err != nil {
		return nil, err
	}
	src := &given.Source{Name: filepath.Base(path), Path: path, File: file, Size: info.Size()}
	files, err := o.sources(src)
	if err != nil {
		return nil, err
	}
	n, err := interchange.Read(src, o.From)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if words := src.Facts.Input; words.Bits > 0 {
		how := "used unchanged, because input.divisor is not given"
		if words.Divisor != 0 {
			how = fmt.Sprintf("divided by %v for the network", words.Divisor)
		}
		n.Found("features", fmt.Sprintf("whole numbers of %d bits, %s", words.Bits, how), src.Said())
	}
	if err := given.CheckClasses(o.Classes); err != nil {
		return nil, err
	}
	if o.Name == "" {
		plain := strings.TrimSuffix(path, ".gz")
		o.Name = config.NameFor(strings.TrimSuffix(plain, filepath.Ext(plain)))
	}
	if o.Classes == nil {
		o.Classes = src.Facts.Classes
	}
	m, err := interchange.Model(n, interchange.Options{
		Name: o.Name, Classes: o.Classes, Words: src.Facts.Input, Files: files,
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", path, n.Format, err)
	}
	test, err := o.takeData(ctx, path, m)
	if err != nil {
		return nil, err
	}
	i := &Imported{
		Name: o.Name, Format: n.Format, Findings: n.Findings, Unused: append([]string{}, src.Facts.Unused...),
		Features: m.Encoder.Features(), Inputs: m.Encoder.Inputs(), Classes: m.Classes, Tau: n.Sum.Tau,
		Beta: m.Record.Origin.Beta, network: m,
	}
	if test != nil {
		i.DataSet, i.Samples = test.Name, test.Levels.Len()
	}
	for k := range m.Sections {
		i.Layers, i.Pins = append(i.Layers, m.Sections[k].Width), append(i.Pins, len(m.Sections[k].Pins))
	}
	reason := trainer.CheckForm(m)
	if i.Trainable = reason == nil; reason != nil {
		i.Reason = reason.Error()
	}
	keep := append(slices.Clone(o.Keep), path, o.Facts, o.Wiring, o.Thresholds)
	i.guard = guard(o.Force, keep)
	return i, nil
}

// takeData assigns the data set of o.Set to the network and returns the data set's test part. If o.Set is empty, it
// returns nil. It replaces class names that are only numbers by the class names in the data set.
func (o *ImportOptions) takeData(ctx context.Context, path string, m *model.Model) (*trainer.TestData, error) {
	if len(o.Set) == 0 {
		return nil, nil
	}
	data, err := config.ParseData(filepath.Base(path), o.Set)
	if err != nil {
		return nil, err
	}
	data.Plain = true
	test, err := trainer.LoadTest(ctx, nil, &m.Encoder, m.Classes, data, Data{Folders: o.Folders}.folders())
	if err != nil {
		return nil, err
	}
	m.Config.Data, m.Classes = data, test.Classes
	m.Record.DataSet, m.Record.Test = test.Name, test.SHA256
	return test, m.Validate()
}

// sources fills src from the options. It returns the files that it has read, with their digests.
func (o *ImportOptions) sources(src *given.Source) (files []model.Start, err error) {
	src.Facts = &given.Facts{}
	sum, err := src.SHA256()
	if err != nil {
		return nil, err
	}
	files = append(files, model.Start{Name: src.Name, SHA256: sum})
	if o.Facts != "" || len(o.Fact) > 0 {
		if src.Facts, err = given.ReadFacts(o.Facts, o.Fact); err != nil {
			return nil, err
		}
	}
	if o.Facts != "" {
		files = append(files, model.Start{Name: src.Facts.Name, SHA256: src.Facts.SHA256})
	}
	if o.Wiring != "" {
		if src.Wiring, err = given.ReadFile(o.Wiring); err != nil {
			return nil, err
		}
		files = append(files, model.Start{Name: src.Wiring.Name, SHA256: src.Wiring.SHA256()})
	}
	thresholds, err := o.thresholdsFile(src.Facts.Thermometer.File)
	if err != nil || thresholds == "" {
		return files, err
	}
	f, err := given.ReadFile(thresholds)
	if err != nil {
		return nil, err
	}
	shape, values, err := dataset.ReadArray(thresholds, bytes.NewReader(f.Data), maxThresholds)
	if err != nil && !bytes.HasPrefix(f.Data, []byte("\x93NUMPY")) {
		err = message.WithHint(err, "save the thresholds with numpy.save: one row per feature, or one row for all")
	}
	if err != nil {
		return nil, err
	}
	if src.Thresholds, err = given.Rows(shape, values); err != nil {
		return nil, fmt.Errorf("%s: %w", thresholds, err)
	}
	return append(files, model.Start{Name: f.Name, SHA256: f.SHA256()}), nil
}

// thresholdsFile returns the path of the thresholds file, or "" if there is no such file. The path is o.Thresholds if
// this option is set. Otherwise it is the argument beside, which is relative to the folder of the facts file.
func (o *ImportOptions) thresholdsFile(beside string) (string, error) {
	switch {
	case o.Thresholds != "" || beside == "":
		return o.Thresholds, nil
	case !filepath.IsLocal(beside):
		return "", fmt.Errorf("%s: thermometer.thresholds_file: %q is not in the folder of the facts", o.Facts, beside)
	}
	return filepath.Join(filepath.Dir(o.Facts), beside), nil
}

// maxThresholds is the maximum number of thresholds in a file.
const maxThresholds = 1 << 24

// Save writes the model to a file. It first writes the file under a temporary name in the same folder and then
// renames it. Save returns an error if path is an existing file that is not a model, or a file from which the network
// was read.
func (i *Imported) Save(path string) error {
	if err := i.guard.Check(path, outfile.ModelForm); err != nil {
		return err
	}
	if _, err := i.network.Save(path); err != nil {
		return err
	}
	i.Model = path
	return nil
}
