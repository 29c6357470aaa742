package report

import (
	"strconv"
	"strings"

	"ialgn/backend"
)

// For keys of reports and options whose words are not clear, labels has the texts that the page shows instead.
var labels = map[string]string{
	"assume_thermometer": "thermometer codes assumed", "baud": "bits per second", "bound": "LUTs of serial packing",
	"build_cpu_seconds": "CPU seconds to build", "by_class": "class by class", "chains": "private chains",
	"checked": "number checked", "clock_mhz": "clock, MHz", "correct": "samples classified correctly",
	"counterexample": "input that shows a difference", "counts": "class counts as outputs",
	"cpu_seconds": "CPU seconds", "cycles": "clocks from sample to sample", "data": "for results of cells",
	"delay": "for delays alone", "differ": "wires that differ", "emit": "further formats",
	"end_to_end": "proof from end to end", "engines": "engines that ran", "first": "difference",
	"flip_flops": "flip-flops", "fold": "folded engine", "fold_steps": "room of the engine, steps",
	"general": "LUTs outside private chains", "hidden_bits": "hidden bits compared", "inverters": "LUTs of one input",
	"k": "inputs of a LUT", "kind": "interface", "latency_cycles": "latency, clocks", "levels": "LUTs on the longest path",
	"levels_per_stage": "most levels of a stage", "lut": "inputs of a LUT", "luts": "LUTs of two inputs or more",
	"max_depth": "most levels of LUTs", "max_levels": "most levels of a stage", "mhz": "clock of the constraints, MHz",
	"mismatches": "differences", "module": "Verilog module", "objective": "mapped for", "optimise": "optimisation level",
	"packets": "broken packets", "proved": "proved", "reason": "reason", "result_bytes": "bytes of a result",
	"run_cpu_seconds": "CPU seconds to run", "sample_bytes": "bytes of a sample",
	"samples_per_second": "samples per second",
	"scope":              "scope", "stages": "register stages", "steps": "steps of chains", "stub": "around a stub",
	"style": "style of the Verilog", "ties": "samples with tied counts", "tool": "program", "unplayed": "not played",
	"valid": "for the valid bit", "values": "values of a word tried", "vectors": "testbench vectors",
	"what": "what differs", "without_assumption": "proof without the assumption", "words": "random words",
	"wrap": "interface",
}

// words returns a key of a JSON object, such as flip_flops.total, as words.
func words(key string) string {
	parts := strings.Split(key, ".")
	for i, part := range parts {
		if n, err := strconv.Atoi(part); err == nil {
			parts[i] = strconv.Itoa(n + 1)
		} else if label := labels[part]; label != "" {
			parts[i] = label
		} else {
			parts[i] = strings.ReplaceAll(part, "_", " ")
		}
	}
	return strings.Join(parts, ": ")
}

// notChecked marks a figure that was compared with nothing.
const notChecked = "not checked"

// valid reports whether there is a certificate for exactly these files that states no difference.
func (p *Page) valid() bool {
	c := p.Verified
	return c != nil && c.Manifest.SHA256 == p.Output.SHA256() && c.Result == "verified"
}

// checked reports whether verify compared some figures of report.json with these files. Certificates from versions of
// the program that compared no figures do not count.
func (p *Page) checked(keys ...string) bool {
	if !p.valid() || p.Verified.Unchecked == nil {
		return false
	}
	for _, key := range keys {
		if backend.Covers(p.Verified.Unchecked, key) {
			return false
		}
	}
	return true
}

// marked returns a text about figures of report.json, with a mark if they were not checked.
func (p *Page) marked(text string, keys ...string) string {
	switch {
	case p.checked(keys...):
		return text
	case text == "":
		return notChecked
	}
	return text + " (" + notChecked + ")"
}
