package torchlogix

import (
	"fmt"
	"slices"
	"strings"

	"ialgn/internal/interchange/checkpoint"
	"ialgn/internal/interchange/given"
)

// missing returns the error for data that is not known.
func missing(what, why string) error { return &given.Missing{What: what, Why: why} }

// report adds findings about the network and their sources.
func (r *reader) report() {
	n, file, said := r.net, r.src.Name, r.src.Said()
	var forms, sizes []string
	learnt, noisy := 0, false
	for _, l := range r.layers {
		switch l.Type {
		case typeDense:
			sizes = append(sizes, fmt.Sprintf("%d", l.Out))
		case typeConv:
			sizes = append(sizes, fmt.Sprintf("convolution %d x %d x %d", l.out[0], l.out[1], l.out[2]))
		case typePool:
			sizes = append(sizes, fmt.Sprintf("OR pooling %d x %d x %d", l.out[0], l.out[1], l.out[2]))
			continue
		default:
			continue
		}
		if form := fmt.Sprintf("%s of rank %d", l.Parametrization, l.Rank); !slices.Contains(forms, form) {
			forms = append(forms, form)
		}
		if l.Connections == "learnable" {
			learnt++
		}
		noisy = noisy || l.found != nil && l.found.gumbel
	}
	n.Found("layers", strings.Join(sizes, ", "), file)
	n.Found("parametrization", strings.Join(forms, ", "), r.parametrizationFrom())
	if learnt > 0 {
		n.Found("wiring", fmt.Sprintf("of %d layers learnt: the candidate with the largest weight counts", learnt), file)
	} else {
		n.Found("wiring", "fixed", file)
	}
	if noisy {
		n.Found("gumbel", "torchlogix adds noise to the choice of wires even in evaluation; here it is without", file)
	}
	if r.near > 0 {
		n.Found("warp", fmt.Sprintf("%d sums are so near to 0 that torchlogix may have rounded them to the other side",
			r.near), file)
	}
	if n.Circuit != nil {
		n.Found("circuit", fmt.Sprintf("%d nodes, unrolled", n.Circuit.Nodes()), file)
	}
	r.reportInput()
	from := said
	if r.state.module {
		from = file
	}
	checkpoint.FoundSum(n, from, r.beta, "the constructor's default")
}

// parametrizationFrom returns the source of the parametrization.
func (r *reader) parametrizationFrom() string {
	for _, l := range r.layers {
		if (l.Type == typeDense || l.Type == typeConv) && l.found.told.Parametrization == "" {
			return r.src.Said()
		}
	}
	return r.src.Name
}

// reportInput adds a finding about the samples.
func (r *reader) reportInput() {
	in, l := &r.net.Input, r.thermometer()
	if l == nil {
		r.net.Found("input", fmt.Sprintf("%d bits of shape %v", in.Features(), in.Shape), r.src.Name)
		return
	}
	from, how := r.src.Name, ""
	if l.found == nil {
		from = "the thresholds given"
	}
	if l.Type == typeLearnable && in.PerFeature() > 1 {
		how = ", running sums of raw_diffs as they are (versions of torchlogix after 6c6ad50 bend them by softplus)"
	}
	r.net.Found("thermometer", fmt.Sprintf("%d thresholds of each of %d features%s",
		in.PerFeature(), in.Features(), how), from)
}
