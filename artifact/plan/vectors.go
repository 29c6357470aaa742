package plan

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"ialgn/artifact"
	"ialgn/backend/verilog"
	"ialgn/internal/plural"
	"ialgn/netlist"
	"ialgn/sim/verify"
	"ialgn/sim/verify/expected"
	"ialgn/trainer/model"
)

// vectors returns how many there are to be.
func (p *Plan) vectors() int { return cmp.Or(p.Options.Vectors, UsualVectors) }

// Source is where the samples of the testbenches come from: a data set, by its name, or random numbers.
type Source struct {
	Name    string // name of the data set
	Samples verify.Samples
	Missing string // why there is no data set; empty: there is
}

// Vectors gives a product the vectors of its testbenches: the first samples of a data set or, where there is none,
// random words. What is wanted of them is what the trainer's forward pass says, which no pass of the compiler has
// touched. The raw netlist says what ports there are. load returns so many samples.
func (p *Plan) Vectors(f *model.Frozen, raw *netlist.Netlist, out *artifact.Product,
	load func(samples int) (Source, error),
) error {
	from, err := load(p.vectors())
	if err != nil {
		return err
	}
	out.Samples = &artifact.Samples{Source: from.Name}
	if from.Missing != "" {
		out.Samples = &artifact.Samples{Source: "random", Reason: from.Missing}
		from.Samples = verify.RandomSamples(&f.Encoder, p.vectors())
	}
	if out.Vectors, err = expected.Vectors(f, raw, from.Samples, p.vectors()); err == nil {
		out.Samples.Samples = out.Vectors.Samples
	}
	return err
}

// folderVectors gives a product the vectors that a folder's file must have, as many as stand there.
// Known are the samples that they begin, nil if those of the model are not at hand. It tells of a file
// that no vectors can be read from, or that has more or fewer of them than there can be; a folder
// without one is an error.
func (p *Plan) folderVectors(out *artifact.Output, d verify.Design, known *verify.Samples,
	product *artifact.Product,
) (wrong []string, err error) {
	path, err := out.Path("vectors")
	if err != nil {
		return nil, err
	}
	v, err := readVectors(path, out.Netlist)
	if err == nil && (v.Samples == 0 || v.Samples > p.vectors()) {
		err = fmt.Errorf("it has %s, not 1 to %d", plural.Of(v.Samples, "vector", "vectors"), p.vectors())
	}
	if err != nil {
		wrong = append(wrong, fmt.Sprintf("%s: %v", filepath.Base(path), err))
	}
	product.Vectors, err = expectedVectors(d, v, known)
	return wrong, err
}

// expectedVectors returns what the trainer's forward pass says of the random samples, if v has those,
// else of the known ones. Where there are none, or the netlist has not the model's ports, it is what
// the netlist makes of the samples of v.
func expectedVectors(d verify.Design, v verilog.Vectors, known *verify.Samples) (*verilog.Vectors, error) {
	random := verify.RandomSamples(&d.Model.Encoder, v.Samples)
	for _, s := range []*verify.Samples{&random, known} {
		if s == nil {
			continue
		}
		want, err := expected.Vectors(d.Model, d.Raw, *s, v.Samples)
		if err != nil {
			return nil, err
		}
		same := len(want.Inputs) == len(v.Inputs) && len(want.Outputs) == len(v.Outputs) && len(want.Probes) == len(v.Probes)
		if same && (s == known || slices.Equal(want.Inputs, v.Inputs)) {
			return want, nil
		}
	}
	return expected.Simulated(d.Product, v)
}

func readVectors(path string, n *netlist.Netlist) (verilog.Vectors, error) {
	f, err := os.Open(path)
	if err != nil {
		return verilog.Vectors{}, err
	}
	defer f.Close()
	return verilog.ReadVectors(f, n)
}
