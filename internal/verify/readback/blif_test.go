package readback

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ialgn/internal/aiger"
	"ialgn/internal/tool"
	"ialgn/internal/verify/cec"
)

// operators is a Verilog file with all operators that the Verilog of a netlist can contain.
const operators = `
module half #(parameter W = 3) (input wire [W-1:0] a, b, output wire [W:0] y, output wire z);
  function [W:0] count(input [W-1:0] v);
    integer i;
    begin
      count = 0;
      for (i = 0; i < W; i = i + 1) count = count + v[i];
    end
  endfunction
  assign y = count(a) + b, z = ^a | &b;
endmodule
module net (input wire [5:0] a, b, output wire [6:0] sum, output wire [5:0] minus, times,
            output wire [8:0] bits, output wire [7:0] deep, output reg [3:0] way, output wire [6:0] mixed,
            output wire [7:0] above);
  wire unused;
  assign sum = a + b, minus = a - b, times = a * b;
  assign bits = {a < b, a >= b, a == b, a != b, !a, a && b, ~^a, |b, a[0] ? b[1] : b[2]};
  half #(.W(3)) one (.a(a[2:0]), .b(b[5:3]), .y(deep[3:0]), .z(deep[4]));
  half #(.W(2)) two (.b(b[1:0]), .a(a[3:2]), .y(deep[7:5]), .z(unused));
  always @* case (a[2:0])
    0: way = b[3:0];
    1, 2: way = b[5:2] ^ a[3:0];
    5: way = b >> a[5:4];
    default: way = {4{unused}};
  endcase
  assign above = {a > b, a > 6'd17, a[4:0] > b[2:0], b[1:0] > a, 6'd40 > b, a > 6'd0, a[0] > b[0], a[2:0] > 5'd3};
  assign mixed = (a[1:0] + 5'd17) + (b[4] ? ~a : 6'd3) + 1'b1;
endmodule
`

