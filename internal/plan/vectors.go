package plan

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"

	"ialgn/backend"
	"ialgn/internal/message"
	"ialgn/internal/model"
	"ialgn/internal/verify"
	"ialgn/internal/verilog"
	"ialgn/netlist"
)

// samples returns the number of samples for the testbenches.
func (p *Plan) samples() int { return cmp.Or(p.Options.Vectors, UsualVectors) }

// Source is the origin of the samples for the testbenches, which are from a data set or random.
type Source struct {
	Name    string // name of the data set
	Samples verify.Samples
	Missing string // why the data set is missing; empty if it is not missing
}

// randomSource is the name of random samples in the report.
const randomSource = "random"

// vectors holds the vectors of the testbenches, and the entry about these vectors in the report.
type vectors struct {
	vectors *verilog.Vectors
	said    *backend.Samples
}

// vectors returns the first samples of a data set, or random words if there is no data set. The expected outputs are
// computed by the trainer's forward pass, which does not involve the compiler. The raw netlist defines the ports. The
// function load must return the requested number of samples.
func (p *Plan) vectors(f *model.Frozen, raw *netlist.Netlist, load func(samples int) (Source, error)) (v vectors,
	err error,
) {
	from, err := load(p.samples())
	if err != nil {
		return v, err
	}
	v.said = &backend.Samples{Source: from.Name}
	if from.Missing != "" {
		v.said = &backend.Samples{Source: randomSource, Reason: from.Missing}
		from.Samples = verify.RandomSamples(&f.Encoder, p.samples())
	}
	if v.vectors, err = verify.ExpectedVectors(f, raw, p.Options.Reject, from.Samples, p.samples()); err == nil {
		v.said.Samples = v.vectors.Samples
	}
	return v, err
}

// folderVectors returns the vectors that a folder's testbenches must have, and the report's keys that were left
// unchecked. The inputs of the vectors are the known samples or random samples. If the data set is not available and
// the folder's vectors are not the random samples, the folder's own inputs are used, with the outputs of a
// simulation. The result wrong describes a fault of the vector file: it cannot be read, has no vectors, or has too
// many vectors. A missing file is an error.
func (p *Plan) folderVectors(out *backend.Output, d verify.Design, known *Source) (of vectors, wrong,
	unchecked []string, err error,
) {
	path, err := out.Path("vectors")
	if err != nil {
		return of, nil, nil, err
	}
	have, fault := readVectors(path, out.Netlist, p.Options.Tag)
	if fault == nil && (have.Samples == 0 || have.Samples > p.samples()) {
		fault = fmt.Errorf("it has %s, not 1 to %d", message.Plural(have.Samples, "vector", "vectors"), p.samples())
	}
	if fault != nil {
		wrong = append(wrong, fmt.Sprintf("%s: %v", filepath.Base(path), fault))
	}
	random := Source{Name: randomSource, Samples: verify.RandomSamples(&d.Model.Encoder, p.samples())}
	claim := out.Report.Samples
	for _, from := range []*Source{known, &random} {
		if from == nil {
			continue
		}
		v, err := verify.ExpectedVectors(d.Model, d.Raw, d.Margin, from.Samples, p.samples())
		if err != nil {
			return of, nil, nil, err
		}
		only := known == nil && claim != nil && claim.Source == randomSource
		if fits(v, d.Product) && (from == known || only || sameInputs(v, &have)) {
			of = vectors{v, &backend.Samples{Samples: v.Samples, Source: from.Name}}
		}
	}
	switch {
	case of.vectors == nil:
		of.vectors, err = verify.SimulatedVectors(d.Product, have)
		of.said, unchecked = &backend.Samples{Samples: have.Samples}, []string{"vectors.source", "vectors.reason"}
	case of.said.Source == randomSource:
		unchecked = []string{"vectors.reason"} // the reason why the data set was missing
	}
	return of, wrong, unchecked, err
}

// fits reports whether vectors have the widths of a netlist's ports.
func fits(v *verilog.Vectors, n *netlist.Netlist) bool {
	for _, of := range []struct {
		ports []netlist.Port
		rows  []uint64
	}{{n.DataInputs(), v.Inputs}, {n.OutputPorts(), v.Outputs}, {n.Probes(), v.Probes}} {
		bits := 0
		for _, p := range of.ports {
			bits += len(p.Nets)
		}
		if bits*v.Words != len(of.rows) {
			return false
		}
	}
	return true
}

// sameInputs reports whether a folder's vectors have the same inputs as the first vectors of v.
func sameInputs(v, have *verilog.Vectors) bool {
	if have.Samples == 0 || len(v.Inputs)*have.Words != len(have.Inputs)*v.Words || have.Words > v.Words {
		return false
	}
	for bit := range len(v.Inputs) / v.Words {
		for w := range have.Words {
			if (v.Inputs[bit*v.Words+w]^have.Inputs[bit*have.Words+w])&verify.Mask(have.Samples-64*w) != 0 {
				return false
			}
		}
	}
	return true
}

// readVectors reads the vectors of a netlist. In the file, each vector has a tag with the given number of bits.
func readVectors(path string, n *netlist.Netlist, tag int) (verilog.Vectors, error) {
	f, err := os.Open(path)
	if err != nil {
		return verilog.Vectors{}, err
	}
	defer f.Close()
	tagged, _, err := netlist.WithTag(n, tag)
	if err != nil {
		return verilog.Vectors{}, err
	}
	v, err := verilog.ReadVectors(f, tagged)
	if err != nil {
		return verilog.Vectors{}, err
	}
	return v.WithoutTags(tag), nil
}
