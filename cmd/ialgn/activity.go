package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/urfave/cli/v2"

	"ialgn/internal/atomicfile"
	"ialgn/internal/hint"
	"ialgn/internal/overwrite"
	"ialgn/netlist"
	"ialgn/sim/activity"
)

// busiestShown is how many nets the output of sim names.
const busiestShown = 10

// activityOptions say where the switching activity goes.
type activityOptions struct {
	file, vcd string // empty: not written
	samples   int
}

func newActivityOptions(c *cli.Context) (o activityOptions, err error) {
	o.file, o.vcd = c.String("activity"), c.String("vcd")
	if !o.wanted() && c.IsSet("samples") {
		return o, hint.With(errors.New("--samples: it says how many samples --activity and --vcd are about"), "give one of these, too, or leave it out")
	}
	if o.samples, err = parseSamples(c.String("samples")); err != nil {
		return o, err
	}
	return o, o.check(guard(c))
}

// check refuses files that must not be written over, and one file for both.
func (o activityOptions) check(g overwrite.Guard) error {
	if err := overwrite.Distinct(o.file, o.vcd); err != nil {
		return err
	}
	return g.CheckAll([]overwrite.File{{Path: o.file, Form: overwrite.Activity}, {Path: o.vcd, Form: overwrite.Dump}})
}

func (o activityOptions) wanted() bool { return o.file != "" || o.vcd != "" }

// activityReport is what sim says of the activity; the file has all nets, too.
type activityReport struct {
	*activity.Report
	Busiest []activity.Net `json:"busiest"`
	Seconds float64        `json:"seconds"`
}

// measure measures a netlist over the first samples of bit rows and writes the files, nil if none
// was asked for.
func (o activityOptions) measure(ctx context.Context, n *netlist.Netlist, x []uint64, samples int) (*activityReport, error) {
	if !o.wanted() {
		return nil, nil
	}
	begin := time.Now()
	r := &activityReport{}
	run := func(vcd io.Writer) (err error) {
		r.Report, err = activity.Measure(ctx, n, x, min(o.samples, samples), vcd)
		return err
	}
	var err error
	if o.vcd == "" {
		err = run(nil)
	} else {
		err = atomicfile.Write(o.vcd, run)
	}
	if err != nil {
		return nil, err
	}
	if o.file != "" {
		if err := atomicfile.Write(o.file, func(w io.Writer) error { return json.NewEncoder(w).Encode(r.Report) }); err != nil {
			return nil, err
		}
	}
	r.Busiest, r.Nets = r.Report.Busiest(busiestShown), nil
	r.Seconds = time.Since(begin).Seconds()
	return r, nil
}

func (r *activityReport) text(w io.Writer) {
	fmt.Fprintf(w, "activity over %d samples: %s\n", r.Samples, r.What)
	for _, g := range append(r.Parts, r.Total) {
		fmt.Fprintf(w, "  %-8s %9d nets (%d never switch), %11d transitions, %.4f a net and step\n", g.Name, g.Nets, g.Silent, g.Transitions, g.Mean)
	}
	if len(r.Classes) > 0 {
		fmt.Fprint(w, "  gates of each class, transitions a net and step:")
		for _, g := range r.Classes {
			fmt.Fprintf(w, " %.4f", g.Mean)
		}
		fmt.Fprintln(w)
	}
	fmt.Fprint(w, "  busiest:")
	for _, v := range r.Busiest {
		fmt.Fprintf(w, " %s %d", v.Name, v.Transitions)
	}
	fmt.Fprintln(w)
}
