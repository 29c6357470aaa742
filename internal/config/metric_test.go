package config_test

import (
	"testing"

	"ialgn/internal/config"
	"ialgn/internal/message"
)

// TestValidationMetric checks how the metric is stored, and the errors for a wrong one.
func TestValidationMetric(t *testing.T) {
	for metric, want := range map[string]string{"accuracy": "", "f1_macro": "f1_macro"} {
		text := "data: {set: mnist}\ntrain: {validation: {share: 0.1, metric: " + metric + "}}"
		if c, err := config.Parse("m.yaml", []byte(text), nil); err != nil || c.Train.Validation.Metric != want {
			t.Errorf("%s: %q, want %q, error %v", metric, c.Train.Validation.Metric, want, err)
		}
	}
	for _, c := range []struct{ validation, want, hint string }{
		{
			"share: 0.1, metric: macro_f1", `m.yaml:2:42: train.validation.metric: "macro_f1" is unknown`,
			"use accuracy, balanced_accuracy, f1_macro, matthews_corrcoef, roc_auc or average_precision",
		},
		{
			"metric: f1_macro", "m.yaml:2:30: train.validation.metric: there is no validation set to measure progress on",
			"give train.validation.share, too, for example 0.1, or omit this key",
		},
	} {
		text := "data: {set: mnist}\ntrain: {validation: {" + c.validation + "}}"
		_, err := config.Parse("m.yaml", []byte(text), nil)
		if err == nil || err.Error() != c.want || message.Hint(err) != c.hint {
			t.Errorf("%s: error %v, hint %q, want %s, %q", text, err, message.Hint(err), c.want, c.hint)
		}
	}
}

// TestOffsets checks how train.offsets is stored, and the errors for values that cannot be used.
func TestOffsets(t *testing.T) {
	for offsets, want := range map[string]string{"none": "", "integer": "integer", "ties": "ties"} {
		text := "data: {set: mnist}\ntrain: {offsets: " + offsets + ", validation: {share: 0.1}}"
		if c, err := config.Parse("m.yaml", []byte(text), nil); err != nil || c.Train.Offsets != want {
			t.Errorf("%s: %q, want %q, error %v", offsets, c.Train.Offsets, want, err)
		}
	}
	if c, err := config.Parse("m.yaml", []byte("data: {set: mnist}\ntrain: {offsets: ties}"), nil); err != nil ||
		c.Train.Offsets != config.OffsetsTies {
		t.Errorf("ties without a validation set: %q, error %v", c.Train.Offsets, err)
	}
	for _, c := range []struct{ train, want, hint string }{
		{
			"offsets: float, validation: {share: 0.1}", `m.yaml:2:18: train.offsets: "float" is unknown`, "use none, ties or integer",
		},
		{
			"offsets: integer", "m.yaml:2:18: train.offsets: there is no validation set on which the offsets could be chosen",
			"give train.validation.share, too, for example 0.1, or omit this key",
		},
		{
			"offsets: ties, validation: {share: 0.1, metric: roc_auc}", "m.yaml:2:18: train.offsets: roc_auc depends only on the " +
				"order of the samples by their count differences, which ties do not change",
			"omit this key, or use another train.validation.metric, such as balanced_accuracy",
		},
		{
			"offsets: integer, validation: {share: 0.1, metric: roc_auc}", "m.yaml:2:18: train.offsets: roc_auc depends only on the " +
				"order of the samples by their count differences, which offsets do not change",
			"omit this key, or use another train.validation.metric, such as balanced_accuracy",
		},
	} {
		text := "data: {set: mnist}\ntrain: {" + c.train + "}"
		_, err := config.Parse("m.yaml", []byte(text), nil)
		if err == nil || err.Error() != c.want || message.Hint(err) != c.hint {
			t.Errorf("%s: error %v, hint %q, want %s, %q", text, err, message.Hint(err), c.want, c.hint)
		}
	}
}
