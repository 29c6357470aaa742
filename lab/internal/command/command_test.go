package command

import (
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"

	"ialgn/internal/message"
)

func TestStatus(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct {
		err  error
		code int
		want string
	}{
		{nil, 0, ""},
		{fmt.Errorf("options: %w", flag.ErrHelp), 0, ""},
		{broken, 1, "mutate: broken\n"},
		{message.WithHint(broken, "mend it"), 1, "mutate: broken\nmutate: hint: mend it\n"},
	} {
		var said strings.Builder
		if code := status(&said, "mutate", c.err); code != c.code || said.String() != c.want {
			t.Errorf("%v: exit status %d and %q, want %d and %q", c.err, code, said.String(), c.code, c.want)
		}
	}
}
