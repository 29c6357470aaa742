package artifact

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
)

// Compare holds a folder to what [Write] makes of a product: of the netlist that was read from the
// folder, with the options that its manifest names.
//
// It returns an error if the manifest lacks a file, names one more, or gives one another role: what a
// folder must hold follows from its options, and what is missing could not be checked. It returns a
// line for each file with another content, and for each figure of the report that is not the netlist's.
// The netlist, its hint and its Verilog are left out, which verify judges by what they compute.
func (o *Output) Compare(ctx context.Context, p Product) (differ []string, err error) {
	p.prepare()
	formats, err := selectFormats(p)
	if err != nil {
		return nil, err
	}
	if err := o.checkNames(p, formats); err != nil {
		return nil, err
	}
	for i, f := range formats {
		if slices.Contains(judged, f.name) {
			continue
		}
		want, err := digest(ctx, io.Discard, func(w io.Writer) error { return f.write(w, p) })
		if err != nil {
			return nil, err
		}
		if have := o.Manifest.Files[i]; want.Size != have.Size || want.SHA256 != have.SHA256 {
			differ = append(differ, fmt.Sprintf("%s is not what ialgn %s writes for the netlist and the options", have.Name,
				p.Manifest.Version))
		}
	}
	figures, err := o.compareReport(p)
	return append(differ, figures...), err
}

// judged are the formats that [Output.Compare] leaves out: verify finds out what these files compute,
// whatever words they say it in.
var judged = []string{"verilog", "core", "netlist", "hint"}

// checkNames compares the manifest's list with the files that are written in these formats.
func (o *Output) checkNames(p Product, formats []format) error {
	want := []File{{Name: reportName, Format: "report"}}
	for i, f := range formats {
		want = slices.Insert(want, i, File{Name: f.file(p), Format: f.name})
	}
	for i := range max(len(want), len(o.Manifest.Files)) {
		var have, must File
		if i < len(want) {
			must = want[i]
		}
		if i < len(o.Manifest.Files) {
			have = File{Name: o.Manifest.Files[i].Name, Format: o.Manifest.Files[i].Format}
		}
		if have != must {
			return fmt.Errorf("%s: file %d is %s, with these options it must be %s: the manifest was changed, compile again",
				filepath.Join(o.Dir, manifestName), i+1, have.role(), must.role())
		}
	}
	return nil
}

// role tells what a file is, for a message.
func (f File) role() string {
	if f == (File{}) {
		return "none"
	}
	return fmt.Sprintf("%s (%s)", f.Name, f.Format)
}

// compareReport tells which figures of the report are not those of the netlist. How long the
// compilation took, and by which passes, is not known any more.
func (o *Output) compareReport(p Product) (differ []string, err error) {
	want, err := newReport(p)
	if err != nil {
		return nil, err
	}
	a, b := reflect.ValueOf(&o.Report).Elem(), reflect.ValueOf(want).Elem()
	for _, name := range []string{
		"Module", "Scope", "Cells", "LUTs", "Carries", "Registers", "Kinds", "Levels", "Fanout",
		"Wrapper", "Fold",
	} {
		if reflect.DeepEqual(a.FieldByName(name).Interface(), b.FieldByName(name).Interface()) {
			continue
		}
		field, _ := a.Type().FieldByName(name)
		key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		differ = append(differ, fmt.Sprintf("%s: %s is not what the netlist has", reportName, key))
	}
	return differ, nil
}
