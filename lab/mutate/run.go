package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"ialgn/internal/tool"
)

// runner makes mutants and counts who finds them.
type runner struct {
	w                io.Writer
	binary, dir, log string
	first            int
	count, jobs      int
	seed             uint64
	small            bool
	kinds            []string

	ialgn   *tool.Tool
	designs []*design
	mu      sync.Mutex
	file    io.Writer
	results []result
	sites   map[string][]candidate // candidates of the kinds that have such
}

// run makes all mutants and prints the table. It returns an error if one was missed.
func (r *runner) run(ctx context.Context) error {
	list, err := slots(r.first, r.count, r.kinds)
	if err != nil {
		return err
	}
	if r.dir == "" {
		if r.dir, err = os.MkdirTemp("", "ialgn-mutate-"); err != nil {
			return err
		}
		defer os.RemoveAll(r.dir)
	}
	if r.dir, err = filepath.Abs(r.dir); err != nil {
		return err
	}
	binary, err := filepath.Abs(r.binary)
	if err != nil {
		return err
	}
	r.ialgn = &tool.Tool{Name: "ialgn", Path: binary}
	r.file, r.sites = io.Discard, map[string][]candidate{}
	if r.log != "" {
		f, err := os.OpenFile(r.log, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
		if err != nil {
			return err
		}
		defer f.Close()
		if list, err = r.resume(f, list); err != nil {
			return fmt.Errorf("%s: %w", r.log, err)
		}
		r.file = f
	}
	begin := time.Now()
	if err := r.prepare(ctx, list); err != nil {
		return err
	}
	fmt.Fprintf(r.w, "%d designs verified in %.0f s\n", len(r.designs), time.Since(begin).Seconds())
	if err := r.all(ctx, list); err != nil {
		return err
	}
	fmt.Fprintf(r.w, "seed %d, %.0f s\n", r.seed, time.Since(begin).Seconds())
	return report(r.w, r.results)
}

// resume takes over the results of a log and returns the slots that it lacks.
func (r *runner) resume(log io.Reader, list []slot) ([]slot, error) {
	before, err := readResults(log)
	if err != nil {
		return nil, err
	}
	kinds := map[int]string{}
	for _, res := range before {
		kinds[res.Number] = res.Kind
	}
	for _, s := range list {
		if kind, ok := kinds[s.number]; ok && kind != s.kind.name {
			return nil, fmt.Errorf("mutant %d is of the kind %s, not %s: the log is of another run", s.number, kind, s.kind.name)
		}
	}
	r.results = before
	return slices.DeleteFunc(list, func(s slot) bool { return kinds[s.number] != "" }), nil
}

// prepare trains, compiles and verifies what is to be broken for a list of mutants. Wrappers and engines
// are left out where no kind in the list breaks any, and all is where the list is empty.
func (r *runner) prepare(ctx context.Context, list []slot) error {
	if err := os.MkdirAll(r.dir, 0o777); err != nil || len(list) == 0 {
		return err
	}
	needsSites := slices.ContainsFunc(list, func(s slot) bool { return s.kind.sites != nil })
	type task struct {
		network network
		recipe  recipe
		model   string
	}
	var tasks []task
	for _, n := range networks {
		if r.small && n.trained {
			continue
		}
		path, err := train(ctx, r.ialgn, n, r.dir)
		if err != nil {
			return err
		}
		for _, c := range recipes {
			if c.network == n.name && (c.small || !r.small) && (needsSites || !c.aroundCore()) {
				tasks = append(tasks, task{n, c, path})
			}
		}
	}
	r.designs = make([]*design, len(tasks))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(r.jobs)
	for i, t := range tasks {
		group.Go(func() (err error) {
			r.designs[i], err = r.design(ctx, t.network, t.recipe, t.model, i)
			return err
		})
	}
	return group.Wait()
}

// design compiles a recipe and has it verified.
func (r *runner) design(ctx context.Context, n network, c recipe, path string, i int) (*design, error) {
	d, err := compileDesign(ctx, r.ialgn, n, c, path, filepath.Join(r.dir, fmt.Sprintf("design-%d", i)))
	if err != nil {
		return nil, err
	}
	return d, d.build(ctx, d.built(), d.text)
}

// built is where the unchanged design is compiled for replays.
func (d *design) built() string { return d.dir + "-replay" }

// all makes the mutants of all slots.
func (r *runner) all(ctx context.Context, list []slot) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(r.jobs)
	for _, s := range list {
		group.Go(func() error {
			m := maker{runner: r, slot: s, dir: filepath.Join(r.dir, fmt.Sprintf("mutant-%d", s.number))}
			res, err := m.make(ctx)
			if err != nil {
				return fmt.Errorf("mutant %d (%s in %s): %w", s.number, s.kind.name, s.place, err)
			}
			return r.add(s, res, m)
		})
	}
	return group.Wait()
}

// add notes what became of a mutant. The folder of one that was missed stays if -dir names
// where.
func (r *runner) add(s slot, res *result, m maker) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if res == nil {
		fmt.Fprintf(r.w, "mutant %d (%s in %s): none was shown to matter\n", s.number, s.kind.name, s.place)
		res = &result{Number: s.number, Kind: s.kind.name, Place: s.place, Level: none}
	}
	res.Unshown = m.unshown
	r.results = append(r.results, *res)
	if len(r.results)%50 == 0 {
		fmt.Fprintf(r.w, "%d mutants\n", len(r.results))
	}
	line, err := json.Marshal(res)
	if err == nil {
		_, err = fmt.Fprintf(r.file, "%s\n", line)
	}
	if res.Level == missed {
		fmt.Fprintf(r.w, "MISSED: %s\n", line)
		return err
	}
	return errors.Join(err, os.RemoveAll(m.dir))
}
