package backend

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"ialgn/internal/filekind"
	"ialgn/internal/message"
	"ialgn/internal/names"
)

// ManifestFormat is the version of the output folder's form that this package writes
// and reads.
const ManifestFormat = 1

const (
	manifestName = "manifest.json"
	reportName   = "report.json"
)

// Manifest is the content of manifest.json: what an output folder was made of and
// from. But for the report's size and SHA-256, the same model, options and program give
// the same content.
type Manifest struct {
	Format  int               `json:"format"`
	Version string            `json:"ialgn"`        // version of the program
	Word    uint32            `json:"version_word"` // identifies the build, in the Verilog too ([handover.Version])
	Module  string            `json:"module"`
	Scope   string            `json:"scope"` // gates, core or full
	Options json.RawMessage   `json:"options,omitempty"`
	Model   ModelRef          `json:"model"`
	Classes []string          `json:"classes"`
	Data    json.RawMessage   `json:"data,omitempty"`        // the data's part of the configuration
	Test    string            `json:"test_sha256,omitempty"` // digest of the test part, by the model's record
	Encoder json.RawMessage   `json:"encoder,omitempty"`     // the thermometer code
	Tools   map[string]string `json:"tools,omitempty"`       // external programs and their versions
	Files   []File            `json:"files"`
}

// ModelRef names the model that a folder was compiled from.
type ModelRef struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// File is one file of an output folder.
type File struct {
	Name   string `json:"name"`
	Format string `json:"format"` // verilog, netlist, c, c-header, report and so on
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// readManifest reads the manifest of a folder. Its errors say what to do; that of a
// missing manifest satisfies errors.Is(err, fs.ErrNotExist).
func readManifest(dir string) (*Manifest, []byte, error) {
	m, data, err := readManifestFile(filepath.Join(dir, manifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("%s: no output folder of compile, or one whose writing was interrupted: "+
			"compile again: %w", dir, fs.ErrNotExist)
	}
	return m, data, err
}

// readManifestFile reads a manifest.
func readManifestFile(path string) (*Manifest, []byte, error) {
	data, err := readPlain(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	if err != nil {
		if other := filekind.ExplainFile(filepath.Dir(path), "a folder that compile made"); other != nil {
			return nil, nil, other
		}
		return nil, nil, fmt.Errorf("%s: cannot be read (%w): name a folder that compile made, or is to make", path,
			cause(err))
	}
	m := &Manifest{}
	if err := json.Unmarshal(data, m); err != nil {
		return nil, nil, fmt.Errorf("%s: not a manifest of ialgn (%w): choose another folder, or remove it and compile again",
			path, message.ExplainJSON(err))
	}
	if m.Format != ManifestFormat {
		return nil, nil, fmt.Errorf("%s: manifest format %d, but this ialgn knows %d: compile again with this one", path,
			m.Format, ManifestFormat)
	}
	return m, data, m.checkNames(path)
}

// maxManifest is more than the largest manifest has, whose thresholds are a megabyte.
const maxManifest = 64 << 20

// readPlain reads a plain file of no more than maxManifest bytes.
func readPlain(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is no plain file")
	case info.Size() > maxManifest:
		return nil, fmt.Errorf("it has %d bytes, more than any manifest", info.Size())
	}
	return os.ReadFile(path)
}

// plainName is the form of the names that [Write] gives to files. They become arguments of
// programs and parts of their scripts, where nothing else is safe.
var plainName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.]*$`)

// checkNames refuses a manifest with names that [Write] does not give: nothing outside the
// folder is ever read or removed, and a name is never an option, or a command.
func (m *Manifest) checkNames(path string) error {
	for _, f := range m.Files {
		if !plainName.MatchString(f.Name) {
			return fmt.Errorf("%s: file %.60q is not a plain name in the folder: the manifest was changed, compile again", path,
				f.Name)
		}
	}
	if err := CheckModule(m.Module); err != nil {
		return fmt.Errorf("%s: module: %w: the manifest was changed, compile again", path, err)
	}
	return nil
}

// CheckModule returns nil if a module can have that name and its files, too: an identifier
// of Verilog ([names.CheckIdentifier]) without $, which begins a variable in scripts and
// makefiles.
func CheckModule(name string) error {
	if err := names.CheckIdentifier(name); err != nil {
		return err
	}
	if strings.Contains(name, "$") {
		return fmt.Errorf("%q cannot be part of a file's name, leave out the $", name)
	}
	return nil
}

// cause returns what is below an error of the operating system, whose path callers name.
func cause(err error) error {
	var e *fs.PathError
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}
