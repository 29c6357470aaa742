package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
)

// Reading a file of n bytes may allocate at most allocatedAlways + n·allocatedPerByte bytes in total, including bytes
// that are freed again. allocatedAlways covers buffers and the program itself. allocatedPerByte follows from JSON:
// two bytes of text can be an empty object, which takes some 100 bytes in memory, and the list that holds the objects
// grows by copying.
const (
	allocatedAlways  = 8 << 20
	allocatedPerByte = 600
)

// TestAllocation reads files that claim far more than they contain. Their counts, sizes, lengths and widths go up to
// the largest values that the fields can hold, and their lists have empty elements.
func TestAllocation(t *testing.T) {
	sound := soundFiles(t)
	big := "\xff\xff\xff\xff"
	small := func(name string, to func(string) string) func(*bench) { return signed("lut", change(name, to)) }
	most := 0.0
	for _, c := range []struct {
		name, args, file string
		harm             func(*bench)
	}{
		{"model: header", "eval m.st", "m.st", change("m.st", func(s string) string {
			return string(binary.LittleEndian.AppendUint64(nil, 1<<40)) + s[8:]
		})},
		{"model: shape", "eval m.st", "m.st", tensor("m.st", "section1.ops", "shape", []int64{1 << 31, 1 << 20})},
		{"model: width", "eval m.st", "m.st", metadata("m.st", "config", `"width":60`, `"width":2147483640`)},
		{"model: layers", "compile m.st -o out", "m.st", metadata("m.st", "sections", `"layers":3`, `"layers":1000000000`)},
		{"model: bits", "eval m.st", "m.st", metadata("m.st", "encoder", `"bits":4`, `"bits":1000000000`)},
		{"model: classes", "eval m.st", "m.st", metadata("m.st", "classes", `"3"`, `"3"`+strings.Repeat(`,""`, 100_000))},
		{"model: sections", "eval m.st", "m.st", metadata("m.st", "sections", `]`, strings.Repeat(`,{}`, 100_000)+`]`)},
		{"model: epochs", "eval m.st", "m.st", metadata("m.st", "record", `}]}`, strings.Repeat(`},{`, 100_000)+`}]}`)},
		{"model: tensors", "eval m.st", "m.st", headerOf("m.st", func(h map[string]any) {
			for i := range 20_000 {
				h[fmt.Sprint(i)] = map[string]any{}
			}
		})},
		{
			"checkpoint: shape", "train small.yaml -o m.st --resume", "m.st.checkpoint",
			tensor("m.st.checkpoint", "adam.section1.ops.m", "shape", []int64{1 << 40}),
		},
		{
			"checkpoint: position", "train small.yaml -o m.st --resume", "m.st.checkpoint",
			metadata("m.st.checkpoint", "checkpoint.position", `"batch":0`, `"batch":9000000000000000000`),
		},
		{"config", "train small.yaml", "small.yaml", wrote("small.yaml", strings.Repeat("{a: ", 4000))},
		{
			"IDX: images", "train mnist.yaml --data sets", mnistImages,
			change(mnistImages, func(s string) string { return s[:4] + big + s[8:] }),
		},
		{
			"IDX: pixels", "train mnist.yaml --data sets", mnistImages,
			change(mnistImages, func(s string) string { return s[:8] + "\x00\x01\x00\x00" + s[12:] }),
		},
		{"IDX: samples", "predict m.st new.idx", "new.idx", change("new.idx",
			func(s string) string { return s[:4] + big + s[8:] })},
		{"CIFAR", "train c.yaml --data sets", "sets/cifar-10/data_batch_2.bin", cut("sets/cifar-10/data_batch_2.bin", 5)},
		{
			"CSV: columns", "train table.yaml --set data.label=", "table.csv",
			wrote("table.csv", strings.Repeat(",", 70_000)+"\n"),
		},
		{
			"CSV: one record", "train table.yaml --set data.label=", "table.csv",
			wrote("table.csv", "1,2,oak\n1,2,\""+strings.Repeat("\n", 1_000_000)),
		},
		{"CSV: samples", "predict m.st new.csv", "new.csv", wrote("new.csv", strings.Repeat("\"\",", 70_000))},
		{"netlist: word", "sim lut", "lut/net.netlist", netlistLine("cells", "input y word 4294967295\n  194")},
		{"netlist: number of nets", "sim lut", "lut/net.netlist", netlistLine("output", "  328-4294967290 = popcount 2 3")},
		{"netlist: a name", "sim lut", "lut/net.netlist", small("lut/net.netlist",
			func(s string) string { return s + strings.Repeat("x", 1_000_000) })},
		{"netlist: primitives", "sim lut", "lut/net.netlist", small("lut/net.netlist", func(s string) string {
			return strings.Replace(s, "classes\n", "primitive O = LUT(0x1)"+strings.Repeat(" a", 100_000)+"\nclasses\n", 1)
		})},
		{"hint: counters", "sim lut", "lut/net.hint.json", small("lut/net.hint.json", func(string) string {
			return `{"counts":[{"counters":[` + strings.Repeat(`{},`, 100_000) + `{}]}]}`
		})},
		{"hint: words", "sim lut", "lut/net.hint.json", small("lut/net.hint.json", func(string) string {
			return `{"argmax":[{"words":[` + strings.Repeat(`[],`, 100_000) + `[4000000000]]}]}`
		})},
		{"manifest: files", "sim lut", "lut/manifest.json", change("lut/manifest.json", func(s string) string {
			return strings.Replace(s, `"files": [`, `"files": [`+strings.Repeat(`{},`, 100_000), 1)
		})},
		{"manifest: encoder", "sim lut", "lut/manifest.json", entry("encoder",
			map[string]any{"bits": 256, "bits_in": 16, "max": 65535, "thresholds": make([][]int, 100_000)})},
		{"report", "sim lut", "lut/report.json", small("lut/report.json",
			func(string) string { return `{"passes":[` + strings.Repeat(`{},`, 100_000) + `{}]}` })},
	} {
		restore(t, sound)
		c.harm(&bench{t})
		info, err := os.Stat(c.file)
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		runProgram(t, strings.Fields(c.args)...)
		runtime.ReadMemStats(&after)
		grown := after.TotalAlloc - before.TotalAlloc
		if grown > allocatedAlways+allocatedPerByte*uint64(info.Size()) {
			t.Errorf("%s: reading a file of %[3]d bytes allocated %[2]d bytes, over the bound", c.name, grown, info.Size())
		}
		if info.Size() > 1<<17 {
			most = max(most, float64(grown)/float64(info.Size()))
		}
		t.Logf("%-28s %8d bytes, %9d allocated", c.name, info.Size(), grown)
	}
	t.Logf("of files above 128 KiB, at most %.0f bytes were allocated a byte", most)
}
