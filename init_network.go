package ialgn

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ialgn/internal/config"
	"ialgn/internal/dataset"
	"ialgn/internal/encoding"
)

// section is one section of a configuration.
type section struct {
	name     string
	settings []setting
}

// sections returns the YAML text of sections.
func (i *initial) sections(all []section) string {
	var b strings.Builder
	for _, s := range all {
		fmt.Fprintf(&b, "%s:\n", s.name)
		for _, one := range s.settings {
			line := fmt.Sprintf("  %s: %s", one.key, one.value)
			if one.comment != "" {
				line = fmt.Sprintf("%-30s # %s", line, one.comment)
			}
			fmt.Fprintln(&b, line)
		}
	}
	return b.String()
}

// proposal gives the size of the network and of the batches. It is for data sets whose number of samples is less than
// the field samples.
type proposal struct{ samples, perClass, batch int }

// proposed lists the sizes of the networks that [Init] proposes. The number of nodes for each class depends on the
// number of samples. A network has at most mostProposed nodes. These networks train in seconds to minutes.
var proposed = []proposal{
	{1_000, 40, 32}, {10_000, 80, 64}, {100_000, 160, 128}, {math.MaxInt, 240, 128},
}

const (
	mostProposed   = 8000
	pins           = 6  // inputs of each node (a look-up table)
	mostAnchors    = 16 // number of input bits from which a pin chooses
	proposedSteps  = 12_000
	mostEpochs     = 200
	leastEpochs    = 10
	manyFeatures   = 64 // with at least this number of features, each feature gets fewer thresholds
	thresholdsMany = 4
	thresholdsFew  = 8
)

// choose returns the sections encoder, model and train for a data set, and the number of the network's input bits. If
// validated is true, samples are held out.
func choose(set *dataset.Set, samples int, validated bool) (sections []section, inputs int) {
	classes := len(set.Classes)
	row := proposed[slices.IndexFunc(proposed, func(p proposal) bool { return samples < p.samples })]
	perClass := max(1, min(row.perClass, mostProposed/classes))
	width := perClass * classes
	bits := bitsFor(set)
	inputs = set.Features * (bits - 1)
	anchors := min(mostAnchors, inputs)
	epochs := min(max(proposedSteps*row.batch/max(1, samples), leastEpochs), mostEpochs)
	network := []setting{
		{"topology", "ialgn", "chains of nodes, which vote for their class"},
		{"inputs", fmt.Sprint(pins), "inputs of a node, which is a look-up table"},
		{"width", fmt.Sprint(width), fmt.Sprintf("%d chains per class; more are more accurate, but larger", perClass)},
		{"depth", "2", "nodes per chain"},
		{"anchors", fmt.Sprint(anchors), "number of input bits among which a pin chooses"},
		{"tau", fmt.Sprint(config.DefaultTau(width, classes)), "divides the votes of a class in training"},
	}
	course := []setting{
		{"epochs", fmt.Sprint(epochs), ""},
		{"batch", fmt.Sprint(row.batch), ""},
		{"schedule", "{kind: cosine}", "the learning rate falls to 0 during training"},
	}
	if inputs > anchors {
		course = append(course, setting{"candidates", "{kind: gradient}", "pins find better input bits as they learn"})
	}
	if validated {
		course = append(course, setting{
			"validation", fmt.Sprintf("{share: %g}", validationShare), "samples held out; they choose the best epoch",
		})
	}
	return []section{
		{"encoder", encoderFor(set, bits)},
		{"model", network},
		{"train", course},
	}, inputs
}

// bitsFor returns n_b, the number of thermometer bits for each feature of a data set. Features that are words or bits
// need a single threshold. If there are many features, each feature gets fewer thresholds.
func bitsFor(set *dataset.Set) int {
	numbers := slices.ContainsFunc(set.Columns, func(c encoding.Column) bool { return c.Kind == encoding.NumberColumn })
	switch {
	case set.Columns != nil && !numbers, set.BitsIn == 1:
		return encoding.MinBits
	case set.Features >= manyFeatures:
		return thresholdsMany
	}
	return thresholdsFew
}
