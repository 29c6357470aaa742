package syntax_test

import (
	"bytes"
	"testing"

	"ialgn/internal/freeze"
	"ialgn/internal/netgen"
	"ialgn/internal/verilog"
	"ialgn/internal/verilog/syntax"
	"ialgn/netlist"
)

// BenchmarkCheck reads the Verilog of a raw network of 1,000 x 100 gates.
func BenchmarkCheck(b *testing.B) {
	n, err := freeze.Network(netgen.Frozen(1, netgen.Paper(1000, 100)), netlist.Full)
	if err != nil {
		b.Fatal(err)
	}
	for _, o := range []verilog.Options{{Module: "net"}, {Module: "net", Style: verilog.LUTs}} {
		var text bytes.Buffer
		if err := verilog.Write(&text, n, o); err != nil {
			b.Fatal(err)
		}
		b.Run(map[verilog.Style]string{verilog.Gates: "style=gates", verilog.LUTs: "style=luts"}[o.Style],
			func(b *testing.B) {
				b.SetBytes(int64(text.Len()))
				b.ReportAllocs()
				for b.Loop() {
					if err := syntax.Check(text.Bytes(), "net"); err != nil {
						b.Fatal(err)
					}
				}
			})
	}
}
