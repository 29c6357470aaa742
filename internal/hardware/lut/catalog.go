package lut

import (
	"context"
	"slices"
	"sync/atomic"

	"ialgn/internal/crew"
)

// shape has all properties of a chain that determine the chain's plan.
type shape struct {
	ops  string // the operation of each step
	late int    // the level of the base
}

// entry holds the results computed for a shape.
type entry struct {
	serial int           // number of levels with serial packing, which has the fewest LUTs
	least  int           // the fewest levels; -1: not computed yet
	costs  map[int]cost  // [levels, below serial]: the fewest LUTs; filled on demand
	plans  map[int]*plan // [levels]: the plan
}

// fewest returns the fewest LUTs of a shape in the given number of levels. The cost must have been
// computed.
func (e *entry) fewest(steps, k, depth int) cost {
	if depth >= e.serial {
		return cost(least(steps, k))
	}
	return e.costs[depth]
}

// catalog holds the results for all shapes that occur.
type catalog struct {
	ctx     context.Context
	o       Options
	entries map[shape]*entry
}

func newCatalog(ctx context.Context, o Options) *catalog {
	return &catalog{ctx, o, map[shape]*entry{}}
}

// each runs a task for each index from 0 to count-1, on all threads. It returns the context's error.
func (c *catalog) each(count int, task func(s *solver, i int)) error {
	var next atomic.Int64
	crew.Each(min(c.o.threads(), count), func(int) {
		var s solver
		for {
			i := int(next.Add(1)) - 1
			if i >= count || c.ctx.Err() != nil {
				return
			}
			task(&s, i)
		}
	})
	return c.ctx.Err()
}

// eachShape runs a task for each of the shapes.
func (c *catalog) eachShape(shapes []shape, task func(*solver, *entry)) error {
	return c.each(len(shapes), func(s *solver, i int) {
		s.start(c.o.K, shapes[i].ops, shapes[i].late)
		task(s, c.entries[shapes[i]])
	})
}

// missing returns the distinct shapes for which the function want returns true. It makes entries for new shapes.
func (c *catalog) missing(shapes []shape, want func(*entry) bool) []shape {
	var todo []shape
	seen := map[shape]bool{}
	for _, s := range shapes {
		if seen[s] {
			continue
		}
		seen[s] = true
		e, ok := c.entries[s]
		if !ok {
			e = &entry{serial: -1, least: -1, costs: map[int]cost{}, plans: map[int]*plan{}}
			c.entries[s] = e
		}
		if want(e) {
			todo = append(todo, s)
		}
	}
	return todo
}

// serial computes the number of levels of serial packing for the shapes.
func (c *catalog) serial(shapes []shape) error {
	todo := c.missing(shapes, func(e *entry) bool { return e.serial < 0 })
	return c.eachShape(todo, func(s *solver, e *entry) {
		e.serial = s.serialDepth()
	})
}

// leastLevels computes the fewest levels of the shapes. If onlyDeepest is set, only the largest of these numbers is
// exact. For other shapes, the result may be the number of levels with serial packing. This happens if another shape
// is known to need at least this number of levels.
func (c *catalog) leastLevels(shapes []shape, onlyDeepest bool) error {
	if err := c.serial(shapes); err != nil {
		return err
	}
	todo := c.missing(shapes, func(e *entry) bool { return e.least < 0 })
	var floor atomic.Int64
	if onlyDeepest {
		slices.SortStableFunc(todo, func(a, b shape) int { return len(b.ops) - len(a.ops) })
	}
	return c.eachShape(todo, func(s *solver, e *entry) {
		if e.least = e.serial; onlyDeepest && int64(e.serial) <= floor.Load() {
			return
		}
		e.least = s.leastLevels(e.serial)
		for now := floor.Load(); now < int64(e.least) && !floor.CompareAndSwap(now, int64(e.least)); {
			now = floor.Load()
		}
	})
}

// costs computes the fewest LUTs of shapes[i] in due[i] levels, for each i.
func (c *catalog) costs(shapes []shape, due []int) error {
	if err := c.serial(shapes); err != nil {
		return err
	}
	todo, depths := c.tasks(shapes, due, func(e *entry, depth int) bool {
		_, known := e.costs[depth]
		return !known && depth < e.serial
	})
	costs := make([]cost, len(todo))
	if err := c.each(len(todo), func(s *solver, i int) {
		s.start(c.o.K, todo[i].ops, todo[i].late)
		costs[i] = s.solve(depths[i])
	}); err != nil {
		return err
	}
	for i, sh := range todo {
		c.entries[sh].costs[depths[i]] = costs[i]
	}
	return nil
}

// tasks returns the distinct pairs of a shape and a number of levels for which the function want returns true. The
// number of levels for shapes[i] is due[i], but at most the number with serial packing.
func (c *catalog) tasks(shapes []shape, due []int, want func(e *entry, depth int) bool) (todo []shape, depths []int) {
	type task struct {
		shape
		depth int
	}
	seen := map[task]bool{}
	for i, sh := range shapes {
		e := c.entries[sh]
		t := task{sh, min(due[i], e.serial)}
		if !seen[t] && want(e, t.depth) {
			todo, depths = append(todo, sh), append(depths, t.depth)
		}
		seen[t] = true
	}
	return todo, depths
}

// plans computes a plan for shapes[i] in due[i] levels, for each i.
func (c *catalog) plans(shapes []shape, due []int) error {
	if err := c.serial(shapes); err != nil {
		return err
	}
	todo, depths := c.tasks(shapes, due, func(e *entry, depth int) bool { return e.plans[depth] == nil })
	plans := make([]*plan, len(todo))
	if err := c.each(len(todo), func(s *solver, i int) {
		s.start(c.o.K, todo[i].ops, todo[i].late)
		if s.serialDepth() <= depths[i] {
			plans[i] = s.serialPlan(len(s.serial) - 1)
			return
		}
		s.solve(depths[i])
		plans[i] = s.segmentPlan(depths[i])
	}); err != nil {
		return err
	}
	for i, sh := range todo {
		c.entries[sh].plans[depths[i]] = plans[i]
	}
	return nil
}
