package ialgn

import (
	"context"
	"sync"

	"ialgn/internal/encoding"
	"ialgn/internal/model"
)

// network is the frozen Boolean network of a model, in which each node computes the operation with the node's largest
// logit (argmax).
type network struct {
	compact  *model.Compact // stores nodes shared between positions once; nil if the model has no shared nodes
	encoder  *encoding.Encoder
	classes  []string
	unrolled func() (*model.Frozen, error) // the network with separate nodes for each position; computed once
}

// network reads the network from the file.
func (m *Model) network(ctx context.Context) (*network, error) {
	if !m.convolves() {
		f, err := m.frozen(ctx)
		if err != nil {
			return nil, err
		}
		return &network{nil, &f.Encoder, f.Classes, func() (*model.Frozen, error) { return f, nil }}, nil
	}
	c, err := m.file.In(ctx).Compact()
	if err != nil {
		return nil, err
	}
	return &network{c, &c.Encoder, c.Classes, sync.OnceValues(c.Unroll)}, nil
}

// convolves reports whether the network has convolutions, in which the positions of an image share nodes.
func (m *Model) convolves() bool {
	s := m.info.Model.Sections
	return len(s) > 0 && s[0].Grid != nil
}
