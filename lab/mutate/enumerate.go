package main

import (
	"context"
	"errors"
	"hash/fnv"
	"math/rand/v2"
	"path/filepath"

	"ialgn/internal/tool"
)

// candidate is a site in a design.
type candidate struct {
	d    *design
	site site
}

// mostSites is how many sites a slot tries.
const mostSites = 40

// errSame says that a claim changes nothing.
var errSame = errors.New("the folder claims that already")

// candidates returns all sites of a kind, in an order that the seed decides.
func (r *runner) candidates(k kind) []candidate {
	r.mu.Lock()
	defer r.mu.Unlock()
	if list, ok := r.sites[k.name]; ok {
		return list
	}
	var list []candidate
	for _, d := range r.designs {
		for _, s := range k.sites(d) {
			list = append(list, candidate{d, s})
		}
	}
	h := fnv.New64a()
	h.Write([]byte(k.name))
	order := rand.New(rand.NewPCG(r.seed, h.Sum64()))
	order.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	r.sites[k.name] = list
	return list
}

// enumerate tries the sites that are the slot's until one is shown to matter. It returns nil if none is.
func (m *maker) enumerate(ctx context.Context) (*result, error) {
	list := m.candidates(m.slot.kind)
	for i, tries := m.slot.nth, 0; i < len(list) && tries < mostSites; i, tries = i+m.slot.of, tries+1 {
		x, err := m.try(ctx, list[i])
		if failed := (*tool.FailedError)(nil); errors.As(err, &failed) && ctx.Err() == nil || errors.Is(err, errSame) {
			continue // not valid Verilog, an endless loop, or no change
		}
		if err != nil {
			return nil, err
		}
		if x != nil {
			return m.verify(ctx, x)
		}
		m.unshown++
	}
	return nil, nil
}

// try makes the mutant of a site, and plays it unless what is changed is a claim.
func (m *maker) try(ctx context.Context, c candidate) (*mutant, error) {
	x := &mutant{d: c.d, seen: -1, shown: []string{"iverilog"}, claim: c.site.manifest}
	if x.claim != nil {
		x.what, x.shown = x.claim.what, []string{"the manifest"}
		dir := filepath.Join(m.dir, "claim")
		if err := c.d.write(dir, nil); err != nil {
			return nil, err
		}
		return x, x.claim.apply(dir)
	}
	text, what := c.site.apply(c.d.files[c.site.file])
	x.what, x.files = what, files{c.site.file: text}
	differs, err := c.d.played(ctx, filepath.Join(m.dir, "play"), x.files)
	if err != nil || !differs {
		return nil, err
	}
	return x, nil
}
