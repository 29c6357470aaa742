package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"

	"ialgn"
)

// module is the module name of the emitted C.
const module = "net"

// externals compiles the emitted C code and, if given, the prototype. It returns contenders that run the compiled
// programs.
func externals(ctx context.Context, path, dir, prototype string) (all []contender, err error) {
	m, err := ialgn.Open(path)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	d, err := ialgn.Compile(ctx, m, ialgn.CompileOptions{Scope: "full", Module: module, Emit: []string{"c"}})
	if err != nil {
		return nil, err
	}
	dir = filepath.Join(dir, "full")
	if err := d.Write(ctx, dir, ialgn.WriteOptions{}); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "bench.c"), []byte(benchC), 0o600); err != nil {
		return nil, err
	}
	binary := filepath.Join(dir, "bench")
	if _, err := output(ctx, dir, "gcc", "-O2", "-mavx2", "-o", binary, "bench.c", module+".c"); err != nil {
		return nil, err
	}
	for _, c := range []struct{ what, name string }{
		{"run", "C, gcc -O2 -mavx2, packed bits to bits"},
		{"classify", "C, gcc -O2 -mavx2, bytes to class and counts"},
		{"one", "C, gcc -O2 -mavx2, bytes of 1 images to class, a call"},
		{"few", "C, gcc -O2 -mavx2, bytes of 64 images to class, a call"},
	} {
		all = append(all, contender{c.name, program(binary, c.what)})
	}
	if prototype == "" {
		return all, nil
	}
	p, err := prototypeOf(ctx, m, filepath.Join(dir, "core"), prototype)
	return append(all, p), err
}

// prototypeOf compiles the prototype for a model.
func prototypeOf(ctx context.Context, m *ialgn.Model, dir, prototype string) (c contender, err error) {
	d, err := ialgn.Compile(ctx, m, ialgn.CompileOptions{Scope: "core", LUT: 3, Module: module})
	if err != nil {
		return c, err
	}
	if err := d.Write(ctx, dir, ialgn.WriteOptions{}); err != nil {
		return c, err
	}
	if prototype, err = filepath.Abs(prototype); err != nil {
		return c, err
	}
	if _, err := output(ctx, dir, "python3", filepath.Join(prototype, "list_schedule.py"), module+".netlist"); err != nil {
		return c, err
	}
	binary := filepath.Join(dir, "prototype")
	if _, err := output(ctx, dir, "gcc", "-O2", "-march=native", "-I", dir, "-o", binary,
		filepath.Join(prototype, "bench.c"), "net.s"); err != nil {
		return c, err
	}
	return contender{"prototype, packed bits to bits", program(binary)}, nil
}

// rate matches the speed that a program prints, in millions of images per second.
var rate = regexp.MustCompile(`([0-9.]+) M images/s`)

// program returns a function that runs a program and reads from its output how many images the program classifies per
// second.
func program(path string, args ...string) func(context.Context) (float64, error) {
	return func(ctx context.Context) (float64, error) {
		out, err := output(ctx, "", path, args...)
		if err != nil {
			return 0, err
		}
		found := rate.FindStringSubmatch(out)
		if found == nil {
			return 0, fmt.Errorf("%s: it prints %q", path, out)
		}
		millions, err := strconv.ParseFloat(found[1], 64)
		return 1e6 * millions, err
	}
}

func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %.1000s", name, err, out)
	}
	return string(out), nil
}

// benchC measures the emitted C for about a tenth of a second.
const benchC = `#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "net.h"

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

int main(int argc, char **argv) {
    const size_t set = 10000;
    const char *what = argc > 1 ? argv[1] : "run";
    const size_t samples = !strcmp(what, "one") ? 1 : !strcmp(what, "few") ? 64 : set;
    uint64_t *in = calloc(NET_INPUTS * NET_WORDS, 8), *out = calloc(NET_OUTPUTS * NET_WORDS, 8);
    uint64_t *scratch = calloc(NET_CLASSIFY_SCRATCH, 8);
    net_feature *x = malloc(set * NET_FEATURES * sizeof *x);
    uint16_t *class_index = malloc(set * sizeof *class_index);
    uint32_t *counts = malloc(set * NET_CLASSES * sizeof *counts);
    size_t i;
    double begin, images = 0;
    for (i = 0; i < set * NET_FEATURES; i++) x[i] = (net_feature)(rand() & 255);
    for (i = 0; i < NET_INPUTS * NET_WORDS; i++) in[i] = (uint64_t)rand() << 32 ^ (uint64_t)rand();
    begin = now();
    do {
        if (!strcmp(what, "run")) {
            for (i = 0; i < 10; i++) net_run(in, out, scratch);
            images += 10 * 64 * NET_WORDS;
        } else {
            if (net_classify(x, samples, class_index, samples == set ? counts : 0, scratch)) return 1;
            images += samples;
        }
    } while (now() - begin < 0.1);
    printf("%.6f M images/s\n", images / (now() - begin) / 1e6);
    return 0;
}
`
