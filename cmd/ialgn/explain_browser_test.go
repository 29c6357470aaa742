package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/testkit"
)

// viewerScript opens the page of explain in frames of two widths, in print style and in dark style. It uses the
// viewer as a reader would, with the mouse and the keyboard.
const viewerScript = `<!DOCTYPE html><link rel="icon" href="data:,"><title>look</title>
<style>iframe { height: 900px; border: 0 }</style>
<iframe id="narrow" src="/page" style="width:800px"></iframe>
<iframe id="wide" src="/page" style="width:1280px"></iframe>
<iframe id="paper" src="/paper" style="width:718px"></iframe>
<iframe id="dark" src="/dark" style="width:1280px"></iframe>
<pre id="found"></pre>
<script>
// colours counts the different colours of a canvas and reports whether its first pixel (background) is dark.
function colours(canvas) {
  var data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data, all = new Set();
  for (var i = 0; i < data.length; i += 4) all.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
  return {all: all.size, dark: data[0] < 64, text: data.slice(0, 4).join()};
}
window.onload = function () {
  var out = [];
  ['narrow', 'wide', 'paper', 'dark'].forEach(function (name) {
    var w = document.getElementById(name).contentWindow, d = w.document, canvas = d.getElementById('canvas');
    var box = canvas.getBoundingClientRect(), section = canvas.closest('section').getBoundingClientRect(), c = colours(canvas);
    out.push(name + ': width ' + (d.documentElement.scrollWidth - d.documentElement.clientWidth) + ' too much');
    out.push(name + ': canvas inside ' + (box.left >= section.left - 1 && box.right <= section.right + 1 && box.height > 100) +
      ', as wide as its pixels ' + (Math.abs(canvas.width / w.devicePixelRatio - box.width) < 4) + ', drawn ' + (c.all > 5) + ', dark ' + c.dark);
    out.push(name + ': fetched ' + w.performance.getEntriesByType('resource').length + ', drawn ' + w.performance.getEntriesByName('network drawn').length);
    out.push(name + ': pictures ' + Array.from(d.querySelectorAll('svg image')).filter(function (i) { return i.getBoundingClientRect().width > 100; }).length);
  });
  var w = document.getElementById('wide').contentWindow, d = w.document, canvas = d.getElementById('canvas'), said = d.getElementById('said');
  var box = canvas.getBoundingClientRect();
  function say(what) { out.push(what + ': ' + said.textContent.split('\n')[0].replace(/: .*/, '')); }
  function find(text) { d.getElementById('what').value = text; d.getElementById('find').requestSubmit(); say('find ' + text); }
  function key(name, shift) { canvas.dispatchEvent(new w.KeyboardEvent('keydown', {key: name, shiftKey: !!shift, bubbles: true, cancelable: true})); }
  function mouse(type, x, y) { canvas.dispatchEvent(new w.PointerEvent(type, {pointerId: 1, clientX: box.left + x, clientY: box.top + y, bubbles: true})); }
  key('Escape');
  say('escape');
  mouse('pointermove', 60, 20);
  say('hover');
  find('chain 17');
  key('ArrowRight');
  say('right');
  key('ArrowUp');
  say('up');
  key('a');
  say('pin a');
  find('layer 2 node 5');
  find('2/6');
  find('class 3');
  find('pixel 20');
  key('Escape');
  find('nothing at all');
  key('Escape');
  key('0');
  for (var i = 0; i < 30; i++) canvas.dispatchEvent(new w.WheelEvent('wheel', {deltaY: -120, clientX: box.left + 60, clientY: box.top + 20, cancelable: true}));
  mouse('pointermove', 60, 20);
  say('the first, near');
  mouse('pointerdown', 300, 20);
  mouse('pointermove', 300 - 72, 20);
  mouse('pointerup', 300 - 72, 20);
  mouse('pointermove', 60, 20);
  say('dragged by one');
  key('ArrowRight', true);
  mouse('pointermove', 60, 20);
  say('moved by the keyboard');
  canvas.focus();
  out.push('focus ' + (d.activeElement === canvas));
  d.getElementById('colours').value = 'kind';
  d.getElementById('colours').dispatchEvent(new w.Event('change'));
  out.push('legend ' + (d.querySelectorAll('#legend li').length > 2));
  document.getElementById('found').textContent = out.join('\n');
};
</script>`

// TestViewerInBrowser explains a digit, opens the page in a browser and uses the viewer.
func TestViewerInBrowser(t *testing.T) {
	testkit.Long(t, "starts a browser")
	testkit.FindTool(t, "chromium")
	t.Chdir(t.TempDir())
	if err := os.WriteFile("small.yaml", []byte(small), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"train", "small.yaml", "-o", "a.safetensors", "--quiet"}, {"explain", "a.safetensors", "--sample", "3", "-o", "page.html"},
	} {
		var stderr strings.Builder
		if code := run(context.Background(), append([]string{"ialgn"}, args...), io.Discard, &stderr); code != exitDone {
			t.Fatalf("ialgn %s: exit status %d\n%s", strings.Join(args, " "), code, stderr.String())
		}
	}
	html, err := os.ReadFile("page.html")
	if err != nil {
		t.Fatal(err)
	}
	found, console, asked := browse(t, viewerScript, html)
	var want []string
	for _, frame := range []string{"narrow", "wide", "paper", "dark"} {
		want = append(want, frame+": width 0 too much",
			fmt.Sprintf("%s: canvas inside true, as wide as its pixels true, drawn true, dark %v", frame, frame == "dark"),
			frame+": fetched 0, drawn 1", frame+": pictures 2")
	}
	want = append(want,
		"escape: ", "hover: Layer 1, node 0", "find chain 17: Layer 4, node 17, votes for 2",
		"right: Layer 4, node 18, votes for 3", "up: Layer 3, node 18", "pin a: Layer 2, node 18",
		"find layer 2 node 5: Layer 2, node 5", "find 2/6: Layer 2, node 6", "find class 3: Layer 4, node 18, votes for 3",
		"find pixel 20: Reads it", `find nothing at all: Nothing was found of "nothing at all"`,
		"the first, near: Layer 1, node 0", "dragged by one: Layer 1, node 1", "moved by the keyboard: Layer 1, node 2",
		"focus true", "legend true")
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("in the browser (-want +got):\n%s", diff)
	}
	if len(console) > 0 {
		t.Errorf("the console is not silent:\n%s", strings.Join(console, "\n"))
	}
	slices.Sort(asked)
	if diff := cmp.Diff([]string{"/", "/dark", "/page", "/page", "/paper"}, asked); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}
