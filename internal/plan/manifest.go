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
	"ialgn/internal/ties"
	"ialgn/netlist"
)

// name derives the module's name from the model's name, if the options do not have a module name. It returns an error
// if the name is not a valid module name.
func (p *Plan) name(model string) error {
	if p.Options.Module == "" {
		p.Options.Module = moduleName(model)
	}
	if err := backend.CheckModule(p.Options.Module); err != nil {
		return message.WithHint(message.Optionf("module name: %w", err), "choose another with {Module NAME}")
	}
	return nil
}

// moduleName turns a configuration's name into a valid Verilog identifier.
func moduleName(name string) string {
	id := netlist.Identifier(name)
	if id = id[:min(len(id), names.MaxIdentifier-len("m_"))]; names.CheckIdentifier(id) != nil {
		id = "m_" + id
	}
	return id
}

// manifest returns the manifest for a product of a model. version is the program's version, and sha256 is the digest
// of the model's file.
func (p *Plan) manifest(version, sha256 string, m *model.Model) (man backend.Manifest, err error) {
	man = backend.Manifest{
		Version: version, Module: p.Options.Module, Scope: string(p.Options.Scope), Classes: m.Classes, Ties: m.Ties,
		Test:  m.Record.Test,
		Model: backend.ModelRef{Name: m.Config.Name, SHA256: sha256},
	}
	if p.Options.Probabilities {
		t := m.Temperature()
		man.Probabilities = &t
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

// versionWord returns the word that identifies a build. It is a hash of the program's version, the model and the
// options.
func versionWord(m backend.Manifest) (uint32, error) {
	var options bytes.Buffer
	if err := json.Compact(&options, m.Options); err != nil {
		return 0, err
	}
	return handover.Version(m.Version, m.Model.SHA256, options.Bytes()), nil
}

// asTheyAre describes the features whose words are taken from the data without arithmetic. There are several ways to
// take words. For each way, it returns a line that lists the features to which the way applies.
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

// header returns the comment lines at the top of the Verilog: the origin of the design and a
// description of its inputs.
func (p *Plan) header(m backend.Manifest, in *inputs.Table) []string {
	lines := []string{
		"made by ialgn " + m.Version,
		"model " + m.Model.Name + ", sha256 " + m.Model.SHA256,
		"scope " + m.Scope + ", classes " + strings.Join(m.Classes, ", "),
	}
	if m.Ties != nil {
		lines = append(lines, "tie order, counted from 0: of equal counts, "+ties.Rule(m.Ties)+" wins")
	}
	if p.Options.Reject > 0 {
		lines = append(lines, fmt.Sprintf("uncertain is 1 if the largest count leads the second largest by less than %d",
			p.Options.Reject))
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
