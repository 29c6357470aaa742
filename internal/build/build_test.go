package build

import (
	"runtime/debug"
	"testing"
)

func TestCommit(t *testing.T) {
	long := "0123456789abcdef0123456789abcdef01234567"
	for _, c := range []struct{ revision, modified, want string }{
		{long, "false", "0123456789ab"},
		{long, "true", "0123456789ab+"},
		{"0123", "", "0123"},
		{"", "true", ""},
	} {
		settings := []debug.BuildSetting{
			{Key: "vcs.modified", Value: c.modified},
			{Key: "vcs", Value: "git"},
			{Key: "vcs.revision", Value: c.revision},
		}
		if got := commit(settings); got != c.want {
			t.Errorf("revision %q, modified %q: %q, want %q", c.revision, c.modified, got, c.want)
		}
	}
}

func TestDate(t *testing.T) {
	settings := []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.time", Value: "2026-11-25T03:04:05Z"}}
	if got := date(settings); got != "2026-11-25" {
		t.Errorf("%q", got)
	}
	if got := date(settings[:1]); got != "" {
		t.Errorf("without a commit: %q", got)
	}
}

func TestDigest(t *testing.T) {
	first, err := Digest()
	if err != nil || len(first) != 64 {
		t.Fatalf("%q, error %v", first, err)
	}
	if again, _ := Digest(); again != first {
		t.Errorf("then %q", again)
	}
}
