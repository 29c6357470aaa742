package ialgn

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"ialgn/internal/activity"
	"ialgn/internal/message"
	"ialgn/internal/outfile"
	"ialgn/netlist"
)

// SimOptions say which samples to simulate and which files to write.
type SimOptions struct {
	Data   Data   // where to read the test samples from
	Engine string // one of [Engines]; empty: auto

	// ActivityFile is the name of a JSON file with the number of transitions of every net. VCD is the name of a file
	// with the values of every net over time, for waveform viewers. If a name is empty, the file is not written. Both
	// files cover the first samples. Their number is Samples, or 1,000 if Samples is 0.
	ActivityFile, VCD string
	Samples           int
	// Count counts transitions without a file, too.
	Count bool
	// Liberty is the Liberty file with which the design was synthesised. With it, Activity has an estimate of the power
	// of the netlist of cells. It needs ActivityFile, VCD or Count.
	Liberty string

	Force bool     // overwrite files that ialgn did not write
	Keep  []string // files that must not be overwritten
}

func (o SimOptions) measures() bool { return o.Count || o.ActivityFile != "" || o.VCD != "" }

// check returns an error if an output file must not be overwritten, or if both outputs are the same file.
func (o SimOptions) check(reads string) error {
	if o.Liberty != "" && !o.measures() {
		return message.WithHint(message.Optionf("{Liberty}: needs {ActivityFile}, whose samples it uses"),
			"add that option, or omit {Liberty}")
	}
	if err := outfile.Distinct(o.ActivityFile, o.VCD); err != nil {
		return err
	}
	return guard(o.Force, o.Keep, reads).CheckAll([]outfile.Output{
		{Path: o.ActivityFile, Form: outfile.Activity}, {Path: o.VCD, Form: outfile.Dump},
	})
}

// Simulation reports how a netlist classifies a test set.
type Simulation struct {
	Samples  int     `json:"samples"`
	Correct  int     `json:"correct"`
	Accuracy float64 `json:"accuracy"`
	Seconds  float64 `json:"seconds"`
	Rate     float64 `json:"images_per_second"`
	Engine   string  `json:"engine"` // native or simulator
	ISA      string  `json:"isa"`    // instruction set of the machine code; empty for the simulator

	Activity *Activity `json:"activity,omitempty"`

	// Note, if not nil, is a warning about the samples.
	Note error `json:"-"`
}

// Activity reports how often nets switch between consecutive samples. It names only the nets that switch most often.
// The file lists all nets.
type Activity struct {
	*activity.Report
	Busiest   []activity.Net `json:"busiest"`
	PerSample float64        `json:"transitions_per_sample"` // average of all nets together
	Power     *Power         `json:"power,omitempty"`        // only with SimOptions.Liberty
	Static    []Static       `json:"static,omitempty"`       // of the devices of the design's family, if they are known
	Seconds   float64        `json:"seconds"`
}

// busiestNamed is the number of nets in Activity.Busiest.
const busiestNamed = 10

// Simulate classifies the test set with the optimised netlist of the design. The accuracy equals the accuracy from
// [Model.Evaluate].
func (d *Design) Simulate(ctx context.Context, o SimOptions) (*Simulation, error) {
	if err := o.check(d.reads); err != nil {
		return nil, err
	}
	return simulate(ctx, d.dir, d, d.netlist, d.from(o.Data), o)
}

// Simulate classifies the test set with the model's frozen netlist, before any optimisation.
func (m *Model) Simulate(ctx context.Context, o SimOptions) (*Simulation, error) {
	if err := o.check(m.Path()); err != nil {
		return nil, err
	}
	if o.Liberty != "" {
		return nil, message.WithHint(message.Optionf("{Liberty}: a model has no netlist of cells"),
			"compile it with {Target asic}, synthesise the folder, and give the folder")
	}
	n, _, err := m.raw(ctx)
	if err != nil {
		return nil, err
	}
	return simulate(ctx, m.Path(), nil, n, m.source(o.Data), o)
}

// simulate runs a netlist. The argument name is the netlist's folder or file, for error messages. The argument d is
// the design, or nil for the netlist of a model.
func simulate(ctx context.Context, name string, d *Design, n *netlist.Netlist, s source, o SimOptions,
) (*Simulation, error) {
	test, err := s.labelled(ctx)
	if err != nil {
		return nil, err
	}
	classify, code, err := engine(o.Engine).classifier(n, test.Levels.Len())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	x, err := test.samples().Rows(s.encoder, n.InputPorts()[0])
	if err != nil {
		return nil, err
	}
	r := &Simulation{Samples: test.Levels.Len(), Note: test.note()}
	r.Engine, r.ISA = engineName(code)
	begin := time.Now()
	got, err := classify(ctx, x, r.Samples)
	if err != nil {
		return nil, err
	}
	r.Seconds = time.Since(begin).Seconds()
	for i, class := range got.Class {
		if class == uint16(test.Levels.Labels[i]) {
			r.Correct++
		}
	}
	r.Accuracy = float64(r.Correct) / float64(max(1, r.Samples))
	r.Rate = float64(r.Samples) / max(1e-9, r.Seconds)
	var power *Power
	samples := min(cmp.Or(o.Samples, usualSamples), r.Samples)
	if o.Liberty != "" {
		if power, err = d.power(ctx, o.Liberty, x, got.Class[:samples]); err != nil {
			return nil, err
		}
	}
	if r.Activity, err = o.measure(ctx, n, x, samples); err == nil && r.Activity != nil && d != nil {
		r.Activity.Power, r.Activity.Static = power, statics(d.plan.Target())
	}
	return r, err
}

// measure counts the transitions on the first samples of bit rows and writes the files. It returns nil if the options
// ask for no counts.
func (o SimOptions) measure(ctx context.Context, n *netlist.Netlist, x []uint64, samples int) (*Activity, error) {
	if !o.measures() {
		return nil, nil
	}
	begin := time.Now()
	a := &Activity{}
	run := func(vcd io.Writer) (err error) {
		a.Report, err = activity.Measure(ctx, n, x, samples, vcd)
		return err
	}
	var err error
	if o.VCD == "" {
		err = run(nil)
	} else {
		err = outfile.Write(o.VCD, run)
	}
	if err != nil {
		return nil, err
	}
	if o.ActivityFile != "" {
		if err := outfile.Write(o.ActivityFile,
			func(w io.Writer) error { return json.NewEncoder(w).Encode(a.Report) }); err != nil {
			return nil, err
		}
	}
	a.PerSample = float64(a.Total.Transitions) / float64(max(1, samples-1))
	a.Busiest, a.Nets = a.Report.Busiest(busiestNamed), nil
	a.Seconds = time.Since(begin).Seconds()
	return a, nil
}
