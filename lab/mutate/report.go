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
var levels = []string{refused, bySoftware, byRTL, byWrapper, byFormal, byVerilog, byParts, unproved, byText, missed}

// merged prints the report of several logs.
func merged(w io.Writer, logs []string) error {
	var results []result
	for _, path := range logs {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		list, err := readResults(f)
		if err := errors.Join(err, f.Close()); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		results = append(results, list...)
	}
	return report(w, results)
}

// readResults reads the lines of a log.
func readResults(f io.Reader) (results []result, err error) {
	for d := json.NewDecoder(f); d.More(); {
		var r result
		if err := d.Decode(&r); err != nil {
			return nil, err
		}
		results = append(results, r)
	}
	return results, nil
}

// report prints who found how many, and returns an error if a mutant was missed.
func report(w io.Writer, results []result) error {
	unshown := map[string]int{}
	for _, r := range results {
		unshown[r.Kind] += r.Unshown
	}
	results = slices.DeleteFunc(results, func(r result) bool { return r.Level == none })
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
	fmt.Fprintf(w, "%d mutants: %d in trained networks of 1,000 gates or more, %d of them rare; "+
		"%d shown by yosys, too\n\n",
		len(results), trained, rare, yosys)
	table(w, "kind", kinds, results)
	table(w, "changed", places, results)
	apartTable(w, results)
	playedTable(w, results)
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

// apartTable prints what single checks say of mutants that were refused by their text.
func apartTable(w io.Writer, results []result) {
	kinds := map[string][4]int{}
	for _, r := range results {
		if r.Apart == nil {
			continue
		}
		n := kinds[r.Kind]
		play, proof := strings.HasPrefix(r.Apart.Play, found), strings.HasPrefix(r.Apart.Proof, found)
		n[0], n[1], n[2], n[3] = n[0]+1, n[1]+count(play), n[2]+count(proof), n[3]+count(!play && !proof)
		kinds[r.Kind] = n
	}
	if len(kinds) == 0 {
		return
	}
	fmt.Fprint(w, "| kind | found by text | by play | by proof | by text alone |\n|---|---:|---:|---:|---:|\n")
	for _, k := range slices.Sorted(maps.Keys(kinds)) {
		fmt.Fprintf(w, "| %s | %d | %d | %d | %d |\n", k, kinds[k][0], kinds[k][1], kinds[k][2], kinds[k][3])
	}
	fmt.Fprintln(w)
}

// playedTable prints how much the levels did.
func playedTable(w io.Writer, results []result) {
	amounts := map[string][]int{}
	for _, r := range results {
		for key, n := range r.Played {
			amounts[key] = append(amounts[key], n)
		}
	}
	if len(amounts) == 0 {
		return
	}
	fmt.Fprint(w, "| level | of mutants | least | median | most |\n|---|---:|---:|---:|---:|\n")
	for _, key := range slices.Sorted(maps.Keys(amounts)) {
		n := slices.Sorted(slices.Values(amounts[key]))
		fmt.Fprintf(w, "| %s | %d | %d | %d | %d |\n", key, len(n), n[0], n[len(n)/2], n[len(n)-1])
	}
	fmt.Fprintln(w)
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// at returns how many mutants a level found.
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
	rtl := software + at(results, byRTL) + at(results, byWrapper)
	formal := rtl + at(results, byFormal) + at(results, byVerilog) + at(results, byParts) + at(results,
		unproved) + at(results, byText)
	fmt.Fprintf(w, " %.1f %% | %.1f %% | %.1f %% |\n", 100*float64(software)/n, 100*float64(rtl)/n, 100*float64(formal)/n)
}
