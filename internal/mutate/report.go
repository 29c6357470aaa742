package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

// levels are the columns of the table.
var levels = []string{refused, bySoftware, byRTL, byFormal, byVerilog, unproved, byText, missed}

// merged prints the report of several logs.
func merged(w io.Writer, logs []string) error {
	var results []result
	unshown := map[string]int{}
	for _, path := range logs {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		for d := json.NewDecoder(f); d.More(); {
			var r result
			if err := d.Decode(&r); err != nil {
				return errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
			}
			results, unshown[r.Kind] = append(results, r), unshown[r.Kind]+r.Unshown
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	return report(w, results, unshown)
}

// report prints who found how many, and returns an error if a mutant was missed.
func report(w io.Writer, results []result, unshown map[string]int) error {
	kinds, places := map[string][]result{}, map[string][]result{}
	for _, r := range results {
		kinds[r.Kind] = append(kinds[r.Kind], r)
		places[string(r.Place)] = append(places[string(r.Place)], r)
	}
	rare, trained, yosys := 0, 0, 0
	for _, r := range results {
		rare += count(r.Rare)
		trained += count(r.Trained)
		yosys += count(slices.Contains(r.Shown, "yosys"))
	}
	fmt.Fprintf(w, "%d mutants: %d in trained networks of 1,000 gates or more, %d of them rare; all shown by iverilog, %d by yosys, too\n\n",
		len(results), trained, rare, yosys)
	table(w, "kind", kinds, results)
	table(w, "changed", places, results)
	fmt.Fprint(w, "not counted, since no input was found that shows a difference:")
	for _, k := range slices.Sorted(maps.Keys(unshown)) {
		fmt.Fprintf(w, " %s %d", k, unshown[k])
	}
	fmt.Fprintln(w)
	if n := at(results, missed); n > 0 {
		return fmt.Errorf("verify did not find %d of %d mutants", n, len(results))
	}
	return nil
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// at returns how many were found at a level.
func at(results []result, level string) (n int) {
	for _, r := range results {
		n += count(r.Level == level)
	}
	return n
}

// table prints a table of groups by level, as Markdown, with the rates of the levels so far.
func table(w io.Writer, head string, groups map[string][]result, all []result) {
	fmt.Fprintf(w, "| %s | mutants |", head)
	for _, l := range levels {
		fmt.Fprintf(w, " %s |", l)
	}
	fmt.Fprintf(w, " up to software | up to rtl | up to formal |\n|---%s\n", strings.Repeat("|---:", len(levels)+4)+"|")
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		row(w, name, groups[name])
	}
	row(w, "all", all)
	fmt.Fprintln(w)
}

func row(w io.Writer, name string, results []result) {
	fmt.Fprintf(w, "| %s | %d |", name, len(results))
	for _, l := range levels {
		fmt.Fprintf(w, " %d |", at(results, l))
	}
	n := float64(max(1, len(results)))
	software := at(results, refused) + at(results, bySoftware)
	rtl := software + at(results, byRTL)
	formal := rtl + at(results, byFormal) + at(results, byVerilog) + at(results, unproved) + at(results, byText)
	fmt.Fprintf(w, " %.1f %% | %.1f %% | %.1f %% |\n", 100*float64(software)/n, 100*float64(rtl)/n, 100*float64(formal)/n)
}
