package ialgn

import (
	"context"
	"sync"

	"ialgn/internal/encoding"
	"ialgn/internal/model"
)

// network is the Boolean network that a model's argmaxes select.
type network struct {
	compact  *model.Compact // with nodes that positions share once; nil of a model without such nodes
	encoder  *encoding.Encoder
	classes  []string
	unrolled func() (*model.Frozen, error) // with a node for each position, made when it is asked for
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

// convolves reports whether positions of an image share nodes of the network.
func (m *Model) convolves() bool {
	s := m.info.Model.Sections
	return len(s) > 0 && s[0].Grid != nil
}
