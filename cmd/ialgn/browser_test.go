package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/tool"
	"ialgn/internal/tooltest"
)

// lookScript opens a page in a frame as wide as a phone and writes down what it finds there.
// The browser prints the document when its script has run.
const lookScript = `<!DOCTYPE html><link rel="icon" href="data:,"><title>look</title>
<iframe id="phone" src="/page" style="width:360px;height:800px;border:0"></iframe>
<pre id="found"></pre>
<script>
window.onload = function () {
  var w = document.getElementById('phone').contentWindow, d = w.document, out = [];
  out.push('width ' + d.documentElement.scrollWidth + ' of ' + d.documentElement.clientWidth);
  out.push('fetched ' + w.performance.getEntriesByType('resource').map(function (e) { return e.name; }).join(' '));
  d.querySelectorAll('h2').forEach(function (h) { out.push('section ' + h.id + ' ' + (h.offsetHeight > 0)); });
  var charts = d.querySelectorAll('svg[role=img]');
  charts.forEach(function (s) {
    var r = s.getBoundingClientRect(), t = s.querySelector('title');
    out.push('chart ' + (r.width > 200 && r.height > 100 && t.textContent.length > 0));
  });
  out.push('unnamed ' + d.querySelectorAll('table:not(:has(caption)), td:first-child').length);
  document.getElementById('found').textContent = out.join('\n');
};
</script>`

// look opens a page in a browser and returns what its script found, what the console said,
// and what the browser asked for.
func look(t *testing.T, html []byte) (found []string, console, asked []string) {
	t.Helper()
	browser := tooltest.Find(t, "chromium")
	var mu sync.Mutex
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, r.URL.Path)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch r.URL.Path {
		case "/":
			io.WriteString(w, lookScript)
		case "/page":
			w.Write(html)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer server.Close()
	out, err := browser.Run(t.Context(), tool.Command{Limit: 2 * time.Minute, Args: []string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--enable-logging=stderr",
		"--user-data-dir=" + filepath.Join(t.TempDir(), "profile"),
		"--window-size=1000,900", "--hide-scrollbars", "--virtual-time-budget=20000", "--dump-dom", server.URL + "/",
	}})
	if err != nil {
		t.Fatalf("%v\n%s", err, out.Stderr)
	}
	m := regexp.MustCompile(`(?s)<pre id="found">(.*?)</pre>`).FindStringSubmatch(out.Stdout)
	if m == nil || m[1] == "" {
		t.Fatalf("the script found nothing:\n%s\n%s", out.Stdout, out.Stderr)
	}
	for _, line := range strings.Split(out.Stderr, "\n") {
		if strings.Contains(line, "CONSOLE") {
			console = append(console, line)
		}
	}
	slices.Sort(asked)
	return strings.Split(m[1], "\n"), console, asked
}

// TestPageInBrowser opens the page of `ialgn report` in a browser, on a phone's width: all
// sections and charts are drawn, nothing is wider than the screen, nothing is fetched, and
// the console is silent.
func TestPageInBrowser(t *testing.T) {
	tooltest.Find(t, "chromium")
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.WriteFile("small.yaml", []byte(small), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"train", "small.yaml", "-o", "a.safetensors", "--quiet"},
		{"compile", "a.safetensors", "-o", "out", "--target", "ice40", "--pipeline", "2"},
		{"verify", "a.safetensors", "out", "--level", "software"},
		{"report", "out"},
	} {
		var stderr strings.Builder
		if code := run(context.Background(), append([]string{"ialgn"}, args...), io.Discard, &stderr); code != exitDone {
			t.Fatalf("ialgn %s: exit status %d\n%s", strings.Join(args, " "), code, stderr.String())
		}
	}
	html, err := os.ReadFile(filepath.Join("out", pageName))
	if err != nil {
		t.Fatal(err)
	}
	found, console, asked := look(t, html)
	want := []string{"width 360 of 360", "fetched "}
	for _, id := range []string{"configuration", "training", "confusion", "operations", "depth", "area", "passes", "verification", "bitstream", "files"} {
		want = append(want, fmt.Sprintf("section %s true", id))
	}
	for range 7 {
		want = append(want, "chart true")
	}
	if diff := cmp.Diff(append(want, "unnamed 0"), found); diff != "" {
		t.Errorf("in the browser (-want +got):\n%s", diff)
	}
	if len(console) > 0 {
		t.Errorf("the console says\n%s", strings.Join(console, "\n"))
	}
	if diff := cmp.Diff([]string{"/", "/page"}, asked); diff != "" {
		t.Errorf("asked for (-want +got):\n%s", diff)
	}
}

// TestBrowserSees: the look at the page is one that finds what is wrong with another.
func TestBrowserSees(t *testing.T) {
	found, console, asked := look(t, []byte(`<!DOCTYPE html><h2 id="a">a</h2><p style="width:500px">wide</p><table><tr><td>1</table>
<img src="/picture.png"><svg role="img" width="9" height="9"><title></title></svg><script>console.error("wrong")</script>`))
	text := strings.Join(found, "\n")
	for _, want := range []string{" of 360", "/picture.png", "section a true", "chart false", "unnamed 2"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q was not found in\n%s", want, text)
		}
	}
	if strings.Contains(text, "width 360") {
		t.Errorf("a page of 500 pixels is as wide as the screen:\n%s", text)
	}
	if !strings.Contains(strings.Join(console, "\n"), "wrong") {
		t.Errorf("the error on the console was not seen: %q", console)
	}
	if !slices.Contains(asked, "/picture.png") {
		t.Errorf("the picture was not asked for: %q", asked)
	}
}
