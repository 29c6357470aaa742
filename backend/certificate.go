package backend

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"ialgn/internal/message"
	"ialgn/internal/outfile"
)

// CertificateFormat is the version of the format of certificate.json.
const CertificateFormat = 1

const certificateName = "certificate.json"

// Certificate is the content of certificate.json. It records which parts of an output folder were checked, which
// programs checked them, and the results. The certificate contains the SHA-256 of every file, so it does not apply to
// a folder that was changed later. [Write] removes the certificate of an earlier output.
type Certificate struct {
	Format      int       `json:"format"`
	Version     string    `json:"ialgn"` // version of the program
	Time        time.Time `json:"time"`
	Result      string    `json:"result"` // verified, different or unproved
	Level       string    `json:"level"`  // the requested level
	Samples     int       `json:"samples"`
	Assumptions []string  `json:"assumptions"`
	Reject      int       `json:"reject,omitempty"` // margin of the output uncertain
	// Unchecked lists the keys of report.json whose values were not compared with anything. It is nil in
	// certificates of versions that did not compare the report.
	Unchecked []string `json:"unchecked"`

	Model    File              `json:"model"`
	Manifest File              `json:"manifest"`
	Files    []File            `json:"files"`
	Data     string            `json:"data_sha256,omitempty"` // digest of the test part, as in the manifest
	Tools    map[string]string `json:"tools"`

	// Checks holds the result of each check under its name, as in `ialgn verify --json`.
	Checks
}

// Checks holds the results of the checks that ran.
type Checks struct {
	Software    any `json:"software,omitempty"`
	RTL         any `json:"rtl,omitempty"`
	Fold        any `json:"fold,omitempty"`
	FoldRTL     any `json:"fold_rtl,omitempty"`
	FoldFormal  any `json:"fold_formal,omitempty"`
	FoldParts   any `json:"fold_parts,omitempty"`
	Wrapper     any `json:"wrapper,omitempty"`
	Synthesized any `json:"synthesized,omitempty"`
	Mapped      any `json:"mapped,omitempty"`
	Formal      any `json:"formal,omitempty"`
	Verilog     any `json:"verilog,omitempty"`
	Core        any `json:"core,omitempty"`
	// Homomorphic and HomomorphicFormal are the checks of a program for homomorphic encryption.
	Homomorphic       any `json:"homomorphic,omitempty"`
	HomomorphicFormal any `json:"homomorphic_formal,omitempty"`
}

// Certify writes a certificate into the folder. Certify itself fills in the fields of c that describe the folder.
func (o *Output) Certify(c *Certificate) error {
	c.Format = CertificateFormat
	c.Files, c.Data = o.Manifest.Files, o.Manifest.Test
	c.Manifest = o.signature
	return outfile.Write(filepath.Join(o.Dir, certificateName), jsonTo(c))
}

// Certificate returns the folder's certificate, or nil if there is none. The certificate may be older than the
// folder's content. In this case, the manifest's SHA-256 differs from the value in the certificate.
func (o *Output) Certificate() (*Certificate, error) {
	path := filepath.Join(o.Dir, certificateName)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: cannot be read (%w): verify again", path, cause(err))
	}
	c := &Certificate{}
	if err := json.Unmarshal(data, c); err != nil {
		return nil, fmt.Errorf("%s: not a certificate of ialgn (%w): verify again", path, message.ExplainJSON(err))
	}
	if c.Format != CertificateFormat {
		return nil, fmt.Errorf("%s: certificate format %d, but this ialgn knows %d: verify again with this one", path,
			c.Format, CertificateFormat)
	}
	return c, nil
}
