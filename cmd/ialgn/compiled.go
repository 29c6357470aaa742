package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"

	"github.com/urfave/cli/v2"

	"ialgn/artifact"
	"ialgn/compiler/encoder"
	"ialgn/internal/hint"
	"ialgn/internal/jsonfault"
	"ialgn/netlist"
	"ialgn/netlist/counts"
	"ialgn/sim/verify"
	"ialgn/trainer/model"
)

// compiledDesign is an output folder with the model that it was compiled from, and all that checks of it
// compare.
type compiledDesign struct {
	out     *artifact.Output
	model   artifact.File
	design  verify.Design
	files   verify.RTLFiles
	fold    *verify.FoldFiles // nil: there is no folded engine
	samples verify.Samples
	differ  []string // what else in the folder is not what it should be
}

// openCompiled opens a folder that was compiled from a model. It refuses one of another model. The caller
// releases the folder.
func openCompiled(c *cli.Context, file *model.File, dir string) (*compiledDesign, error) {
	out, err := artifact.Hold(dir)
	if err != nil {
		return nil, err
	}
	k, err := newCompiled(c, file, out)
	if err != nil {
		out.Release()
	}
	return k, out.InWords(err)
}

// newCompiled takes from a folder, and from the model that it was compiled from, what checks compare.
func newCompiled(c *cli.Context, file *model.File, out *artifact.Output) (*compiledDesign, error) {
	if err := checkCompiledFrom(c.Context, out, file); err != nil {
		return nil, err
	}
	k := &compiledDesign{out: out, model: artifact.File{
		Name: filepath.Base(file.Path()), Format: "model", Size: file.Size(), SHA256: out.Manifest.Model.SHA256,
	}}
	info, err := file.Info()
	if err != nil {
		return nil, err
	}
	if k.differ, err = compareManifest(out, info.Model); err != nil {
		return nil, err
	}
	f, test, err := loadForTest(c, file)
	if err != nil {
		return nil, err
	}
	k.samples = verify.Samples{Levels: test.Levels, Words: test.Words}
	if k.design, k.files, err = newDesign(f, out); err != nil {
		return nil, err
	}
	var known *verify.Samples // the test part that the model was trained with, if it is here
	if test.SHA256 == out.Manifest.Test {
		known = &k.samples
	}
	files, err := compareFiles(c.Context, k.design, out, known)
	if err != nil {
		return nil, err
	}
	k.differ = append(k.differ, files...)
	k.fold, err = foldFiles(out)
	return k, err
}

// checkCompiledFrom refuses a folder that was compiled from another model.
func checkCompiledFrom(ctx context.Context, out *artifact.Output, file *model.File) error {
	sum, err := file.SHA256(ctx)
	if err != nil {
		return err
	}
	if was := out.Manifest.Model; was.SHA256 != sum {
		return hint.With(fmt.Errorf("%s: compiled from model %q, SHA-256 %s; %s is another one, %s", out.Dir, was.Name, was.SHA256, file.Path(), sum),
			"name the model that it was compiled from, or compile this one")
	}
	return nil
}

// compareManifest tells what a manifest says of the model and of its own options that compile does not.
func compareManifest(out *artifact.Output, m *model.Model) (differ []string, err error) {
	o, _, err := readOptions(out)
	if err != nil {
		return nil, err
	}
	have := out.Manifest
	want, err := newManifest(have.Version, func() (string, error) { return have.Model.SHA256, nil }, m, o)
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
			differ = append(differ, fmt.Sprintf("the manifest's %s is %.100v, of the model and the options it is %.100v", entry.name, a, b))
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
		panic("ialgn: manifest: " + err.Error())
	}
	return value
}

// newDesign takes what is compared, and how its Verilog is written, from a folder.
func newDesign(f *model.Frozen, out *artifact.Output) (d verify.Design, rtl verify.RTLFiles, err error) {
	o, plan, err := readOptions(out)
	if err != nil {
		return d, rtl, err
	}
	rtl.Module, rtl.Style, rtl.Target, rtl.LUT = out.Manifest.Module, plan.style, plan.target(), plan.genericLUT()
	if rtl.Design, err = out.Path("verilog"); err != nil {
		return d, rtl, err
	}
	raw, err := plan.freeze(f)
	return verify.Design{Model: f, Raw: raw, Product: out.Netlist, Hint: out.Hint, Assumed: o.Assume}, rtl, err
}

// readOptions reads the options that a folder was compiled with.
func readOptions(out *artifact.Output) (o compileOptions, p compilePlan, err error) {
	switch err = json.Unmarshal(out.Manifest.Options, &o); {
	case err != nil:
		err = fmt.Errorf("options: %w", jsonfault.Explain(err))
	case o.Scope != out.Manifest.Scope:
		err = fmt.Errorf("the scope is %q, the options say %q", out.Manifest.Scope, o.Scope)
	default:
		p, err = o.plan()
	}
	if err != nil {
		err = fmt.Errorf("%s: manifest: %w; compile again", out.Dir, err)
	}
	return o, p, err
}

// compareFiles holds every file of a folder to what compile writes for its netlist and options.
func compareFiles(ctx context.Context, d verify.Design, out *artifact.Output, known *verify.Samples) ([]string, error) {
	o, plan, err := readOptions(out)
	if err != nil {
		return nil, err
	}
	p := o.product(plan, out.Manifest)
	p.Netlist = out.Netlist
	if plan.hardware != nil {
		p.Hardware = &artifact.Hardware{Style: plan.style, Target: plan.target(), Hint: cmp.Or(out.Hint, &counts.Hint{})}
	}
	if plan.fold > 0 {
		n, _, err := plan.optimise.Optimise(ctx, d.Raw)
		if err != nil {
			return nil, err
		}
		if p.Fold, err = plan.engine(ctx, n, &d.Model.Encoder, p); err != nil {
			return nil, err
		}
	}
	wrong, err := o.folderVectors(out, d, known, &p)
	if err != nil {
		return nil, err
	}
	differ, err := out.Compare(ctx, p)
	return append(wrong, differ...), err
}

// core returns what a wrapper is around if it has the encoder in it, nil if that is the whole netlist,
// or there is no wrapper of it.
func (p compilePlan) core(n *netlist.Netlist) *encoder.Split {
	if p.wrap == "" || p.fold > 0 {
		return nil
	}
	return artifact.Core(n, p.wrap)
}
