package names

import (
	"fmt"
	"regexp"
	"strings"

	"ialgn/netlist"
)

// MaxIdentifier is the longest name that is accepted for a module, a port or a probe. Netlists allow longer names.
// With this limit, all names derived from a module's name are valid file names on every system.
const MaxIdentifier = 128

// later holds the reserved words of standards after Verilog, including SystemVerilog (IEEE 1800-2017, annex B). Names
// must avoid them because many tools read .v files as SystemVerilog.
var later = func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(`
		accept_on alias always_comb always_ff always_latch assert assume before bind bins
		binsof bit break byte chandle checker class clocking const constraint context
		continue cover covergroup coverpoint cross dist do endchecker endclass endclocking
		endgroup endinterface endpackage endprogram endproperty endsequence enum eventually
		expect export extends extern final first_match foreach forkjoin global iff
		ignore_bins illegal_bins implements implies import inside int interconnect
		interface intersect join_any join_none let local logic longint matches modport
		nettype new nexttime null package packed priority program property protected pure
		rand randc randcase randsequence ref reject_on restrict return s_always
		s_eventually s_nexttime s_until s_until_with sequence shortint shortreal soft solve
		static string strong struct super sync_accept_on sync_reject_on tagged this
		throughout timeprecision timeunit type typedef union unique unique0 until
		until_with untyped uwire var virtual void wait_order weak wildcard with within`) {
		m[w] = true
	}
	return m
}()

// CheckIdentifier returns nil if s can be used in Verilog unchanged. It must be a simple identifier
// ([netlist.CheckName]) of at most [MaxIdentifier] characters, and not a reserved word of Verilog or SystemVerilog.
// The writers write no other names.
func CheckIdentifier(s string) error {
	if len(s) > MaxIdentifier {
		return fmt.Errorf("the name %.20q... has %d characters, use at most %d", s, len(s), MaxIdentifier)
	}
	return CheckWord(s)
}

// CheckWord is [CheckIdentifier] without the length limit, for names composed of other names.
func CheckWord(s string) error {
	if err := netlist.CheckName(s); err != nil {
		return err
	}
	if later[s] {
		return fmt.Errorf("%q is a reserved word of SystemVerilog, choose another name", s)
	}
	return nil
}

// reserved matches the names that the writers create (see [Names]). A suffix after a cell's name marks a related
// name:
//   - _o is a carry output;
//   - _i is the cell's instance;
//   - _in is the cell's word of inputs;
//   - _next is the next value of a register.
var reserved = regexp.MustCompile(`(^(c\d+_)?k\d+(_y\d+_x\d+)?_l\d+|\d_(e|gt)\d+|_(b|n|s)\d+)(_n\d+|_s\d+)*(_o)?(_i|_in|_next)?$|^unused_(\d+|version)$|^dut$|^tb_`)

// CheckPort returns nil if s can name a port or a probe. It must be an identifier ([netlist.CheckName]), and not a
// name that [Names] may give to a cell.
func CheckPort(s string) error {
	if err := netlist.CheckName(s); err != nil {
		return err
	}
	if reserved.MatchString(s) {
		return fmt.Errorf("%q is a name that the writer gives to cells, choose another name", s)
	}
	return nil
}
