package plan

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"ialgn/artifact"
	"ialgn/internal/jsonfault"
	"ialgn/netlist/counts"
	"ialgn/sim/verify"
	"ialgn/trainer/model"
)

// Read returns the plan of a folder, by the options that it was compiled with.
func Read(out *artifact.Output) (p *Plan, err error) {
	var o Options
	switch err = json.Unmarshal(out.Manifest.Options, &o); {
	case err != nil:
		err = fmt.Errorf("options: %w", jsonfault.Explain(err))
	case string(o.Scope) != out.Manifest.Scope:
		err = fmt.Errorf("the scope is %q, the options say %q", out.Manifest.Scope, o.Scope)
	default:
		p, err = read(o)
	}
	if err != nil {
		err = fmt.Errorf("%s: manifest: %w; compile again", out.Dir, err)
	}
	return p, err
}

// CompareManifest tells what a folder's manifest says of the model and of its own options that [Plan.Manifest] does
// not.
func (p *Plan) CompareManifest(out *artifact.Output, m *model.Model) (differ []string, err error) {
	have := out.Manifest
	want, err := p.Manifest(have.Version, have.Model.SHA256, m)
	if err != nil {
		return nil, err
	}
	for _, entry := range []struct {
		name       string
		have, want any
	}{
		{"module", have.Module, want.Module},
		{"model", have.Model, want.Model},
		{"options", have.Options, want.Options},
		{"version word", have.Word, want.Word},
		{"classes", have.Classes, want.Classes},
		{"data", have.Data, want.Data},
		{"test_sha256", have.Test, want.Test},
		{"encoder", have.Encoder, want.Encoder},
	} {
		if a, b := asJSON(entry.have), asJSON(entry.want); !reflect.DeepEqual(a, b) {
			differ = append(differ, fmt.Sprintf("the manifest's %s is %.100v, of the model and the options it is %.100v",
				entry.name, a, b))
		}
	}
	return differ, nil
}

// asJSON returns a part of a manifest as JSON has it, whatever the order of its keys. What was read from
// a manifest can be written and read again.
func asJSON(part any) (value any) {
	text, err := json.Marshal(part)
	if err == nil {
		err = json.Unmarshal(text, &value)
	}
	if err != nil {
		panic("plan: manifest: " + err.Error())
	}
	return value
}

// CompareFiles compares every file of a folder with what this plan writes for the folder's netlist. known holds the
// samples that the testbenches' vectors begin with; nil if the model's data set is not available.
func (p *Plan) CompareFiles(ctx context.Context, d verify.Design, m Network, out *artifact.Output,
	known *verify.Samples,
) ([]string, error) {
	product := p.Product(out.Manifest)
	p.Describe(&product, out.Manifest, &d.Model.Encoder)
	product.Netlist = out.Netlist
	if p.Hardware != nil {
		product.Hardware = &artifact.Hardware{Style: p.Style, Target: p.Target(), Hint: cmp.Or(out.Hint, &counts.Hint{})}
	}
	if err := p.engineAnew(ctx, d.Raw, m, &product); err != nil {
		return nil, err
	}
	wrong, err := p.folderVectors(out, d, known, &product)
	if err != nil {
		return nil, err
	}
	differ, err := out.Compare(ctx, product)
	return append(wrong, differ...), err
}
