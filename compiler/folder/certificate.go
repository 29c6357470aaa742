package folder

import (
	"io"
	"path/filepath"
	"time"

	"ialgn/internal/atomicfile"
)

// CertificateFormat is the version of the certificate's form.
const CertificateFormat = 1

const certificateName = "certificate.json"

// Certificate is the content of certificate.json: what of an output folder was checked,
// with what, and what came of it. It names every file by its SHA-256, so it says nothing of
// a folder that was changed since; [Write] removes that of the output before.
type Certificate struct {
	Format      int       `json:"format"`
	Version     string    `json:"ialgn"` // of the program
	Time        time.Time `json:"time"`
	Result      string    `json:"result"` // verified, different or unproved
	Level       string    `json:"level"`  // that was asked for
	Samples     int       `json:"samples"`
	Assumptions []string  `json:"assumptions"`

	Model    File              `json:"model"`
	Manifest File              `json:"manifest"`
	Files    []File            `json:"files"`
	Data     string            `json:"data_sha256,omitempty"` // of the test part, as the manifest knows it
	Tools    map[string]string `json:"tools"`

	// Checks are the results of each check by its name, as `ialgn verify --json` has them.
	Checks
}

// Checks are the results of the checks that ran.
type Checks struct {
	Software    any `json:"software,omitempty"`
	RTL         any `json:"rtl,omitempty"`
	Fold        any `json:"fold,omitempty"`
	FoldRTL     any `json:"fold_rtl,omitempty"`
	FoldFormal  any `json:"fold_formal,omitempty"`
	Synthesized any `json:"synthesized,omitempty"`
	Formal      any `json:"formal,omitempty"`
	Verilog     any `json:"verilog,omitempty"`
	Core        any `json:"core,omitempty"`
}

// Certify writes a certificate into the folder that was read. The parts that say what was
// compared on the folder's side are filled in.
func (o *Output) Certify(c *Certificate) error {
	c.Format = CertificateFormat
	c.Files, c.Data = o.Manifest.Files, o.Manifest.Test
	c.Manifest = o.signature
	return atomicfile.Write(filepath.Join(o.Dir, certificateName), func(w io.Writer) error { return jsonTo(c)(w) })
}
