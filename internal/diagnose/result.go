package diagnose

// UpdateResult is the result of a meter. For each kind of parameters and each layer, it holds the mean absolute
// change of a parameter in a step.
type UpdateResult struct {
	Steps      int    // number of steps in the whole run
	Initial    Window // measured steps of the window; if there are none, Last is First-1
	Final      Window
	Operations UpdateMeans
	Anchors    UpdateMeans
	Hidden     UpdateMeans
}

// UpdateMeans is the mean absolute change in both windows, for each layer. An element is nil if the layer has no
// parameters of this kind. A slice is nil if no step of its window was measured yet.
type UpdateMeans struct {
	Initial []*float64 `json:"initial"`
	Final   []*float64 `json:"final"`
}

// Any reports whether any layer has parameters of this kind.
func (m *UpdateMeans) Any() bool {
	for _, x := range append(m.Initial, m.Final...) {
		if x != nil {
			return true
		}
	}
	return false
}

// Result returns the results so far.
func (m *Meter) Result() UpdateResult {
	means := func(k UpdateKind) UpdateMeans {
		return UpdateMeans{m.Initial.means(k, m.counts[k]), m.Final.means(k, m.counts[k])}
	}
	return UpdateResult{
		Steps: m.Steps, Initial: m.Initial.done(), Final: m.Final.done(),
		Operations: means(Operations), Anchors: means(Anchors), Hidden: means(Hidden),
	}
}

// done returns the steps that were measured. The measured steps start at the first step of the window even after an
// interruption, because a resumed run continues at the step where it stopped.
func (m *measure) done() Window { return Window{m.First, m.First + m.Done - 1} }

func (m *measure) means(k UpdateKind, counts []int) []*float64 {
	if m.Done == 0 {
		return nil
	}
	means := make([]*float64, len(counts))
	for l, n := range counts {
		if n > 0 {
			mean := m.Sums[k][l] / (float64(n) * float64(m.Done))
			means[l] = &mean
		}
	}
	return means
}
