// Package syntax reads the Verilog that package verilog writes, and nothing else.
//
// What tools make of Verilog differs: of a sensitivity list that lacks a signal, a synthesiser
// makes combinational logic where a simulator keeps the old value; so it is with latches, initial
// values, delays, comments that mean something to one tool, and much more. No check by one tool
// speaks for another there. So a file is held to a grammar, in which nothing of that can be said:
// every statement is of one of the [Form]s below, every name is declared once, before it is used,
// every wire has its width wherever it stands and is driven once, as a whole.
//
// The forms of a module's statements are
//
//	wire a, b, c;                                     Wires
//	wire [3:0] count_0;                               Bus
//	wire x_5 = x[5];                                  Bit
//	wire unused_0 = &{1'b0, a, x[4:2]};               Unused
//	reg [2:0] valid;                                  Valid
//	assign a = ~b & (c ? x[1] : ~(d ^ e));            Gate
//	assign a = {x[7], x[3:0]} > 5'd3;                 Compare
//	assign count_0 = {1'b0, a} + {1'b0, b};           Sum
//	assign h[15:0] = {a, b, {2{1'b0}}, x[9:0]};       Assign
//	LUT4 #(.INIT(16'h6666)) a_i (.I0(b), ... .O(a));  LUT
//	SB_CARRY a_i (.I0(b), .I1(c), .CI(d), .CO(a));    Carry
//	NAME_popcount #(.WIDTH(3), .BITS(2)) a_i (...);   Operator
//	NAME_register a_i (.clk(clk), .ce(ce), ...);      Register
//	always @(posedge clk) ... assign out_valid = ...  Control
//
// and comments, which stand on lines of their own and begin as those that are written. The modules
// of operators, of the models of primitives, and what a pipeline does with the bits that go with
// the samples, are compared with the text that is written.
//
// Reading takes time in proportion to the text, and 24 bytes and a slot in a table a name.
package syntax

import "fmt"

// Form is a form of statement.
type Form uint8

// The forms; see the package.
const (
	Comment  Form = iota // a comment or an empty line
	Version              // the local parameter that identifies the build, and the wire that reads it
	Wires                // scalars
	Bus                  // a vector
	Bit                  // a wire for a bit of a wide input port
	Unused               // a wire that reads what nothing else does
	Valid                // the register of the bits that go with the samples
	Gate                 // an expression of scalars, or a constant
	Compare              // a word above a constant
	Sum                  // the sum of bits
	Assign               // an assignment to a vector, or to some of its bits
	LUT                  // a primitive with a table
	Carry                // a primitive without
	Operator             // an instance of a module of popcounts or argmax
	Register             // an instance of a register
	Control              // the statements for the bits that track valid samples
)

var formNames = [...]string{
	"comment", "version", "wires", "bus", "bit", "unused", "valid", "gate", "compare", "sum", "assign", "lut", "carry",
	"operator", "register", "control",
}

// String returns the form's name in lower case.
func (f Form) String() string { return formNames[f] }

// Forms returns all forms.
func Forms() []Form {
	all := make([]Form, len(formNames))
	for i := range all {
		all[i] = Form(i)
	}
	return all
}

// Statement is a statement of the netlist's module: whole lines of the file.
type Statement struct {
	Form
	From, To int    // range of its lines in the text
	Declares []Name // wires
	Drives   Name   // the name that gets a value, at least in some bits; or [None]
	More     []Name // further names that get one: of a register of several bits
	Reads    []Name // ports and wires, as often as they stand there
}

// Name is the number of a declared name in a [File].
type Name int32

// None is no name.
const None Name = -1

// File is a file that was read.
type File struct {
	Text       []byte
	Body       int // offset of the first module's statements; what follows the last of them begins after it
	Statements []Statement

	symbols *symbols
}

// Name returns the name of a number.
func (f *File) Name(n Name) string { return string(f.symbols.spelled(n)) }

// Names returns how many names there are: their numbers are less.
func (f *File) Names() int { return len(f.symbols.list) }

// Number returns the number of a name; ok is false if the file does not declare it.
func (f *File) Number(name string) (_ Name, ok bool) {
	n := f.symbols.find([]byte(name))
	return n, n != None
}

// Check returns nil if the text is a file that [ialgn/internal/verilog.Write] may have written for a module of
// that name. The error names a line, and says to compile again.
func Check(text []byte, module string) error {
	_, err := read(text, module, nil)
	return err
}

// Parse reads what [Check] accepts.
func Parse(text []byte, module string) (*File, error) {
	f := &File{Text: text}
	r, err := read(text, module, func(s Statement) {
		s.Declares, s.Reads = append([]Name(nil), s.Declares...), append([]Name(nil), s.Reads...)
		s.More = append([]Name(nil), s.More...)
		f.Statements = append(f.Statements, s)
	})
	if err != nil {
		return nil, err
	}
	f.Body, f.symbols = r.body, r.symbols
	return f, nil
}

// read reads a file, statement by statement.
func read(text []byte, module string, visit func(Statement)) (*reader, error) {
	r := &reader{scanner: scanner{text: text}, name: module, symbols: newSymbols(text), visit: visit}
	r.plain()
	r.file()
	return r, r.err
}

// CheckCells returns nil if the text is a file that [ialgn/internal/verilog.WriteCells] may have written.
func CheckCells(text []byte) error {
	s := &scanner{text: text}
	s.plain()
	s.cells()
	return s.err
}

// refusal is how every error ends.
const refusal = "which this program never writes: the file was changed, compile again"

// refuse returns the error of a line.
func refuse(line int, what string) error { return fmt.Errorf("line %d: %s, %s", line, what, refusal) }
