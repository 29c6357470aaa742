package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"ialgn/internal/jsonfault"
	"ialgn/trainer/encoding"
)

// Format and Version name the model file's metadata layout; a change that an older
// reader would misread raises the version.
const (
	Format  = "ialgn-model"
	Version = "1"
)

// Prefixes of what a checkpoint adds to a model: tensors (an optimiser's moments) and
// metadata. Readers of models pass over them.
const (
	ExtraTensors  = "adam."
	ExtraMetadata = "checkpoint."
)

// encoderInfo is the encoder's part of the metadata; its arrays are tensors.
type encoderInfo struct {
	Bits   int      `json:"bits"`
	BitsIn int      `json:"bits_in"`
	Max    uint32   `json:"max"`
	Names  []string `json:"names,omitempty"`
}

// sectionInfo is the form of a section.
type sectionInfo struct {
	Layers int     `json:"layers"`
	A      pinInfo `json:"a"`
	B      pinInfo `json:"b"`
}

type pinInfo struct {
	Source Source `json:"source"`
	K      int    `json:"k"`
}

// metadata returns the model's metadata.
func (m *Model) metadata() (map[string]string, error) {
	e := &m.Encoder
	var sections []sectionInfo
	for i := range m.Sections {
		s := &m.Sections[i]
		sections = append(sections, sectionInfo{
			Layers: s.Layers,
			A:      pinInfo{s.A.Source, s.A.K},
			B:      pinInfo{s.B.Source, s.B.K},
		})
	}
	meta := map[string]string{"format": Format, "version": Version}
	for key, value := range map[string]any{
		"config":   m.Config,
		"classes":  m.Classes,
		"encoder":  encoderInfo{e.Bits, e.BitsIn, e.Max, e.Names},
		"sections": sections,
		"record":   m.Record,
	} {
		text, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("metadata: %s: %w", key, err)
		}
		meta[key] = string(text)
	}
	return meta, nil
}

// checkVersion reports whether the file is a model that this program reads.
func (c *container) checkVersion() error {
	if got := c.meta["format"]; got != Format {
		return fmt.Errorf("%s: metadata: format %.40q, want %q; this is no model of ialgn", c.name, got, Format)
	}
	if got := c.meta["version"]; got != Version {
		return fmt.Errorf("%s: metadata: version %.40q, this program reads version %s; use the ialgn that wrote it",
			c.name, got, Version)
	}
	return nil
}

// shell returns the model that the metadata describes, without arrays.
func (c *container) shell() (*Model, error) {
	m := &Model{}
	var e encoderInfo
	var sections []sectionInfo
	for _, part := range []struct {
		key string
		to  any
	}{
		{"config", &m.Config},
		{"classes", &m.Classes},
		{"encoder", &e},
		{"sections", &sections},
		{"record", &m.Record},
	} {
		if err := c.unmarshal(part.key, part.to); err != nil {
			return nil, err
		}
	}
	m.Width = m.Config.Model.Width
	m.Encoder = encoding.Encoder{Bits: e.Bits, BitsIn: e.BitsIn, Max: e.Max, Names: e.Names}
	for _, s := range sections {
		m.Sections = append(m.Sections, Section{
			Layers: s.Layers,
			A:      Pin{Source: s.A.Source, K: s.A.K},
			B:      Pin{Source: s.B.Source, K: s.B.K},
		})
	}
	return m, nil
}

// unmarshal decodes the metadata of that key strictly.
func (c *container) unmarshal(key string, to any) error {
	text, found := c.meta[key]
	if !found {
		return fmt.Errorf("%s: metadata: %s is missing; %s", c.name, key, damaged)
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	err := jsonfault.Explain(d.Decode(to))
	if _, end := d.Token(); err == nil && end != io.EOF {
		err = errors.New("text after the JSON value")
	}
	if err != nil {
		return fmt.Errorf("%s: metadata: %s: %w; %s", c.name, key, err, damaged)
	}
	return nil
}
