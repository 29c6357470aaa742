package grid

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"ialgn/internal/message"
	"ialgn/trainer"
)

// MostHours is the largest useful value of [Options.Hours], a year.
const MostHours = 8784

// errHours is the cause of contexts that ended because [Options.Hours] were over.
var errHours = errors.New("the hours are over")

// limited returns a context that is cancelled when the hours of this call are over. The context has no deadline,
// because training treats a cancelled context as an interruption.
func (o *Options) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	if o.Hours <= 0 {
		return ctx, func() { cancel(nil) }
	}
	timer := time.AfterFunc(time.Duration(o.Hours*float64(time.Hour)), func() { cancel(errHours) })
	return ctx, func() { timer.Stop(); cancel(nil) }
}

// ended returns err. If err is an interruption, ended adds a hint that says which of the runs are finished and which
// remain. If the hours were over, it says so.
func (p *Plan) ended(ctx context.Context, runs []trainer.Seeds, err error) error {
	if !errors.Is(err, trainer.ErrInterrupted) {
		return err
	}
	if errors.Is(context.Cause(ctx), errHours) {
		err = message.Optionf("{Hours %v}: the time is over: %w", p.Hours, err)
	}
	return message.WithHint(err, "%s", left(runs))
}

// left describes which of the runs are finished and which remain.
func left(runs []trainer.Seeds) string {
	finished, fresh := 0, 0
	var begun []string
	for _, s := range runs {
		switch found, err := s.Survey(); {
		case err != nil || found[0] == nil:
			fresh++
		case found[0].Finished:
			finished++
		default:
			begun = append(begun, fmt.Sprintf("%s.seed%d (%d of %s)", s.Config.Name, s.Config.Train.Seed, found[0].Epochs(),
				message.Plural(s.Config.Train.Epochs, "epoch", "epochs")))
		}
	}
	text := fmt.Sprintf("finished: %d of %s; ", finished, message.Plural(len(runs), "run", "runs"))
	if len(begun) > 0 {
		text += "begun: " + strings.Join(begun, ", ") + "; "
	}
	return text + fmt.Sprintf("not begun: %d; the same command continues", fresh)
}
