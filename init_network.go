package ialgn

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"ialgn/internal/config"
	"ialgn/internal/dataset"
	"ialgn/internal/encoding"
	"ialgn/internal/message"
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
	manyFeatures   = 64 // with at least this number of features that are numbers, each gets fewer thresholds
	thresholdsMany = 4
	thresholdsFew  = 8
)

// choose returns the sections encoder, model and train for a data set, and the number of the network's input bits. If
// validated is true, samples are held out. counts holds the numbers of samples of the classes.
func choose(set *dataset.Set, samples int, validated bool, counts []dataset.Counted) (sections []section, inputs int) {
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
	if rare(counts) != "" {
		course = append(course, setting{"# class_weights", "balanced", "all classes count the same in training"})
		if validated {
			course = append(course, setting{
				"# validation", fmt.Sprintf("{share: %g, metric: balanced_accuracy}", validationShare),
				"the best epoch by the mean recall of the classes",
			})
		}
	}
	return []section{
		{"encoder", encoderFor(set, bits)},
		{"model", network},
		{"train", course},
	}, inputs
}

// rareShare is the number of samples of the largest class for each sample of a class below which this class is rare.
const rareShare = 10

// rare returns a note about the smallest class if this class is rare. Otherwise it returns "".
func rare(counts []dataset.Counted) string {
	bySize := func(a, b dataset.Counted) int { return cmp.Compare(a.Count, b.Count) }
	least, most := slices.MinFunc(counts, bySize), slices.MaxFunc(counts, bySize)
	if least.Count*rareShare >= most.Count {
		return ""
	}
	return fmt.Sprintf("Class %.40q has %s, class %.40q has %d: without train.class_weights, a network may hardly ever "+
		"predict rare classes", least.Name, message.Plural(least.Count, "sample", "samples"), most.Name, most.Count)
}

// bitsFor returns n_b, the number of thermometer bits for each feature of a data set. Features that are words or bits
// need a single threshold. If many features are numbers, each feature gets fewer thresholds.
func bitsFor(set *dataset.Set) int {
	numbers := set.Features
	if set.Columns != nil {
		numbers = 0
	}
	for _, c := range set.Columns {
		if c.Kind == encoding.NumberColumn {
			numbers++
		}
	}
	switch {
	case numbers == 0, set.BitsIn == 1:
		return encoding.MinBits
	case numbers >= manyFeatures:
		return thresholdsMany
	}
	return thresholdsFew
}
