package checkpoint

import (
	"fmt"
	"math"
	"slices"

	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/graph"
	"ialgn/internal/interchange/torchfile"
	"ialgn/internal/message"
)

// Sum is the data of a group sum from the file. Fields with unknown values are nil.
type Sum struct {
	Where string // the place in the file that gives K
	K     *int
	Tau   *float64
	// Whole says that the file has the group sum's module. The sum then has no beta, and the outputs are reordered
	// only by RandPerm.
	Whole    bool
	RandPerm []int
	// Why says why the file does not have the unknown data. An empty Why means that the file is a state dict.
	Why string
	// Circuit says that the program that wrote the file is not known. This program may have added beta, and may have
	// added zeros after the last bit.
	Circuit bool
}

// Layers calls the function layer for each module of the given class, in the order of the model. It returns the data
// of the GroupSum module after these modules. If there is no GroupSum, the field Why of the result says so.
func Layers(model *torchfile.Object, class, sumClass string, layer func(m Module) error) (*Sum, error) {
	modules, err := Modules(model, class, sumClass)
	if err != nil {
		return nil, err
	}
	sum := &Sum{Why: "the module has no GroupSum"}
	for i, m := range modules {
		switch {
		case m.Class == class:
			err = layer(m)
		case i != len(modules)-1:
			err = fmt.Errorf("%s is a GroupSum that is not the last module", m)
		default:
			sum, err = SumOf(m)
		}
		if err != nil {
			return nil, err
		}
	}
	return sum, nil
}

// SumOf returns the data of a GroupSum module in a whole model.
func SumOf(m Module) (*Sum, error) {
	k, err := m.Number("k")
	if err != nil {
		return nil, err
	}
	tau, err := m.Real("tau")
	if err != nil {
		return nil, err
	}
	s := &Sum{Where: m.String(), K: &k, Tau: &tau, Whole: true}
	switch v, _ := m.Attr("randperm"); v := v.(type) {
	case nil:
	case *torchfile.Tensor:
		order, err := v.Int64()
		if err != nil {
			return nil, fmt.Errorf("randperm of %s: %w", m, err)
		}
		for _, i := range order {
			s.RandPerm = append(s.RandPerm, int(i))
		}
	default:
		return nil, fmt.Errorf("randperm of %s is not a tensor", m)
	}
	return s, nil
}

// Resolve sets the network's sum from the file's data and the facts. outputs is the number of bits of the last layer.
// Groups are contiguous. If padded is true, the last groups may be filled up with zeros, as the framework does.
// Otherwise all groups must be full.
func (s *Sum) Resolve(src *given.Source, n *graph.Network, outputs int, padded bool) error {
	k, err := resolved(s, src, "group_sum.k", src.Facts.Sum.K, s.K)
	if err != nil {
		return err
	}
	saidTau := src.Facts.Sum.Tau
	if saidTau != nil && s.Tau != nil && float32(*saidTau) == float32(*s.Tau) { // the file may have tau as a float32
		saidTau = nil
	}
	tau, err := resolved(s, src, "group_sum.tau", saidTau, s.Tau)
	if err != nil {
		return err
	}
	if tau32 := float32(tau); !(tau32 > 0) || tau32-tau32 != 0 {
		return fmt.Errorf("group_sum.tau is %v: want a number above 0", tau)
	}
	if k < 1 || k > outputs {
		return fmt.Errorf("group_sum.k is %d, where the last layer has %d bits to count", k, outputs)
	}
	if outputs%k != 0 && !padded {
		err := fmt.Errorf("group_sum.k is %d, but the last layer has %d bits, which is not a multiple of it", k, outputs)
		if !s.Circuit {
			return message.WithHint(err, "is it the number of classes?")
		}
		return message.WithHint(err, "is it the number of classes? Zeros that fill up the last group are said by "+
			"{Fact group_sum.zero_padding_at_end=N}") // an unknown program may have added zeros
	}
	if err := s.size(src, outputs, k); err != nil {
		return err
	}
	n.Sum.Tau, n.Sum.Groups = tau, graph.Contiguous(outputs, k)
	if err := s.beta(src, n); err != nil {
		return err
	}
	is := fmt.Sprintf("%d classes of %d bits, tau %v", k, (outputs+k-1)/k, tau)
	if src.Facts.Sum.Beta != nil {
		is += fmt.Sprintf(", beta %v", *src.Facts.Sum.Beta)
	}
	n.Found("group sum", is, s.from(src))
	if s.Circuit && src.Facts.Sum.Beta == nil {
		n.Found("beta", notSaid, "the default")
	}
	return s.permute(src, n, outputs)
}

// notSaid describes a beta that neither the file nor the user gave.
const notSaid = "0: not said, group_sum.beta"

// beta sets the beta of the network's sum from the facts.
func (s *Sum) beta(src *given.Source, n *graph.Network) error {
	beta := src.Facts.Sum.Beta
	switch {
	case beta == nil || *beta == 0:
		return nil
	case s.Whole:
		return Contradiction(src, "group_sum.beta", *beta, s.Where, "none")
	case math.IsNaN(*beta) || math.IsInf(*beta, 0):
		return fmt.Errorf("group_sum.beta is %v", *beta)
	}
	n.Sum.Beta = []float64{*beta}
	return nil
}

