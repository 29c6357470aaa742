package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"ialgn"
)

// bill is a bill of materials in SPDX 2.3 format (ISO/IEC 5962).
type bill struct {
	Version       string         `json:"spdxVersion"`
	Licence       string         `json:"dataLicense"`
	ID            string         `json:"SPDXID"`
	Name          string         `json:"name"`
	Namespace     string         `json:"documentNamespace"`
	Creation      creation       `json:"creationInfo"`
	Packages      []part         `json:"packages"`
	Relationships []relationship `json:"relationships"`
}

type creation struct {
	Created  string   `json:"created"`
	Creators []string `json:"creators"`
}

// part is the program, or a module linked into it.
type part struct {
	Name      string      `json:"name"`
	ID        string      `json:"SPDXID"`
	Version   string      `json:"versionInfo"`
	From      string      `json:"downloadLocation"`
	Analysed  bool        `json:"filesAnalyzed"`
	Checksums []checksum  `json:"checksums,omitempty"`
	Source    string      `json:"sourceInfo,omitempty"`
	Concluded string      `json:"licenseConcluded"`
	Declared  string      `json:"licenseDeclared"`
	Copyright string      `json:"copyrightText"`
	Refs      []reference `json:"externalRefs,omitempty"`
}

type checksum struct {
	Algorithm string `json:"algorithm"`
	Value     string `json:"checksumValue"`
}

type reference struct {
	Category string `json:"referenceCategory"`
	Type     string `json:"referenceType"`
	Locator  string `json:"referenceLocator"`
}

type relationship struct {
	Element string `json:"spdxElementId"`
	Type    string `json:"relationshipType"`
	Related string `json:"relatedSpdxElement"`
}

// These are the SPDX identifiers of the document and of the program.
const documentID, programID = "SPDXRef-DOCUMENT", "SPDXRef-ialgn"

// newBill returns the bill of a program for a platform. The bill's namespace contains the program's checksum, so
// different programs have different namespaces.
func newBill(modules []module, p platform, program []byte, at time.Time) *bill {
	sum := fmt.Sprintf("%x", sha256.Sum256(program))
	b := &bill{
		Version: "SPDX-2.3", Licence: "CC0-1.0", ID: documentID, Name: base(p),
		Namespace: "urn:ialgn:" + ialgn.Version + ":" + p.String() + ":" + sum,
		Creation:  creation{at.Format(time.RFC3339), []string{"Tool: ialgn-dist-" + ialgn.Version}},
		Packages: []part{{
			Name: "ialgn", ID: programID, Version: ialgn.Version, From: unknown, Checksums: []checksum{{"SHA256", sum}},
			Concluded: unknown, Declared: "NONE", Copyright: unknown, // the owner has chosen no licence yet
		}},
		Relationships: []relationship{{documentID, "DESCRIBES", programID}},
	}
	for _, m := range modules {
		id := "SPDXRef-" + strings.NewReplacer("/", "-", "~", "-", "_", "-").Replace(m.path)
		source := ""
		if m.sum != "" {
			source = "go.sum has " + m.sum
		}
		b.Packages = append(b.Packages, part{
			Name: m.path, ID: id, Version: m.version, From: unknown, Source: source, Concluded: unknown,
			Declared: m.licence(), Copyright: unknown,
			Refs: []reference{{
				"PACKAGE-MANAGER", "purl", "pkg:golang/" + strings.ReplaceAll(m.path, "~", "%7E") + "@" + m.version,
			}},
		})
		b.Relationships = append(b.Relationships, relationship{programID, "STATIC_LINK", id})
	}
	return b
}

// encode returns the bill as JSON.
func (b *bill) encode() ([]byte, error) {
	data, err := json.MarshalIndent(b, "", "  ")
	return append(data, '\n'), err
}
