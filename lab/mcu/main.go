// Command mcu measures the C code of `ialgn compile --emit c` on microcontrollers, with the test samples in the
// output folder. It measures flash and memory with arm-none-eabi-gcc. The emulator qemu counts the instructions for
// each sample.
//
//	ialgn compile MODEL -o DIR --emit c
//	go run ./lab/mcu DIR...
//
// It prints a Markdown table with a row for each folder, form, processor and optimisation level. The form NAME_one
// computes one sample, and the form NAME_classify computes 64 samples at once. Only one of the 64 samples is used
// here. Every class is compared with the folder's test vectors. A difference is an error.
//
// The program needs the Debian packages gcc-arm-none-eabi, libnewlib-arm-none-eabi and qemu-system-arm. qemu runs
// code for the Cortex-M0 on a Cortex-M4, which has all instructions of the Cortex-M0.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"ialgn/lab/internal/command"
)

func main() { command.Main("mcu", start) }

func start(ctx context.Context, w io.Writer, args []string) error {
	flags := flag.NewFlagSet("mcu", flag.ContinueOnError)
	cpus := flags.String("cpu", "cortex-m4,cortex-m0", "processors, a `LIST` of what gcc calls them")
	levels := flags.String("O", "s,2", "levels of optimisation, a `LIST`")
	samples := flags.Int("n", 10, "measure the first `N` samples of the vectors")
	only := flags.String("form", "", "measure the form `NAME` alone, such as NAME_one")
	board := flags.String("board", "lab/mcu/board", "take start.c, board.ld and bench.c from `DIR`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 || *samples < 1 {
		return errors.New("give folders of compile --emit c, as in: go run ./lab/mcu DIR")
	}
	folder, err := filepath.Abs(*board)
	if err != nil {
		return err
	}
	fmt.Fprint(w, "| network | function | processor | gcc | flash, bytes | memory | stack | instructions a sample |\n"+
		"|---|---|---|---|---:|---:|---:|---:|\n")
	for _, dir := range flags.Args() {
		d, err := readDesign(dir, *samples)
		if err != nil {
			return err
		}
		for _, f := range forms {
			if *only != "" && *only != f.name {
				continue
			}
			for _, cpu := range strings.Split(*cpus, ",") {
				for _, level := range strings.Split(*levels, ",") {
					b := build{d, f, cpu, level, folder}
					r, err := b.measure(ctx)
					if err != nil {
						return fmt.Errorf("%s, %s, %s -O%s: %w", dir, f.name, cpu, level, err)
					}
					fmt.Fprintf(w, "| %s | `%s` | %s | -O%s | %d | %d | %d | %d |\n", d.module, f.name, cpu, level, r.flash,
						r.memory, r.stack, r.instructions)
				}
			}
		}
	}
	return nil
}

// design is an output folder with its test samples.
type design struct {
	dir, module string
	features    int
	feature     string // C type of a feature
	samples     [][]uint32
	classes     []int
}

// readDesign reads a folder and the first samples of its vectors.
func readDesign(dir string, samples int) (*design, error) {
	headers, _ := filepath.Glob(filepath.Join(dir, "*_one.h"))
	if len(headers) != 1 {
		return nil, fmt.Errorf("%s: %d files *_one.h: give a folder of compile --emit c", dir, len(headers))
	}
	d := &design{dir: dir, module: strings.TrimSuffix(filepath.Base(headers[0]), "_one.h")}
	text, err := os.ReadFile(headers[0])
	if err != nil {
		return nil, err
	}
	bits := 0
	for _, line := range strings.Split(string(text), "\n") {
		name, value, _ := strings.Cut(strings.TrimPrefix(line, "#define "+strings.ToUpper(d.module)+"_ONE_"), " ")
		switch name {
		case "FEATURES":
			_, err = fmt.Sscan(value, &d.features)
		case "FEATURE_BITS":
			_, err = fmt.Sscan(value, &bits)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", headers[0], name, err)
		}
	}
	if d.features == 0 || bits == 0 {
		return nil, fmt.Errorf("%s: it takes no features of several bits: compile with --scope full", headers[0])
	}
	d.feature = "uint8_t"
	if bits > 8 {
		d.feature = "uint16_t"
	}
	return d, d.readVectors(bits, samples)
}
