package wrapper

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/netlist"
)

// takes compares a measured number of clocks with the reported rate. The samples come back to back. The argument
// clocks is the total number of clocks for all samples. The argument ends is the number of clocks before the first
// sample and after the last sample.
func takes(t *testing.T, kind string, n *netlist.Netlist, o Options, samples, clocks, ends int) {
	t.Helper()
	r, err := NewRate(kind, n, o)
	if err != nil {
		t.Fatal(err)
	}
	if told, each := samples*int(r.Cycles), int(r.Cycles); clocks < told-each || clocks > told+ends {
		t.Errorf("%d samples took %d clocks, the rate says %d and at most %d more", samples, clocks, told, ends)
	}
}

// answersAfter compares the reported latency with a testbench's count of clocks from the first beat of the first
// sample to the result.
func answersAfter(t *testing.T, kind string, core *netlist.Netlist, o Options, out string) {
	t.Helper()
	r, err := NewRate(kind, core, o)
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf(", the first after %d\n", r.Latency); !strings.HasSuffix(out, want) {
		t.Errorf("want %q: %q", want, out)
	}
}

// TestRate compares rates with values that were computed by hand. Samples have 11 words of 5 bits, or 11 bytes.
// Results have one byte.
func TestRate(t *testing.T) {
	n := classifier(t)
	for kind, want := range map[string]*Rate{
		"stream": {Kind: "stream", Cycles: 12, Latency: 12},
		"axis":   {Kind: "axis", SampleBytes: 11, ResultBytes: 1, Cycles: 4, Latency: 4},
		"uart": {
			Kind: "uart", SampleBytes: 11, ResultBytes: 1, Cycles: 110 * 104, MHz: 12,
			SamplesPerSecond: 12e6 / (110 * 104),
		},
		"spi":  {Kind: "spi", SampleBytes: 11, ResultBytes: 1, Cycles: 12*8*8 + 8},
		"byte": {Kind: "byte", SampleBytes: 11, ResultBytes: 1, Cycles: 12, Latency: 12},
		"usb":  nil,
	} {
		got, err := NewRate(kind, n, Options{})
		if (err == nil) != (want != nil) {
			t.Error(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", kind, diff)
		}
	}
}
