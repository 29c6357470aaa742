package flow

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"ialgn/internal/liberty"
)

// Liberty is a library of standard cells for yosys and abc.
type Liberty struct {
	Text    []byte // text of the Liberty file
	Library *liberty.Library
}

// prepare writes the files that the commands read.
func (l *Liberty) prepare(dir string) error {
	err := os.WriteFile(filepath.Join(dir, libertyName), l.Text, 0o666)
	if a := l.Library.FullAdder(); a != nil {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, addersName), []byte(adders(a)), 0o666))
	}
	return err
}

// adders returns a rule that maps yosys's full adders to a cell of the library.
func adders(a *liberty.FullAdder) string {
	return fmt.Sprintf(`module \$fa (A, B, C, X, Y);
  parameter WIDTH = 1;
  input [WIDTH-1:0] A, B, C;
  output [WIDTH-1:0] X, Y;
  genvar i;
  generate
    for (i = 0; i < WIDTH; i = i + 1) begin : bits
      %s adder (.%s(A[i]), .%s(B[i]), .%s(C[i]), .%s(X[i]), .%s(Y[i]));
    end
  endgenerate
endmodule
`, a.Cell.Name, a.Inputs[0], a.Inputs[1], a.Inputs[2], a.Carry, a.Sum)
}

// abcScript is an option with commands of abc that make a small netlist of a library's cells. amap makes fewer cells
// than &nf, which yosys uses by default (docs/guides/chips.md). buffer, upsize and dnsize choose cells that can drive
// their loads. They need the library's delays.
const abcScript = " -script +strash;ifraig;scorr;dc2;dc2;dc2;dc2;strash;dch,-f;amap,-m;" +
	"topo;buffer,-c;topo;upsize;dnsize"

// commands returns the commands that synthesise a module to cells of the library.
//
// abc has no cells with two outputs. So full adders are found first, and abc maps the rest. With these limits,
// extract_fa finds the adders of heads of three-input functions, and not functions of other gates that would need more
// area as an adder.
//
// abc runs a second time for the logic that dfflibmap puts before flip-flops, for example the choice of an enable.
// This logic is apart from the rest of the design, so that a register's enable can be recognised in the netlist.
func (l *Liberty) commands(module string) string {
	text := "read_liberty -lib -ignore_miss_func -ignore_miss_dir -ignore_miss_data_latch " + libertyName + "\n" +
		"synth -flatten -noabc -top " + module + "\n"
	if l.Library.FullAdder() != nil {
		text += "extract_fa -d 5 -b 4 -fa\ntechmap -map " + addersName + "\n"
	}
	text += "abc -liberty " + libertyName + abcScript + "\nopt_clean\n"
	if l.Library.Registers() {
		text += "dfflibmap -liberty " + libertyName + "\n"
	}
	return text + "abc -liberty " + libertyName + abcScript + "\nopt_clean"
}
