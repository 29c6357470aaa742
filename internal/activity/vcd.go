package activity

import (
	"bufio"
	"fmt"
	"io"
	"math/bits"

	"ialgn/internal/names"
	"ialgn/netlist"
)

// trace writes the values of all nets over time as a value change dump (IEEE 1364-2001, chapter 18). It has a one-bit
// wire for each net, with the net's name in the Verilog. The method end returns the writer's errors.
type trace struct {
	w  *bufio.Writer
	at [64][]change // changes of the current 64 samples
}

// change is twice the number of a net plus the net's new value.
type change uint64

func newTrace(w io.Writer, n *netlist.Netlist, names *names.Names) *trace {
	t := &trace{w: bufio.NewWriterSize(w, 1<<16)}
	fmt.Fprintf(t.w, "$version ialgn $end\n$comment %s; a sample a microsecond $end\n$timescale 1us $end\n$scope "+
		"module %s $end\n", What, n.Name)
	var name []byte
	for v := netlist.True + 1; int(v) < n.Nets(); v++ {
		name = names.AppendNet(name[:0], v)
		fmt.Fprintf(t.w, "$var wire 1 %s %s $end\n", code(v), spaced(name))
	}
	fmt.Fprint(t.w, "$upscope $end\n$enddefinitions $end\n")
	return t
}

// spaced inserts a space before the index: x[3] becomes x [3]. In the dump, this form marks x as a bus.
func spaced(name []byte) string {
	for i, c := range name {
		if c == '[' {
			return string(name[:i]) + " " + string(name[i:])
		}
	}
	return string(name)
}

// code returns the identifier of a net: its number in printable digits, the lowest digit first.
func code(v netlist.Net) []byte {
	const first, digits = '!', '~' - '!' + 1
	id := []byte{first + byte(v%digits)}
	for v /= digits; v > 0; v /= digits {
		id = append(id, first+byte(v%digits))
	}
	return id
}

// note records in which of 64 samples a net has a new value.
func (t *trace) note(v netlist.Net, value, switched uint64) {
	for ; switched != 0; switched &= switched - 1 {
		i := bits.TrailingZeros64(switched)
		t.at[i] = append(t.at[i], change(v)<<1|change(value>>i&1))
	}
}

// write writes the changes of 64 samples. The argument first is the number of the first of these samples.
func (t *trace) write(first int) {
	for i := range t.at {
		if len(t.at[i]) == 0 {
			continue
		}
		fmt.Fprintf(t.w, "#%d\n", first+i)
		if first+i == 0 {
			fmt.Fprintln(t.w, "$dumpvars")
		}
		for _, c := range t.at[i] {
			fmt.Fprintf(t.w, "%d%s\n", c&1, code(netlist.Net(c>>1)))
		}
		if first+i == 0 {
			fmt.Fprintln(t.w, "$end")
		}
		t.at[i] = t.at[i][:0]
	}
}

// end writes the time at which the last sample ends.
func (t *trace) end(samples int) error {
	fmt.Fprintf(t.w, "#%d\n", samples)
	return t.w.Flush()
}
