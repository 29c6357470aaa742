package main

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"ialgn/internal/testkit"
)

// signed returns a function that damages a file of an output folder and then updates the checksums in the folder's
// manifest. The checksums match again, so verify must notice the damage from the content.
func signed(dir string, harm func(*bench)) func(*bench) {
	return func(b *bench) {
		harm(b)
		if err := testkit.ResignFolder(dir); err != nil {
			b.t.Fatal(err)
		}
	}
}

// manifest edits the manifest of an output folder.
func manifest(dir string, to func(map[string]any)) func(*bench) {
	return change(filepath.Join(dir, "manifest.json"), func(s string) string {
		var m map[string]any
		if err := json.Unmarshal([]byte(s), &m); err != nil {
			panic(err)
		}
		to(m)
		text, err := json.Marshal(m)
		if err != nil {
			panic(err)
		}
		return string(text)
	})
}

// fileName renames the first file in the manifest.
func fileName(name string) func(*bench) {
	return manifest("lut", func(m map[string]any) { m["files"].([]any)[0].(map[string]any)["name"] = name })
}

// entry sets one entry of the manifest.
func entry(key string, value any) func(*bench) {
	return manifest("lut", func(m map[string]any) { m[key] = value })
}

// netlistLine inserts a line into the mapped netlist. The new line precedes the first line that starts with the given
// text.
func netlistLine(before, line string) func(*bench) {
	return signed("lut", change("lut/net.netlist", func(s string) string {
		at := strings.Index(s, "\n"+before)
		return s[:at+1] + line + "\n" + s[at+1:]
	}))
}

// verilogLine adds a line at the end of the module.
func verilogLine(line string) func(*bench) {
	return signed("lut", replaced("lut/net.v", "\nendmodule", "\n"+line+"\nendmodule"))
}

var badNetlists = []badInput{
	{"empty", signed("lut", wrote("lut/net.netlist", "")), "sim lut", "lut/net.netlist:1:1", "want the word ialgn", false},
	{
		"no netlist", signed("lut", wrote("lut/net.netlist", "module net;\n")), "sim lut", "lut/net.netlist:1:1",
		"want the word ialgn", false,
	},
	{
		"of a newer ialgn", signed("lut", replaced("lut/net.netlist", "netlist 1", "netlist 2")), "sim lut",
		"lut/net.netlist:1:15", "compile again", false,
	},
	{"cut off", signed("lut", cut("lut/net.netlist", -100)), "sim lut", "lut/net.netlist:", "at least one", false},
	{
		"a byte that means nothing", netlistLine("cells", "\x1b"), "sim lut", "lut/net.netlist:", "comments start with #",
		false,
	},
	{
		"a keyword for a name", signed("lut", replaced("lut/net.netlist", "name tiny", "name endmodule")), "sim lut",
		"lut/net.netlist:2:6", "choose another name", false,
	},
	{"a name of 2000 characters", signed("lut", replaced("lut/net.netlist", "name tiny", "name "+
		strings.Repeat("x", 2000))), "sim lut", "lut/net.netlist:2:6", "at most 1024", false},
	{"an unknown kind", netlistLine("output", "  328 = nand 2 3"), "sim lut", "lut/net.netlist:", `unknown kind "nand", want one of function, compare`, false},
	{
		"a net that is not driven yet", netlistLine("output", "  328 = function(0x8) 2 4000000000"), "sim lut",
		"lut/net.netlist:", "topological order", false,
	},
	{"a popcount of nothing", netlistLine("output", "  328 = popcount"), "sim lut", "lut/net.netlist:", "want", false},
	{
		"words of 2^32-1 bits", netlistLine("cells", "input y word 4294967295\n  194"), "sim lut", "lut/net.netlist:", "word",
		false,
	},
	{
		"a number of 200 digits", netlistLine("cells", strings.Repeat("9", 200)), "sim lut", "lut/net.netlist:", "64 bits",
		false,
	},
	{"two sections of cells", netlistLine("output", "cells"), "sim lut", "lut/net.netlist:", "write one", false},
	{
		"two ports of one name", netlistLine("probe count_0", "output class_index word 1\n  2"), "sim lut",
		"lut/net.netlist:", "rename one", false,
	},
	{
		"text behind the end", signed("lut", change("lut/net.netlist", func(s string) string { return s + "more\n" })),
		"sim lut", "lut/net.netlist:", "remove it", false,
	},
	{
		"another network's ports", signed("lut", replaced("lut/net.netlist", "output class_index word", "output other word")),
		"sim lut", "lut", "compile again", false,
	},
}

