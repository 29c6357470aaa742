package ialgn_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ialgn"
	"ialgn/internal/message"
	"ialgn/internal/testkit"
)

// libraries returns the Liberty files to test with: the file of the repository and, in long tests, the files of Debian.
func libraries(t *testing.T) []string {
	t.Helper()
	files := []string{filepath.Join("examples", "chips", "cells.lib")}
	if testkit.Whole() {
		installed, err := filepath.Glob("/usr/share/qflow/tech/*/*.lib")
		if err != nil {
			t.Fatal(err)
		}
		if len(installed) == 0 {
			t.Log("without Debian's libraries: install qflow-tech-osu018 and qflow-tech-osu035")
		}
		files = append(files, installed...)
	}
	return files
}

// TestChip synthesises a design and a pipeline to standard cells. It checks the report, simulates and proves the
// netlists, and changes five cells. Each change must be found.
func TestChip(t *testing.T) {
	m := wide(t)
	for _, library := range libraries(t) {
		for _, pipeline := range []string{"", "2"} {
			t.Run(filepath.Base(library)+" "+pipeline, func(t *testing.T) {
				d := design(t, m, ialgn.CompileOptions{Target: "asic", Pipeline: pipeline})
				i, err := ialgn.Synthesise(t.Context(), d, ialgn.SynthOptions{Liberty: library, MHz: 1})
				if err != nil {
					t.Fatal(err)
				}
				checkChip(t, i, pipeline != "")
				o := ialgn.VerifyOptions{Level: "all", Samples: 100, Simulator: "iverilog", Liberty: library}
				c, err := ialgn.Verify(t.Context(), m, d, o)
				if err != nil || !c.Verified || c.Mapped.Checked != 100 || c.Mapped.Proof.Wires == 0 {
					t.Fatalf("%+v, %v", c, err)
				}
				if pipeline == "" {
					breakChip(t, m, d, o, filepath.Join(i.Dir, "netlist.v"))
				}
			})
		}
	}
}

// checkChip checks the figures of a chip.
func checkChip(t *testing.T, i *ialgn.Implementation, clocked bool) {
	t.Helper()
	c := i.Chip
	area, cells := 0.0, 0
	kinds := map[string]int{}
	for _, k := range c.Cells {
		area, cells, kinds[k.Cell] = area+k.Area, cells+k.Count, k.Count
	}
	if area != c.Area || cells < 20 || c.Equivalents <= 0 || c.NAND2 == "" || kinds["FA"]+kinds["FAX1"] == 0 {
		t.Errorf("%+v", c)
	}
	if (i.FFs > 0) != clocked || i.Met != clocked || (i.Timing() == nil) != clocked || c.Untimed != "" {
		t.Errorf("%d flip-flops, met %v, %v, %s", i.FFs, i.Met, i.Timing(), c.Untimed)
	}
	if !clocked && (!errors.Is(i.Timing(), ialgn.ErrUnclocked) || len(c.Paths) != 1 || i.Slowest.NS != c.Paths[0].NS) {
		t.Errorf("%v, %+v", i.Timing(), c.Paths)
	}
	for _, p := range c.Paths {
		if p.NS <= 0 || len(p.Cells) == 0 || kinds[p.Cells[0].Cell] == 0 {
			t.Errorf("path %+v", p)
		}
	}
	if _, err := os.Stat(filepath.Join(i.Dir, "library.lib")); err == nil {
		t.Error("the folder has a copy of the library")
	}
}

// instanceLine matches the first line of an instance of a cell, and a pin that reads a net.
var (
	instanceLine = regexp.MustCompile(`(?m)^  (\w+) (_\d+_) \($`)
	inputPin     = regexp.MustCompile(`(?m)^    \.(?:A|B|C|CI)\((\S+)\),?$`)
)

// breakChip changes a netlist of cells in several ways and verifies the netlist. No change may pass. Long tests
// simulate only one sample, so that the proof has to find the change.
func breakChip(t *testing.T, m *ialgn.Model, d *ialgn.Design, o ialgn.VerifyOptions, path string) {
	t.Helper()
	sound, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(sound)
	r := rand.New(rand.NewPCG(1, 2))
	replace := func(kind, by string) string { // replaces one cell by another with the same pins
		found := slices.DeleteFunc(instanceLine.FindAllStringSubmatchIndex(text, -1), func(at []int) bool {
			return !strings.HasPrefix(text[at[2]:at[3]], kind)
		})
		if len(found) == 0 {
			t.Fatalf("no cell %s", kind)
		}
		at := found[r.IntN(len(found))]
		return text[:at[2]] + by + text[at[3]:]
	}
	suffix := "" // of names in Debian's libraries
	if strings.Contains(text, "NAND2X1 ") {
		suffix = "X1"
	}
	pins := inputPin.FindAllStringSubmatchIndex(text, -1)
	a, b := pins[len(pins)/3], pins[2*len(pins)/3]
	mutants := map[string]string{
		"NAND as NOR":      replace("NAND2", "NOR2"+suffix),
		"NOR as NAND":      replace("NOR2", "NAND2"+suffix),
		"OAI21 as AOI21":   replace("OAI21", "AOI21"+suffix),
		"another net":      text[:a[2]] + text[b[2]:b[3]] + text[a[3]:],
		"an unknown cell":  replace("INV", "INVERTER"),
		"an initial block": strings.Replace(text, "endmodule", "initial ;\nendmodule", 1),
	}
	for name, mutant := range mutants {
		if err := os.WriteFile(path, []byte(mutant), 0o666); err != nil {
			t.Fatal(err)
		}
		o.Level = "rtl"
		if testkit.Whole() {
			o.Samples = 1
		}
		if _, err := ialgn.Verify(t.Context(), m, d, o); err != nil {
			continue
		}
		o.Level = "all"
		if c, err := ialgn.Verify(t.Context(), m, d, o); err == nil {
			t.Errorf("%s: verified: %+v", name, c.Mapped)
		}
	}
	if err := os.WriteFile(path, sound, 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestChipRefused checks the errors for Liberty files and targets that do not match.
func TestChipRefused(t *testing.T) {
	m := trained(t)
	library := libraries(t)[0]
	bad := filepath.Join(t.TempDir(), "bad.lib")
	if err := os.WriteFile(bad, []byte("library (l) {\n\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	d := design(t, m, ialgn.CompileOptions{Target: "asic"})
	for _, c := range []struct {
		o          ialgn.SynthOptions
		want, hint string
	}{
		{ialgn.SynthOptions{Target: "asic"}, "the library of cells is missing", "Liberty"},
		{ialgn.SynthOptions{}, "the library of cells is missing", "Liberty"},
		{ialgn.SynthOptions{Target: "generic-lut4", Liberty: library}, "generic-lut4 has no standard cells", "asic"},
		{ialgn.SynthOptions{Liberty: bad}, bad + ":1: the group \"library\" has no end", ""},
	} {
		_, err := ialgn.Synthesise(t.Context(), d, c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(message.Hint(err), c.hint) {
			t.Errorf("%+v: %v, hint %q, want %s", c.o, err, message.Hint(err), c.want)
		}
	}
	wrapped := design(t, m, ialgn.CompileOptions{Target: "asic", Wrap: "stream"})
	for want, d := range map[string]*ialgn.Design{"no netlist of cells": d, "includes the wrapper": wrapped} {
		_, err := ialgn.Verify(t.Context(), m, d, ialgn.VerifyOptions{Liberty: library})
		if err == nil || !strings.Contains(err.Error(), want) || message.Hint(err) == "" {
			t.Errorf("%v, hint %q, want %s", err, message.Hint(err), want)
		}
	}
}
