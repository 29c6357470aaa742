package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"ialgn/internal/wrapper"
)

// summary counts the cases of a run.
type summary struct {
	Networks  int
	Large     int
	Gates     int
	Smallest  int // number of gates in the smallest network
	Largest   int
	Formal    int
	Reference int
	RTL       int
	Pipelines int
	Programs  int // networks that the program itself compiled and verified

	Around map[string]int // numbers of simulated wrappers and engines, by kind

	Undecided   []uint64 // seeds for which abc reached no verdict
	Slowest     float64  // time of the slowest case
	SlowestSeed uint64
	Synthesised map[string]int // numbers of networks, by synthesis flow
	Clocked     int
	Properties  map[string]int
	Classes     map[int]int // numbers of networks, by number of classes
	Settings    map[string]int
	Pairs       map[string]int
}

func newSummary() summary {
	return summary{
		Around: map[string]int{}, Synthesised: map[string]int{}, Properties: map[string]int{}, Classes: map[int]int{},
		Settings: map[string]int{}, Pairs: map[string]int{},
	}
}

// add counts a case without a mismatch.
func (s *summary) add(c fuzzCase) {
	gates := c.network.Gates()
	if s.Smallest == 0 || gates < s.Smallest {
		s.Smallest = gates
	}
	s.Largest = max(s.Largest, gates)
	s.Networks++
	s.Gates += gates
	if gates > largeGates {
		s.Large++
	}
	if t := c.took.Seconds(); t > s.Slowest {
		s.Slowest, s.SlowestSeed = t, c.seed
	}
	s.addChecks(c)
	for _, p := range propertiesOf(c.network, c.model) {
		s.Properties[p]++
	}
	s.Classes[len(c.network.Classes)]++
	for _, v := range c.settings() {
		s.Settings[v.String()]++
	}
	for _, p := range c.pairs() {
		s.Pairs[p.String()]++
	}
}

func (s *summary) addChecks(c fuzzCase) {
	clocked := c.options.pipelined()
	if c.deep.formal {
		s.Formal++
	}
	if c.deep.reference {
		s.Reference++
	}
	if c.deep.rtl {
		s.RTL++
		if clocked {
			s.Pipelines++
		}
	}
	if c.deep.program && c.program != "" && c.verifiable() {
		s.Programs++
	}
	if o := c.options; c.deep.around && o.fold > 0 {
		s.Around["fold"]++
	} else if c.deep.around && o.wrap != "" {
		s.Around[o.wrap]++
	}
	if c.deep.synth {
		s.Synthesised[c.options.flow(c.seed)]++
		if clocked {
			s.Clocked++
		}
	}
}

func (s *summary) print(w io.Writer, first uint64, took time.Duration) {
	fmt.Fprintf(w, "%d networks of the seeds from %d on, of %d to %d gates, %d of them over %d gates, %d gates in all, "+
		"%.0f s\n",
		s.Networks, first, s.Smallest, s.Largest, s.Large, largeGates, s.Gates, took.Seconds())
	fmt.Fprintf(w, "%d simulated, %d of them proved, %d from the model file, %d in iverilog (%d with --pipeline), %d "+
		"after yosys (%d with --pipeline)\n",
		s.Networks, s.Formal, s.Reference, s.RTL, s.Pipelines, s.Synthesised[flowGates]+s.Synthesised[flowIce40], s.Clocked)
	fmt.Fprintf(w, "wrappers simulated:")
	for _, kind := range append(wrapper.Kinds(), "fold") {
		fmt.Fprintf(w, " %s %d", kind, s.Around[kind])
	}
	fmt.Fprintf(w, "; compiled and verified by the program: %d\n", s.Programs)
	all := allPairs(topologies(first))
	pairs, listed := missing(all, s.Pairs), missing(propertyNames(), s.Properties)
	fmt.Fprintf(w, "%d of %d pairs of option values%s\n", len(all)-len(pairs), len(all), list(pairs))
	fmt.Fprintf(w, "%d of %d properties of networks%s\n", len(properties)-len(listed), len(properties), list(listed))
	fmt.Fprintf(w, "%d different numbers of classes; the slowest is seed %d, %.0f s\n", len(s.Classes), s.SlowestSeed,
		s.Slowest)
	s.printCounts(w, first)
}

// printCounts prints how many cases had each value. It lists the values that can occur with the seed first and larger
// seeds.
func (s *summary) printCounts(w io.Writer, first uint64) {
	line := func(name string, n int) { fmt.Fprintf(w, "  %-38s %7d\n", name, n) }
	for _, p := range properties {
		line(p.name, s.Properties[p.name])
	}
	for _, v := range allSettings(topologies(first)) {
		line(v.String(), s.Settings[v.String()])
	}
	for _, flow := range []string{flowGates, flowIce40} {
		line("yosys "+flow, s.Synthesised[flow])
	}
}

func propertyNames() []string {
	names := make([]string, len(properties))
	for i, p := range properties {
		names[i] = p.name
	}
	return names
}

// missing returns the values that did not occur.
func missing[T any](all []T, seen map[string]int) []string {
	var names []string
	for _, v := range all {
		if name := fmt.Sprint(v); seen[name] == 0 {
			names = append(names, name)
		}
	}
	return names
}

// mostListed is the maximum number of missing values that are printed.
const mostListed = 10

func list(names []string) string {
	switch n := len(names); {
	case n == 0:
		return ""
	case n > mostListed:
		return fmt.Sprintf("; not: %s and %d more", strings.Join(names[:mostListed], ", "), n-mostListed)
	}
	return "; not: " + strings.Join(names, ", ")
}
