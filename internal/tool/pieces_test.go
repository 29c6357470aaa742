package tool

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPieces writes output in pieces of different sizes. The same lines must be reported each time, including empty
// lines. A line that is too long must be reported in pieces, without an empty piece at its end.
func TestPieces(t *testing.T) {
	text := "one\r\n\ntwo\n" + strings.Repeat("x", 2*longestLine+1) + "\nend"
	for _, size := range []int{1, 2, 1000, longestLine, longestLine + 1, 1 << 20} {
		var told []string
		long := 0
		l := &lines{tell: func(line string) {
			if strings.HasPrefix(line, "x") {
				long += len(line)
				return
			}
			told = append(told, line)
		}}
		for rest := text; rest != ""; rest = rest[min(size, len(rest)):] {
			if n, err := l.Write([]byte(rest[:min(size, len(rest))])); err != nil || n != min(size, len(rest)) {
				t.Fatalf("%d, %v", n, err)
			}
		}
		if diff := cmp.Diff([]string{"one", "", "two"}, told); diff != "" || long != 2*longestLine+1 {
			t.Errorf("in pieces of %d (-want +got), and %d of the long line:\n%s", size, long, diff)
		}
	}
}
