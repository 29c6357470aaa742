package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"ialgn/internal/encoding"
	"ialgn/internal/filekind"
	"ialgn/internal/message"
	"ialgn/internal/topology"
)

// Format and Version identify the layout of the model file's metadata. The layout gets a new version for each change
// that an older reader would misread.
const (
	Format  = "ialgn-model"
	Version = "1"

	// NodesVersion is the version for models in which some nodes do not have two pins, or some layers differ in width.
	NodesVersion = "2"

	// GridVersion is the version for models with nodes that positions share.
	GridVersion = "3"

	// StepsVersion is the version for recurrent networks. Their metadata has the entry steps.
	StepsVersion = "4"

	// OffsetsVersion is the version for models with class offsets or a tie order. Their metadata has the entry offsets,
	// the entry ties, or both. They may also have what versions 2 to 4 have.
	OffsetsVersion = "5"
)

// The names of optional entries of the metadata.
const (
	stepsEntry       = "steps"
	offsetsEntry     = "offsets"
	tiesEntry        = "ties"
	calibrationEntry = "calibration"
)

// These prefixes mark the additional data of a checkpoint in a model file. The data consists of tensors (an
// optimiser's moments) and metadata. Readers of models skip both.
const (
	ExtraTensors  = "adam."
	ExtraMetadata = "checkpoint."
)

// encoderInfo is the encoder's part of the metadata. The encoder's arrays are tensors.
type encoderInfo struct {
	Bits   int      `json:"bits"`
	BitsIn int      `json:"bits_in"`
	Max    uint32   `json:"max"`
	Names  []string `json:"names,omitempty"`

	Columns []encoding.Column `json:"columns,omitempty"` // columns of a table; older readers refuse models with columns
}

// sectionInfo is the form of a section. Version 1 uses A and B. Later versions use Width and Pins.
type sectionInfo struct {
	Layers int       `json:"layers"`
	Width  int       `json:"width,omitempty"`
	A      *pinInfo  `json:"a,omitempty"`
	B      *pinInfo  `json:"b,omitempty"`
	Pins   []pinInfo `json:"pins,omitempty"`

	Grid *topology.Grid `json:"grid,omitempty"` // in versions 3 and 5 only
}

type pinInfo struct {
	Source Source `json:"source"`
	K      int    `json:"k"`
}

// metadata returns the model's metadata.
func (m *Model) metadata() (map[string]string, error) {
	e := &m.Encoder
	version := m.version()
	var sections []sectionInfo
	for i := range m.Sections {
		s := &m.Sections[i]
		info := sectionInfo{Layers: s.Layers, Grid: s.Grid}
		for k := range s.Pins {
			info.Pins = append(info.Pins, pinInfo{s.Pins[k].Source, s.Pins[k].K})
		}
		if version == Version {
			info.A, info.B, info.Pins = &info.Pins[0], &info.Pins[1], nil
		} else {
			info.Width = s.Width // a part has the whole network's width in the file
			if m.Part != nil {
				info.Width = m.wholeWidth()
			}
		}
		sections = append(sections, info)
	}
	meta := map[string]string{"format": Format, "version": version}
	if m.Steps > 0 {
		meta[stepsEntry] = strconv.Itoa(m.Steps)
	}
	entries := map[string]any{
		"config":   m.Config,
		"classes":  m.Classes,
		"encoder":  encoderInfo{e.Bits, e.BitsIn, e.Max, e.Names, e.Columns},
		"sections": sections,
		"record":   m.Record,
	}
	if m.Offsets != nil {
		entries[offsetsEntry] = m.Offsets
	}
	if m.Ties != nil {
		entries[tiesEntry] = m.Ties
	}
	if m.Calibration != nil {
		entries[calibrationEntry] = m.Calibration
	}
	for key, value := range entries {
		text, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("metadata: %s: %w", key, err)
		}
		meta[key] = string(text)
	}
	return meta, nil
}

// version returns the oldest version of the metadata that can describe the model.
func (m *Model) version() string {
	switch {
	case m.Offsets != nil || m.Ties != nil:
		return OffsetsVersion
	case m.Steps > 0:
		return StepsVersion
	}
	version := Version
	for i := range m.Sections {
		switch s := &m.Sections[i]; {
		case s.Grid != nil:
			return GridVersion
		case len(s.Pins) != 2 || s.Width != m.Width:
			version = NodesVersion
		}
	}
	return version
}

