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

// ImportFormats returns the names of the formats that networks of other frameworks are read from.
func ImportFormats() []string { return interchange.ReaderNames() }

// ImportOptions say what a file of another framework does not hold.
type ImportOptions struct {
	From       string   // one of [ImportFormats]; empty: found out
	Facts      string   // a file of facts, JSON or YAML (docs/INTERCHANGE.md)
	Fact       []string // further facts, KEY=VALUE
	Wiring     string   // a file with the wires: difflogic's own C or Verilog, or JSON
	Thresholds string   // an array of NumPy: [feature][bit], or as the framework has it
	Classes    []string // names of the classes; nil: their numbers
	Name       string   // of the model; empty: that of the file, without its ending

	// Set gives the network a data set, whose test part [Model.Evaluate] and the checks of designs take: keys of the
	// section data of a configuration, data.KEY=VALUE. Empty: it has none, and they take random samples or say so.
	Set     []string
	Folders []string // where data sets are looked for first, as [Data.Folders]

	Force bool     // write over files that ialgn did not write, and over what is read
	Keep  []string // files that must not be written over, beside those that are read here
}

// Imported is a network of another framework, and what is to be said of it.
type Imported struct {
	Model    string          `json:"model"` // the model file, once it is saved
	Name     string          `json:"name"`
	Format   string          `json:"format"`
	Findings []graph.Finding `json:"findings"` // what was found, and what was taken from where
	Unused   []string        `json:"unused"`   // facts that mean nothing for it
	Features int             `json:"features"`
	Inputs   int             `json:"inputs"` // bits that features become
	Layers   []int           `json:"layers"` // nodes of each
	Pins     []int           `json:"pins"`   // of the nodes of each layer
	Classes  []string        `json:"classes"`
	Tau      float64         `json:"tau"`
	Beta     float64         `json:"beta"`
	DataSet  string          `json:"data_set,omitempty"` // that it was given
	Samples  int             `json:"test_samples,omitempty"`
	// Trainable says that training can go on from the model, and Reason why not, if it cannot.
	Trainable bool   `json:"trainable"`
	Reason    string `json:"reason,omitempty"`

	network *model.Model
	guard   outfile.Guard
}

// Import reads a network that another framework has trained. The file decides nothing but the network: nothing of it is
// run. It returns an error that says what is missing if the file does not hold it, and it is not among the options.
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
		err = fmt.Errorf("%s: is no file", path)
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
		how := "taken as they are: no divisor is said, input.divisor"
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

// takeData gives a network the data set that the options say, and returns its test part, nil for none. Classes that
// have numbers for names are called as the data set calls them.
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

// sources fills in what the options say, and returns the files that were read, with the digests of what was read.
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
		err = message.WithHint(err, "save the thresholds by numpy.save: a row for each feature, or one for all")
	}
	if err != nil {
		return nil, err
	}
	if src.Thresholds, err = given.Rows(shape, values); err != nil {
		return nil, fmt.Errorf("%s: %w", thresholds, err)
	}
	return append(files, model.Start{Name: f.Name, SHA256: f.SHA256()}), nil
}

// thresholdsFile returns the path of the thresholds: that of the options, else that beside the facts which these name;
// empty if there is none.
func (o *ImportOptions) thresholdsFile(beside string) (string, error) {
	switch {
	case o.Thresholds != "" || beside == "":
		return o.Thresholds, nil
	case !filepath.IsLocal(beside):
		return "", fmt.Errorf("%s: thermometer.thresholds_file: %q is not beside the facts", o.Facts, beside)
	}
	return filepath.Join(filepath.Dir(o.Facts), beside), nil
}

// maxThresholds is the largest number of thresholds that are read.
const maxThresholds = 1 << 24

// Save writes the model to a file, beside it first and then renamed. It returns an error if there is a file that is no
// model, or that the network was read from.
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
