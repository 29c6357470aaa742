package grid

import (
	"cmp"
	"context"
	"fmt"

	library "ialgn"
	"ialgn/trainer"
)

// UsualTarget is the family in whose look-up tables, of six inputs, experiments count costs.
const UsualTarget = "xilinx7"

// Costs are the look-up tables that a compiled network takes.
type Costs struct {
	Target string `json:"target,omitempty"` // the family that it was compiled for, "" for [UsualTarget]

	Gates   int `json:"gates"`   // nodes of the network
	Head    int `json:"head"`    // popcounts and argmax
	Encoder int `json:"encoder"` // comparators of the features
}

func (c *Costs) target() string { return cmp.Or(c.Target, UsualTarget) }

// Core returns the look-up tables of nodes and head, from input bits to the class.
func (c *Costs) Core() int { return c.Gates + c.Head }

// Full returns those of the whole classifier, from feature words to the class.
func (c *Costs) Full() int { return c.Core() + c.Encoder }

// costsOf compiles a model for a family. The error wraps [trainer.ErrInterrupted] when the context ends.
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
		c.Target = "" // results of experiments keep their bytes
	}
	return c, nil
}
