package main

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ialgn/internal/target"
	"ialgn/internal/testkit"
	"ialgn/internal/verify"
	"ialgn/internal/verify/software"
	"ialgn/internal/verilog"
	"ialgn/internal/wrapper"
	"ialgn/netlist"
)

// TestOldStream checks the cases of the seeds that found a fault. Random choices that were added later may change
// only the parts around the product.
func TestOldStream(t *testing.T) {
	for _, seed := range oldSeeds {
		r := rand.New(rand.NewPCG(seed, 0x66757a7a))
		network, topology := drawNetwork(r)
		o := drawOptions(r)
		c := newCase(seed)
		if o.surroundings = c.options.surroundings; !sameNetwork(c.network, network) || c.topology != topology ||
			c.options != o {
			t.Errorf("seed %d gives another case than it did", seed)
		}
	}
}

// TestAround checks each kind of wrapper, and an engine, once with a correct product and once with a broken one.
func TestAround(t *testing.T) {
	testkit.Long(t, "plays wrappers and engines of a case")
	for _, kind := range append(wrapper.Kinds(), "fold") {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			c := caseOf(t, func(c fuzzCase) bool {
				wanted := c.options.wrap == kind && c.options.scope == netlist.Gates || kind == "fold" && c.options.fold > 0
				return wanted && c.network.Gates() > 50 && (&profile{Frozen: c.network}).constants() == 0
			})
			r := rand.New(rand.NewPCG(3, 4))
			d, err := c.options.compile(t.Context(), c.network, fault{}, r)
			if err != nil {
				t.Fatal(err)
			}
			s := drawSamples(r, &d.Model.Encoder, 64)
			c.deep.formal = true
			err = c.checkAround(t.Context(), d, c.options, s)
			skipMissing(t, err)
			if err != nil {
				t.Fatalf("the sound product: %v", err)
			}
			if kind == "fold" { // the engine is made from the raw netlist
				d.Raw = broken(t, d, r, d.Raw, one(netlist.Function, 2, invert))
				err = c.checkAround(t.Context(), d, c.options, s)
			} else {
				err = c.options.checkWrapper(t.Context(), d, complemented(d.Product), nil, s, t.TempDir())
			}
			if !isMismatch(err, kind) {
				t.Errorf("the broken product: %v", err)
			}
		})
	}
}

// complemented returns a netlist with complemented outputs.
func complemented(n *netlist.Netlist) *netlist.Netlist {
	k := netlist.NewCopier(n)
	for c := range netlist.Cell(n.Cells()) {
		k.Copy(c)
	}
	return k.FinishWith(
		func(_ netlist.Port, v netlist.Net) netlist.Net { return k.Function(0b01, netlist.Origin{}, k.To(v)) },
		func(_ netlist.Port, v netlist.Net) netlist.Net { return k.To(v) },
	)
}

// TestProgram lets the program compile and verify a case for each target, and a case with constants. It also gives the
// program a case that the program must refuse.
func TestProgram(t *testing.T) {
	testkit.Long(t, "compiles and verifies a case for each target")
	binary := filepath.Join(t.TempDir(), "ialgn")
	if err := testkit.Build(binary, "ialgn/cmd/ialgn"); err != nil {
		t.Fatal(err)
	}
	run := func(t *testing.T, c fuzzCase) error {
		t.Helper()
		c.program = binary
		err := c.runProgram(t.Context(), c.options)
		skipMissing(t, err)
		return err
	}
	tiny := func(c fuzzCase) bool { return c.network.Gates() < 60 && c.verifiable() }
	for _, target := range target.Names() {
		t.Run(target, func(t *testing.T) {
			t.Parallel()
			c := caseOf(t, func(c fuzzCase) bool {
				return tiny(c) && c.options.target == target &&
					c.options.style == verilog.LUTs
			})
			if err := run(t, c); err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("cuts", func(t *testing.T) {
		t.Parallel()
		c := caseOf(t, func(c fuzzCase) bool { return tiny(c) && c.network.Encoder.ByCuts() && c.network.Encoder.Bits > 3 })
		if err := run(t, c); err != nil {
			t.Error(err)
		}
	})
	t.Run("refused", func(t *testing.T) {
		t.Parallel()
		c := caseOf(t, func(c fuzzCase) bool { return tiny(c) && c.options.target == "ice40" })
		c.options.k = 6
		if err := run(t, c); !isMismatch(err, "exit status 1: ialgn: --lut: LUTs of 6 inputs") {
			t.Errorf("%v", err)
		}
	})
	t.Run("arguments", func(t *testing.T) {
		c := caseOf(t, func(c fuzzCase) bool {
			return c.options.target == "" && c.options.wrap == "uart" && c.options.board != "" && c.options.fold == 0
		})
		args := strings.Join(c.options.args(), " ")
		if !strings.Contains(args, "--wrap uart --board "+c.options.board) || strings.Contains(args, "(") {
			t.Errorf("%s", args)
		}
	})
}

// TestConstant checks that networks of constants have no cells that read an input.
func TestConstant(t *testing.T) {
	c := caseOf(t, func(c fuzzCase) bool {
		return slices.Contains(propertiesOf(c.network, c.model), "all gates that are counted constant") && c.options.level > 0
	})
	d, err := c.options.compile(t.Context(), c.network, fault{}, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	product, _, err := netlist.Transparent(d.Product)
	if err != nil {
		t.Fatal(err)
	}
	for cell := range netlist.Cell(product.Cells()) {
		for _, v := range product.Inputs(cell) {
			if v > netlist.True && v < product.FirstCellNet() {
				t.Errorf("cell %d reads an input", cell)
			}
		}
	}
	if _, err := software.Check(t.Context(), (verify.Design{Model: d.Model, Raw: d.Raw, Product: d.Product}),
		drawSamples(rand.New(rand.NewPCG(1, 1)), &d.Model.Encoder, 8), 1); err != nil {
		t.Error(err)
	}
}
