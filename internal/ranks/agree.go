package ranks

import "fmt"

// Agree lets the ranks agree on whether to go on. Each rank passes a message or an error. If no rank passes an error,
// Agree returns all messages, indexed by rank. Otherwise it returns an error on every rank. The error names the first
// failed rank and the error of that rank. On the failed rank, the returned error wraps the rank's own error. On the
// other ranks, it is an [OtherError]. If the exchange itself fails, a rank that passed an error gets its own error
// back.
func Agree(c Comm, said []byte, err error) ([][]byte, error) {
	message := append([]byte{0}, said...)
	if err != nil {
		message = append([]byte{1}, err.Error()...)
	}
	all, lost := c.Gather(message)
	if lost != nil && err != nil {
		return nil, fmt.Errorf("rank %d: %w", c.Rank(), err)
	}
	if lost != nil {
		return nil, lost
	}
	heard := make([][]byte, len(all))
	for rank, text := range all {
		switch {
		case len(text) > 0 && text[0] == 0:
			heard[rank] = text[1:]
		case len(text) == 0:
			return nil, fmt.Errorf("rank %d passed nothing to agree on", rank)
		case c.Size() == 1:
			return nil, err
		case rank == c.Rank():
			return nil, fmt.Errorf("rank %d: %w", rank, err)
		default:
			return nil, &OtherError{rank, string(text[1:])}
		}
	}
	return heard, nil
}

// OtherError says that another rank has failed. That rank reports its error itself.
type OtherError struct {
	Rank int
	Text string
}

func (e *OtherError) Error() string { return fmt.Sprintf("rank %d: %s", e.Rank, e.Text) }

// Alone is a [Comm] for a run with a single rank.
type Alone struct{}

// Rank implements [Comm].
func (Alone) Rank() int { return 0 }

// Size implements [Comm].
func (Alone) Size() int { return 1 }

// Sum implements [Comm].
func (Alone) Sum([]int32) error { return nil }

// Gather implements [Comm].
func (Alone) Gather(data []byte) ([][]byte, error) { return [][]byte{data}, nil }
