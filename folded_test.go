package ialgn

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ialgn/backend"
	"ialgn/internal/config"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/internal/testkit"
	"ialgn/internal/verify"
	"ialgn/internal/verify/certify"
	"ialgn/internal/verify/rtl"
	"ialgn/trainer"
)

// randomModel returns a network with a configuration and random logits. If uneven is not set, all features have the
// same thresholds.
func randomModel(t *testing.T, c config.Config, features int, uneven bool) *Model {
	t.Helper()
	c.Model.Complete(func(string) bool { return false })
	if fault := c.Model.Check(); fault != nil {
		t.Fatalf("%+v", fault)
	}
	enc := netgen.Encoder(features, 4, 8)
	for f := range enc.Thresholds {
		if uneven {
			enc.Thresholds[f] = slices.Clone(enc.Thresholds[f])
			enc.Thresholds[f][0] = uint16(f) % enc.Thresholds[f][1]
		}
	}
	classes := []string{"a", "b", "c"}
	if c.Model.Width%3 != 0 {
		classes = classes[:2]
	}
	net := trainer.Initial(c, &enc, classes, 1)
	for i := range net.Sections {
		// Half of the nodes are XORs, so that a change of one pin always changes the output.
		if s := &net.Sections[i]; s.Arity == model.Operations && len(s.Pins) == 2 {
			const xor = 6
			for g := 0; g < len(s.Ops)/s.Arity; g += 2 {
				s.Ops[g*s.Arity+xor] = 100
			}
		}
	}
	path := filepath.Join(t.TempDir(), "m.st")
	if _, err := net.Save(path); err != nil {
		t.Fatal(err)
	}
	m, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// foldedBy compiles a network to a folded engine of the given kind. It returns the design and the files for a
// comparison of its Verilog.
func foldedBy(t *testing.T, m *Model, o CompileOptions, kind string) (verify.Design, *verify.EngineFiles, *backend.Output) {
	t.Helper()
	o.Fold = kind
	d, err := Compile(t.Context(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Write(t.Context(), filepath.Join(t.TempDir(), "out"), WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	out, err := d.Output(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	f, err := m.frozen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	design, _, err := certify.Compared(d.plan, verify.Design{Model: f}, out)
	if err != nil {
		t.Fatal(err)
	}
	files, err := certify.FoldFiles(d.plan, out)
	if err != nil {
		t.Fatal(err)
	}
	return design, files, out
}

// mutant is one change of an engine's Verilog.
type mutant struct{ what, from, to string }

// playedSamples is the number of samples that are sent to an engine, enough to detect all mutants.
const playedSamples = 24

// checkMutants makes one change after another to an engine's Verilog. Each changed engine must compile, and its
// simulation must give at least one sample another class.
func checkMutants(t *testing.T, d verify.Design, files *verify.EngineFiles, all []mutant) {
	t.Helper()
	text, err := os.ReadFile(files.Verilog)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		t.Run(c.what, func(t *testing.T) {
			if !strings.Contains(string(text), c.from) {
				t.Fatalf("%s has no %q", files.Verilog, c.from)
			}
			changed := *files
			changed.Verilog = filepath.Join(t.TempDir(), filepath.Base(files.Verilog))
			if err := os.WriteFile(changed.Verilog, []byte(strings.Replace(string(text), c.from, c.to, 1)), 0o600); err != nil {
				t.Fatal(err)
			}
			testkit.RunSilent(t, filepath.Dir(files.Verilog),
				append([]string{"iverilog", "-g2001", "-t", "null", changed.Verilog}, files.Parts...)...)
			r, err := rtl.CheckEngine(t.Context(), d, verify.RandomSamples(&d.Model.Encoder, playedSamples), changed, "iverilog",
				playedSamples)
			if err == nil && r.Mismatches == 0 {
				t.Error("nothing is found")
			}
		})
	}
}
