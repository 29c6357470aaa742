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
	"ialgn/internal/softmax"
)

// ManifestFormat is the version of the output folder's format that this package writes and reads.
const ManifestFormat = 1

const (
	manifestName = "manifest.json"
	reportName   = "report.json"
)

// Manifest is the content of manifest.json. It says what an output folder contains, and from which model and options
// the folder was made. The same model, options and program give the same manifest, except for the size and SHA-256 of
// the report.
type Manifest struct {
	Format  int             `json:"format"`
	Version string          `json:"ialgn"`        // version of the program
	Word    uint32          `json:"version_word"` // identifies the build; also in the Verilog ([handover.Version])
	Module  string          `json:"module"`
	Scope   string          `json:"scope"` // gates, core or full
	Options json.RawMessage `json:"options,omitempty"`
	Model   ModelRef        `json:"model"`
	Classes []string        `json:"classes"`
	Ties    []int           `json:"ties,omitempty"`        // tie order of the classes; nil if the lowest class wins
	Data    json.RawMessage `json:"data,omitempty"`        // the section data from the configuration
	Test    string          `json:"test_sha256,omitempty"` // digest of the test part, from the model's record
	Encoder json.RawMessage `json:"encoder,omitempty"`     // the thermometer encoder
	// Probabilities is the temperature of the probabilities that the C and Go code computes; nil if it computes none.
	Probabilities *softmax.Temperature `json:"probabilities,omitempty"`
	Tools         map[string]string    `json:"tools,omitempty"` // versions of external programs
	Files         []File               `json:"files"`
}

// ModelRef identifies the model that a folder was compiled from.
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

// readManifest reads the manifest of a folder. It returns the manifest and its text. Error messages tell the user
// what to do. If there is no manifest, the error satisfies errors.Is(err, fs.ErrNotExist).
func readManifest(dir string) (*Manifest, []byte, error) {
	m, data, err := readManifestFile(filepath.Join(dir, manifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("%s: no output folder of compile, or one whose writing was interrupted: "+
			"compile again: %w", dir, fs.ErrNotExist)
	}
	return m, data, err
}

// readManifestFile reads a manifest file.
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

// maxManifest is the largest accepted size of a manifest in bytes. The thresholds in the largest real manifest take
// about a megabyte.
const maxManifest = 64 << 20

// readPlain reads a regular file of at most maxManifest bytes.
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

// plainName matches the file names that [Write] uses. Names become arguments of programs and parts of scripts,
// where other characters would not be safe.
var plainName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.]*$`)

// checkNames returns an error if a manifest contains a file name that [Write] would not use. The check ensures that
// no file outside the folder is read or removed, and that no program takes a name for an option or a command.
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

// CheckModule returns nil if name is valid for a module and its files. A valid name is a Verilog identifier
// ([names.CheckIdentifier]) without $, because $ begins a variable in scripts and makefiles.
func CheckModule(name string) error {
	if err := names.CheckIdentifier(name); err != nil {
		return err
	}
	if strings.Contains(name, "$") {
		return fmt.Errorf("%q cannot be part of a file's name, leave out the $", name)
	}
	return nil
}

// cause returns the reason for an operating system error. It removes the path, because callers add the path
// themselves.
func cause(err error) error {
	var e *fs.PathError
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}
