package grid

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"ialgn/internal/config"
	"ialgn/internal/dataset"
	"ialgn/internal/memory"
	"ialgn/internal/message"
	"ialgn/trainer"
)

// Fitting is a value of [Options.Jobs]. With this value, only memory and cores limit the number of runs that are
// trained at the same time.
const Fitting = -1

// Forecast says what a grid will train and how long it will take.
type Forecast struct {
	Jobs    int      `json:"jobs"`                      // number of concurrent runs
	Threads int      `json:"threads"`                   // threads of each run
	Hours   *float64 `json:"projected_hours,omitempty"` // nil if the hours of any run are unknown
	Calls   int      `json:"calls,omitempty"`           // number of calls of [Options.Hours]; 0 if there is no limit
	Method  string   `json:"method"`                    // how the hours were found
	Runs    []Ahead  `json:"runs"`
}

// Ahead describes a run of a forecast. Index is the run's index among all runs of the grid.
type Ahead struct {
	Index  int      `json:"index"`
	Name   string   `json:"name"`
	Seed   uint64   `json:"seed"`
	Epochs int      `json:"epochs"` // epochs that the configuration asks for
	Done   int      `json:"epochs_done"`
	Hours  *float64 `json:"projected_hours,omitempty"` // hours for the remaining epochs; nil if unknown
	Bytes  uint64   `json:"estimated_bytes,omitempty"` // memory that the run needs

	seeds trainer.Seeds
	of    *Shape // shape of the run's data; nil if unknown
}

// Shape holds the properties of a data set on which the cost of training depends.
type Shape struct {
	Features, Classes int
	Samples           int  // samples of the training part
	Images            bool // whether features are pixels of images
}

// shapes holds the shapes of the published data sets. A CSV file may have any shape.
var shapes = map[string]Shape{
	"digits": {64, 10, 3_823, true}, "mnist": {784, 10, 60_000, true}, "fashion-mnist": {784, 10, 60_000, true},
	"cifar10": {3072, 10, 50_000, true}, "cifar100": {3072, 100, 50_000, true},
}

// ShapeOf returns the shape of s. If s is nil, it returns the shape of the published data set with the given name, or
// nil if there is no such data set.
func ShapeOf(s *dataset.Set, name string) *Shape {
	if s != nil {
		return &Shape{s.Features, len(s.Classes), s.TrainSamples, s.Shape != dataset.Shape{}}
	}
	if of, ok := shapes[name]; ok {
		return &of
	}
	return nil
}

// Forecast predicts which runs [Plan.Train] would train if all data are found, and how long they would take. It
// trains nothing, but measures the speed of each unfinished network, which takes some seconds.
func (p *Plan) Forecast(ctx context.Context) (*Forecast, error) {
	f := &Forecast{Runs: []Ahead{}}
	for i, s := range p.Runs() {
		f.Runs = append(f.Runs, p.ahead(i, s))
	}
	f.Jobs = p.sideBySide(f.Runs)
	f.Threads = max(1, p.cores()/f.Jobs)
	f.Method = fmt.Sprintf("the optimiser steps that are left at the pace that each network had here over a few steps "+
		"on %s, %d side by side; with what else this machine does now; reading and evaluation are not counted",
		message.Plural(f.Threads, "thread", "threads"), f.Jobs)
	err := f.project(ctx)
	if p.Hours > 0 && f.Hours != nil {
		f.Calls = max(1, int(math.Ceil(*f.Hours/p.Hours)))
	}
	return f, err
}

// shape returns the shape of a run's data, or nil if it is unknown.
func (p *Plan) shape(s *trainer.Seeds) *Shape {
	if of, ok := p.shapes[SourceOf(&s.Config)]; ok && of.Samples > 0 {
		return &of
	}
	return ShapeOf(nil, s.Config.Data.Set)
}

// ahead returns the description of a run in a forecast. The hours are not set.
func (p *Plan) ahead(index int, s trainer.Seeds) Ahead {
	a := Ahead{Index: index, Name: s.Config.Name, Seed: s.Config.Train.Seed, Epochs: s.Config.Train.Epochs, seeds: s}
	if found, err := s.Survey(); err == nil && found[0] != nil {
		a.Done = found[0].Epochs()
	}
	if of := p.shape(&s); of != nil {
		a.of, a.Bytes = of, trainer.Bytes(&s.Config, of.Features, of.Samples)
	}
	return a
}

