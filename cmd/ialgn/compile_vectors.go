package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"ialgn/backend/verilog"
	"ialgn/compiler/folder"
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
func (o compileOptions) makeVectors(ctx context.Context, f *model.Frozen, m *model.Model, raw *netlist.Netlist, p *folder.Product) (err error) {
	test, err := trainer.LoadFirst(ctx, &f.Encoder, f.Classes, m.Config.Data, o.folders, o.vectors())
	switch {
	case err == nil:
		p.Samples = &folder.Samples{Source: test.Name}
		p.Vectors, err = verify.TrainerVectors(f, raw, verify.Samples{Levels: test.Levels, Words: test.Words}, o.vectors())
	case ctx.Err() != nil:
		return ctx.Err()
	default:
		p.Samples = &folder.Samples{Source: "random", Reason: err.Error()}
		p.Vectors, err = verify.TrainerVectors(f, raw, verify.RandomSamples(&f.Encoder, o.vectors()), o.vectors())
	}
	if err == nil {
		p.Samples.Samples = p.Vectors.Samples
	}
	return err
}

// vectorsText tells of vectors that are no test samples.
func vectorsText(w io.Writer, s *folder.Samples) {
	if s != nil && s.Reason != "" {
		fmt.Fprintf(w, "vectors: %d random samples, for there are no test samples: %s\n", s.Samples, s.Reason)
	}
}

// compareVectors says so if the vectors of a folder are not what its netlist makes of their samples.
// No check runs on them; but they go to the users of the Verilog with the testbenches, who trust
// what they expect.
func compareVectors(out *folder.Output) ([]string, error) {
	path, err := out.Path("vectors")
	if err != nil {
		return nil, nil //nolint:nilerr // a folder of an older version has none
	}
	name := filepath.Base(path)
	want, err := folderVectors(path, out.Netlist)
	if err != nil {
		return []string{fmt.Sprintf("%s: %v", name, err)}, nil
	}
	if want.Samples == 0 {
		return []string{name + " has no vectors"}, nil
	}
	have, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err := verilog.WriteVectors(&text, out.Netlist, *want); err != nil || bytes.Equal(have, text.Bytes()) {
		return nil, err
	}
	return []string{name + " expects other results than the netlist gives"}, nil
}

// folderVectors returns the samples in a file of vectors with what a netlist makes of them: what
// the file must be, whatever it says behind the samples.
func folderVectors(path string, n *netlist.Netlist) (*verilog.Vectors, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	v, err := verilog.ReadVectors(f, n)
	if err != nil {
		return nil, err
	}
	return verify.SimulatedVectors(n, v)
}
