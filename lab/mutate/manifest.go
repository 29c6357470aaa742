package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ialgn/internal/handover"
	"ialgn/internal/testkit"
)

// claim is a change of what a folder claims: of its manifest, which is signed again, or of which file is which.
type claim struct {
	kind, what string
	change     func(*manifest) error
}

// The kinds of claims.
const (
	leftOut  = "manifest: left out"
	swapped  = "manifest: swapped"
	renamed  = "manifest: renamed"
	optioned = "manifest: option"
	claimed  = "manifest: claim"
)

// manifest is a manifest that is changed, in its own order: the version word depends on it.
type manifest struct {
	dir   string
	all   object
	files []object
}

// object is a JSON object whose members keep their order.
type object []member

type member struct {
	key   string
	value json.RawMessage
}

// UnmarshalJSON reads an object.
func (o *object) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		m := member{key: fmt.Sprint(key)}
		if err := d.Decode(&m.value); err != nil {
			return err
		}
		*o = append(*o, m)
	}
	return nil
}

// MarshalJSON writes an object.
func (o object) MarshalJSON() ([]byte, error) {
	var parts []string
	for _, m := range o {
		parts = append(parts, fmt.Sprintf("%q:%s", m.key, m.value))
	}
	return []byte("{" + strings.Join(parts, ",") + "}"), nil
}

