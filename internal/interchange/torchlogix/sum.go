package torchlogix

import (
	"fmt"
	"math"

	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/graph"
)

// saidSum returns the facts about the group sum. If the top level of the facts does not give a value, the facts about
// the layer GroupSum are used.
func saidSum(f *given.Facts) given.GroupSum {
	sum := f.Sum
	for _, l := range f.LayersInOrder {
		if l.Type != typeSum {
			continue
		}
		if sum.K == nil {
			sum.K = l.K
		}
		if sum.Tau == nil {
			sum.Tau = l.Tau
		}
		if sum.Beta == nil {
			sum.Beta = l.Beta
		}
	}
	return sum
}

// resolveSum returns the sum of n bits. The references in the result are the numbers of the bits.
func resolveSum(said given.GroupSum, n int, why string) (graph.Sum, error) {
	switch {
	case said.K == nil:
		return graph.Sum{}, &given.Missing{What: "group_sum.k", Why: why}
	case said.Tau == nil:
		return graph.Sum{}, &given.Missing{What: "group_sum.tau", Why: why}
	}
	k, tau, beta := *said.K, *said.Tau, 0.0
	if said.Beta != nil {
		beta = *said.Beta
	}
	switch {
	case k < 1 || k > n || n%k != 0:
		return graph.Sum{}, fmt.Errorf("group_sum.k is %d, which does not divide the %d bits of the last layer", k, n)
	case float32(tau) == 0 || math.IsNaN(tau) || math.IsInf(float64(float32(tau)), 0):
		return graph.Sum{}, fmt.Errorf("group_sum.tau is %v, want a number other than 0 that float32 has", tau)
	case math.IsNaN(beta) || math.IsInf(beta, 0):
		return graph.Sum{}, fmt.Errorf("group_sum.beta is %v, want a number", beta)
	case said.GroupSize != nil && *said.GroupSize != n/k:
		return graph.Sum{}, fmt.Errorf("group_sum.group_size is %d, but %d bits of %d classes are groups of %d",
			*said.GroupSize, n, k, n/k)
	case said.RandPerm != nil || said.Padding != nil && *said.Padding != 0:
		return graph.Sum{}, fmt.Errorf("group_sum: torchlogix has neither randperm nor zero_padding_at_end")
	}
	return graph.Sum{Groups: graph.Contiguous(n, k), Tau: tau, Beta: oneBeta([]float64{beta})}, nil
}
