package config_test

import (
	"testing"

	"ialgn/internal/config"
	"ialgn/internal/message"
)

// TestGradients checks that gradients of 8 bits are refused for an estimator that does not round them.
func TestGradients(t *testing.T) {
	for keys, want := range map[string]string{
		"gradients: int8":                     "",
		"gradients: int8, estimator: gumbel":  "",
		"gradients: float32, estimator: soft": "",
		"gradients: int8, estimator: soft":    "m.yaml:2:20: train.gradients: the estimator soft ignores int8",
		"estimator: soft, gradients: int8":    "m.yaml:2:37: train.gradients: the estimator soft ignores int8",
	} {
		_, err := config.Parse("m.yaml", []byte("data: {set: mnist}\ntrain: {"+keys+"}"), nil)
		hint := "use float32, or train.estimator: ste or gumbel"
		if want == "" {
			hint = ""
		}
		if (err == nil) != (want == "") || err != nil && (err.Error() != want || message.Hint(err) != hint) {
			t.Errorf("%s: error %v, hint %q, want %q, %q", keys, err, message.Hint(err), want, hint)
		}
	}
}
