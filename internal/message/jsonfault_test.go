package message

import (
	"encoding/json"
	"errors"
	"testing"
)

// TestExplain explains JSON texts with one fault each.
func TestExplain(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{"counts":[{"net":-1}]}`, "counts.net: number -1 has no place there (byte 20)"},
		{`{"counts":[{"net":"a"}]}`, "counts.net: string has no place there (byte 21)"},
		{`[1]`, "the value: array has no place there (byte 1)"},
		{`{"counts":`, "byte 10: unexpected end of JSON input"},
		{`x`, "byte 1: invalid character 'x' looking for beginning of value"},
	} {
		var v struct {
			Counts []struct {
				Net uint32 `json:"net"`
			} `json:"counts"`
		}
		if err := ExplainJSON(json.Unmarshal([]byte(c.text), &v)); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.text, err, c.want)
		}
	}
	if other := errors.New("other"); !errors.Is(ExplainJSON(other), other) {
		t.Error("an error that is not about JSON was changed")
	}
}
