package plan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"ialgn/backend"
	"ialgn/internal/handover"
	"ialgn/internal/inputs"
	"ialgn/internal/message"
	"ialgn/internal/model"
	"ialgn/internal/names"
	"ialgn/netlist"
)

// name gives the module its name, after the model's unless the options have one. It returns an error for a name that
// no module can have.
func (p *Plan) name(model string) error {
	if p.Options.Module == "" {
		p.Options.Module = moduleName(model)
	}
	if err := backend.CheckModule(p.Options.Module); err != nil {
		return message.WithHint(message.Optionf("module name: %w", err), "choose another with {Module NAME}")
	}
	return nil
}

// moduleName turns a configuration's name into a name that Verilog takes.
func moduleName(name string) string {
	id := netlist.Identifier(name)
	if id = id[:min(len(id), names.MaxIdentifier-len("m_"))]; names.CheckIdentifier(id) != nil {
		id = "m_" + id
	}
	return id
}

// manifest returns the manifest that a version of this program gives a product of a model, whose file has that SHA-256.
func (p *Plan) manifest(version, sha256 string, m *model.Model) (man backend.Manifest, err error) {
	man = backend.Manifest{
		Version: version, Module: p.Options.Module, Scope: string(p.Options.Scope), Classes: m.Classes, Test: m.Record.Test,
		Model: backend.ModelRef{Name: m.Config.Name, SHA256: sha256},
	}
	for dst, v := range map[*json.RawMessage]any{
		&man.Options: p.Options,
		&man.Data:    m.Config.Data,
		&man.Encoder: m.Encoder,
	} {
		if *dst, err = json.Marshal(v); err != nil {
			return man, err
		}
	}
	man.Word, err = versionWord(man)
	return man, err
}

// versionWord returns the word that identifies a build: of the program, the model and the options that the manifest
// names.
func versionWord(m backend.Manifest) (uint32, error) {
	var options bytes.Buffer
	if err := json.Compact(&options, m.Options); err != nil {
		return 0, err
	}
	return handover.Version(m.Version, m.Model.SHA256, options.Bytes()), nil
}

// asTheyAre says which words need no arithmetic, a line for each way.
func asTheyAre(t *inputs.Table) (lines []string) {
	names := map[string][]string{}
	var ways []string
	for i := range t.Features {
		way := t.AsIs(&t.Features[i])
		if way != "" && names[way] == nil {
			ways = append(ways, way)
		}
		names[way] = append(names[way], t.Features[i].Name)
	}
	const most = 8
	for _, way := range ways {
		all := names[way]
		text := strings.Join(all[:min(len(all), most)], ", ")
		if more := len(all) - most; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		lines = append(lines, "word of whole numbers as they are, "+way+": "+text)
	}
	return lines
}

// header returns what the head of the Verilog says of the origin and of the inputs.
func (p *Plan) header(m backend.Manifest, in *inputs.Table) []string {
	lines := []string{
		"made by ialgn " + m.Version,
		"model " + m.Model.Name + ", sha256 " + m.Model.SHA256,
		"scope " + m.Scope + ", classes " + strings.Join(m.Classes, ", "),
	}
	if p.Options.AssumeThermometer {
		lines = append(lines, "right for thermometer codes alone: a bit of x that is 1 must have all lower bits of its "+
			"feature 1")
	}
	if in.Scaled {
		lines = append(lines, "feature words are made of real values as "+in.File+" says")
		lines = append(lines, asTheyAre(in)...)
	}
	return lines
}
