package ialgn

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ialgn/backend"
	"ialgn/internal/config"
	"ialgn/internal/netgen"
	"ialgn/internal/tool"
	"ialgn/internal/verify"
	"ialgn/internal/verify/rtl"
)

// recurring returns a recurrent network with random logits. The configuration has four steps, each with the given
// number of features. The function change may alter the configuration.
func recurring(t *testing.T, features int, change func(c *config.Config)) *Model {
	t.Helper()
	c := config.Default()
	c.Data.Set, c.Name = "memory", "net"
	c.Model.Topology, c.Model.Widths, c.Model.Steps = "recurrent", "24,18", 4
	c.Model.Tau, c.Model.InitNoise, c.Model.SkipLogit = 1.5, 4, 1
	change(&c)
	return randomModel(t, c, features, c.Name == "uneven")
}

// loopOf compiles a network to an engine that contains one step. It returns the design and the files for a comparison
// of its Verilog.
func loopOf(t *testing.T, m *Model, o CompileOptions) (verify.Design, *verify.EngineFiles, *backend.Output) {
	t.Helper()
	return foldedBy(t, m, o, "steps")
}

// TestSequences sends whole sequences to engines of networks of all forms, with pauses, and compares their classes
// with the trainer's forward pass of the unrolled network. Package folded tests broken packets.
func TestSequences(t *testing.T) {
	for _, c := range []struct {
		name     string
		features int
		change   func(c *config.Config)
		options  CompileOptions
	}{
		{"gates", 12, func(*config.Config) {}, CompileOptions{}},
		{"in LUTs", 12, func(*config.Config) {}, CompileOptions{Target: "xilinx7"}},
		{"a word a step", 4, func(*config.Config) {}, CompileOptions{LUT: 4}},
		{"one step", 3, func(c *config.Config) { c.Model.Steps = 1 }, CompileOptions{}},
		{"one word", 1, func(c *config.Config) { c.Model.Steps = 1 }, CompileOptions{}},
		{"one layer of tables", 10, func(c *config.Config) {
			c.Model.Widths, c.Model.Steps, c.Model.Inputs, c.Model.Hidden = "15", 5, 4, 3
		}, CompileOptions{}},
		{"candidates", 12, func(c *config.Config) { c.Model.Hidden, c.Model.Anchors = 3, 4 }, CompileOptions{}},
		{"uneven", 12, func(c *config.Config) { c.Name = "uneven" }, CompileOptions{}},
		{"dropping", 12, func(*config.Config) {}, CompileOptions{Wrap: "uart"}},
		{"dropping, uneven", 12, func(c *config.Config) { c.Name = "uneven" }, CompileOptions{Wrap: "spi"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := recurring(t, c.features, c.change)
			d, files, _ := loopOf(t, m, c.options)
			r, err := rtl.CheckEngine(t.Context(), d, verify.RandomSamples(&d.Model.Encoder, playedSamples), *files, "iverilog",
				playedSamples)
			if err != nil {
				t.Fatal(err)
			}
			if r.Mismatches > 0 || r.Checked != playedSamples {
				t.Errorf("%d samples: %+v", r.Checked, r.Findings)
			}
			if verilator, err := tool.Find("verilator"); err == nil {
				lint := append([]string{"--lint-only", "-Wall", "--top-module", files.Module, files.Verilog}, files.Parts...)
				r, err := verilator.Run(t.Context(), tool.Command{Args: lint, Dir: t.TempDir(), Limit: time.Minute})
				if err != nil || r.Stderr != "" {
					t.Errorf("verilator: %v\n%s", err, r.Stderr)
				}
			}
		})
	}
}

// TestSequencesMutants changes one thing in an engine's Verilog, and checks that the class of a sample changes.
func TestSequencesMutants(t *testing.T) {
	m := recurring(t, 12, func(*config.Config) {})
	d, files, _ := loopOf(t, m, CompileOptions{})
	checkMutants(t, d, files, []mutant{
		{"the state at the first step", "state & {18{~first}}", "state"},
		{"the first step", "begins <= moment == 2'd0", "begins <= moment == 2'd1"},
		{"the last step", "last <= fit_level", "last <= fit_above"},
		{"when a step is made", "step <= ends_level", "step <= come_level"},
		{"the order of levels", "{level, levels[5:2]}", "{levels[3:0], level}"},
		{"a level", "> 2'd1", "> 2'd2"},
		{"the number of steps", "moment == 2'd3", "moment == 2'd2"},
		{"who waits", "in_ready = ~results[1]", "in_ready = 1'b1"},
	})
}

// TestSequencesRefused checks that options and networks that an engine with one time step does not support are
// refused.
func TestSequencesRefused(t *testing.T) {
	chains := filepath.Join(t.TempDir(), "chains.st")
	if _, err := netgen.Model(netgen.ModelOptions{}).Save(chains); err != nil {
		t.Fatal(err)
	}
	other, err := Open(chains)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	m := recurring(t, 12, func(*config.Config) {})
	for _, c := range []struct {
		m    *Model
		o    CompileOptions
		want string
	}{
		{other, CompileOptions{}, "is not recurrent"},
		{m, CompileOptions{Scope: "core"}, "it is for scope full"},
		{m, CompileOptions{FoldSteps: 300}, "has no program"},
		{m, CompileOptions{LUT: 4, Pipeline: "auto"}, "a step is a loop"},
		{m, CompileOptions{Counts: true}, "gives the class alone"},
	} {
		c.o.Fold = "steps"
		if _, err := Compile(t.Context(), c.m, c.o); err == nil || !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%+v: error %v, want %q", c.o, err, c.want)
		}
	}
}
