package compiler

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ialgn/netlist"
)

// BrokenError says that a pass broke its contract. This is always a bug in the compiler.
type BrokenError struct {
	Pass string
	What error
}

// Error names the pass and the broken rule.
func (e *BrokenError) Error() string {
	return fmt.Sprintf("compiler: pass %q broke its contract: %v", e.Pass, e.What)
}

// Unwrap returns the error that describes the broken rule.
func (e *BrokenError) Unwrap() error { return e.What }

// check checks that pass i kept its contract, that lasting contracts of earlier passes still hold, and that the
// function of the netlist is unchanged. It returns a [*BrokenError], or the error of ctx.
func (m *Manager) check(ctx context.Context, i int, before, after *netlist.Netlist) error {
	p := &m.Table.Passes[i]
	err := p.kept(before, after)
	if err == nil && p.Holds != nil {
		err = p.Holds(after)
	}
	for j := 0; j < i && err == nil; j++ {
		if q := &m.Table.Passes[j]; q.Lasting && !q.Off {
			if err = q.Holds(after); err != nil {
				err = fmt.Errorf("what pass %q ensured is lost: %w", q.Name, err)
			}
		}
	}
	if err == nil {
		err = m.Check(ctx, before, after)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return &BrokenError{p.Name, err}
	}
	return nil
}

// kept checks the rules that hold for every pass. The netlist must be valid. Its name, ports, probes, chain classes,
// offsets and tie order must be unchanged. Unless the pass may grow the netlist, there must not be more cells or pins
// than before.
func (p *Pass) kept(before, after *netlist.Netlist) error {
	if err := after.Validate(); err != nil {
		return err
	}
	if !p.Grows {
		if a, b := sizeOf(before), sizeOf(after); b.cells > a.cells || b.pins > a.pins {
			return fmt.Errorf("the netlist grew from %d cells with %d pins to %d with %d", a.cells, a.pins, b.cells, b.pins)
		}
	}
	switch {
	case after.Name != before.Name:
		return fmt.Errorf("the netlist %q is called %q now", before.Name, after.Name)
	case !slices.Equal(before.ChainClasses(), after.ChainClasses()):
		return errors.New("the chains have other classes")
	case !slices.Equal(before.Offsets(), after.Offsets()):
		return errors.New("the classes have other offsets")
	case !slices.Equal(before.Ties(), after.Ties()):
		return errors.New("the classes have another tie order")
	}
	inputs := after.InputPorts()
	if p.Delays {
		inputs = after.DataInputs()
	}
	return errors.Join(
		samePorts("input port", before.InputPorts(), inputs),
		samePorts("output port", before.OutputPorts(), after.OutputPorts()),
		samePorts("probe", before.Probes(), after.Probes()),
	)
}

// samePorts returns an error unless two lists have ports with the same names, widths, words and labels in the same
// order. The error message uses kind as the word for the ports.
func samePorts(kind string, before, after []netlist.Port) error {
	for i, p := range before {
		switch {
		case i == len(after) || after[i].Name != p.Name:
			return fmt.Errorf("%s %q is not where it was", kind, p.Name)
		case len(after[i].Nets) != len(p.Nets):
			return fmt.Errorf("%s %q of %d bits has %d bits now", kind, p.Name, len(p.Nets), len(after[i].Nets))
		case after[i].Word != p.Word:
			return fmt.Errorf("%s %q in words of %d bits has words of %d bits now", kind, p.Name, p.Word, after[i].Word)
		case !slices.Equal(after[i].Labels, p.Labels):
			return fmt.Errorf("%s %q has other labels", kind, p.Name)
		}
	}
	if len(after) > len(before) {
		return fmt.Errorf("%s %q is new", kind, after[len(before)].Name)
	}
	return nil
}
