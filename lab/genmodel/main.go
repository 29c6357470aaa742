// Command genmodel writes large random model files for the compiler's benchmarks. By default, a model has the form of
// the IALGN paper's CIFAR-10 networks: 3,072 features, n_b = 16 thermometer bits per feature, k_x = 32 anchors per
// gate, ten classes. Options set the shares of operations after layer 1, and the share of the input bits from which
// anchors are drawn.
//
// With -kernels the model is a network of convolutions on images of size -image, followed by layers of -widths. For
// example, `-image 3,32,32 -kernels 32,128,512,1024 -widths 40960,20480,10240 -bits 4` is the small network of
// "Convolutional Differentiable Logic Gate Networks" (Petersen et al., NeurIPS 2024).
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"ialgn/internal/netgen"
	"ialgn/internal/topology"
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
	set := flag.String("set", "cifar10",
		"the data set that it is said to be for, of which it has the classes: cifar10, or another of 10")
	image := flag.String("image", "3,32,32", "with -kernels: planes, rows and columns of images")
	kernels := flag.String("kernels", "", "kernels of each convolution")
	levels := flag.String("levels", "", "with -kernels: levels of nodes of a kernel (default 3)")
	widths := flag.String("widths", "", "with -kernels: nodes of the layers behind the convolutions")
	flag.Parse()
	if *out == "" {
		fmt.Fprintln(os.Stderr, "genmodel: name a file with -o")
		os.Exit(1)
	}
	if *inputs <= 0 || *inputs > 1 {
		fmt.Fprintf(os.Stderr, "genmodel: -inputs %v: give a share above 0, up to 1\n", *inputs)
		os.Exit(1)
	}
	o := netgen.ModelOptions{
		Width: *width, Depth: *depth, Features: *features, Bits: *bits, Classes: 10, Anchors: 32, Tau: 100,
		ShareA: *passA, ShareBinary: *binary, ShareInputs: *inputs, Seed: 1,
	}
	if *kernels != "" {
		o.Topology, o.Image, o.Kernels, o.Levels, o.Widths = topology.Conv, *image, *kernels, *levels, *widths
	}
	m := netgen.Model(o)
	m.Config.Name, m.Config.Data.Set = fmt.Sprintf("random-%dx%d", m.Width, m.Config.Model.Depth), *set
	m.Classes = strings.Fields("0 1 2 3 4 5 6 7 8 9") // set because verify compares the names
	if *set == "cifar10" {
		m.Classes = strings.Fields("airplane automobile bird cat deer dog frog horse ship truck")
	}
	if _, err := m.Save(*out); err != nil {
		fmt.Fprintf(os.Stderr, "genmodel: %v\n", err)
		os.Exit(1)
	}
}
