package diagnose

// UpdateResult is a meter's result: for each kind of parameters, the mean absolute change of a parameter in a step,
// by layer.
type UpdateResult struct {
	Steps      int    // steps in the whole run
	Initial    Window // the measured part of the window: Last is First-1 if none of its steps was measured
	Final      Window
	Operations UpdateMeans
	Anchors    UpdateMeans
	Hidden     UpdateMeans
}

// UpdateMeans is the mean absolute change in both windows, [layer]. An element is nil for a layer without such
// parameters. A slice is nil if its window has no measured step yet.
type UpdateMeans struct {
	Initial []*float64 `json:"initial"`
	Final   []*float64 `json:"final"`
}

// Any reports whether any layer has such parameters.
func (m *UpdateMeans) Any() bool {
	for _, x := range append(m.Initial, m.Final...) {
		if x != nil {
			return true
		}
	}
	return false
}

// Result returns what has been measured so far.
func (m *Meter) Result() UpdateResult {
	means := func(k UpdateKind) UpdateMeans {
		return UpdateMeans{m.Initial.means(k, m.counts[k]), m.Final.means(k, m.counts[k])}
	}
	return UpdateResult{
		Steps: m.Steps, Initial: m.Initial.done(), Final: m.Final.done(),
		Operations: means(Operations), Anchors: means(Anchors), Hidden: means(Hidden),
	}
}

// done returns the steps that were measured. They start at the window's first step, because a resumed run continues
// where it was.
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