// yosysGraph has yosys make an and-inverter graph of a file by yosys's own rules.
func yosysGraph(t *testing.T, dir string) *aiger.File {
	t.Helper()
	script := "read_verilog net.v; hierarchy -top net; proc; flatten; techmap; simplemap; aigmap; clean; write_aiger " +
		"-symbols net.aig"
	yosys, err := tool.Find("yosys")
	if err != nil {
		t.Skip(err)
	}
	if out, err := yosys.Run(t.Context(), tool.Command{
		Args: []string{"-q", "-p", script}, Dir: dir,
		Limit: cec.DefaultLimit,
	}); err != nil {
		t.Fatalf("%v: %s", err, out.Stderr)
	}
	file, err := os.Open(filepath.Join(dir, "net.aig"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	f, err := aiger.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestReadsAsYosys compares the netlist that we read with the graph that yosys itself makes of the same file, for
// every input.
func TestReadsAsYosys(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "net.v")
	if err := os.WriteFile(path, []byte(operators), 0o666); err != nil {
		t.Fatal(err)
	}
	f := yosysGraph(t, dir)
	g, _, err := read(t.Context(), Options{
		Module: "net", Files: []string{path}, Limit: cec.DefaultLimit,
		Synthesised: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Inputs) != 12 || len(f.Outputs) != len(g.outputs) || len(f.Outputs) != 55 {
		t.Fatalf("%d inputs, %d and %d outputs", len(f.Inputs), len(f.Outputs), len(g.outputs))
	}
	ours, theirs := make([]bool, g.variables()), make([]bool, 1+len(f.Inputs)+len(f.Gates))
	for x := range 1 << 12 {
		for i, name := range f.Inputs {
			theirs[1+i] = x>>i&1 == 1
			ours[g.inputs[newBit(name)].variable()] = theirs[1+i]
		}
		for i, in := range g.gates {
			ours[g.firstGate+i] = ours[in[0]/2] != (in[0]&1 == 1) && ours[in[1]/2] != (in[1]&1 == 1)
		}
		for i, in := range f.Gates {
			theirs[1+len(f.Inputs)+i] = theirs[in[0]/2] != (in[0]&1 == 1) && theirs[in[1]/2] != (in[1]&1 == 1)
		}
		for _, o := range f.Outputs {
			l := g.outputs[newBit(o.Name)]
			if want := theirs[o.Literal/2] != (o.Literal&1 == 1); want != (ours[l/2] != l.inverted()) {
				t.Fatalf("input %012b: %s is %v in the graph of yosys", x, o.Name, want)
			}
		}
	}
}

// TestBLIF reads handwritten files, both correct and wrong ones.
func TestBLIF(t *testing.T) {
	const head = ".model net\n.inputs a b\n.outputs y\n"
	for _, tt := range []struct{ name, text, want string }{
		{"gate", head + ".names a b y\n11 1\n.end\n", ""},
		{"constants", head + ".names $true\n1\n.names $false\n.names $true $false y\n1- 1\n-1 1\n.end\n", ""},
		{"sum", head + ".subckt $add A[0]=a B[0]=b Y[0]=y\n.param A_SIGNED 0\n.end\n", ""},
		{"instance", head + ".subckt m p=a q=y\n.end\n.model m\n.inputs p\n.outputs q\n.names p q\n0 1\n.end\n", ""},
		{"no driver", head + ".end\n", "y has no driver"},
		{"no driver of an input", head + ".names c y\n1 1\n.end\n", "c has no driver"},
		{"two drivers", head + ".names a y\n1 1\n.names b y\n1 1\n.end\n", "more than one driver"},
		{"a driven input", head + ".names a b\n1 1\n.end\n", "more than one driver"},
		{"a gate and an instance", head + ".names a y\n.subckt m p=a q=y\n.end\n.model m\n.inputs p\n.outputs q\n.names p " +
			"q\n0 1\n.end\n", "more than one driver"},
		{"two instances", head + ".subckt m p=a q=y\n.subckt m p=a q=y\n.end\n.model m\n.inputs p\n.outputs q\n.names p " +
			"q\n0 1\n.end\n", "more than one driver"},
		{"unknown", head + ".names $undef\n.names a $undef y\n11 1\n.end\n", "unknown value"},
		{"loop", head + ".names a z y\n11 1\n.names y z\n0 1\n.end\n", "depends on itself"},
		{"latch", head + ".latch a y ah b 2\n.end\n", "latch"},
		{"register", head + ".latch a y re b 2\n.end\n", ""},
		{"register that begins unknown", head + ".latch a y re b 3\n.end\n", ""},
		{"register that begins as 0", head + ".latch a y re b 0\n.end\n", "y begins with 0"},
		{"register that begins as 1", head + ".latch a y re b 1\n.end\n", "y begins with 1"},
		{"register that begins otherwise", head + ".latch a y re b 22\n.end\n", "y begins with 22"},
		{"no clock", head + ".latch a y 2\n.end\n", "latch"},
		{"cell", head + ".subckt $_DLATCH_N_ D=a E=b Q=y\n.end\n", "neither a gate"},
		{"cell with a parameter", head + ".subckt $mul A[0]=a B[0]=b Y[0]=y\n.param A_SIGNED 0\n.end\n", "neither a gate"},
		{"sign", head + ".subckt $add A[0]=a B[0]=b Y[0]=y\n.param A_SIGNED 00001\n.end\n", "with a sign"},
		{"comparison", head + ".subckt $gt A[0]=a B[0]=b Y[0]=y\n.param A_SIGNED 0\n.end\n", ""},
		{"comparison with a sign", head + ".subckt $gt A[0]=a B[0]=b Y[0]=y\n.param B_SIGNED 1\n.end\n", "with a sign"},
		{"another comparison", head + ".subckt $ge A[0]=a B[0]=b Y[0]=y\n.end\n", "neither a gate"},
		{"ports of a comparison", head + ".subckt $gt B[0]=b A[0]=a Y[0]=y\n.end\n", "ports of $gt"},
		{"digits of a sum", head + ".subckt $add A[1]=a B[0]=b Y[0]=y\n.end\n", `port "A[1]"`},
		{"ports of a sum", head + ".subckt $add B[0]=b A[0]=a Y[0]=y\n.end\n", "ports of $add"},
		{"no port", head + ".subckt m p=a r=y\n.end\n.model m\n.inputs p\n.outputs q\n.names p q\n0 1\n.end\n", "no port r"},
		{
			"port without a net", head + ".subckt m q=y\n.end\n.model m\n.inputs p\n.outputs q\n.names p q\n0 1\n.end\n",
			"not connected",
		},
		{"endless", head + ".subckt net a=a b=b y=y\n.end\n", "nested instances"},
		{"cut off", head + ".names a b y\n11 1\n", "cut off"},
		{"row of zeros", head + ".names a b y\n11 0\n.end\n", "understood"},
		{"long row", head + ".names a b y\n111 1\n.end\n", "no row"},
		{"letters", head + ".names a b y\n1x 1\n.end\n", "no row"},
		{"five inputs", head + ".names a b a b a y\n11111 1\n.end\n", "5 inputs"},
		{"directive", head + ".gate m p=a\n.end\n", "understood"},
		{"no model", ".names y\n", "outside of a model"},
		{"another model", ".model other\n.end\n", "no module net"},
		{"twice", head + ".names y\n.end\n" + head + ".end\n", "not expected here"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			modules, err := readBLIF(strings.NewReader(tt.text), unknownStart)
			if err == nil {
				_, err = elaborate(modules, "net")
			}
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

// TestCovers compares each function of up to four inputs with its table.
func TestCovers(t *testing.T) {
	for k, step := range []int{1, 1, 1, 1, 7} {
		names := []string{"a", "b", "c", "d"}[:k]
		for table := 0; table < 1<<(1<<k); table += step {
			g := newGraph(names, 0)
			var in []literal
			for _, name := range names {
				in = append(in, g.inputs[bit{name, 0}])
			}
			l := g.function(uint16(table), in)
			for x := range 1 << k {
				value := []bool{false}
				for i := range k {
					value = append(value, x>>i&1 == 1)
				}
				for _, gate := range g.gates {
					value = append(value, value[gate[0]/2] != gate[0].inverted() && value[gate[1]/2] != gate[1].inverted())
				}
				if got, want := value[l/2] != l.inverted(), table>>x&1 == 1; got != want {
					t.Fatalf("table %0*b, input %0*b: %v", 1<<k, table, k, x, got)
				}
			}
		}
	}
}