var badHints = []badInput{
	{"no JSON", signed("lut", wrote("lut/net.hint.json", "{")), "sim lut", "lut/net.hint.json", "compile again", false},
	{
		"a number below 0", signed("lut", wrote("lut/net.hint.json", `{"counts":[{"popcount":-1}]}`)), "sim lut",
		"lut/net.hint.json", "compile again", false,
	},
	{
		"a number of another kind", signed("lut", wrote("lut/net.hint.json", `{"counts":[{"digits":["a"]}]}`)), "sim lut",
		"lut/net.hint.json", "compile again", false,
	},
	{
		"lists without end", signed("lut", wrote("lut/net.hint.json",
			strings.Repeat(`{"counts":[{"counters":[`, 1)+strings.Repeat(`{"steps":[`, 20_000))), "sim lut", "lut/net.hint.json",
		"compile again", false,
	},
	{"a net that is not there", signed("lut", wrote("lut/net.hint.json",
		`{"counts":[{"popcount":0,"digits":[4000000000]}]}`)), "sim lut", "lut/net.hint.json", "compile again", false},
}

var badManifests = []badInput{
	{"no folder", nil, "sim none", "none", "name a folder", false},
	{"no folder to verify", nil, "verify m.st none", "none", "compile again", false},
	{"no manifest", remove("lut/manifest.json"), "sim lut", "lut", "compile again", false},
	{"no JSON", wrote("lut/manifest.json", "x"), "sim lut", "lut/manifest.json", "compile again", false},
	{
		"no JSON, and a compilation into it", wrote("lut/manifest.json", "x"), "compile m.st -o lut", "lut/manifest.json",
		"choose another folder", false,
	},
	{"of a newer ialgn", entry("format", 2), "sim lut", "lut/manifest.json", "compile again", false},
	{"a file outside", fileName("../m.st"), "compile m.st -o lut", "lut/manifest.json", "compile again", false},
	{"a file at a path", fileName("/etc/passwd"), "compile m.st -o lut", "lut/manifest.json", "compile again", false},
	{"a file that is a command", fileName("$(touch x);.v"), "sim lut", "lut/manifest.json", "compile again", false},
	{"a file that is an option", fileName("-o"), "sim lut", "lut/manifest.json", "compile again", false},
	{
		"a module that is Verilog", entry("module", "net; initial $finish; //"), "sim lut", "lut/manifest.json",
		"compile again", false,
	},
	{
		"an encoder that is none", entry("encoder", map[string]any{"bits": 1 << 40}), "sim lut", "lut", "compile again",
		false,
	},
	{
		"options of another kind", entry("options", map[string]any{"scope": 5}), "verify m.st lut",
		"lut: manifest: options: scope", "compile again", false,
	},
	{
		"options that are none", entry("options", []int{4}), "verify m.st lut", "lut: manifest: options", "compile again",
		false,
	},
	{
		"data that leads elsewhere", entry("data", map[string]any{"set": "csv", "train": "/etc/passwd"}), "sim lut",
		"/etc/passwd", "separated by commas", false,
	},
	{
		"classes that are no data set's", entry("classes", []string{"a"}), "sim lut", "digits",
		"name the data set it was trained on", false,
	},
	{"no netlist", manifest("lut", func(m map[string]any) {
		files := m["files"].([]any)
		m["files"] = append(files[:2:2], files[3:]...)
	}), "sim lut", "lut", "compile again", false},
	{"a file that is not there", remove("lut/net.v"), "sim lut", "net.v", "compile again", false},
	{
		"a file that was changed", change("lut/net.netlist", func(s string) string { return s + "#\n" }), "sim lut",
		"lut/net.netlist", "compile again", false,
	},
	{"a folder in the place of a file", func(b *bench) {
		remove("lut/net.v")(b)
		writeFile(b.t, "lut/net.v/x", "")
	}, "sim lut", "lut/net.v", "compile again", false},
	{
		"Verilog that writes a file", verilogLine("  initial $fopen(\"x\", \"w\");"), "sim lut", "lut/net.v: line ",
		"compile again", false,
	},
	{
		"Verilog that reads a file", verilogLine("`include \"/etc/passwd\""), "sim lut", "lut/net.v: line ", "compile again",
		false,
	},
	{
		"Verilog that calls C", verilogLine("  import \"DPI-C\" function int system(string s);"), "sim lut",
		"lut/net.v: line ", "compile again", false,
	},
	{"an output folder that is a file", nil, "compile m.st -o small.yaml", "small.yaml", "folder", false},
}

