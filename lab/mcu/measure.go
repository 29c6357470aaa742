package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// limit is the maximum time for a program.
const limit = 2 * time.Minute

// form is one form of the network's C code.
type form struct {
	name, suffix string
	flag         string // flag for the C compiler
	call         string // C source that calls the network, with the scratch memory for the call
}

var forms = []form{
	{"NAME_one", "_one", "-DTABLES", callOne},
	{"NAME_one, FAST", "_one", "-DMACRO_ONE_FAST", callOne},
	{"NAME_classify", "", "-DMACRO_WORDS=1", `#include "NAME.h"
static uint64_t scratch[MACRO_CLASSIFY_SCRATCH];
static const unsigned memory = sizeof scratch;
static int classify(const FEATURE *x) {
    uint16_t class_index;
    return NAME_classify(x, 1, &class_index, NULL, scratch) == 0 ? class_index : -1;
}
`},
}

const callOne = `#include "NAME_one.h"
static uint32_t scratch[MACRO_ONE_SCRATCH];
static const unsigned memory = sizeof scratch;
static int classify(const FEATURE *x) { return NAME_one(x, NULL, scratch); }
`

// build is the folder, form, processor and optimisation level of one row of the table.
type build struct {
	*design
	form
	cpu, level, board string
}

// result is the measurement of a build.
type result struct{ flash, memory, stack, instructions int }

// measure compiles the network, links it with the measuring program, and runs it.
func (b build) measure(ctx context.Context) (r result, err error) {
	dir, err := os.MkdirTemp("", "mcu")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(dir)
	if err := b.write(filepath.Join(dir, "bench.h"), b.call); err != nil {
		return r, err
	}
	gcc := []string{"arm-none-eabi-gcc", "-mcpu=" + b.cpu, "-mthumb", "-std=c99", "-Wall", "-Wextra", "-O" + b.level}
	gcc = append(gcc, replaceNames(b.module, b.flag))
	object := filepath.Join(dir, "network.o")
	source := filepath.Join(b.dir, b.module+b.suffix+".c")
	if _, err := run(ctx, append(gcc, "-c", "-o", object, source)...); err != nil {
		return r, err
	}
	if r.flash, err = size(ctx, object); err != nil {
		return r, err
	}
	program := filepath.Join(dir, "bench.elf")
	files := []string{"-I", b.dir, "-I", dir, "--specs=rdimon.specs", "-T", filepath.Join(b.board, "board.ld")}
	for _, name := range []string{"start.c", "bench.c"} {
		files = append(files, filepath.Join(b.board, name))
	}
	// bench.c needs the keyword asm of GNU C.
	if _, err := run(ctx, append(append(gcc, "-std=gnu99", "-o", program), append(files, object)...)...); err != nil {
		return r, err
	}
	out, err := run(ctx, "qemu-system-arm", "-M", "mps2-an386", "-nographic", "-icount", "shift=0", "-semihosting-config",
		"enable=on,target=native", "-kernel", program)
	if err != nil {
		return r, err
	}
	wrong := 0
	_, err = fmt.Sscanf(out, "memory %d\nstack %d\ninstructions %d\nwrong %d",
		&r.memory, &r.stack, &r.instructions, &wrong)
	if err == nil && wrong > 0 {
		err = fmt.Errorf("%d of %d classes are wrong", wrong, len(b.samples))
	}
	return r, err
}

// size returns the flash size of an object file in bytes, which is the size of its code, constants and initial
// values.
func size(ctx context.Context, object string) (int, error) {
	out, err := run(ctx, "arm-none-eabi-size", object)
	if err != nil {
		return 0, err
	}
	var text, data int
	_, lines, _ := strings.Cut(out, "\n")
	_, err = fmt.Sscan(lines, &text, &data)
	return text + data, err
}

// run runs a program and returns its output.
func run(ctx context.Context, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	out, err := exec.CommandContext(ctx, args[0], args[1:]...).CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("%w: install the Debian packages gcc-arm-none-eabi, libnewlib-arm-none-eabi and "+
			"qemu-system-arm", err)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", filepath.Base(args[0]), err, out)
	}
	return string(out), nil
}
