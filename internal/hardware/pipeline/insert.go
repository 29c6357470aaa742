package pipeline

import "ialgn/netlist"

// inserter copies a netlist and inserts registers.
type inserter struct {
	*netlist.Copier
	s      *schedule
	enable netlist.Net
	taps   [][]netlist.Net // [old net]: its delayed copies; copy i is delayed by i+1 stages
	r      *Report
}

// insert returns the netlist with the registers that the stages require.
func (s *schedule) insert() (*netlist.Netlist, *Report) {
	i := &inserter{Copier: netlist.NewCopier(s.n), s: s, taps: make([][]netlist.Net, s.n.Nets())}
	i.enable = i.Input(netlist.EnablePort, 1, 1, []string{"clock enable"})[0]
	i.r = &Report{Stages: s.stages, LevelsPerStage: s.mostLevels(), to: make([]netlist.Net, s.n.Nets())}
	i.Grow(s.n.Cells()+s.cost(), 0)
	var in []netlist.Net
	for c := range netlist.Cell(s.n.Cells()) {
		in = in[:0]
		for _, v := range s.n.Inputs(c) {
			in = append(in, i.at(v, s.stage[c]))
		}
		first := i.Cell(s.n.Kind(c), s.n.Param(c), s.n.Origin(c), in...)
		for k := range netlist.Net(s.n.Outputs(c)) {
			i.Set(s.n.Output(c)+k, first+k)
		}
	}
	for v := range i.r.to {
		i.r.to[v] = i.To(netlist.Net(v))
	}
	probe := map[string]int32{}
	for k, p := range s.n.Probes() {
		probe[p.Name] = s.probe[k]
	}
	p := i.FinishWith(
		func(_ netlist.Port, v netlist.Net) netlist.Net { return i.at(v, int32(s.stages)) },
		func(p netlist.Port, v netlist.Net) netlist.Net { return i.at(v, probe[p.Name]) },
	)
	f := &i.r.FlipFlops
	f.Valid = s.stages
	f.Total = f.Data + f.Delay + f.Valid
	return p, i.r
}

// at returns the net that holds the value of an old net in a stage. It adds the necessary registers if they are
// missing.
func (i *inserter) at(v netlist.Net, stage int32) netlist.Net {
	if i.s.constant(v) {
		return i.To(v)
	}
	first := i.s.stageOf(v)
	for int32(len(i.taps[v])) < stage-first {
		data := i.To(v)
		if k := len(i.taps[v]); k > 0 {
			data = i.taps[v][k-1]
		}
		if data < i.s.n.FirstCellNet() || len(i.taps[v]) > 0 {
			i.r.FlipFlops.Delay++
		} else {
			i.r.FlipFlops.Data++
		}
		i.taps[v] = append(i.taps[v], i.Cell(netlist.Register, 0, netlist.Origin{}, data, i.enable))
	}
	if stage == first {
		return i.To(v)
	}
	return i.taps[v][stage-first-1]
}

// mostLevels returns the number of levels of the deepest stage.
func (s *schedule) mostLevels() int {
	levels := int32(0)
	for _, level := range s.earlyPhases().of {
		levels = max(levels, level)
	}
	return int(levels)
}
