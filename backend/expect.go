package backend

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"ialgn/netlist"
)

// Expected describes the expected content of a folder. The folder must contain the files that [Write] makes from a
// product with the folder's netlist and the options in its manifest.
type Expected struct {
	Product
	Compiled  *netlist.Netlist // netlist compiled from the model; if nil, any netlist is accepted
	Version   string           // version of the program that makes the comparison
	Unchecked []string         // keys of the report without an expected value, such as passes[].seconds
}

// OfTheRun lists the keys of the report whose values describe the run of the compile command, such as its duration. A
// later run cannot reproduce these values.
var OfTheRun = []string{"seconds", "peak_bytes", "passes[].seconds"}

// Compare compares every file of a folder with the file that [Write] would make. It compares the values of the report
// key by key, and all other files byte by byte.
//
// The options determine which files a folder has. Compare returns an error if the manifest lacks one of these files,
// has an additional file, or gives a file the wrong format. For every other difference, Compare adds a line to the
// result that says where the difference is.
func (o *Output) Compare(ctx context.Context, e Expected) (differ []string, err error) {
	e.prepare()
	formats, err := selectFormats(e.Product)
	if err != nil {
		return nil, err
	}
	if err := o.checkNames(e.Product, formats); err != nil {
		return nil, err
	}
	for i, f := range formats {
		line, err := o.compareFile(ctx, o.Manifest.Files[i], e.writer(f), e.Version)
		if err != nil {
			return nil, err
		}
		if line != "" {
			differ = append(differ, line)
		}
	}
	figures, err := o.compareReport(e)
	return append(differ, figures...), err
}

// writer returns the function that writes a file in format f. If e.Compiled is not nil, the function writes
// e.Compiled instead of the folder's netlist.
func (e Expected) writer(f format) func(io.Writer) error {
	p := e.Product
	if f.name == netlistFormat && e.Compiled != nil {
		p.Netlist = e.Compiled
	}
	return func(w io.Writer) error { return f.write(w, p) }
}

// compareFile compares a file with the output of the function write. It returns "" if they are equal, and a
// description of the first difference otherwise.
func (o *Output) compareFile(ctx context.Context, have File, write func(io.Writer) error, version string) (string,
	error,
) {
	want, err := digest(ctx, io.Discard, write)
	if err != nil || want.Size == have.Size && want.SHA256 == have.SHA256 {
		return "", err
	}
	of := "netlist"
	if have.Format == netlistFormat {
		of = "model"
	}
	place, err := firstDifference(ctx, o.at(have.Name), write)
	return fmt.Sprintf("%s is not what ialgn %s writes for the %s and the options: %s", have.Name, version, of, place), err
}

// firstDifference describes the first difference between a file and the output of the function write.
func firstDifference(ctx context.Context, path string, write func(io.Writer) error) (string, error) {
	have, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	f := &follower{have: have}
	if _, err := digest(ctx, f, write); err != nil {
		return "", err
	}
	before := have[:f.equal]
	from := max(bytes.LastIndexByte(before, '\n')+1, len(before)-shownBefore)
	got, want := shown(have[from:]), shown(slices.Concat(before[from:], f.rest))
	if !utf8.Valid(got) || !utf8.Valid(want) || bytes.IndexByte(got, 0) >= 0 {
		return fmt.Sprintf("from byte %d on", f.equal), nil
	}
	return fmt.Sprintf("line %d: %q, not %q", 1+bytes.Count(before, []byte{'\n'}), got, want), nil
}

// A message shows a part of the line that differs. These constants are the length of this part in bytes, and the
// number of its bytes that come before the difference.
const (
	shownBytes  = 80
	shownBefore = 30
)

// shown returns the beginning of a line, for a message.
func shown(text []byte) []byte {
	line, _, _ := bytes.Cut(text[:min(len(text), shownBytes)], []byte{'\n'})
	for len(line) > 0 && !utf8.Valid(line) && utf8.Valid(line[:len(line)-1]) { // a character was cut in two
		line = line[:len(line)-1]
	}
	return line
}

// follower is a writer that compares the data written to it with a text.
type follower struct {
	have  []byte
	equal int    // number of bytes before the first difference
	rest  []byte // first bytes of the data after the equal part
}

func (f *follower) Write(b []byte) (int, error) {
	size := len(b)
	if len(f.rest) == 0 {
		n := 0
		for n < len(b) && f.equal+n < len(f.have) && b[n] == f.have[f.equal+n] {
			n++
		}
		f.equal, b = f.equal+n, b[n:]
	}
	f.rest = append(f.rest, b[:min(len(b), shownBytes-min(shownBytes, len(f.rest)))]...)
	return size, nil
}

// checkNames compares the manifest's list of files with the files that belong to the given formats.
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

// role describes a file by name and format, for a message.
func (f File) role() string {
	if f == (File{}) {
		return "none"
	}
	return fmt.Sprintf("%s (%s)", f.Name, f.Format)
}

// compareReport compares the values of the report with the values computed from the product.
func (o *Output) compareReport(e Expected) ([]string, error) {
	have, err := os.ReadFile(o.at(reportName))
	if err != nil {
		return nil, err
	}
	want, err := newReport(e.Product)
	if err != nil {
		return nil, err
	}
	return compareJSON(reportName, have, want, e.Unchecked)
}

// CompareManifest compares the manifest with the expected one. It does not compare the list of files: [Read] checks
// their digests, and [Output.Compare] their names and formats.
func (o *Output) CompareManifest(want Manifest) ([]string, error) {
	want.Format, want.Files = ManifestFormat, o.Manifest.Files
	return compareJSON(manifestName, o.manifest, want, nil)
}

// compareJSON compares a JSON file with the JSON form of v. It returns a line for each value that differs. The keys
// in the list unchecked may have any value.
func compareJSON(file string, have []byte, v any, unchecked []string) ([]string, error) {
	want, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	c := &jsonComparison{unchecked: unchecked}
	got, err := c.tree(have)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	must, err := c.tree(want)
	if err != nil {
		return nil, err
	}
	c.compare("", got, must)
	if n := len(c.differ); n > mostValues {
		c.differ = append(c.differ[:mostValues], fmt.Sprintf("%d more values differ", n-mostValues))
	}
	for i, line := range c.differ {
		c.differ[i] = file + ": " + line
	}
	return c.differ, nil
}

// mostValues is the maximum number of differing values to list for a file. One cause can change hundreds.
const mostValues = 20
