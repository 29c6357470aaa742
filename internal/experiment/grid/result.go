package grid

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"

	"ialgn/internal/build"
	"ialgn/internal/config"
	"ialgn/internal/diagnose"
	"ialgn/internal/model"
	"ialgn/internal/outfile"
)

// Result holds the facts about a finished run that tables and plots need. It depends only on the model file. It is
// stored next to the model file, so that large models need not be read for every table.
type Result struct {
	Model          string                `json:"model"` // file name of the model
	SHA256         string                `json:"model_sha256"`
	Commit         string                `json:"commit,omitempty"` // commit of the program that wrote the result
	Config         config.Config         `json:"config"`
	Epochs         []EpochResult         `json:"epochs"`
	Gates          int                   `json:"deployed_gates"`
	Operations     [16]float64           `json:"operations"` // share of each operation, as in `ialgn analyze`
	Categories     diagnose.Categories   `json:"categories"`
	EffectiveDepth []diagnose.LayerDepth `json:"effective_depth"` // one for each layer
	Costs          *Costs                `json:"luts,omitempty"`  // LUTs of the compiled network, if the grid counts them

	// Tested is set if [Plan.Tested] is. It is nil if the data set was not found.
	Tested *Tested `json:"tested,omitempty"`
}

// EpochResult is the state after an epoch. Accuracies are shares.
type EpochResult struct {
	Loss    float64  `json:"loss"`
	Train   float64  `json:"train_accuracy"`
	Test    float64  `json:"test_accuracy"`                   // of the frozen network
	Relaxed *float64 `json:"relaxed_test_accuracy,omitempty"` // of the relaxed network, with estimator soft
}

// ResultPath returns the path of a model's result: the model's path with the ending .json.
func ResultPath(model string) string {
	return strings.TrimSuffix(model, filepath.Ext(model)) + ".json"
}

// resultOf returns the result for the model with the given checksum. It reads the result's file if this file belongs
// to the model. Otherwise it reads the model and writes the file.
func (p *Plan) resultOf(ctx context.Context, path, sum string) (*Result, error) {
	file := ResultPath(path)
	if text, err := os.ReadFile(file); err == nil {
		var kept Result
		own := json.Unmarshal(text, &kept) == nil && kept.SHA256 == sum && kept.Model == filepath.Base(path)
		if own && kept.whole(p.Target, p.Tested) {
			return &kept, nil
		}
	}
	if err := p.Guard.Check(file, outfile.Result); err != nil {
		return nil, err
	}
	r, err := measure(path)
	if err == nil && p.Target != "" {
		r.Costs, err = costsOf(ctx, path, p.Target)
	}
	if err == nil && p.Tested {
		r.Tested, err = p.test(ctx, path)
	}
	if err != nil {
		return nil, err
	}
	r.SHA256, r.Commit = sum, build.Commit()
	err = outfile.Write(file, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", " ")
		return enc.Encode(r)
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// whole reports whether a result that was read from a file is complete, since users may have edited the file. A
// complete result has the epochs and layers that tables need. Unless target is "", it also has the costs for the
// target. If tested is true, it also has the confusion matrix and the metrics of the test samples.
func (r *Result) whole(target string, tested bool) bool {
	depth := r.Config.Model.FrozenLayers()
	return len(r.Epochs) > 0 && depth > 0 && len(r.EffectiveDepth) == depth &&
		(target == "" || r.Costs != nil && r.Costs.target() == target) &&
		(!tested || r.Tested.Check() == nil && r.Tested.Values != nil)
}

// measure reads a model and returns its result without costs.
func measure(path string) (*Result, error) {
	file, err := model.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Info()
	if err != nil {
		return nil, err
	}
	f, err := file.Frozen()
	if err != nil {
		return nil, err
	}
	counted := diagnose.TakeCensus(f)
	r := &Result{
		Model: filepath.Base(path), Config: info.Model.Config, Gates: f.Gates(),
		Operations: counted.Operations, Categories: counted.Categories, EffectiveDepth: diagnose.EffectiveDepth(f),
	}
	for _, e := range info.Model.Record.Epochs {
		one := EpochResult{
			Loss: e.Loss, Train: share(e.TrainCorrect, e.TrainSamples),
			Test: share(e.TestCorrect, e.TestSamples),
		}
		if r.Config.Train.Estimator == "soft" {
			relaxed := share(e.RelaxedCorrect, e.TestSamples)
			one.Relaxed = &relaxed
		}
		r.Epochs = append(r.Epochs, one)
	}
	return r, nil
}

func share(part, all int) float64 { return float64(part) / float64(all) }
