package diagnose

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ialgn/internal/netgen"
	"ialgn/trainer"
)

// started measures a topology with the skip start and with noise on the logits.
func started(t *testing.T, topology string, noise float64) *CreditResult {
	t.Helper()
	base := netgen.Model(netgen.ModelOptions{Width: 200, Depth: 2, Classes: 4})
	cfg := base.Config
	cfg.Model.Depth, cfg.Model.Init, cfg.Model.SkipLogit, cfg.Model.InitNoise = 60, "skip", 5, noise
	cfg.Train.Batch = 50
	cfg, err := ConfigureCredit(cfg, topology, "random")
	if err != nil {
		t.Fatal(err)
	}
	data := &trainer.Data{Classes: base.Classes, Encoder: &base.Encoder, Train: netgen.Samples(&base.Encoder, 150, 4, 1)}
	r, err := MeasureCredit(t.Context(), CreditOptions{Config: cfg, Data: data, Sampled: 40, Batches: 2, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestExactStart checks properties of the exact skip start, in which no gate depends on pin B. On private chains,
// every gate gets full credit, whatever its pin B is wired to. If spines are wired at random, the chains merge and
// bypass most gates, even within a class.
func TestExactStart(t *testing.T) {
	for _, topology := range []string{"ialgn", "rwlgn-spine"} {
		r := started(t, topology, 0)
		for l := range r.Layers {
			if r.Coverage[l].Mean != 1 || r.Purity[l].Mean < 0.99 || r.Eligible[l] != 40 {
				t.Errorf("%s, layer %d: coverage %v, purity %v, %d eligible; want 1, 0.99 and 40", topology, l+1,
					r.Coverage[l].Mean, r.Purity[l].Mean, r.Eligible[l])
			}
		}
	}
	for _, topology := range []string{"rwlgn", "rwlgn-classwise"} {
		r := started(t, topology, 0)
		for l := range r.Layers[:40] {
			if r.Eligible[l] < 20 || r.Coverage[l].Mean > 0.35 {
				t.Errorf("%s, layer %d: coverage %v of %d, want little of at least 20", topology, l+1, r.Coverage[l].Mean,
					r.Eligible[l])
			}
		}
	}
}

// TestNoise compares starts that have the same wires. With noise on the logits, credit also passes through pin B.
// Then more gates get credit, and the credit is less pure. Only on private chains does the credit stay pure.
func TestNoise(t *testing.T) {
	for _, topology := range CreditTopologies {
		exact, noisy := started(t, topology, 0), started(t, topology, 1)
		mean := func(v []*trainer.Spread) float64 {
			var all []float64
			for _, s := range v[:40] {
				if s != nil {
					all = append(all, s.Mean)
				}
			}
			return trainer.SpreadOf(all).Mean
		}
		coverage := [2]float64{mean(exact.Coverage), mean(noisy.Coverage)}
		purity := [2]float64{mean(exact.Purity), mean(noisy.Purity)}
		switch {
		case topology == "ialgn" && (coverage[1] < 0.99 || purity[1] < 0.99):
			t.Errorf("ialgn: coverage %v, purity %v", coverage, purity)
		case topology == "rwlgn-spine" && (coverage[1] < 0.99 || purity[1] > purity[0]-0.05):
			t.Errorf("rwlgn-spine: coverage %v, purity %v", coverage, purity)
		case (topology == "rwlgn" || topology == "rwlgn-classwise") && coverage[1] < coverage[0]+0.3:
			t.Errorf("%s: coverage %v", topology, coverage)
		}
		for l := range exact.Layers {
			if exact.PathSharing[l].Mean != noisy.PathSharing[l].Mean {
				t.Errorf("%s, layer %d: path sharing depends on the operations", topology, l+1)
			}
		}
	}
}

// TestConfigure changes the topology and checks the keys that depend on it.
func TestConfigure(t *testing.T) {
	cfg := netgen.Model(netgen.ModelOptions{Hidden: 4}).Config
	for _, topology := range CreditTopologies {
		got, err := ConfigureCredit(cfg, topology, "random")
		if err != nil || got.Model.Topology != topology || (got.Model.Hidden == 4) != (topology == "ialgn") {
			t.Errorf("%s: %+v, %v", topology, got.Model, err)
		}
	}
	for _, topology := range CreditTopologies {
		got, err := ConfigureCredit(cfg, topology, "balanced")
		if err != nil || (got.Model.Wiring == "balanced") != (topology != "ialgn") {
			t.Errorf("%s: %+v, %v", topology, got.Model, err)
		}
	}
	if _, err := ConfigureCredit(cfg, "rwlgn", "even"); err == nil || !strings.Contains(err.Error(), "model.wiring") {
		t.Errorf("unknown wiring: error %v", err)
	}
	cfg.Train.Estimator = "soft"
	if _, err := ConfigureCredit(cfg, "rwlgn", "balanced"); err == nil {
		t.Error("raw relaxed gradients are taken")
	}
}

// TestCreditConfig checks how a configuration determines the wires. An IALGN draws no wires, so training refuses the
// key model.wiring. The key is allowed if another topology is measured, too.
func TestCreditConfig(t *testing.T) {
	const base = "data: {set: digits}\nencoder: {bits: 4}\nmodel: {width: 60, depth: 4, tau: 2"
	for _, test := range []struct {
		name       string
		keys       string
		topologies string
		want       string // how wires are drawn
		err        string
	}{
		{"default", "", "rwlgn,ialgn", "balanced", ""},
		{"another topology in the file", ", topology: rwlgn", "rwlgn-spine", "balanced", ""},
		{"given", ", wiring: random", "ialgn,rwlgn", "random", ""},
		{"given, not the default", ", wiring: structured", "rwlgn,rwlgn-classwise", "structured", ""},
		{"nothing drawn", ", wiring: balanced", "ialgn", "", "t.yaml:3:46: model.wiring: balanced is for random wires"},
		{"nothing drawn, default", "", "ialgn", "balanced", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "t.yaml")
			if err := os.WriteFile(path, []byte(base+test.keys+"}\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			cfg, wiring, err := Opener{}.CreditConfig(t.Context(), path, strings.Split(test.topologies, ","))
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("error %v, want %s", err, test.err)
				}
				return
			}
			if err != nil || wiring != test.want || cfg.Model.Wiring != "random" {
				t.Errorf("wiring %s of %+v, error %v, want %s", wiring, cfg.Model, err, test.want)
			}
		})
	}
}