// project sets the hours of the forecast.
func (f *Forecast) project(ctx context.Context) error {
	paces := map[config.Config]float64{}
	total, known := 0.0, true
	for i := range f.Runs {
		a := &f.Runs[i]
		if known = known && a.of != nil; a.of == nil {
			continue
		}
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("%w: nothing was trained", trainer.ErrInterrupted)
		}
		pace, err := f.pace(paces, a)
		if err != nil {
			return fmt.Errorf("%s: %w", a.Name, err)
		}
		m, batch := &a.seeds.Config.Model, a.seeds.Config.Train.Batch
		steps := (a.Epochs - a.Done) * ((a.of.Samples + batch - 1) / batch)
		hours := 0.0
		if steps > 0 {
			hours = float64(m.Nodes()) * float64(steps) / pace / 3600
		}
		a.Hours = &hours
		total += hours / float64(f.Jobs)
	}
	if known {
		f.Hours = &total
	}
	return nil
}

// pace returns the speed of a run's network in gate steps per second. Runs that differ only in the seed share a
// measurement. Networks of different depths share a measurement if they are measured with the same layers.
func (f *Forecast) pace(known map[config.Config]float64, a *Ahead) (float64, error) {
	if a.Done >= a.Epochs {
		return 1, nil // no epochs are left, so any speed will do
	}
	kind := config.Config{Data: a.seeds.Config.Data, Encoder: a.seeds.Config.Encoder, Model: a.seeds.Config.Model}
	kind.Model.Depth = trainer.PaceDepth(&kind.Model)
	kind.Train.Estimator = a.seeds.Config.Train.Estimator
	if pace, ok := known[kind]; ok {
		return pace, nil
	}
	pace, err := trainer.Pace(a.seeds.Config, a.of.Features, a.of.Classes, f.Threads)
	known[kind] = pace
	return pace, err
}

// spare is the part of the memory that concurrent runs may use.
const spare = 0.8

// sideBySide returns the number of concurrent runs. With [Fitting], it is the number of cores, unless the largest
// runs do not fit into memory in this number. In that case, it is smaller.
func (p *Plan) sideBySide(runs []Ahead) int {
	if p.Jobs != Fitting {
		return max(1, p.Jobs)
	}
	var needs []uint64
	for _, a := range runs {
		switch {
		case a.Done >= a.Epochs:
		case a.Bytes == 0:
			return 1 // the memory that a run needs is not known
		default:
			needs = append(needs, a.Bytes)
		}
	}
	return fitting(needs, min(p.cores(), len(needs)), memory.Available())
}

// fitting returns how many of the largest runs fit into memory together. The result is at least 1 and at most
// maxRuns. A memory of 0 means that the size is unknown.
func fitting(needs []uint64, maxRuns int, memory uint64) int {
	slices.Sort(needs)
	slices.Reverse(needs)
	if memory == 0 {
		return 1
	}
	n, sum := 0, uint64(0)
	for n < maxRuns {
		if sum += needs[n]; float64(sum) > spare*float64(memory) {
			break
		}
		n++
	}
	return max(1, n)
}

// Text writes the forecast as a table.
func (f *Forecast) Text(w io.Writer) error {
	lines := [][]string{{"index", "run", "seed", "epochs", "done", "GB", "hours"}}
	for _, a := range f.Runs {
		hours, size := "not known", ""
		if a.Hours != nil {
			hours = fmt.Sprintf("%.2f", *a.Hours)
		}
		if a.Bytes > 0 {
			size = fmt.Sprintf("%.1f", float64(a.Bytes)/1e9)
		}
		lines = append(lines, []string{
			fmt.Sprint(a.Index), a.Name, fmt.Sprint(a.Seed), fmt.Sprint(a.Epochs), fmt.Sprint(a.Done), size, hours,
		})
	}
	_, err := fmt.Fprintf(w, "%s\n\n%s\n", Align(lines), f.Sum())
	return err
}

// Sum describes in one sentence what the grid will train.
func (f *Forecast) Sum() string {
	left := 0
	for _, a := range f.Runs {
		if a.Done < a.Epochs {
			left++
		}
	}
	long := "hours that are not known"
	switch {
	case f.Hours == nil:
	case *f.Hours < 1:
		long = "about " + message.Plural(int(math.Ceil(*f.Hours*60)), "minute", "minutes")
	default:
		long = fmt.Sprintf("about %.1f hours", *f.Hours)
	}
	if f.Calls > 0 {
		long += " in " + message.Plural(f.Calls, "call", "calls")
	}
	return fmt.Sprintf("%s to train, %s: %s", message.Plural(left, "run", "runs"), long, f.Method)
}
