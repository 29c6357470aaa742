package proof

import (
	"context"
	"time"

	"ialgn/internal/lowering"
	"ialgn/internal/progress"
	"ialgn/internal/verify"
	"ialgn/internal/verify/cec"
	"ialgn/netlist"
)

// HomomorphicResult is the outcome of [ProveHomomorphic].
type HomomorphicResult struct {
	Verdict cec.Verdict `json:"verdict"`
	Outputs int         `json:"outputs"` // output bits
	Reason  string      `json:"reason,omitempty"`
	Tool    string      `json:"tool"`
	Seconds float64     `json:"seconds"`
}

// ProveHomomorphic proves that a program for homomorphic encryption computes the design's product for every input.
func ProveHomomorphic(ctx context.Context, d verify.Design, path string) (*HomomorphicResult, error) {
	ctx, end := progress.Begin(ctx, "homomorphic program")
	defer end()
	begin := time.Now()
	p, err := verify.ReadHomomorphic(d, path)
	if err != nil {
		return nil, err
	}
	n, _, err := netlist.Transparent(d.Product)
	if err != nil {
		return nil, err
	}
	engine, err := cec.New()
	if err != nil {
		return nil, err
	}
	defer engine.Close()
	r := &HomomorphicResult{Tool: engine.Version(ctx)}
	for _, port := range n.OutputPorts() {
		r.Outputs += len(port.Nets)
	}
	r.Verdict, r.Reason, err = engine.Compare(ctx, cec.Netlist(lowering.Functions(n)), cec.Netlist(p.Netlist))
	if r.Verdict != cec.Undecided {
		r.Reason = ""
	}
	r.Seconds = time.Since(begin).Seconds()
	return r, err
}
