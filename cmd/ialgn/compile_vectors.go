package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"ialgn/artifact"
	"ialgn/backend/verilog"
	"ialgn/internal/plural"
	"ialgn/netlist"
	"ialgn/sim/verify"
	"ialgn/trainer"
	"ialgn/trainer/model"
)

// The number of vectors of a folder's testbenches, and the most that there may be.
const (
	usualVectors = 64
	maxVectors   = 1 << 20
)

// vectors returns how many there are to be.
func (o compileOptions) vectors() int { return cmp.Or(o.Vectors, usualVectors) }

// parseVectors returns what --vectors is among the options: 0 for the usual number, as in the
// manifests of those who did not ask.
func parseVectors(n int) (int, error) {
	switch {
	case n < 1 || n > maxVectors:
		return 0, fmt.Errorf("--vectors %d: give 1 to %d", n, maxVectors)
	case n == usualVectors:
		return 0, nil
	}
	return n, nil
}

// makeVectors gives a product the vectors of its testbenches: the first samples of the model's test
// set or, where that cannot be read, random words. What is wanted of them is what the trainer's
// forward pass says, which no pass of the compiler has touched. The raw netlist says what ports
// there are.
func (o compileOptions) makeVectors(ctx context.Context, f *model.Frozen, m *model.Model, raw *netlist.Netlist, p *artifact.Product) (err error) {
	test, err := trainer.LoadFirst(ctx, &f.Encoder, f.Classes, m.Config.Data, o.folders, o.vectors())
	switch {
	case err == nil:
		p.Samples = &artifact.Samples{Source: test.Name}
		p.Vectors, err = verify.TrainerVectors(f, raw, verify.Samples{Levels: test.Levels, Words: test.Words}, o.vectors())
	case ctx.Err() != nil:
		return ctx.Err()
	default:
		p.Samples = &artifact.Samples{Source: "random", Reason: err.Error()}
		p.Vectors, err = verify.TrainerVectors(f, raw, verify.RandomSamples(&f.Encoder, o.vectors()), o.vectors())
	}
	if err == nil {
		p.Samples.Samples = p.Vectors.Samples
	}
	return err
}

// vectorsText tells of vectors that are no test samples.
func vectorsText(w io.Writer, s *artifact.Samples) {
	if s != nil && s.Reason != "" {
		fmt.Fprintf(w, "vectors: %d random samples, for there are no test samples: %s\n", s.Samples, s.Reason)
	}
}

// folderVectors gives a product the vectors that a folder's file must have, as many as stand there.
// Known are the samples that they begin, nil if those of the model are not at hand. It tells of a file
// that no vectors can be read from, or that has more or fewer of them than there can be; a folder
// without one is an error.
func (o compileOptions) folderVectors(out *artifact.Output, d verify.Design, known *verify.Samples, p *artifact.Product) (wrong []string, err error) {
	path, err := out.Path("vectors")
	if err != nil {
		return nil, err
	}
	v, err := readVectors(path, out.Netlist)
	if err == nil && (v.Samples == 0 || v.Samples > o.vectors()) {
		err = fmt.Errorf("it has %s, not 1 to %d", plural.Of(v.Samples, "vector", "vectors"), o.vectors())
	}
	if err != nil {
		wrong = append(wrong, fmt.Sprintf("%s: %v", filepath.Base(path), err))
	}
	p.Vectors, err = expectedVectors(d, v, known)
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
		want, err := verify.TrainerVectors(d.Model, d.Raw, *s, v.Samples)
		if err != nil {
			return nil, err
		}
		same := len(want.Inputs) == len(v.Inputs) && len(want.Outputs) == len(v.Outputs) && len(want.Probes) == len(v.Probes)
		if same && (s == known || slices.Equal(want.Inputs, v.Inputs)) {
			return want, nil
		}
	}
	return verify.SimulatedVectors(d.Product, v)
}

func readVectors(path string, n *netlist.Netlist) (verilog.Vectors, error) {
	f, err := os.Open(path)
	if err != nil {
		return verilog.Vectors{}, err
	}
	defer f.Close()
	return verilog.ReadVectors(f, n)
}
