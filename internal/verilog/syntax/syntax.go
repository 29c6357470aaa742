// Package syntax reads the Verilog that package verilog writes, and no other Verilog.
//
// Different tools interpret some Verilog differently. For example, if a signal is missing in a sensitivity list, a
// synthesiser makes combinational logic but a simulator keeps the old value. There are similar differences for
// latches, initial values, delays, and comments that are directives for some tools. A check by one tool then proves
// nothing about another tool. So this package accepts only a grammar without these constructs. Every statement has
// one of the [Form]s below. Every name is declared once, before it is used. Every wire is always used with its full
// width. Every wire is driven exactly once, as a whole.
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
// and comments, which are on separate lines and begin like the comments that package verilog writes. Some texts must
// be exactly as package verilog writes them: the modules of operators, the models of primitives, and a pipeline's
// statements for the bits that track valid samples.
//
// Reading takes time in proportion to the size of the text. Each name takes 24 bytes and a slot in a hash table.
package syntax

import "fmt"

// Form is a form of statement.
type Form uint8

// These are the forms. The package comment has an example of each form.
const (
	Comment  Form = iota // a comment or an empty line
	Version              // the local parameter that identifies the build, and the wire that reads it
	Wires                // scalars
	Bus                  // a vector
	Bit                  // a wire for a bit of a wide input port
	Unused               // a wire that reads names that nothing else reads
	Valid                // the register of the bits that track valid samples
	Gate                 // an expression of scalars, or a constant
	Compare              // a comparison word > constant
	Sum                  // the sum of bits
	Assign               // an assignment to a vector, or to some of its bits
	LUT                  // a primitive with a truth table
	Carry                // a primitive without a truth table
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

// Statement is a statement of the netlist's module. It consists of whole lines of the file.
type Statement struct {
	Form
	From, To int    // range of the statement's lines in the text
	Declares []Name // the wires that it declares
	Drives   Name   // the name that is driven, completely or in part; or [None]
	More     []Name // more driven names, for a register of several bits
	Reads    []Name // ports and wires that are read, one entry for each occurrence
}

// Name is the number of a declared name in a [File].
type Name int32

// None means that there is no name.
const None Name = -1

// File is the result of reading a file.
type File struct {
	Text       []byte
	Body       int // offset of the first module's statements
	Statements []Statement

	symbols *symbols
}

// Name returns the text of a name.
func (f *File) Name(n Name) string { return string(f.symbols.spelled(n)) }

// Names returns the number of names. Names are numbered from 0.
func (f *File) Names() int { return len(f.symbols.list) }

// Number returns the number of a name. ok is false if the file does not declare the name.
func (f *File) Number(name string) (_ Name, ok bool) {
	n := f.symbols.find([]byte(name))
	return n, n != None
}

// Check returns nil if [ialgn/internal/verilog.Write] may have written the text as the file of the given module.
// Otherwise, the error names a line and suggests compiling again.
func Check(text []byte, module string) error {
	_, err := read(text, module, nil)
	return err
}

// Parse reads a file that [Check] accepts.
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

// CheckCells returns nil if [ialgn/internal/verilog.WriteCells] may have written the text.
func CheckCells(text []byte) error {
	s := &scanner{text: text}
	s.plain()
	s.cells()
	return s.err
}

// refusal is the end of every error.
const refusal = "which this program never writes: the file was changed, compile again"

// refuse returns an error about a line.
func refuse(line int, what string) error { return fmt.Errorf("line %d: %s, %s", line, what, refusal) }
