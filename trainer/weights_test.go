package trainer

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/config"
)

// rareTable writes two tables of samples with one feature x from 0 to 15. A sample is of the class rare with the
// probability x/45, else of the class usual. rareTable returns the first keys of a configuration for the tables.
func rareTable(t *testing.T, samples int) string {
	t.Helper()
	r, dir := rand.New(rand.NewPCG(1, 2)), t.TempDir()
	for _, name := range []string{"train.csv", "test.csv"} {
		rows := "x,noise,class\n"
		for range samples {
			x, class := r.IntN(16), "usual"
			if r.IntN(45) < x {
				class = "rare"
			}
			rows += fmt.Sprintf("%d,%d,%s\n", x, r.IntN(16), class)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(rows), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return fmt.Sprintf("data: {set: csv, train: %s, test: %s}\nencoder: {raw: true, bits: 16}\n"+
		"model: {width: 20, depth: 2, anchors: 8, inputs: 4, tau: 2}\ntrain: {epochs: 12, batch: 50, optimizer: {lr: 0.05}}\n",
		filepath.Join(dir, "train.csv"), filepath.Join(dir, "test.csv"))
}

// rareConfig returns a configuration for the tables of rareTable, with overrides.
func rareConfig(t *testing.T, text string, sets ...string) config.Config {
	t.Helper()
	cfg, err := config.Parse("rare.yaml", []byte(text), sets)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// TestBalancedWeights checks that balanced weights have the values of the training samples that are not held out, and
// that they raise the recall of a rare class.
func TestBalancedWeights(t *testing.T) {
	text, dir := rareTable(t, 600), t.TempDir()
	held := "train.validation.share=0.2"
	cfg := rareConfig(t, text, held)
	data, err := LoadData(t.Context(), cfg, nil)
	if err == nil {
		err = data.holdOut(cfg.Train.Validation, cfg.Train.Seed)
	}
	if err != nil {
		t.Fatal(err)
	}
	counts := classCounts(2, data.Train.Labels)
	var list []string
	for c, n := range counts {
		list = append(list, fmt.Sprintf("%s=%v", data.Classes[c], float32(float64(counts[0]+counts[1])/float64(2*n))))
	}
	recall := map[string]float64{}
	models := map[string]string{}
	for _, weights := range []string{"none", "balanced", strings.Join(list, ", ")} {
		path := filepath.Join(dir, "m")
		warned := false
		s := train(t, Run{
			Config: rareConfig(t, text, held, "train.class_weights="+weights), Model: path,
			Warn: func(error) { warned = true },
		})
		if weighted := weights != "none"; weighted && (warned || s.TestAccuracy > s.Majority.Share) {
			t.Errorf("weights %s: accuracy %v, majority %v, warning %v", weights, s.TestAccuracy, s.Majority, warned)
		}
		m := loadModel(t, path)
		scores, err := m.Freeze().Evaluate(t.Context(), data.Test, 1)
		if err != nil {
			t.Fatal(err)
		}
		rare := scores.Confusion(data.Test.Labels)[0]
		recall[weights], models[weights] = float64(rare[0])/float64(rare[0]+rare[1]), logitsDigest(t, path)
	}
	if data.Classes[0] != "rare" || recall["none"] > 0.2 || recall["balanced"] < 0.5 {
		t.Errorf("classes %v, recalls of the first %v", data.Classes, recall)
	}
	if diff := cmp.Diff(models["balanced"], models[strings.Join(list, ", ")]); diff != "" {
		t.Errorf("weights %v: logits (-balanced +list):\n%s", list, diff)
	}
}

// TestMetricWithoutPairs checks the error for a metric of two classes if the validation set has samples of one class.
func TestMetricWithoutPairs(t *testing.T) {
	text := rareTable(t, 12)
	refused(t, Run{
		Config: rareConfig(t, text, "train.validation.share=0.01", "train.validation.stratified=false",
			"train.validation.metric=roc_auc"),
		Model: filepath.Join(t.TempDir(), "m"),
	}, "train.validation.metric: roc_auc is not defined, because the validation set has samples of only one "+
		"class; use a larger train.validation.share")
}
