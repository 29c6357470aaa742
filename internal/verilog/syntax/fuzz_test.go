package syntax_test

import (
	"strings"
	"testing"

	"ialgn/internal/verilog/syntax"
)

// moduleNames gives the modules of the golden files the same name.
var moduleNames = strings.NewReplacer("tiny_pipeline", "m", "tiny_luts", "m", "tiny_core", "m")

// FuzzCheck reads files that are similar to written files. The reader must not crash. An accepted file must consist
// only of statements that the writer writes. So if any line of an accepted file is replaced by a line of another
// form, the file must be refused.
func FuzzCheck(f *testing.F) {
	for _, name := range []string{"tiny.v", "tiny_pipeline.v", "tiny_ice40.v", "tiny_xilinx7_cells.v"} {
		f.Add([]byte(moduleNames.Replace(golden(f, name))))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		_ = syntax.CheckCells(text)
		file, err := syntax.Parse(text, "m")
		if err != nil {
			return
		}
		for _, s := range file.Statements {
			otherwise := string(text[:s.From]) + "  initial ;\n" + string(text[s.To:])
			if syntax.Check([]byte(otherwise), "m") == nil {
				t.Fatalf("accepted with an initial block in the place of %q", text[s.From:s.To])
			}
		}
	})
}
