package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestWatch serves the page of a log until the command gets the signal. The command must then end normally, with exit
// status 0.
func TestWatch(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "small.yaml", small)
	must(t, "train", "small.yaml", "-o", "m.st", "--log", "log.jsonl", "--quiet")
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	stdout, out := io.Pipe()
	var stderr strings.Builder
	code := make(chan int)
	go func() { code <- run(ctx, []string{"ialgn", "watch", "log.jsonl"}, out, &stderr) }()
	address, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil || !strings.HasPrefix(address, "http://127.0.0.1:") {
		t.Fatalf("address %q: %v", address, err)
	}
	response, err := http.Get(strings.TrimSpace(address))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	if err != nil || !strings.Contains(string(page), `"name":"log"`) {
		t.Errorf("the page lacks the run: %v\n%.2000s", err, page)
	}
	interrupt()
	if got := <-code; got != exitDone || stderr.Len() > 0 {
		t.Errorf("exit status %d, standard error %q", got, stderr.String())
	}
}
