package plan

import (
	"fmt"

	"ialgn/backend"
	"ialgn/internal/encoding"
	"ialgn/internal/folded"
	"ialgn/internal/message"
	"ialgn/internal/model"
	"ialgn/internal/verify"
)

// checkPositions returns an error for options that cannot be combined with [FoldPositions].
func checkPositions(o Options) error {
	if o.FoldSteps > 0 {
		return message.WithHint(message.Optionf("{FoldSteps} %d: an engine with one position per clock has no steps",
			o.FoldSteps),
			"omit it")
	}
	return nil
}

// convolutions divides a network into parts. There is one part for the kernels of each convolution, and one for the
// dense layers.
func convolutions(compact *model.Compact) (parts []Part, build builder, err error) {
	network, err := compact.Parts()
	if err != nil {
		remedy := "train a network of topology conv, or omit {Fold}"
		if compact.Shared() {
			remedy = "use padding, strides and pooling that keep the image's proportions, or omit {Fold}"
		}
		return nil, nil, message.WithHint(message.Optionf("{Fold positions}: %w", err), remedy)
	}
	for i := range network.Convolutions {
		parts = append(parts, Part{
			folded.ConvolutionSuffix(i + 1), fmt.Sprintf("the kernels of convolution %d", i+1),
			verify.Design{Model: network.Convolutions[i].Kernels},
		})
	}
	parts = append(parts, Part{folded.DenseSuffix, "the dense layers", verify.Design{Model: network.Dense}})
	return parts, func(frame folded.Frame, e *encoding.Encoder, name string) (folded.Engine, backend.FoldReport,
		*backend.FoldParts, error,
	) {
		first := network.Convolutions[0].Grid
		s := &folded.PositionsShape{
			Frame: frame, Planes: first.Planes / (e.Bits - 1), Rows: first.Rows, Columns: first.Columns,
		}
		for i := range parts {
			module := folded.Part{Module: name + parts[i].Suffix, Stages: stages(parts[i].Product)}
			if i == len(network.Convolutions) {
				s.Dense = module
				break
			}
			c := &network.Convolutions[i]
			s.Convolutions = append(s.Convolutions, folded.Convolution{
				Planes: c.Grid.Planes, Rows: c.Grid.Rows, Columns: c.Grid.Columns, Side: c.Grid.Side, Stride: c.Grid.Stride,
				Padding: c.Grid.Padding, Pool: c.Grid.Pool, Kernels: c.Kernels.Width - c.Carried, Carried: c.Carried, Part: module,
			})
		}
		if err := s.Check(); err != nil {
			return nil, backend.FoldReport{}, nil, err
		}
		r := &backend.Positions{PositionsCost: s.Cost()}
		return s, backend.FoldReport{Positions: r}, &r.FoldParts, nil
	}, nil
}
