package wrapper

import (
	"fmt"
	"io"
	"strings"

	"ialgn/netlist"
)

// WriteStream writes a module that takes the words of the netlist's input port one after
// the other, BEAT of them in a clock, and gives what the netlist's output ports are for
// each sample.
//
//	parameter BEAT                      words of a clock; by default as [Options] say
//	input  clk, rst
//	input  in_valid, in_data, in_last   word i of a beat has the bits i*Word and up
//	output in_ready
//	output out_valid, and the netlist's output ports
//	input  out_ready
//	output error
//
// The words of a sample are a packet of ceil(words/BEAT) beats, with in_last in the last
// one; what stands above the last word there is ignored. A packet that is shorter or longer
// is dropped as a whole, and error is 1 from then on until a reset; the packet after it is
// right again. A reset drops all that has not been given out.
//
// Only the bits that a cell, an output port or a probe reads have registers. Loading starts
// again in the clock after a whole sample was handed to the core, so that samples follow
// each other every ceil(words/BEAT) + 1 clocks. A result waits in a register of its own.
//
// The core is the netlist's module without a clock or, where the netlist has registers, the
// pipeline with the further ports clk, rst, ce, in_valid and out_valid: all of its state
// stands still while ce is 0, and out_valid is in_valid as many enabled clocks later as the
// outputs are after the inputs.
//
// It returns an error, before anything is written, if the netlist has not exactly one input
// port, if a name cannot stand in Verilog or is used by the wrapper, or if a beat has more
// words than a sample; later, the error of w.
func WriteStream(w io.Writer, n *netlist.Netlist, o Options) error {
	d, err := newDesign(n, o, "stream", "clk", "rst", "ce", "in_valid", "in_ready", "in_data", "in_last",
		"out_valid", "out_ready", "error", "loader", "core", "sample", "sample_valid", "step", "BEAT")
	if err != nil {
		return err
	}
	text := d.streamHeader() + "`default_nettype none\n\n" + d.streamModule()
	line := strings.Count(text, "\n") + 5
	loader := d.module + "_loader"
	text += fmt.Sprintf("\n// the words of a sample, collected\n"+
		"// (the directive is for verilator -Wall, which wants files called as their modules)\n`line %d \"%s.v\" 0\n", line, loader)
	text += strings.Replace(loaderModule, "NAME", loader, 1) + "\n`default_nettype wire\n"
	_, err = io.WriteString(w, text)
	return err
}

// streamHeader returns the comment at the top.
func (d *design) streamHeader() string {
	var b strings.Builder
	fmt.Fprintf(&b, "// Module %s: samples for the module %s, word after word\n", d.module, d.core)
	for i, s := range d.header {
		if i == 0 {
			b.WriteString("//\n")
		}
		fmt.Fprintf(&b, "// - %s\n", printable(s))
	}
	kept := 0
	for _, read := range d.read() {
		if read {
			kept++
		}
	}
	fmt.Fprintf(&b, `//
// A sample is a packet of %d words of %d bits, BEAT of them in a clock, the first in the
// lowest bits of in_data; in_last is 1 with the last. %d of its %d bits are kept.
// Data moves in clocks in which valid and ready are both 1. A packet of another length is
// dropped and error is 1 until a reset. rst is synchronous and active high.

`, d.words, d.word, kept, d.words*d.word)
	return b.String()
}

// streamModule returns the module itself.
func (d *design) streamModule() string {
	var ports, wires, connections, results strings.Builder
	for _, p := range d.n.OutputPorts() {
		high := len(p.Nets) - 1
		fmt.Fprintf(&ports, "    output reg [%d:0] %s,\n", high, p.Name)
		fmt.Fprintf(&wires, "  wire [%d:0] core_%s;\n", high, p.Name)
		fmt.Fprintf(&connections, ",\n      .%s(core_%s)", p.Name, p.Name)
		fmt.Fprintf(&results, "      %s <= core_%s;\n", p.Name, p.Name)
	}
	pins, valid := "", "  wire core_valid = sample_valid;\n"
	if d.clocked {
		pins = ".clk(clk),\n      .rst(rst),\n      .ce(step),\n      .in_valid(sample_valid),\n      .out_valid(core_valid),\n      "
		valid = "  wire core_valid;\n"
	}
	return strings.NewReplacer(
		"@MODULE@", d.module, "@CORE@", d.core, "@WORDS@", fmt.Sprint(d.words), "@WORD@", fmt.Sprint(d.word),
		"@BITS@", fmt.Sprint(d.words*d.word-1), "@DEFAULT@", fmt.Sprint(d.beat), "@READ@", literal(d.read(), "          "),
		"@PORTS@", ports.String(), "@WIRES@", wires.String()+valid, "@PINS@", pins, "@INPUT@", d.input.Name,
		"@OUTPUTS@", connections.String(), "@RESULTS@", results.String(),
	).Replace(streamModule)
}

// streamModule is the module without what the netlist decides. The core moves on unless it
// has a result and the last one is still there: one clock later than it could after the
// last was taken, so that out_ready goes into no enable.
const streamModule = `module @MODULE@ #(
    parameter BEAT = @DEFAULT@  // words of a clock
) (
    input  wire clk,
    input  wire rst,
    input  wire in_valid,
    output wire in_ready,
    input  wire [BEAT*@WORD@-1:0] in_data,
    input  wire in_last,
    output reg out_valid,
    input  wire out_ready,
@PORTS@    output wire error
);
  wire [@BITS@:0] sample;
  wire sample_valid;
@WIRES@  wire step = ~(core_valid & out_valid);

  @MODULE@_loader #(
      .WORD(@WORD@),
      .WORDS(@WORDS@),
      .BEAT(BEAT),
      .READ(@READ@)
  ) loader (
      .clk(clk),
      .rst(rst),
      .in_valid(in_valid),
      .in_ready(in_ready),
      .in_data(in_data),
      .in_last(in_last),
      .sample(sample),
      .sample_valid(sample_valid),
      .sample_taken(sample_valid & step),
      .error(error)
  );

  @CORE@ core (
      @PINS@.@INPUT@(sample)@OUTPUTS@
  );

  always @(posedge clk)
    if (rst) out_valid <= 1'b0;
    else if (core_valid & ~out_valid) out_valid <= 1'b1;
    else if (out_ready) out_valid <= 1'b0;

  always @(posedge clk)
    if (core_valid & ~out_valid) begin
@RESULTS@    end
endmodule
`
