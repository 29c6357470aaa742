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

	"ialgn/internal/testkit"
	"ialgn/internal/tool"
)

// lookScript opens a page in five frames. Three frames have the widths of a phone, a tablet and a screen. One frame
// has print style, and one has dark style. The script writes its findings into the document, which the browser prints
// when the script has run.
const lookScript = `<!DOCTYPE html><link rel="icon" href="data:,"><title>look</title>
<style>iframe { height: 800px; border: 0 }</style>
<iframe id="phone" src="/page" style="width:360px"></iframe>
<iframe id="tablet" src="/page" style="width:768px"></iframe>
<iframe id="screen" src="/page" style="width:1280px"></iframe>
<iframe id="paper" src="/paper" style="width:718px"></iframe>
<iframe id="dark" src="/dark" style="width:1280px"></iframe>
<pre id="found"></pre>
<script>
// inside reports whether box a lies in box b; touch, whether two boxes overlap by more than two pixels.
function inside(a, b) { return a.left > b.left - 1 && a.right < b.right + 1; }
function touch(a, b) {
  return Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2;
}
// paper reports whether a fill is white, black or nearly so.
function paper(fill) {
  var m = fill.match(/^rgb\((\d+), (\d+), (\d+)\)$/);
  return m !== null && (Math.min(m[1], m[2], m[3]) > 240 || Math.max(m[1], m[2], m[3]) < 30);
}
function box(e) { return e.getBoundingClientRect(); }

// broken returns the words that are broken over two lines.
function broken(d) {
  var n = 0, walk = d.createTreeWalker(d.body, NodeFilter.SHOW_TEXT), range = d.createRange(), words = /[A-Za-z]{2,}/g, m;
  while (walk.nextNode()) {
    var node = walk.currentNode;
    if (node.parentNode.closest('svg, .long thead') || /[0-9a-f]{40}/.test(node.data)) continue;
    while ((m = words.exec(node.data)) !== null) {
      range.setStart(node, m.index);
      range.setEnd(node, m.index + m[0].length);
      n += range.getClientRects().length > 1;
    }
  }
  return n;
}

// area returns the box of a chart's grid lines, which its curves and bars must not leave.
function area(chart) {
  var a = {left: 1e9, right: -1e9, top: 1e9, bottom: -1e9};
  chart.querySelectorAll('path[style*="stroke:#C8C8C8"]').forEach(function (g) {
    var r = box(g);
    a = {left: Math.min(a.left, r.left), right: Math.max(a.right, r.right), top: Math.min(a.top, r.top), bottom: Math.max(a.bottom, r.bottom)};
  });
  return a;
}

window.onload = function () {
  var out = [];
  ['phone', 'tablet', 'screen', 'paper', 'dark'].forEach(function (name) {
    var w = document.getElementById(name).contentWindow, d = w.document;
    out.push(name + ': width ' + d.documentElement.scrollWidth + ' of ' + d.documentElement.clientWidth);
    out.push(name + ': fetched ' + w.performance.getEntriesByType('resource').map(function (e) { return e.name; }).join(' '));
    var cut = 0, outside = 0, over = 0, together = 0, white = 0;
    d.querySelectorAll('.wide').forEach(function (t) { cut += t.scrollWidth > t.clientWidth; });
    d.querySelectorAll('.matrix').forEach(function (m) { outside += !inside(box(m), box(m.closest('section'))) || box(m).width < 200; });
    d.querySelectorAll('figure svg').forEach(function (chart) {
      var plot = area(chart), texts = Array.from(chart.querySelectorAll('text')).map(box);
      texts.forEach(function (t, i) {
        over += touch(t, plot);
        texts.slice(i + 1).forEach(function (u) { together += touch(t, u); });
      });
      Array.from(chart.querySelectorAll('rect, path')).concat([chart, chart.parentNode]).forEach(function (e) {
        var s = w.getComputedStyle(e), fill = e.matches('rect, path') ? s.fill : s.backgroundColor;
        white += box(e).width > 100 && box(e).height > 100 && s.fillOpacity > 0.9 && paper(fill);
      });
    });
    out.push(name + ': tables cut ' + cut + ', matrices outside ' + outside + ', words broken ' + broken(d));
    out.push(name + ': texts over a plot ' + over + ', together ' + together + ', boxes ' + white);
  });
  var d = document.getElementById('phone').contentWindow.document;
  d.querySelectorAll('h2').forEach(function (h) { out.push('section ' + h.id + ' ' + (h.offsetHeight > 0)); });
  d.querySelectorAll('svg[role=img]').forEach(function (s) {
    var t = s.querySelector('title');
    out.push('chart ' + (box(s).width > 200 && box(s).height > 100 && t.textContent.length > 0));
  });
  out.push('unnamed ' + d.querySelectorAll('table:not(:has(caption)), tbody td:first-child').length);
  document.getElementById('found').textContent = out.join('\n');
};
</script>`

