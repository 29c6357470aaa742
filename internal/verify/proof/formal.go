package proof

import (
	"context"
	"fmt"

	"ialgn/internal/progress"
	"ialgn/internal/verify"
	"ialgn/netlist"
)

// ProveProgram proves that the program of a folded engine counts what the model counts, for every input. ProveProgram
// builds a netlist from the program's files, adds the engine's argmax, and proves the result as [Check] proves an
// optimised netlist. The tests of the code that writes the engine's Verilog prove that the engine runs programs in
// this way.
func ProveProgram(ctx context.Context, d verify.Design, f verify.EngineFiles) (*Result, error) {
	ctx, end := progress.Begin(ctx, "folded program")
	defer end()
	p, err := verify.ReadProgram(d, f)
	if err != nil {
		return nil, err
	}
	n, err := programNetlist(d, p)
	if err != nil {
		return nil, err
	}
	return Check(ctx, verify.Design{Model: d.Model, Raw: d.Raw, Product: n, Spec: d.Spec})
}

// programNetlist returns a classifier that computes the steps of a program, with the ports of the raw netlist.
func programNetlist(d verify.Design, p *verify.Program) (*netlist.Netlist, error) {
	b, x := netlist.NewBuilder("folded"), d.Raw.DataInputs()[0]
	in := b.Input(x.Name, len(x.Nets), x.Word, x.Labels)
	var bit [][]netlist.Net // bits of each feature, by level
	for i, row := range d.Model.Encoder.Thresholds {
		bit = append(bit, nil)
		for _, t := range row {
			bit[i] = append(bit[i], b.Cell(netlist.Compare, uint64(t), netlist.Origin{}, in[i*x.Word:(i+1)*x.Word]...))
		}
	}
	b.Ties(d.Raw.Ties())
	added := addChains(b, p, bit)
	classes := make([][]netlist.Net, len(added))
	for place, counted := range added {
		classes[d.Raw.Contender(place)] = counted
	}
	var words []netlist.Net
	for c, probe := range d.Raw.Probes() {
		count := make([]netlist.Net, len(probe.Nets))
		if len(classes[c]) > 0 {
			sum := b.Cell(netlist.Popcount, 0, netlist.Origin{}, classes[c]...)
			for i := range count {
				if len(classes[c])>>i > 0 {
					count[i] = sum + netlist.Net(i)
				}
			}
		}
		if len(classes[c])>>len(count) > 0 {
			return nil, fmt.Errorf("folded program: it adds %d chains for class %d, more than the engine counts: compile again",
				len(classes[c]), c)
		}
		b.Probe(probe.Name, count)
		words = append(words, count...)
	}
	index := b.Cell(netlist.Argmax, uint64(len(words)/len(classes)), netlist.Origin{}, words...)
	out := d.Raw.OutputPorts()[0]
	b.Output(out.Name, out.Word, out.Labels, netlist.Word(index, len(out.Nets)))
	n := b.Netlist()
	return n, n.Validate()
}

// addChains adds the cells of all steps and returns the nets that are counted for each class, in the order of
// the program.
func addChains(b *netlist.Builder, p *verify.Program, bit [][]netlist.Net) (classes [][]netlist.Net) {
	var counted []netlist.Net
	v := make([]netlist.Net, len(p.Lanes))
	for pc := range p.Lanes[0] {
		closes := false
		for l := range p.Lanes {
			s := p.Step(l, pc)
			if s.Closes {
				closes = true
				for range s.Ones {
					counted = append(counted, netlist.True)
				}
				continue
			}
			x := bit[s.Feature][s.Level]
			if s.Inverted {
				x = b.Function(verify.TableNot, netlist.Origin{}, x)
			}
			if s.Op == 0 {
				v[l] = x
			} else {
				v[l] = b.Function([]uint64{1: verify.TableAnd, 2: 0b1110, 3: 0b0110}[s.Op], netlist.Origin{}, v[l], x)
			}
			if s.Ends {
				counted = append(counted, v[l])
			}
		}
		if closes {
			classes, counted = append(classes, counted), nil
		}
	}
	return classes
}
