// Command genmodel writes a large random model file for the compiler's benchmarks: an
// IALGN in the form of the paper's CIFAR-10 networks (3,072 features, n_b = 16, k_x = 32,
// ten classes) unless told otherwise, with the given shares of operations beyond layer 1,
// and of the input bits that anchors are drawn from.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"ialgn/internal/modelgen"
)

func main() {
	out := flag.String("o", "", "write the model to this file")
	width := flag.Int("width", 128000, "chains")
	depth := flag.Int("depth", 80, "layers")
	features := flag.Int("features", 3072, "features of the input")
	bits := flag.Int("bits", 16, "levels of a feature, which has one thermometer bit less")
	passA := flag.Float64("a", 0.884, "share of the operation A")
	binary := flag.Float64("binary", 0.114, "share of the ten binary operations")
	inputs := flag.Float64("inputs", 1, "share of the input bits that anchors are drawn from")
	flag.Parse()
	if *out == "" {
		fmt.Fprintln(os.Stderr, "genmodel: name a file with -o")
		os.Exit(1)
	}
	if *inputs <= 0 || *inputs > 1 {
		fmt.Fprintf(os.Stderr, "genmodel: -inputs %v: give a share above 0, up to 1\n", *inputs)
		os.Exit(1)
	}
	m := modelgen.New(modelgen.Options{
		Width: *width, Depth: *depth, Features: *features, Bits: *bits, Classes: 10, Anchors: 32, Tau: 100,
		ShareA: *passA, ShareBinary: *binary, ShareInputs: *inputs, Seed: 1,
	})
	m.Config.Name, m.Config.Data.Set = fmt.Sprintf("random-%dx%d", *width, *depth), "cifar10"
	m.Classes = strings.Fields("airplane automobile bird cat deer dog frog horse ship truck") // verify compares them
	if _, err := m.Save(*out); err != nil {
		fmt.Fprintf(os.Stderr, "genmodel: %v\n", err)
		os.Exit(1)
	}
}