var badFlags = []badInput{
	{"no such command", nil, "tarin small.yaml", "tarin", "ialgn -h", false},
	{"no such option", nil, "train small.yaml --epochs 3", "-epochs", "ialgn train -h", false},
	{"a missing value", nil, "train small.yaml -o", "-o", "ialgn train -h", false},
	{"a missing argument", nil, "train", "CONFIG.yaml", "ialgn train -h", false},
	{"an argument too many", nil, "eval m.st new.csv new.csv", "3 arguments", "ialgn eval -h", false},
	{"threads below 0", nil, "eval m.st --threads -1", "--threads -1", "positive", false},
	{"threads that are no number", nil, "eval m.st --threads all", "-threads", "ialgn eval -h", false},
	{"threads without end", nil, "eval m.st --threads 99999999999999999999", "-threads", "ialgn eval -h", false},
	{"train: no seeds", nil, "train small.yaml --seeds 0", "--seeds 0", "1 to 1000", false},
	{"train: an empty --init", nil, "train small.yaml --init=", "--init", "without the option", false},
	{"train: a log in no folder", nil, "train small.yaml -o new.st --log none/log", "--log", "none", false},
	{"train: a model that is a folder", nil, "train small.yaml -o raw", "raw", "name a file", false},
	{"train: a folder that is a file", nil, "train small.yaml -o small.yaml/m.st", "small.yaml", "folder", false},
	{"demo: a folder that is a file", nil, "demo -o small.yaml --quiet", "small.yaml", "folder", false},
	{"demo: an argument", nil, "demo here", "demo", "ialgn demo -h", false},
	{"compile: no folder", nil, "compile m.st", "output folder", "-o DIR", false},
	{"compile: a scope", nil, "compile m.st -o out --scope half", "--scope", "gates, core, full", false},
	{"compile: LUTs of 9 inputs", nil, "compile m.st -o out --lut 9", "--lut", "6", false},
	{"compile: a target", nil, "compile m.st -o out --target spartan", "--target", "ice40", false},
	{"compile: an objective", nil, "compile m.st -o out --lut 4 --objective speed", "--objective", "depth", false},
	{"compile: an objective without LUTs", nil, "compile m.st -o out --objective area", "--objective", "--lut K", false},
	{
		"compile: a depth that cannot be", nil, "compile m.st -o out --lut 4 --max-depth -2", "--max-depth", "1 or more",
		false,
	},
	{"compile: stages", nil, "compile m.st -o out --lut 4 --pipeline many", "--pipeline", "auto", false},
	{
		"compile: stages without end", nil, "compile m.st -o out --lut 4 --pipeline 99999999999",
		"pipeline: 99999999999 stages", "use 0 to 10000", false,
	},
	{
		"compile: levels without stages", nil, "compile m.st -o out --lut 4 --max-levels 2", "--max-levels",
		"--pipeline auto", false,
	},
	{"compile: a style", nil, "compile m.st -o out --style pretty", "--style", "gates or lut", false},
	{"compile: a wrapper", nil, "compile m.st -o out --wrap usb", "--wrap", "stream", false},
	{"compile: a clock", nil, "compile m.st -o out --freq -1", "--freq", "MHz", false},
	{"compile: a clock that is no number", nil, "compile m.st -o out --freq NaN", "--freq", "ialgn compile -h", false},
	{"compile: a format", nil, "compile m.st -o out --emit pdf", "pdf", "aiger", false},
	{
		"compile: a homomorphic program of large tables", nil, "compile m.st -o out --lut 5 --emit fhe-lut", "fhe-lut",
		"--lut 3", false,
	},
	{
		"compile: a format that was removed", nil, "compile m.st -o out --emit go-object", "go-object: removed",
		"compile with object", false,
	},
	{"compile: a level", nil, "compile m.st -o out -O 3", "-O 3", "0, 1 or 2", false},
	{
		"compile: thermometer in full", nil, "compile m.st -o out --lut 4 --assume-thermometer", "--assume-thermometer",
		"omit it", false,
	},
	{"compile: a module outside", nil, "compile m.st -o out --module ../net", "../net", "--module NAME", false},
	{
		"compile: a module that is a command", nil, "compile m.st -o out --module $(reboot)", "$(reboot)", "--module NAME",
		false,
	},
	{"compile: a module that is a keyword", nil, "compile m.st -o out --module logic", "logic", "--module NAME", false},
	{"compile: a module with a blank", nil, "compile m.st -o out --module a_b", "a b", "--module NAME", false},
	{"verify: a level", nil, "verify m.st lut --level most", "--level", "software, rtl, formal or all", false},
	{
		"verify: a simulator", nil, "verify m.st lut --level software --simulator vcs", "--simulator",
		"auto, iverilog or verilator", false,
	},
	{"verify: no samples", nil, "verify m.st lut --samples 0", "--samples", "at least 1, or all", false},
	{"fit: no target", nil, "fit table.csv", "--target", "xilinx7", false},
	{"fit: another target", nil, "fit table.csv --target ice4", "ice4", "ice40", false},
	{"fit: no such data", nil, "fit digit --target ice40", "digit", "ialgn data list", false},
	{"fit: no such label", nil, "fit table.csv --target ice40 --label tree", "tree", `"length" "width" "kind"`, false},
	{"fit: another metric", nil, "fit table.csv --target ice40 --metric f1", "f1", "f1_macro", false},
	{"fit: a wrapper", nil, "fit table.csv --target ice40 --wrap usb", "--wrap", "stream", false},
	{"fit: minutes", nil, "fit table.csv --target ice40 --minutes 0", "--minutes 0", "positive", false},
	{"fit: look-up tables", nil, "fit table.csv --target ice40 --luts 5", "--luts 5", "20 to", false},
	{"fit: a key", nil, "fit table.csv --target ice40 --set model.deep=2", "model.deep", "model.depth", false},
	{"fit: nothing to go on with", nil, "fit table.csv --target ice40 --resume -o out", "fit.json", "omit --resume", false},
	{"experiment: none", nil, "experiment table9 -o out", "table9", "baselines", false},
	{"experiment: no folder", nil, "experiment baselines", "output folder", "-o DIR", false},
	{"experiment: a scale", nil, "experiment baselines -o out --scale huge", "--scale", "quick", false},
	{"experiment: seeds", nil, "experiment baselines -o out --seeds -1", "--seeds -1", "1 to 1000", false},
	{
		"experiment: a folder that is a file", nil, "experiment baselines -o small.yaml --data sets", "small.yaml", "folder",
		false,
	},
	{"sweep: no axis", nil, "sweep small.yaml -o out", "no key", "--grid model.width=300,600", false},
	{"sweep: an axis without values", nil, "sweep small.yaml -o out --grid model.width", "--grid", "for example", false},
	{"sweep: a range", nil, "sweep small.yaml -o out --grid train.seed=5..1", "train.seed", "LOW..HIGH", false},
	{"sweep: a key", nil, "sweep small.yaml -o out --grid model.deep=1,2", "model.deep", "model.depth", false},
	{
		"sweep: one combination of four", nil, "sweep small.yaml -o out --grid model.width=60,65 --grid model.depth=1,2",
		"model.width=65, model.depth=1", "a multiple of 10", false,
	},
	{"sweep: one network twice", nil, "sweep small.yaml -o out --grid model.tau=1,1.0", "model.tau=1.0", "once", false},
	{"sweep: too many", nil, "sweep small.yaml -o out --grid train.seed=1..99 --grid model.depth=1..99", "99 x 99", "fewer", false},
	{"diagnose: no kind", nil, "diagnose small.yaml", "no kind", "--what: credit", false},
	{"diagnose: another kind", nil, "diagnose small.yaml --what health", "health", "use credit", false},
	{"diagnose: two files", nil, "diagnose small.yaml small.yaml --what credit", "one CONFIG", "ialgn diagnose -h", false},
	{
		"diagnose: a topology", nil, "diagnose small.yaml --what credit --topologies ialgn,tree", "tree",
		"rwlgn, rwlgn-spine", false,
	},
	{
		"diagnose: soft", nil, "diagnose small.yaml --what credit --set train.estimator=soft", "train.estimator", "use ste",
		false,
	},
	{
		"diagnose: more gates than there are", nil, "diagnose small.yaml --what credit --sampled 61", "61 gates",
		"300 of 12,000", false,
	},
	{"diagnose: no batches", nil, "diagnose small.yaml --what credit --sampled 6 --batches 0", "0 batches", "20", false},
	{"data: neither list nor check", nil, "data fetch", "fetch", "list or check", false},
	{"analyze: nothing", nil, "analyze", "MODEL", "ialgn analyze -h", false},
	{"analyze: sizes that have no mean", nil, "analyze m.st t.st", "m.st", "one by one", false},
	{"sim: a file that is neither", nil, "sim small.yaml", "small.yaml", "ialgn train small.yaml", false},
}
