package wrapper

import (
	"fmt"
	"strings"
	"testing"

	"ialgn/internal/testkit"
)

// TestTag runs testbenches of wrappers with a tag. Linters must print no warning for them. The test also breaks the
// wrappers. In a broken wrapper, the tag comes one result late, comes from another beat, or changes while its result
// waits. The testbenches must then fail.
func TestTag(t *testing.T) {
	testkit.FindTool(t, "verilator")
	for i, c := range []wrapperCase{wrapperCases(t)[1], wrapperCases(t)[5]} { // without registers, with registers
		for j, kind := range []string{"stream", "axis"} {
			if !taken(i, j) {
				continue
			}
			c.tag = []int{1, 64}[i]
			t.Run(fmt.Sprintf("%s/%s/%d bits", kind, c.name, c.tag), func(t *testing.T) {
				t.Parallel()
				dir := sourcesOf(t, c, kind, 24)
				testkit.RunSilent(t, dir, "verilator", "--lint-only", "-Wall", "--top-module", "net_"+kind, "net_"+kind+".v", "net.v")
				if got := runBench(t, dir, kind); got != "PASS: 24 vectors\n" {
					t.Errorf("%s", got)
				}
				for _, change := range [][2]string{
					{"out_tag <= core_out_tag;", "begin out_tag <= late; late <= core_out_tag; end"},
					{"if (in_valid & in_ready) sample_tag", "if (in_valid & in_ready & ~in_last) sample_tag"},
					{".in_tag(sample_tag)", ".in_tag(in_tag)"},
				} {
					broken := sourcesOf(t, c, kind, 24, change[0], change[1], "] sample_tag;", "] sample_tag, late;")
					if got := runBench(t, broken, kind); !strings.Contains(got, ": out_tag: got ") ||
						!strings.Contains(got, "\nFAIL: ") {
						t.Errorf("%s: %s", change[1], got)
					}
				}
			})
		}
	}
}

// TestTagRefused checks that a tag is refused if the interface or the design cannot carry it.
func TestTagRefused(t *testing.T) {
	n := wrapperCases(t)[0].n
	for want, c := range map[string]struct {
		kind string
		o    Options
	}{
		"a tag of -1 bits: give 1 to 64":                               {"stream", Options{Tag: -1}},
		"a tag of 65 bits: give 1 to 64":                               {"axis", Options{Tag: 65}},
		"a tag of 3 bits: the interface uart has no signals for it":    {"uart", Options{Tag: 3}},
		"a tag of 4 bits: the interface spi has no signals for it":     {"spi", Options{Tag: 4}},
		"a tag of 6 bits: the interface byte has no signals for it":    {"byte", Options{Tag: 6}},
		"a tag of 5 bits: the engine net_fold has no registers for it": {"axis", Options{Tag: 5, Engine: &Engine{Module: "net_fold"}}},
	} {
		var text strings.Builder
		if err := Write(c.kind, &text, n, c.o); err == nil || !strings.Contains(err.Error(), want) || text.Len() > 0 {
			t.Errorf("%v, %d bytes; want %s", err, text.Len(), want)
		}
	}
}