// get returns the value of a key, nil if there is none.
func (o object) get(key string) json.RawMessage {
	for _, m := range o {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

// set gives a key a value; nil takes it out.
func (o *object) set(key string, value any) {
	i := slices.IndexFunc(*o, func(m member) bool { return m.key == key })
	text, _ := json.Marshal(value) // plain values
	switch {
	case value == nil && i >= 0:
		*o = slices.Delete(slices.Clone(*o), i, i+1)
	case i >= 0:
		*o = slices.Clone(*o)
		(*o)[i].value = text
	case value != nil:
		*o = append(*o, member{key, text})
	}
}

// text returns the value of a key that is a string.
func (o object) text(key string) (s string) {
	_ = json.Unmarshal(o.get(key), &s) // another kind of value is none
	return s
}

// apply changes the folder dir and signs it.
func (c *claim) apply(dir string) error {
	path := filepath.Join(dir, "manifest.json")
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	m := &manifest{dir: dir}
	if err := json.Unmarshal(text, &m.all); err != nil {
		return err
	}
	if err := json.Unmarshal(m.all.get("files"), &m.files); err != nil {
		return err
	}
	if err := c.change(m); err != nil {
		return err
	}
	m.all.set("files", m.files)
	if text, err = json.Marshal(m.all); err != nil {
		return err
	}
	if err := os.WriteFile(path, text, 0o666); err != nil {
		return err
	}
	return testkit.ResignFolder(dir)
}

// word computes the version word anew.
func (m *manifest) word() error {
	var options bytes.Buffer
	if err := json.Compact(&options, m.all.get("options")); err != nil {
		return err
	}
	var model object
	if err := json.Unmarshal(m.all.get("model"), &model); err != nil {
		return err
	}
	m.all.set("version_word", handover.Version(m.all.text("ialgn"), model.text("sha256"), options.Bytes()))
	return nil
}

// claimSites returns the sites function of a kind of claims.
func claimSites(kind string) func(*design) []site {
	return func(d *design) (sites []site) {
		for _, c := range d.claims() {
			if c.kind == kind {
				sites = append(sites, site{manifest: &c})
			}
		}
		return sites
	}
}

// claims returns all claims about a design's folder that are none of its own.
func (d *design) claims() (list []claim) {
	for i := range d.out.Manifest.Files {
		list = append(list, fileClaims(i, d.out.Manifest.Files[i].Name)...)
		for j := range i {
			list = append(list, pairClaims(i, j, d.out.Manifest.Files[i].Name, d.out.Manifest.Files[j].Name)...)
		}
	}
	return slices.Concat(list, optionClaims(), valueClaims())
}

// fileClaims changes one entry of the list of files.
func fileClaims(i int, name string) []claim {
	drop := func(m *manifest) { m.files = slices.Delete(m.files, i, i+1) }
	move := func(m *manifest, to string) error {
		m.files[i].set("name", to)
		return os.Rename(filepath.Join(m.dir, name), filepath.Join(m.dir, to))
	}
	return []claim{
		{leftOut, name + " is not claimed", func(m *manifest) error { drop(m); return nil }},
		{leftOut, name + " is not claimed, and is not there", func(m *manifest) error {
			drop(m)
			return os.Remove(filepath.Join(m.dir, name))
		}},
		{leftOut, name + " is not claimed, and is another file", func(m *manifest) error {
			drop(m)
			return os.WriteFile(filepath.Join(m.dir, name), []byte("// another file\n"), 0o666)
		}},
		{leftOut, name + " is empty", func(m *manifest) error {
			return os.WriteFile(filepath.Join(m.dir, name), nil,
				0o666)
		}},
		{renamed, name + " is called other_" + name, func(m *manifest) error { return move(m, "other_"+name) }},
		{renamed, name + " has another ending", func(m *manifest) error {
			return move(m,
				strings.TrimSuffix(name, filepath.Ext(name))+".txt")
		}},
		{renamed, name + " has the format other", func(m *manifest) error { m.files[i].set("format", "other"); return nil }},
		{renamed, name + " has no format", func(m *manifest) error { m.files[i].set("format", ""); return nil }},
		{renamed, name + " is claimed a second time, as core", func(m *manifest) error {
			again := slices.Clone(m.files[i])
			again.set("format", "core")
			m.files = append(m.files, again)
			return nil
		}},
	}
}

// pairClaims has two entries of the list of files change places.
func pairClaims(i, j int, a, b string) []claim {
	exchange := func(key string) func(*manifest) error {
		return func(m *manifest) error {
			x, y := m.files[i].text(key), m.files[j].text(key)
			m.files[i].set(key, y)
			m.files[j].set(key, x)
			return nil
		}
	}
	return []claim{
		{swapped, fmt.Sprintf("%s and %s have each other's format", a, b), exchange("format")},
		{swapped, fmt.Sprintf("%s and %s have each other's name", a, b), exchange("name")},
		{swapped, fmt.Sprintf("%s and %s have each other's contents", a, b), func(m *manifest) error {
			x, y, aside := filepath.Join(m.dir, a), filepath.Join(m.dir, b), filepath.Join(m.dir, "aside")
			for _, move := range [][2]string{{x, aside}, {y, x}, {aside, y}} {
				if err := os.Rename(move[0], move[1]); err != nil {
					return err
				}
			}
			return nil
		}},
	}
}

// optionValues are what options may have; nil: the option is not given.
var optionValues = []struct {
	key    string
	values []any
}{
	{"scope", []any{"gates", "core", "full"}},
	{"emit", []any{nil, []string{"aiger"}, []string{"c", "go"}}},
	{"module", []any{"other", "dut_core", ""}},
	{"optimise", []any{0, 1, 2, 3}},
	{"lut", []any{nil, 2, 4, 6}},
	{"target", []any{nil, "generic", "ice40", "ecp5", "gowin", "xilinx7", "spartan"}},
	{"objective", []any{nil, "area", "depth", "balanced"}},
	{"max_depth", []any{nil, 1, 30}},
	{"pipeline", []any{nil, "none", "auto", "1", "2", "3", "4"}},
	{"max_levels", []any{nil, 1, 2}},
	{"style", []any{nil, "gates", "lut"}},
	{"mhz", []any{nil, 12, 48}},
	{"wrap", []any{nil, "none", "stream", "axis", "uart", "spi"}},
	{"baud", []any{nil, 9600, 115200}},
	{"board", []any{nil, "hx8k-breakout", "icebreaker"}},
	{"fold", []any{nil, 1, 2, 4}},
	{"fold_steps", []any{nil, 300, 1000}},
	{"assume_thermometer", []any{nil, true}},
	{"counts", []any{nil, true}},
}

// optionClaims gives each option each other value, with the version word of these options and with that of before.
func optionClaims() (list []claim) {
	for _, o := range optionValues {
		for _, v := range o.values {
			for _, again := range []bool{true, false} {
				list = append(list, claim{
					optioned, fmt.Sprintf("%s is %v, the word computed anew: %v", o.key, v, again),
					func(m *manifest) error {
						return m.option(o.key, v, again)
					},
				})
			}
		}
	}
	return list
}

// option changes an option; errSame says that it is what it was.
func (m *manifest) option(key string, value any, again bool) error {
	var options object
	if err := json.Unmarshal(m.all.get("options"), &options); err != nil {
		return err
	}
	before, _ := options.MarshalJSON()
	options.set(key, value)
	if after, _ := options.MarshalJSON(); bytes.Equal(before, after) {
		return errSame
	}
	m.all.set("options", options)
	if key == "scope" { // the scope is stated a second time
		m.all.set("scope", value)
	}
	if !again {
		return nil
	}
	return m.word()
}

// valueClaims changes each other entry.
func valueClaims() (list []claim) {
	edit := func(key, path string, value any) {
		list = append(list, claim{
			claimed, fmt.Sprintf("%s %s is %v", key, path, value),
			func(m *manifest) error { return m.edit(key, path, value) },
		})
	}
	for _, v := range []any{"other", "dut_tb", ""} {
		edit("module", "", v)
	}
	edit("scope", "", "core")
	edit("scope", "", "gates")
	edit("ialgn", "", "0.0.9")
	edit("format", "", 2)
	edit("version_word", "", 1)
	edit("version_word", "", nil)
	edit("test_sha256", "", strings.Repeat("0", 64))
	edit("test_sha256", "", nil)
	edit("model", "name", "other")
	edit("model", "sha256", strings.Repeat("0", 64))
	edit("model", "sha256", "")
	edit("data", "set", "mnist")
	edit("data", "test", "other.csv")
	for _, classes := range []any{[]string{"b", "a"}, []string{}, []string{"only"}, nil} {
		edit("classes", "", classes)
	}
	for _, field := range []string{"bits", "bits_in", "max"} {
		for _, v := range []any{nil, 2, 3, 7, 15, 31} {
			edit("encoder", field, v)
		}
	}
	edit("encoder", "thresholds", [][]int{{1, 2, 3}})
	edit("encoder", "names", []string{"first", "second"})
	edit("encoder", "quantiser", nil)
	return append(list, claim{claimed, "files  is []", func(m *manifest) error { m.files = []object{}; return nil }})
}

// edit changes an entry, or one of an entry's own; the version word is computed anew unless it is the entry.
func (m *manifest) edit(key, path string, value any) error {
	before, _ := m.all.MarshalJSON()
	if path == "" {
		m.all.set(key, value)
	} else {
		var inner object
		if err := json.Unmarshal(m.all.get(key), &inner); err != nil {
			return err
		}
		inner.set(path, value)
		m.all.set(key, inner)
	}
	if after, _ := m.all.MarshalJSON(); bytes.Equal(before, after) {
		return errSame
	}
	if key == "version_word" {
		return nil
	}
	return m.word()
}
