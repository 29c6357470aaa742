package grid

import (
	"cmp"
	"context"
	"fmt"

	library "ialgn"
	"ialgn/trainer"
)

// UsualTarget is the family for which experiments count LUTs. The LUTs of this family have six inputs.
const UsualTarget = "xilinx7"

// Costs holds the numbers of look-up tables (LUTs) in a compiled network.
type Costs struct {
	Target string `json:"target,omitempty"` // family for which the network was compiled; "" means [UsualTarget]

	Gates   int `json:"gates"`   // nodes of the network
	Head    int `json:"head"`    // popcounts and argmax
	Encoder int `json:"encoder"` // comparators of the features
}

func (c *Costs) target() string { return cmp.Or(c.Target, UsualTarget) }

// Core returns the number of LUTs between the input bits and the class: nodes and head.
func (c *Costs) Core() int { return c.Gates + c.Head }

// Full returns the number of LUTs of the whole classifier, between the feature words and the class.
func (c *Costs) Full() int { return c.Core() + c.Encoder }

// costsOf compiles a model for a family and counts its LUTs. If ctx is cancelled, the error wraps
// [trainer.ErrInterrupted].
func costsOf(ctx context.Context, path, target string) (*Costs, error) {
	m, err := library.Open(path)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	d, err := library.Compile(ctx, m, library.CompileOptions{Target: target, Objective: "area"})
	if ctx.Err() != nil {
		return nil, fmt.Errorf("%w while the look-up tables of %s were counted: nothing is lost",
			trainer.ErrInterrupted, path)
	}
	if err != nil {
		return nil, err
	}
	r, err := d.Report()
	if err != nil {
		return nil, err
	}
	c := &Costs{Target: target, Gates: r.LUTs.Gates, Head: r.LUTs.Head, Encoder: r.LUTs.Encoder}
	if target == UsualTarget {
		c.Target = "" // so that results of experiments keep the same bytes
	}
	return c, nil
}
