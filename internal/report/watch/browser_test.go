package watch

import (
	"bytes"
	"fmt"
	"html/template"
	"image"
	"image/color"
	"image/png"
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

// frame is a way to show the page. It has a width, and a CSS media condition that is forced to be true.
type frame struct {
	name, condition string
	width           int
}

var looks = []frame{
	{"screen", "", 1280},
	{"narrow", "", 800},
	{"paper", "@media print", 718},
	{"dark", "@media (prefers-color-scheme: dark)", 1280},
	{"narrow-dark", "@media (prefers-color-scheme: dark)", 800},
}

// lookScript lets the logs grow while the page is shown in all frames, and waits until the page shows the new lines.
// Then it makes the frames as high as the page and writes down its findings.
const lookScript = `
var found = [];
function say(text) { found.push(text); }
function box(e) { return e.getBoundingClientRect(); }
function frames() { return Array.from(document.querySelectorAll('iframe')); }
function page(frame) { return frame.contentWindow.document; }
function cells(d, selector) {
  return Array.from(d.querySelectorAll(selector + ' tr')).map(function (r) {
    return Array.from(r.children).filter(function (c) { return c.offsetWidth > 0; }).map(function (c) { return c.innerText.trim().replace(/\s+/g, ' '); }).join(' | ');
  });
}
function judge(frame) {
  var d = page(frame), cut = 0, name = frame.id;
  d.querySelectorAll('figure > svg').forEach(function (s) {
    var b = box(s);
    s.querySelectorAll('text').forEach(function (t) { var x = box(t); cut += x.left < b.left - 1 || x.right > b.right + 1 || x.top < b.top - 1 || x.bottom > b.bottom + 1; });
  });
  var wide = d.querySelector('.wide');
  say(name + ': width ' + d.documentElement.scrollWidth + ', table cut ' + (wide.scrollWidth > wide.clientWidth) + ', texts cut ' + cut);
  d.querySelectorAll('figure').forEach(function (f) { say(name + ': ' + f.id + ' ' + f.querySelectorAll('.curve').length); });
}
async function look() {
  await fetch('/grow');
  await new Promise(function (done) {
    (function wait() {
      if (frames().every(function (f) { return page(f).getElementById('status').textContent.includes('4 runs in 3 logs'); })) done();
      else setTimeout(wait, 100);
    })();
  });
  frames().forEach(function (f) { f.style.height = page(f).documentElement.scrollHeight + 'px'; });
  frames().forEach(judge);
  var d = page(frames()[0]);
  cells(d, '#runs').forEach(say);
  d.querySelectorAll('#problems li').forEach(function (l) { say(l.textContent); });
  var loss = d.querySelector('#loss > svg'), b = box(loss);
  loss.dispatchEvent(new PointerEvent('pointermove', { clientX: b.left + 65, clientY: b.top + 100 }));
  cells(d, '#loss .values').forEach(function (c) { say('hover ' + c); });
  loss.dispatchEvent(new PointerEvent('pointerleave'));
  var luts = d.querySelector('#luts > svg');
  luts.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft' }));
  cells(d, '#luts .values').forEach(function (c) { say('key ' + c); });
  luts.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
  d.querySelector('#runs input').click();
  say('without the first run: ' + d.querySelectorAll('#loss .curve').length);
  d.querySelector('#none').click();
  say('with none: ' + d.querySelector('#loss > p').textContent);
  d.querySelector('#all').click();
  frames().forEach(function (f) { var r = box(f); say(['frame', f.id, r.left, r.top, r.width, r.height].join(' ')); });
  document.getElementById('found').textContent = found.join('\n');
}
window.onload = look;`

// lookPage returns the page with the frames. The findings of the script come first, so that they do not cover the
// picture.
func lookPage() string {
	var b strings.Builder
	b.WriteString(`<!DOCTYPE html><link rel="icon" href="data:,"><style>body { margin: 0 } iframe { display: block; height: 900px; border: 0 }` +
		`#found { display: none }</style><pre id="found"></pre>`)
	for _, l := range looks {
		fmt.Fprintf(&b, `<iframe id="%s" src="/?%[1]s" style="width:%dpx"></iframe>`, l.name, l.width)
	}
	return b.String() + "<script>" + lookScript + "</script>"
}

// conditional writes the response of h. In the page's style, it forces a media condition to be true. It adapts the
// page's policy to the changed style.
func conditional(h http.Handler, rw http.ResponseWriter, r *http.Request, condition string) {
	got := httptest.NewRecorder()
	h.ServeHTTP(got, r)
	style := strings.Replace(pageCSS, condition, "@media all", 1)
	body := strings.Replace(got.Body.String(), pageCSS, style, 1)
	body = strings.Replace(body, template.HTMLEscapeString(digest(pageCSS)), template.HTMLEscapeString(digest(style)), 1)
	for key := range got.Header() {
		rw.Header().Set(key, strings.Replace(got.Header().Get(key), digest(pageCSS), digest(style), 1))
	}
	rw.WriteHeader(got.Code)
	io.WriteString(rw, body)
}

// look opens the page of a watch in a browser and returns the findings of the script, the messages on the console, and
// a picture. It calls grow when the script asks for it.
func look(t *testing.T, w *Watch, grow func()) (found, console []string, picture image.Image) {
	t.Helper()
	browser := testkit.FindTool(t, "chromium")
	h := w.Handler("1.2.3")
	var once sync.Once
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		changed := func(l frame) bool { return r.URL.RawQuery == l.name && l.condition != "" }
		if i := slices.IndexFunc(looks, changed); i >= 0 {
			conditional(h, rw, r, looks[i].condition)
			return
		}
		switch r.URL.Path {
		case "/look":
			rw.Header().Set("Content-Type", "text/html; charset=utf-8")
			io.WriteString(rw, lookPage())
		case "/grow":
			once.Do(grow)
		default:
			h.ServeHTTP(rw, r)
		}
	}))
	defer server.Close()
	dir := t.TempDir()
	file := filepath.Join(dir, "look.png")
	out, err := browser.Run(t.Context(), tool.Command{Limit: 2 * time.Minute, Args: []string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--enable-logging=stderr",
		"--user-data-dir=" + filepath.Join(dir, "profile"), "--screenshot=" + file,
		"--window-size=1280,9000", "--hide-scrollbars", "--virtual-time-budget=20000", "--dump-dom", server.URL + "/look",
	}})
	if err != nil {
		t.Fatalf("%v\n%s", err, out.Stderr)
	}
	m := regexp.MustCompile(`(?s)<pre id="found">(.*?)</pre>`).FindStringSubmatch(out.Stdout)
	if m == nil || m[1] == "" {
		t.Fatalf("the script found nothing:\n%s\n%s", out.Stdout, out.Stderr)
	}
	for line := range strings.SplitSeq(out.Stderr, "\n") {
		if strings.Contains(line, "CONSOLE") {
			console = append(console, line)
		}
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if picture, err = png.Decode(bytes.NewReader(content)); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.ReplaceAll(m[1], "&amp;", "&"), "\n"), console, picture
}