// from returns the place that the sum comes from, in the form that findings show.
func (s *Sum) from(src *given.Source) string {
	if s.Whole {
		return "the file itself"
	}
	return src.Said()
}

// size checks that the group sizes in the facts are the actual group sizes.
func (s *Sum) size(src *given.Source, outputs, k int) error {
	size := (outputs + k - 1) / k
	where := fmt.Sprintf("a sum of %d bits for %d classes", outputs, k)
	if said := src.Facts.Sum.GroupSize; said != nil && *said != size {
		return Contradiction(src, "group_sum.group_size", *said, where, size)
	}
	if said := src.Facts.Sum.Padding; said != nil && *said != size*k-outputs {
		return Contradiction(src, "group_sum.zero_padding_at_end", *said, where, size*k-outputs)
	}
	if said := len(src.Facts.Classes); said != 0 && said != k {
		return fmt.Errorf("classes has %d names, where there are %d", said, k)
	}
	return nil
}

// permute applies the permutation of the outputs to the groups.
func (s *Sum) permute(src *given.Source, n *graph.Network, outputs int) error {
	order, from := s.RandPerm, s.Where
	if said := src.Facts.Sum.RandPerm; said != nil {
		if s.Whole && !slices.Equal(said, s.RandPerm) {
			return Contradiction(src, "group_sum.randperm", "an order of the bits", s.Where, "another or none")
		}
		order, from = said, s.from(src)
	}
	if order == nil {
		return nil
	}
	if len(order) != outputs {
		return fmt.Errorf("randperm has %d numbers, where the last layer has %d bits", len(order), outputs)
	}
	seen := make([]bool, outputs)
	for i, v := range order {
		if v < 0 || v >= outputs || seen[v] {
			return fmt.Errorf("randperm: number %d is %d: want each of 0 to %d once", i, v, outputs-1)
		}
		seen[v] = true
	}
	for _, group := range n.Sum.Groups {
		for i, ref := range group {
			if ref >= 0 {
				group[i] = graph.Ref(order[ref])
			}
		}
	}
	n.Found("order of the counted bits", "permuted", from)
	return nil
}

// CompareSum compares the facts about a sum with a sum from a file. It returns an error if they differ as float32
// numbers.
//
// A beta in the file may include constant bits that the class counts. If the betas in the file differ, CompareSum
// therefore accepts a beta from the facts if one of the betas in the file equals it. It also accepts the beta if all
// betas in the file exceed it by whole numbers.
func CompareSum(src *given.Source, sum *graph.Sum, where string) error {
	said := &src.Facts.Sum
	if said.K != nil && *said.K != len(sum.Groups) {
		return Contradiction(src, "group_sum.k", *said.K, where, len(sum.Groups))
	}
	if said.Tau != nil && float32(*said.Tau) != float32(sum.Tau) {
		return Contradiction(src, "group_sum.tau", *said.Tau, where, sum.Tau)
	}
	if said.Beta == nil {
		return nil
	}
	folded := len(sum.Beta) > 1
	for class := range sum.Groups {
		above := float64(float32(sum.BetaOf(class)) - float32(*said.Beta))
		if above == 0 {
			return nil
		}
		folded = folded && above > 0 && above == math.Trunc(above)
	}
	if folded {
		return nil
	}
	return Contradiction(src, "group_sum.beta", *said.Beta, where, DescribeBeta(sum))
}

// DescribeBeta describes beta as users see it on the screen.
func DescribeBeta(s *graph.Sum) string {
	if len(s.Beta) > 1 {
		return fmt.Sprintf("%v to %v for the classes", slices.Min(s.Beta), slices.Max(s.Beta))
	}
	return fmt.Sprint(s.BetaOf(0))
}

// FoundSum adds a finding about the network's sum. The parameter from is the source of this finding. If neither the
// file nor the user gave beta, FoundSum adds a second finding, which says that beta is 0 by default. The parameter
// defaults is the source of the second finding.
func FoundSum(n *graph.Network, from string, saidBeta bool, defaults string) {
	is := fmt.Sprintf("%d classes, tau %v", len(n.Sum.Groups), n.Sum.Tau)
	if saidBeta {
		n.Found("group sum", is+", beta "+DescribeBeta(&n.Sum), from)
		return
	}
	n.Found("group sum", is, from)
	n.Found("beta", notSaid, defaults)
}

// resolved returns a value that comes from the facts or the file. If both give the value, they must agree.
func resolved[T comparable](s *Sum, src *given.Source, key string, said, found *T) (T, error) {
	switch {
	case said != nil && found != nil && *said != *found:
		return *said, Contradiction(src, key, *said, s.Where, *found)
	case said != nil:
		return *said, nil
	case found != nil:
		return *found, nil
	}
	var zero T
	why := s.Why
	if why == "" {
		why = "a state dict does not hold what the module GroupSum was made with"
	}
	return zero, &given.Missing{What: key, Why: why}
}
