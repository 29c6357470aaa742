package backend

import (
	"slices"
	"time"

	"ialgn/backend/internal/fhe"
	"ialgn/compiler"
	"ialgn/internal/hardware/lut"
	"ialgn/internal/hardware/pipeline"
	"ialgn/internal/memory"
	"ialgn/internal/wrapper"
	"ialgn/netlist"
)

// Report is the content of report.json. The compile command prints it, too.
type Report struct {
	Module   string        `json:"module"`
	Scope    string        `json:"scope"`
	GatesRaw int           `json:"gates_raw"` // gates of the model: width x depth
	Gates    int           `json:"gates"`     // gates after optimisation, before mapping to LUTs
	Cells    netlist.Sizes `json:"cells"`     // after optimisation
	// LUTs, Carries and Registers are counted in a lowered netlist. They are nil for other netlists, for which they
	// could only be estimated.
	LUTs      *netlist.Sizes      `json:"luts,omitempty"`
	Carries   *netlist.Sizes      `json:"carries,omitempty"`
	Registers *netlist.Sizes      `json:"registers,omitempty"`
	Kinds     []netlist.KindCount `json:"kinds"`
	Levels    netlist.Sizes       `json:"levels"`
	Fanout    Fanout              `json:"input_fanout"`
	Mapping   *lut.Report         `json:"mapping,omitempty"`  // how the gates were mapped to LUTs
	Pipeline  *pipeline.Report    `json:"pipeline,omitempty"` // nil: no registers
	Wrapper   *wrapper.Rate       `json:"wrapper,omitempty"`  // nil: no wrapper
	Fold      *FoldReport         `json:"fold,omitempty"`     // nil: no folded engine
	// Homomorphic is the cost of a program for homomorphic encryption, or nil if there is none.
	Homomorphic *fhe.Cost  `json:"homomorphic,omitempty"`
	Samples     *Samples   `json:"vectors,omitempty"`        // the samples in the testbenches' vectors
	Rejection   *Rejection `json:"rejection,omitempty"`      // nil: no output uncertain, or no validation samples
	Latency     int        `json:"latency_cycles,omitempty"` // see [Report.Rate]; left out if it is 0
	// Seconds is the time from the start of the compilation until the last netlist file is written.
	Seconds float64 `json:"seconds"`
	// PeakBytes is the largest resident memory of the process. It is left out if the system does not report this
	// size.
	PeakBytes int64                 `json:"peak_bytes,omitempty"`
	Raw       *netlist.Measures     `json:"raw,omitempty"` // before all passes
	Passes    []compiler.PassReport `json:"passes"`
}

// Samples describes the vectors of the testbenches.
type Samples struct {
	Samples int    `json:"samples"`
	Source  string `json:"source"`           // data set whose test part contains the samples, or random
	Reason  string `json:"reason,omitempty"` // reason for random samples
}

// Rejection describes the output uncertain on the validation samples of the model. A sample is uncertain if its largest
// class count leads the second largest by less than the margin. The other samples are answered.
type Rejection struct {
	Margin    int      `json:"margin"`
	Of        int      `json:"validation_samples"` // number of validation samples
	Uncertain float64  `json:"uncertain"`          // share of the validation samples that are uncertain
	Samples   int      `json:"samples"`            // number of validation samples that are answered
	Correct   int      `json:"correct"`            // answered samples whose class is their label
	Accuracy  *float64 `json:"accuracy,omitempty"` // share of the answered samples that are correct; nil if there are none
}

// Report measures a product. The result is the report that [Write] would write.
func (p Product) Report() (*Report, error) {
	p.prepare()
	return newReport(p)
}

// newReport measures a product after [Product.prepare].
func newReport(p Product) (r *Report, err error) {
	m := netlist.Measure(p.Netlist)
	r = &Report{
		Module:    p.Manifest.Module,
		Scope:     p.Manifest.Scope,
		GatesRaw:  p.GatesRaw,
		Gates:     p.Gates,
		Cells:     m.Cells,
		Kinds:     m.Kinds,
		Levels:    m.Levels,
		Fanout:    inputFanout(p.Netlist),
		Seconds:   time.Since(p.Started).Seconds(),
		PeakBytes: int64(memory.Peak()),
		Raw:       p.Raw,
		Samples:   p.Samples,
		Rejection: p.Rejection,
		Passes:    append([]compiler.PassReport{}, p.Passes...),
	}
	if h := p.Hardware; h != nil {
		r.Mapping, r.Pipeline = h.Mapping, h.Pipeline
		r.LUTs, r.Carries, r.Registers = &m.LUTs, &m.Carries, &m.Registers
	}
	if p.Fold != nil {
		r.Fold = &p.Fold.Report
	}
	if slices.Contains(p.Emit, HomomorphicFormat) {
		program, err := p.homomorphic()
		if err != nil {
			return nil, err
		}
		r.Homomorphic = &program.Cost
	}
	if p.Wrap != "" {
		r.Wrapper, err = wrapper.NewRate(p.Wrap, p.wrapped(), wrapperOptions(p))
	}
	_, r.Latency = r.Rate()
	return r, err
}

// Rate returns the timing of the design in clocks:
//
//   - cycles is a lower bound on the average number of clocks from one sample to the next;
//   - latency is the number of clocks that a single sample takes, from the edge that takes its first word to
//     the first edge that can take the result, if its words arrive in consecutive clocks.
//
// The values describe the wrapper if there is one, else the folded engine, else the pipeline. A pipeline takes all
// bits of port x as one word. Both values are 0 for a netlist without registers. They are also 0 for a serial line,
// whose bit rate determines the speed.
func (r *Report) Rate() (cycles float64, latency int) {
	switch w := r.Wrapper; {
	case w != nil && wrapper.Is(w.Kind, wrapper.IsPaced):
		return 0, 0
	case w != nil:
		return w.Cycles, w.Latency
	case r.Fold != nil:
		clocks := r.Fold.Clocks()
		return clocks.Cycles, clocks.Latency
	case r.Pipeline != nil && r.Pipeline.Stages > 0:
		return 1, r.Pipeline.Stages
	}
	return 0, 0
}

// Fanout describes how many pins of cells read each bit of the input ports.
type Fanout struct {
	Bits   int     `json:"bits"`
	Unread int     `json:"unread"` // bits without readers
	Mean   float64 `json:"mean"`   // mean over the bits with readers
	Most   int     `json:"most"`
}

// inputFanout returns the fan-out of the input ports that carry data.
func inputFanout(n *netlist.Netlist) Fanout {
	readers := make([]int, n.FirstCellNet())
	for c := range netlist.Cell(n.Cells()) {
		for _, v := range n.Inputs(c) {
			if v < n.FirstCellNet() {
				readers[v]++
			}
		}
	}
	var f Fanout
	pins := 0
	for _, p := range n.DataInputs() {
		for _, v := range p.Nets {
			f.Bits++
			if readers[v] == 0 {
				f.Unread++
			}
			pins += readers[v]
			f.Most = max(f.Most, readers[v])
		}
	}
	if read := f.Bits - f.Unread; read > 0 {
		f.Mean = float64(pins) / float64(read)
	}
	return f
}