// checkVersion returns an error if the file is not a model that this program can read.
func (c *container) checkVersion() error {
	if got := c.meta["format"]; got != Format {
		err := fmt.Errorf("%s: metadata: format %.40q, want %q; this is no model of ialgn", c.name, got, Format)
		return filekind.WithUse(err, c.name, filekind.Head(c.r))
	}
	versions := []string{Version, NodesVersion, GridVersion, StepsVersion, OffsetsVersion}
	if got := c.meta["version"]; !slices.Contains(versions, got) {
		return fmt.Errorf("%s: metadata: version %.40q, this program reads versions %s to %s; use the ialgn that wrote it",
			c.name, got, versions[0], versions[len(versions)-1])
	}
	return nil
}

// shell returns the model that the metadata describes. The model's arrays do not exist yet.
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
	if err := c.readSteps(m); err != nil {
		return nil, err
	}
	if err := c.readCalibrated(m); err != nil {
		return nil, err
	}
	m.Width = m.Config.Model.Width
	m.Encoder = encoding.Encoder{Bits: e.Bits, BitsIn: e.BitsIn, Max: e.Max, Names: e.Names, Columns: e.Columns}
	for i := range sections {
		s, err := sections[i].section(m, c.meta["version"])
		if err != nil {
			return nil, fmt.Errorf("%s: metadata: section %d: %w; %s", c.name, i, err, damaged)
		}
		m.Sections = append(m.Sections, s)
	}
	return m, nil
}

// readSteps reads the number of steps of a recurrent network.
func (c *container) readSteps(m *Model) error {
	version := c.meta["version"]
	if _, found := c.meta[stepsEntry]; !found && version != StepsVersion {
		return nil
	}
	err := c.unmarshal(stepsEntry, &m.Steps)
	if err == nil && (version != StepsVersion && version != OffsetsVersion || m.Steps < 1) {
		err = fmt.Errorf("%s: metadata: %d steps in version %s; %s", c.name, m.Steps, version, damaged)
	}
	return err
}

// readCalibrated reads the class offsets, the tie order and the calibration, if the metadata has them. Files of
// [OffsetsVersion] have offsets or a tie order.
func (c *container) readCalibrated(m *Model) error {
	_, ordered := c.meta[tiesEntry]
	if _, found := c.meta[offsetsEntry]; found || !ordered && c.meta["version"] == OffsetsVersion {
		if err := c.readList(offsetsEntry, &m.Offsets); err != nil {
			return err
		}
	}
	if ordered {
		if err := c.readList(tiesEntry, &m.Ties); err != nil {
			return err
		}
	}
	if _, found := c.meta[calibrationEntry]; found {
		m.Calibration = &Calibration{}
		return c.unmarshal(calibrationEntry, m.Calibration)
	}
	return nil
}

// readList reads an entry that is a list of numbers and that only files of [OffsetsVersion] have.
func (c *container) readList(entry string, to *[]int) error {
	if err := c.unmarshal(entry, to); err != nil {
		return err
	}
	if version := c.meta["version"]; version != OffsetsVersion || *to == nil {
		return fmt.Errorf("%s: metadata: %s in version %s, want version %s and a list; %s", c.name, entry, version,
			OffsetsVersion, damaged)
	}
	return nil
}

// section returns the section without arrays.
func (s *sectionInfo) section(m *Model, version string) (Section, error) {
	t := Section{Layers: s.Layers, Width: s.Width, Grid: s.Grid}
	pins := s.Pins
	if version == Version {
		if s.A == nil || s.B == nil || s.Width != 0 || len(s.Pins) > 0 {
			return t, errors.New("want layers, a and b")
		}
		pins, t.Width = []pinInfo{*s.A, *s.B}, m.Width
	} else if s.A != nil || s.B != nil || len(s.Pins) < 1 || len(s.Pins) > MaxPins {
		return t, fmt.Errorf("want layers, width and 1 to %d pins", MaxPins)
	}
	if s.Grid != nil && version != GridVersion && version != OffsetsVersion {
		return t, fmt.Errorf("a grid in version %s", version)
	}
	t.Arity = 1 << len(pins)
	if len(pins) == 2 && m.Config.Model.Parametrization == topology.Softmax16 {
		t.Arity = Operations
	}
	for _, p := range pins {
		t.Pins = append(t.Pins, Pin{Source: p.Source, K: p.K})
	}
	return t, nil
}

// unmarshal decodes the metadata entry with the given key. It refuses unknown fields.
func (c *container) unmarshal(key string, to any) error {
	text, found := c.meta[key]
	if !found {
		return fmt.Errorf("%s: metadata: %s is missing; %s", c.name, key, damaged)
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	err := message.ExplainJSON(d.Decode(to))
	if _, end := d.Token(); err == nil && end != io.EOF {
		err = errors.New("text after the JSON value")
	}
	if err != nil {
		return fmt.Errorf("%s: metadata: %s: %w; %s", c.name, key, err, damaged)
	}
	return nil
}
