package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ialgn/internal/aiger"
	"ialgn/internal/lowering"
	"ialgn/internal/model"
	"ialgn/internal/tool"
	"ialgn/internal/verify"
	"ialgn/internal/verify/spec"
	"ialgn/netlist"
)

// refer writes the model's file and reads the network back with package spec. It compares the tie orders. abc then
// proves that the raw netlist counts the same bits. If the netlist has the output h, it compares the bits of the last
// layer. If the netlist reads feature words, the proof is about feature words. If the product assumes thermometer
// codes, the proof is only about inputs that are thermometer codes.
func (c fuzzCase) refer(ctx context.Context, d verify.Design, o options) error {
	return inFolder(func(dir string) error {
		path := filepath.Join(dir, "model.safetensors")
		if _, err := c.model.Save(path); err != nil {
			return &mismatch{"reference: " + err.Error()}
		}
		read, err := model.ReadFrozen(path)
		if err != nil {
			return &mismatch{"reference: " + err.Error()}
		}
		if !sameNetwork(read, c.network) {
			return &mismatch{"reference: another network is read from the model's file"}
		}
		n, err := spec.Read(path)
		if err != nil {
			return &mismatch{"reference: " + err.Error()}
		}
		for place, class := range n.Ties() {
			if got := d.Raw.Contender(place); got != class {
				return &mismatch{fmt.Sprintf("reference: the raw netlist has class %d at place %d of the tie order, the model "+
					"file %d", got, place, class)}
			}
		}
		return sameGraphs(ctx, dir, n, d, spec.Options{
			Words: o.scope == netlist.Full, Thermometer: o.assume, Counted: o.scope != netlist.Gates,
		})
	})
}

// sameGraphs compares the graph of a network with the graph of the raw netlist, using abc.
func sameGraphs(ctx context.Context, dir string, n *spec.Network, d verify.Design, o spec.Options) error {
	ref, err := graph(func(b *bytes.Buffer) error { return n.WriteAIGER(b, o) })
	if err != nil {
		return err
	}
	project := 0
	if o.Thermometer {
		project = d.Model.Encoder.Bits - 1
	}
	cut, err := counted(d.Raw, project)
	if err != nil {
		return &mismatch{"reference: " + err.Error()}
	}
	raw, err := graph(func(b *bytes.Buffer) error { return aiger.Write(b, cut) })
	if err != nil {
		return err
	}
	if raw, err = aiger.Match(ref, raw); err != nil {
		return &mismatch{"reference: " + err.Error()}
	}
	for name, f := range map[string]*aiger.File{"ref.aig": ref, "raw.aig": raw} {
		var b bytes.Buffer
		if err := f.Write(&b); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o666); err != nil {
			return err
		}
	}
	return askEquivalent(ctx, dir)
}

func graph(write func(b *bytes.Buffer) error) (*aiger.File, error) {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return nil, err
	}
	return aiger.Read(&b)
}

// askEquivalent makes abc compare ref.aig and raw.aig. It accepts only the line that reports equivalence, since abc
// always exits with status 0.
func askEquivalent(ctx context.Context, dir string) error {
	abc, err := tool.Find("abc")
	if err != nil {
		return err
	}
	r, err := abc.Run(ctx, tool.Command{
		Args: []string{"-c", "&r ref.aig; &cec -T 540 raw.aig"}, Dir: dir,
		Limit: toolLimit,
	})
	if err != nil {
		return fmt.Errorf("reference: %w", err)
	}
	proved := false
	for line := range strings.Lines(r.Stdout) {
		proved = proved || strings.HasPrefix(line, "Networks are equivalent")
		if strings.HasPrefix(line, "Networks are NOT EQUIVALENT") {
			return &mismatch{"reference: the raw netlist computes something else than the model file says"}
		}
	}
	if !proved {
		return &mismatch{fmt.Sprintf("reference: abc gave no verdict: %.200s", strings.TrimSpace(r.Stdout))}
	}
	return nil
}

// counted returns a raw netlist whose output h has the bits that are counted, class by class. If the raw netlist has an
// output h, this is the last layer. The netlist consists of function cells. If project is not 0, inputs are forced to
// be thermometer codes with this number of bits.
func counted(n *netlist.Netlist, project int) (*netlist.Netlist, error) {
	k := netlist.NewCopier(n)
	if project > 0 {
		for i, v := range n.InputPorts()[0].Nets {
			if i%project > 0 {
				k.Set(v, k.Function(0b1000, netlist.Origin{}, k.To(v), k.To(v-1)))
			}
		}
	}
	var h []netlist.Net
	if i := slices.IndexFunc(n.OutputPorts(), func(p netlist.Port) bool { return p.Name == "h" }); i >= 0 {
		h = n.OutputPorts()[i].Nets
	}
	for c := range netlist.Cell(n.Cells()) {
		switch n.Kind(c) {
		case netlist.Popcount:
			h = append(h, n.Inputs(c)...)
		case netlist.Argmax:
		case netlist.Function, netlist.Compare:
			k.Copy(c)
		default:
			return nil, fmt.Errorf("cell %d of the raw netlist is a %v", c, n.Kind(c))
		}
	}
	var out []netlist.Net
	for _, v := range h {
		out = append(out, k.To(v))
	}
	k.Output("h", 1, nil, out)
	return lowering.Functions(k.Netlist()), nil
}