// media maps each path of the page to the CSS media condition that is forced there.
var media = map[string]string{"/page": "", "/paper": "@media print", "/dark": "@media (prefers-color-scheme: dark)"}

// look opens a page in a browser with [lookScript]. It returns the findings of the script, the messages on the console
// and the paths that the browser requested.
func look(t *testing.T, html []byte) (found []string, console, asked []string) {
	t.Helper()
	return browse(t, lookScript, html)
}

// browse opens a script's page in a browser. The script may load html at the paths of media. browse returns the
// findings of the script, the messages on the console and the paths that the browser requested.
func browse(t *testing.T, script string, html []byte) (found []string, console, asked []string) {
	t.Helper()
	browser := testkit.FindTool(t, "chromium")
	var mu sync.Mutex
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, r.URL.Path)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		condition, ok := media[r.URL.Path]
		switch {
		case r.URL.Path == "/":
			io.WriteString(w, script)
		case ok && condition != "":
			io.WriteString(w, strings.ReplaceAll(string(html), condition, "@media all"))
		case ok:
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
		"--window-size=1400,900", "--hide-scrollbars", "--virtual-time-budget=20000", "--dump-dom", server.URL + "/",
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

// sound returns the findings for a page without faults.
func sound() (found []string) {
	for _, f := range []struct {
		frame string
		width int
	}{{"phone", 360}, {"tablet", 768}, {"screen", 1280}, {"paper", 718}, {"dark", 1280}} {
		found = append(found, fmt.Sprintf("%s: width %d of %[2]d", f.frame, f.width), f.frame+": fetched ",
			f.frame+": tables cut 0, matrices outside 0, words broken 0", f.frame+": texts over a plot 0, together 0, boxes 0")
	}
	for _, id := range []string{
		"results", "confusion", "looks", "area", "bitstream", "verification", "training", "passes",
		"operations", "depth", "configuration", "files",
	} {
		found = append(found, fmt.Sprintf("section %s true", id))
	}
	return found
}

// pageOf runs commands and returns the page that the last of them writes into the folder out.
func pageOf(t *testing.T, commands ...[]string) []byte {
	t.Helper()
	for _, args := range commands {
		var stderr strings.Builder
		if code := run(context.Background(), append([]string{"ialgn"}, args...), io.Discard, &stderr); code != exitDone {
			t.Fatalf("ialgn %s: exit status %d\n%s", strings.Join(args, " "), code, stderr.String())
		}
	}
	html, err := os.ReadFile(filepath.Join("out", pageName))
	if err != nil {
		t.Fatal(err)
	}
	return html
}

// manyClasses writes a data set of a hundred classes with long names. It returns a configuration for this data set.
// Training with the configuration takes almost no time.
func manyClasses(t *testing.T) (config string) {
	t.Helper()
	var data strings.Builder
	data.WriteString("a,b,label\n")
	for i := range 600 {
		fmt.Fprintf(&data, "%d,%d,class of a long name number %d\n", i%100/10, i%10, i%100)
	}
	for name, text := range map[string]string{
		"many.csv": data.String(),
		"many.yaml": strings.Replace(strings.Replace(small, "{set: digits}", "{set: csv, train: many.csv}", 1),
			"width: 60, depth: 4, anchors: 8", "width: 200, depth: 2, anchors: 2", 1),
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return "many.yaml"
}

// TestPageInBrowser opens pages of `ialgn report` in a browser, with few classes and with many. It shows them on a
// phone, on a screen, on paper and in the dark. All sections and charts must be drawn. Nothing may be cut off,
// overlap, or be fetched, and the console must be silent.
func TestPageInBrowser(t *testing.T) {
	testkit.Long(t, "starts a browser")
	testkit.FindTool(t, "chromium")
	t.Chdir(t.TempDir())
	if err := os.WriteFile("small.yaml", []byte(small), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		config string
		charts int // in addition to the seven that all pages have
	}{{"small.yaml", 1}, {manyClasses(t), 1}} {
		t.Run(c.config, func(t *testing.T) {
			html := pageOf(t,
				[]string{"train", c.config, "-o", "a.safetensors", "--quiet"},
				[]string{"compile", "a.safetensors", "-o", "out", "--target", "ice40", "--pipeline", "2"},
				[]string{"verify", "a.safetensors", "out", "--level", "software"},
				[]string{"report", "out"})
			found, console, asked := look(t, html)
			want := sound()
			for range 7 + c.charts {
				want = append(want, "chart true")
			}
			if diff := cmp.Diff(append(want, "unnamed 0"), found); diff != "" {
				t.Errorf("in the browser (-want +got):\n%s", diff)
			}
			if len(console) > 0 {
				t.Errorf("the console is not silent:\n%s", strings.Join(console, "\n"))
			}
			if diff := cmp.Diff([]string{"/", "/dark", "/page", "/page", "/page", "/paper"}, asked); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

// TestBrowserSees checks that look finds the faults of a broken page.
func TestBrowserSees(t *testing.T) {
	testkit.Long(t, "starts a browser")
	found, console, asked := look(t, []byte(`<!DOCTYPE html><h2 id="a">a</h2><p style="width:1500px">wide</p><p style="width:2px;overflow-wrap:anywhere">in two</p><table><tr><td>1</table>
<style>@media print { section { width: 300px } } @media (prefers-color-scheme: dark) { figure { background: #000 } }</style>
<section><div class="wide" style="width:350px;overflow:auto"><table class="matrix" style="width:400px"><caption>m</caption><tr><th>1</table></div></section>
<figure style="width:400px"><svg width="400" height="200"><path d="M0,10L300,10M0,150L300,150" style="fill:none;stroke:#C8C8C8"/>
<text x="10" y="100">over</text><text x="310" y="100">first</text><text x="320" y="100">second</text></svg></figure>
<img src="/picture.png"><svg role="img" width="9" height="9"><title></title></svg><script>console.error("wrong")</script>`))
	text := strings.Join(found, "\n")
	for _, want := range []string{
		" of 360", "/picture.png", "section a true", "chart false", "unnamed 2",
		"screen: tables cut 1, matrices outside 0, words broken 2", "paper: tables cut 1, matrices outside 1",
		"screen: texts over a plot 1, together 1, boxes 0", "dark: texts over a plot 1, together 1, boxes 1",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("look did not find %q in the broken page:\n%s", want, text)
		}
	}
	if strings.Contains(text, "width 360") || strings.Contains(text, "width 1280") {
		t.Errorf("a page 1500 pixels wide was taken for one that fits the screen:\n%s", text)
	}
	if !strings.Contains(strings.Join(console, "\n"), "wrong") {
		t.Errorf("the error on the console was not reported: %q", console)
	}
	if !slices.Contains(asked, "/picture.png") {
		t.Errorf("the request for the picture was not reported: %q", asked)
	}
}
