package rtl

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"ialgn/internal/hardware/pipeline"
	"ialgn/internal/verify"
	"ialgn/internal/verify/cec"
	"ialgn/internal/verify/readback"
	"ialgn/internal/verify/verifytest"
	"ialgn/netlist"
)

// tagged returns a design with a tag, and its Verilog.
func tagged(t *testing.T, bits, stages int) (verify.Design, Files) {
	t.Helper()
	d := verifytest.NewDesign(t, verifytest.Small(62), netlist.Full, 2)
	if stages > 0 {
		d = verifytest.Pipelined(t, d, pipeline.Options{Stages: stages})
	}
	d.Tag = bits
	with, err := d.WithTag()
	if err != nil {
		t.Fatal(err)
	}
	return d, emit(t, with)
}

// TestTag simulates and proves Verilog with a tag.
func TestTag(t *testing.T) {
	verifytest.Needs(t, "iverilog", "vvp", "yosys", "abc")
	for _, c := range [][2]int{{1, 0}, {64, 0}, {1, 2}, {9, 3}} {
		t.Run(fmt.Sprintf("bits=%d/stages=%d", c[0], c[1]), func(t *testing.T) {
			t.Parallel()
			d, files := tagged(t, c[0], c[1])
			if r := simulateDesign(t, d, verifytest.RandomSamples(d.Model, 100), files, "iverilog"); r.Mismatches != 0 {
				t.Errorf("%+v", r)
			}
			if r := prove(t, d, files); r.Verdict != cec.Equivalent {
				t.Errorf("%+v", r)
			}
			d.Tag = 0 // now the Verilog has a tag but the design has none
			if r := prove(t, d, files); r.Verdict == cec.Equivalent || !strings.Contains(r.Reason, "_tag") {
				t.Errorf("a tag too many: %+v", r)
			}
		})
	}
}

// TestTagFaults breaks the path of the tag. The proof must find each fault. The simulation must also find each fault,
// except faults that affect only samples discarded by a reset.
func TestTagFaults(t *testing.T) {
	verifytest.Needs(t, "iverilog", "vvp", "yosys", "abc")
	d, files := tagged(t, 2, 2)
	text, err := os.ReadFile(files.Design)
	if err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string][2]string{
		"a stage more": {
			"assign out_tag = {in_tag_1_s2, in_tag_0_s2};",
			"net_register #(.WIDTH(2)) late (.clk(clk), .ce(ce), .d({in_tag_1_s2, in_tag_0_s2}), .q(out_tag));",
		},
		"a stage less":       {"assign out_tag = {in_tag_1_s2, in_tag_0_s2};", "assign out_tag = {in_tag_1_s1, in_tag_0_s1};"},
		"bits exchanged":     {"assign out_tag = {in_tag_1_s2, in_tag_0_s2};", "assign out_tag = {in_tag_0_s2, in_tag_1_s2};"},
		"it does not wait":   {".ce(ce), .d({in_tag[1], in_tag[0]})", ".ce(1'b1), .d({in_tag[1], in_tag[0]})"},
		"it knows the reset": {".ce(ce), .d({in_tag[1], in_tag[0]})", ".ce(ce), .d({in_tag[1], in_tag[0] & ~rst})"},
	} {
		t.Run(what, func(t *testing.T) {
			broken := strings.Replace(string(text), change[0], change[1], 1)
			if broken == string(text) {
				t.Fatalf("the Verilog has no %q", change[0])
			}
			verifytest.Write(t, files.Design, broken)
			r := simulateDesign(t, d, verifytest.RandomSamples(d.Model, 100), files, "iverilog")
			if r.Mismatches == 0 && what != "it knows the reset" {
				t.Error("the simulation does not find it")
			}
			if r := prove(t, d, files); r.Verdict == cec.Equivalent {
				t.Errorf("the proof does not find it: %+v", r)
			}
		})
	}
}

func prove(t *testing.T, d verify.Design, files Files) *readback.Result {
	t.Helper()
	r, err := CheckText(t.Context(), d, files)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
