package verilog

import (
	"fmt"
	"strings"

	"ialgn/netlist"
)

// The modules that a netlist's operators are instances of. They are functions in
// continuous assignments, which, unlike always @*, are also evaluated when all inputs
// are constants.
const popcountModule = `module NAME_popcount #(
    parameter WIDTH = 2,  // at least 2
    parameter BITS = 2    // enough for WIDTH
) (
    input  wire [WIDTH-1:0] bits,
    output wire [BITS-1:0] count
);
  function [BITS-1:0] ones;
    input [WIDTH-1:0] word;
    integer i;
    begin
      ones = {BITS{1'b0}};
      for (i = 0; i < WIDTH; i = i + 1) ones = ones + {{(BITS - 1) {1'b0}}, word[i]};
    end
  endfunction

  assign count = ones(bits);
endmodule
`

const argmaxModule = `module NAME_argmax #(
    parameter CLASSES = 2,  // at least 2
    parameter BITS = 1,     // of a count
    parameter INDEX = 1     // bits of the index, enough for CLASSES - 1
) (
    input  wire [CLASSES*BITS-1:0] counts,
    output wire [INDEX-1:0] index
);
  function [INDEX-1:0] largest;
    input [CLASSES*BITS-1:0] words;
    integer i;
    reg [BITS-1:0] best;
    begin
      best = words[BITS-1:0];
      largest = {INDEX{1'b0}};
      for (i = 1; i < CLASSES; i = i + 1)
        if (words[i*BITS+:BITS] > best) begin
          best = words[i*BITS+:BITS];
          largest = i[INDEX-1:0];
        end
    end
  endfunction

  assign index = largest(counts);
endmodule
`

const registerModule = `module NAME_register (
    input  wire clk,
    input  wire ce,
    input  wire d,
    output reg  q
);
  always @(posedge clk) if (ce) q <= d;
endmodule
`

// modules writes the modules that have instances.
func (d *design) modules() {
	var popcount, argmax, register bool
	for c := range netlist.Cell(d.n.Cells()) {
		switch k, in := d.n.Kind(c), len(d.n.Inputs(c)); {
		case k == netlist.Popcount && in > 1:
			popcount = true
		case k == netlist.Argmax && in > int(d.n.Param(c)):
			argmax = true
		case k == netlist.Register:
			register = true
		}
	}
	if popcount {
		d.submodule("popcount", "count is the number of ones among bits", popcountModule)
	}
	if argmax {
		d.submodule("argmax", "index is the class of the largest count, class 0 in the lowest bits; the lowest of equals",
			argmaxModule)
	}
	if register {
		d.submodule("register", "q is d as it was at the last edge of clk at which ce was 1", registerModule)
	}
}

// submodule writes a module under a file name of its own: verilator -Wall wants the
// file and the module to have the same name.
func (d *design) submodule(suffix, title, text string) {
	name := d.module + "_" + suffix
	d.text("\n// " + title + "\n// (the directive is for verilator -Wall, which wants files called as their modules)\n")
	d.text(fmt.Sprintf("`line %d \"%s.v\" 0\n", d.line+2, name))
	d.text(strings.ReplaceAll(text, "NAME_"+suffix, name))
}
