package fit

import (
	"context"
	"fmt"

	library "ialgn"
	"ialgn/internal/config"
	"ialgn/internal/metrics"
)

// own lists the keys that are always set by the search and not by the user.
var own = []string{
	"name", "model.width", "train.epochs", "train.seed", "train.validation.share", "train.validation.patience",
}

// validationShare is the share of the training samples that are held out to judge candidates. frontShare is the share
// that is held out when networks of the front are trained, if the search is for a metric other than the accuracy.
// Their best epoch by this metric is kept.
const (
	validationShare = 0.2
	frontShare      = 0.1
)

// heldOut returns the share of the training samples that are held out when networks of the front are trained.
func (s *search) heldOut() float64 {
	if s.metric == "" {
		return 0
	}
	return frontShare
}

// mostAnchors is the number of input bits among which a pin can choose. If there are fewer input bits, it chooses
// among all of them.
const mostAnchors = 16

// config returns the configuration of a candidate. If name is empty, the configuration has the draft's name. seed is
// added to the draft's seed, which is 1 by default. The argument share is the share of samples that are held out for
// validation.
func (s *search) config(c candidate, width, epochs int, name string, seed int, share float64) (config.Config, error) {
	own := []string{
		fmt.Sprintf("model.width=%d", width), fmt.Sprintf("train.epochs=%d", epochs),
		fmt.Sprintf("train.validation.share=%g", share), "train.validation.patience=0",
	}
	if name != "" {
		own = append(own, "name="+name)
	}
	chosen := append(c.keys(s.dims, size{width, s.classes}), "train.schedule.kind=cosine")
	cfg, err := s.draft.With(chosen, own)
	if err != nil {
		return cfg, err
	}
	inputs := s.features * (cfg.Encoder.Bits - 1)
	chosen = append(chosen, fmt.Sprintf("model.anchors=%d", min(mostAnchors, inputs)))
	if inputs > mostAnchors {
		chosen = append(chosen, "train.candidates.kind=gradient")
	}
	if s.metric != "" && !metrics.Ranks(s.metric) {
		chosen = append(chosen, "train.offsets=integer")
	}
	cfg, err = s.draft.With(chosen, append(own, fmt.Sprintf("train.seed=%d", cfg.Train.Seed+uint64(seed))))
	if err != nil {
		return cfg, err
	}
	if err := cfg.CheckMetric(s.classes); err != nil {
		return cfg, err
	}
	return cfg, cfg.CheckClasses(s.classes, inputs)
}

// design returns the options with which networks are compiled to count their LUTs.
func (s *search) design() library.CompileOptions {
	return library.CompileOptions{Target: s.family, Objective: "area"}
}

// costOf compiles a model and returns its cost.
func (s *search) costOf(ctx context.Context, m *library.Model) (*cost, error) {
	o := s.design()
	o.Data = s.Data
	d, err := library.Compile(ctx, m, o)
	if err != nil {
		return nil, err
	}
	r, err := d.Report()
	if err != nil {
		return nil, err
	}
	c := &cost{LUTs: LUTs{r.LUTs.Gates, r.LUTs.Head, r.LUTs.Encoder, r.LUTs.Total}}
	if s.keeps {
		c.Kept = r.Fanout.Bits - r.Fanout.Unread
	}
	return c, nil
}