// ink returns the colour of the first pixel of a rectangle, and the share of pixels with other colours. It also
// returns the number of pixels with other colours near the left and right edges. This number should be 0, because
// such pixels show that something is cut off.
func ink(picture image.Image, r image.Rectangle) (paper color.Color, share float64, edge int) {
	paper = picture.At(r.Min.X, r.Min.Y)
	n := 0
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if picture.At(x, y) == paper {
				continue
			}
			n++
			if x < r.Min.X+8 || x >= r.Max.X-8 {
				edge++
			}
		}
	}
	return paper, float64(n) / float64(r.Dx()*r.Dy()), edge
}

// TestInBrowser looks at the page of logs that grow while the page is open, on screens, on paper and in the dark. The
// page must show all runs completely, name unreadable parts of logs, and add a log that appears later.
func TestInBrowser(t *testing.T) {
	testkit.FindTool(t, "chromium")
	dir := t.TempDir()
	first, table := filepath.Join(dir, "a-run-of-a-longer-name.jsonl"), filepath.Join(dir, "table.csv")
	put(t, first, line(1, 2.5, 0.25, 1000)+line(2, 1.25, 0.5, 1234))
	put(t, table, csvHead+"digits,7,t,1,0.01,3,0.1,0.2,0.3,,1,1,1,,,,,\ndigits,8,t,1,0.01,3.5,0.1,0.2,0.125,,1,1,1,,,,,\n")
	w, err := New([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	found, console, picture := look(t, w, func() {
		extend(t, first, line(3, 0.0625, 0.9375, 1500)+"{\n"+line(4, 0.03125, 0.96875, 1600)[:50])
		put(t, filepath.Join(dir, "later.jsonl"), line(1, 2, 0.5, 10))
		w.mu.Lock()
		defer w.mu.Unlock()
		w.read, w.scanned = time.Time{}, time.Time{}
	})
	var want []string
	for _, l := range looks {
		want = append(want, fmt.Sprintf("%s: width %d, table cut false, texts cut 0", l.name, l.width))
		for _, chart := range []string{"loss 4", "accuracy 10", "luts 2", "rate 4"} {
			want = append(want, l.name+": "+chart)
		}
	}
	want = append(
		want,
		"run | epoch | loss | training | validation | test | best test (epoch) | LUTs, estimated | seconds | written",
		"1 a-run-of-a-longer-name | 3 | 0.0625 | 12.50 % |  | 93.75 % | 93.75 % (3) | 1,500 LUT6 | 3.0 | 2026-01-01 00:00:00",
		"2 table digits seed 7 | 1 | 3.0000 | 10.00 % | 20.00 % | 30.00 % | 30.00 % (1) |  | 1.0 | t",
		"3 table digits seed 8 | 1 | 3.5000 | 10.00 % | 20.00 % | 12.50 % | 12.50 % (1) |  | 1.0 | t",
		"4 later | 1 | 2.0000 | 12.50 % |  | 50.00 % | 50.00 % (1) | 10 LUT6 | 1.0 | 2026-01-01 00:00:00",
		first+": line 4: byte 1: unexpected end of JSON input",
		"hover epoch 1 | loss", "hover 1 a-run-of-a-longer-name | 2.5000", "hover 2 table digits seed 7 | 3.0000",
		"hover 3 table digits seed 8 | 3.5000", "hover 4 later | 2.0000",
		"key epoch 3 | total", "key 1 a-run-of-a-longer-name | 1,500",
		"without the first run: 3", "with none: Nothing of it is chosen.",
	)
	var frames []string
	found = slices.DeleteFunc(found, func(f string) bool {
		is := strings.HasPrefix(f, "frame ")
		if is {
			frames = append(frames, f)
		}
		return is
	})
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("in the browser (-want +got):\n%s", diff)
	}
	if len(console) > 0 {
		t.Errorf("the console is not silent:\n%s", strings.Join(console, "\n"))
	}
	for i, f := range frames {
		var name string
		var x, y, width, height float64
		if _, err := fmt.Sscanf(f, "frame %s %g %g %g %g", &name, &x, &y, &width, &height); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		r := image.Rect(int(x), int(y), int(x+width), int(y+height)).Intersect(picture.Bounds())
		paper, share, edge := ink(picture, r)
		bright, _, _, _ := paper.RGBA()
		if dark := strings.Contains(name, "dark"); name != looks[i].name || dark != (bright < 0x8000) || share < 0.01 ||
			share > 0.2 || edge > 0 || r.Dx() != looks[i].width || r.Dy() < 800 {
			t.Errorf("%s: paper %v, %.1f %% ink, %d at the edges, %v", name, paper, 100*share, edge, r)
		}
	}
	if len(frames) != len(looks) {
		t.Errorf("%d frames, want %d", len(frames), len(looks))
	}
}

// TestAbsurdInBrowser shows values that floating-point numbers can hardly distinguish, and values whose difference
// overflows. The page must draw such values in some way, and the script must not run forever.
func TestAbsurdInBrowser(t *testing.T) {
	browser := testkit.FindTool(t, "chromium")
	dir := t.TempDir()
	put(t, filepath.Join(dir, "near.jsonl"), line(1, 1<<54, 0, 1<<54)+line(2, 1<<54+8, 0, 1<<54+8))
	put(t, filepath.Join(dir, "far.jsonl"), line(1, -1e308, 0, 1<<62)+line(2, 1e308, 0, 0))
	for _, name := range []string{"near", "far"} {
		w, err := New([]string{filepath.Join(dir, name+".jsonl")})
		if err != nil {
			t.Fatal(err)
		}
		w.Refresh()
		html, err := w.Page("1.2.3")
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, name+".html")
		put(t, file, string(html))
		out, err := browser.Run(t.Context(), tool.Command{Limit: 20 * time.Second, Args: []string{
			"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
			"--user-data-dir=" + filepath.Join(dir, "profile"), "--dump-dom", "file://" + file,
		}})
		if err != nil || !strings.Contains(out.Stdout, "1 run in 1 log") || strings.Count(out.Stdout, "</figure>") != 4 {
			t.Errorf("%s: %v\n%.400s", name, err, out.Stderr)
		}
	}
}
