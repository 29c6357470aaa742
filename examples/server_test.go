package examples_test

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestServer runs the tests of the module, and then the commands of its README with a server at a free port.
func TestServer(t *testing.T) {
	t.Parallel()
	goModule(t, "server", "test", "-vet=off", "-ldflags=-s", ".")
	needs(t, "curl")
	w := newWalk(t)
	goModule(t, "server", "build", "-ldflags=-s", "-o", filepath.Join(w.dir, "server"), ".")
	address := ""
	w.change = func(command string) string {
		if strings.HasPrefix(command, "go run -C examples/server . ") {
			address = w.serve("digits.safetensors")
			return ""
		}
		return strings.Replace(command, "localhost:8080", address, 1)
	}
	w.readme("server/README.md")
}

var served = regexp.MustCompile(`at http://(\S+)/classify`)

// serve starts the server and returns its address. At the end of the test, the server must end by itself.
func (w *walk) serve(model string) (address string) {
	w.t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	server := exec.CommandContext(ctx, filepath.Join(w.dir, "server"), "-listen", "localhost:0", model)
	server.Dir = w.dir
	server.Cancel = func() error { return server.Process.Signal(os.Interrupt) }
	said, err := server.StderrPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		stop()
		_ = server.Wait() // the error only says that the server was interrupted
		if code := server.ProcessState.ExitCode(); code != 0 {
			w.t.Errorf("interrupted, the server exits %d", code)
		}
	})
	line, err := bufio.NewReader(said).ReadString('\n')
	match := served.FindStringSubmatch(line)
	if match == nil {
		w.t.Fatalf("the server says %q (%v)", line, err)
	}
	return match[1]
}
