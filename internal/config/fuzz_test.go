package config_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"ialgn/internal/config"
)

// FuzzParse checks that no text causes a panic and that an error starts with its place. An accepted configuration
// must be complete and valid. The configuration must also be valid after a round trip through JSON.
func FuzzParse(f *testing.F) {
	example, err := os.ReadFile(full)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(example, "train.epochs=3")
	for _, test := range errorCases {
		f.Add([]byte(test.text), strings.Join(test.sets, ""))
	}
	f.Fuzz(func(t *testing.T, src []byte, set string) {
		var sets []string
		if set != "" {
			sets = []string{set}
		}
		c, err := config.Parse("m.yaml", src, sets)
		if err != nil {
			if s := err.Error(); !strings.HasPrefix(s, "m.yaml:") && !strings.HasPrefix(s, "Set ") {
				t.Errorf("error without a place: %s", s)
			}
			return
		}
		b, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		var back config.Config
		if err := json.Unmarshal(b, &back); err != nil {
			t.Fatal(err)
		}
		if keys := c.Diff(back, "train.checkpoint.minutes"); len(keys) > 0 {
			t.Errorf("%s differs in %v", b, keys)
		}
		if err := back.Check(); err != nil {
			t.Errorf("read back from JSON: %v", err)
		}
	})
}
