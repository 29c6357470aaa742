package watch

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/message"
	"ialgn/internal/outfile"
)

// csvHead is the header of a log in CSV.
const csvHead = "run,seed,time,epoch,learning_rate,loss,train_accuracy,validation_accuracy,test_accuracy," +
	"relaxed_test_accuracy,seconds,step_seconds,gate_steps_per_second,luts_estimate_inputs,luts_estimate_gates," +
	"luts_estimate_head,luts_estimate_encoder,luts_estimate_total\n"

// line returns a line of a log in JSON.
func line(epoch int, loss, test float64, luts int) string {
	return fmt.Sprintf(`{"time":"2026-01-01T00:00:00Z","epoch":%d,"learning_rate":0.01,"loss":%g,"train_accuracy":0.125,`+
		`"test_accuracy":%g,"seconds":%d,"step_seconds":1,"gate_steps_per_second":1,"luts_estimate":{"inputs":6,"gates":1,`+
		`"head":2,"encoder":3,"total":%d}}`+"\n", epoch, loss, test, epoch, luts)
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func extend(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(text)
	}
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
}

// names returns the runs of a snapshot with their numbers of epochs, and the logs that did not change.
func names(s Snapshot) (all []string) {
	for _, l := range s.Logs {
		if !l.Fresh {
			all = append(all, "as before: "+filepath.Base(l.Path))
		}
		for _, r := range l.Runs {
			all = append(all, fmt.Sprintf("%s: %d", r.Name, len(r.Epoch)))
		}
	}
	return all
}

// TestFolder finds the logs in a folder, without its other files, and logs that appear later. Only changed logs are
// sent again.
func TestFolder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		put(t, filepath.Join(dir, "tables", "a.jsonl"), line(1, 1, 1, 1))
		put(t, filepath.Join(dir, "tables", "deep", "b.csv"), csvHead+"digits,7,t,1,0.01,3,0.1,,0.3,,1,1,1,,,,,\n")
		put(t, filepath.Join(dir, "tables", "empty.jsonl"), "")
		for _, other := range []struct{ name, text string }{
			{"table.csv", "name,data\nx,y\n"},
			{"kept.jsonl", `{"version":1,"accuracies":[0.5]}` + "\n"},
			{"notes.txt", line(1, 1, 1, 1)},
			{".hidden/c.jsonl", line(1, 1, 1, 1)},
			{"1/2/3/4/c.jsonl", line(1, 1, 1, 1)},
		} {
			put(t, filepath.Join(dir, "tables", filepath.FromSlash(other.name)), other.text)
		}
		w, err := New([]string{filepath.Join(dir, "tables"), filepath.Join(dir, "tables", "a.jsonl"), filepath.Join(dir, "c.jsonl")})
		if err != nil {
			t.Fatal(err)
		}
		s := w.take("", 0)
		if diff := cmp.Diff([]string{"tables/a: 1", "tables/deep/b digits seed 7: 1"}, names(s)); diff != "" {
			t.Errorf("runs (-want +got):\n%s", diff)
		}
		if n := len(s.Logs); n != 4 || s.Logs[3].Trouble != "is not there yet" {
			t.Errorf("logs %+v", s.Logs)
		}
		extend(t, filepath.Join(dir, "tables", "a.jsonl"), line(2, 1, 1, 1))
		put(t, filepath.Join(dir, "tables", "d.jsonl"), line(1, 1, 1, 1)+line(2, 1, 1, 1))
		put(t, filepath.Join(dir, "c.jsonl"), line(1, 1, 1, 1))
		time.Sleep(rescan)
		next := w.take(s.Session, s.Version)
		want := []string{"tables/a: 2", "as before: b.csv", "as before: empty.jsonl", "c: 1", "tables/d: 2"}
		if diff := cmp.Diff(want, names(next)); diff != "" {
			t.Errorf("later (-want +got):\n%s", diff)
		}
		time.Sleep(rescan)
		if last := w.take(next.Session, next.Version); last.Version != next.Version {
			t.Errorf("nothing changed, but version %d became %d", next.Version, last.Version)
		}
		if all := w.take("another", next.Version); len(names(all)) != 4 || strings.Contains(strings.Join(names(all), " "), "before") {
			t.Errorf("another session got %v", names(all))
		}
	})
}

// TestLogsBeyondLimit checks that logs beyond a limit are left out, with a note.
func TestLogsBeyondLimit(t *testing.T) {
	dir := t.TempDir()
	for i := range mostLogs + 1 {
		put(t, filepath.Join(dir, fmt.Sprintf("%04d.jsonl", i)), "")
	}
	w, err := New([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	if s := w.take("", 0); len(s.Logs) != mostLogs || len(s.Notes) != 1 {
		t.Errorf("%d logs, notes %q; want the limit and one note", len(s.Logs), s.Notes)
	}
}

func TestMissingFolder(t *testing.T) {
	_, err := New([]string{filepath.Join(t.TempDir(), "none", "log.jsonl")})
	if err == nil || !strings.HasSuffix(err.Error(), "no such file, and no such folder") || message.Hint(err) == "" {
		t.Errorf("error %v, hint %q", err, message.Hint(err))
	}
}

// TestHandler requests the page and its data, in the same way as a browser and in the way of other clients.
func TestHandler(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log.jsonl")
	put(t, log, line(1, 2.5, 0.25, 1000))
	w, err := New([]string{log})
	if err != nil {
		t.Fatal(err)
	}
	h := w.Handler("1.2.3")
	for _, c := range []struct {
		method, host, path string
		status             int
		body               string
	}{
		{"GET", "127.0.0.1:8080", "/", http.StatusOK, `"loss":[2.5]`},
		{"GET", "localhost:1", "/", http.StatusOK, "ialgn 1.2.3"},
		{"GET", "LOCALHOST", "/data?session=&version=0", http.StatusOK, `"loss":[2.5]`},
		{"GET", "127.0.0.1", "/data?version=first", http.StatusBadRequest, "want a number"},
		{"GET", "evil.example:8080", "/", http.StatusForbidden, "127.0.0.1"},
		{"GET", "evil.example", "/data?version=0", http.StatusForbidden, "127.0.0.1"},
		{"GET", "localhost.evil.example:80", "/", http.StatusForbidden, "127.0.0.1"},
		{"GET", "", "/", http.StatusForbidden, "127.0.0.1"},
		{"GET", "127.0.0.1", "/etc/passwd", http.StatusNotFound, ""},
		{"POST", "127.0.0.1", "/", http.StatusMethodNotAllowed, ""},
	} {
		r := httptest.NewRequest(c.method, c.path, nil)
		r.Host = c.host
		got := httptest.NewRecorder()
		h.ServeHTTP(got, r)
		if got.Code != c.status || !strings.Contains(got.Body.String(), c.body) {
			t.Errorf("%s %s of %s: status %d, want %d with %q:\n%.300s", c.method, c.path, c.host, got.Code, c.status, c.body, got.Body)
		}
		policy := got.Header().Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none'; ") || strings.Contains(policy, "unsafe") || strings.Contains(policy, "http") {
			t.Errorf("%s: policy %q", c.path, policy)
		}
	}
	if _, err := Listen(65536); err == nil || message.Hint(err) == "" {
		t.Errorf("port 65536: error %v", err)
	}
}

// TestServe serves until the context ends, at an address that only this machine can reach.
func TestServe(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log.jsonl")
	put(t, log, line(1, 2.5, 0.25, 1000))
	w, err := New([]string{log})
	if err != nil {
		t.Fatal(err)
	}
	l, err := Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	if !strings.HasPrefix(address, "127.0.0.1:") {
		t.Errorf("listens at %s, want 127.0.0.1", address)
	}
	_, port, _ := strings.Cut(address, ":")
	var n int
	fmt.Sscan(port, &n)
	if _, err := Listen(n); err == nil || !strings.Contains(err.Error(), "port "+port) {
		t.Errorf("a port in use: error %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	done := make(chan error)
	go func() { done <- w.Serve(ctx, l, "1.2.3") }()
	response, err := http.Get("http://" + address + "/data?version=0")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var s Snapshot
	if err := json.NewDecoder(response.Body).Decode(&s); err != nil || !s.Live || len(names(s)) != 1 {
		t.Errorf("%+v, %v", s, err)
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestPage checks the written page. It must fetch nothing, and must be recognised as written by ialgn. Names must not
// be able to end its script.
func TestPage(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "x<script>alert(1)<!--.jsonl"), line(1, 2.5, 0.25, 1000))
	w, err := New([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	w.Refresh()
	html, err := w.Page("1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	text := string(html)
	if n := strings.Count(text, "<script"); n != 2 || strings.Count(text, "</script>") != 2 {
		t.Errorf("%d scripts, want the data and the page's own:\n%s", n, text)
	}
	m := regexp.MustCompile(`(?s)id="view">(.*?)</script>`).FindStringSubmatch(text)
	var s Snapshot
	if err := json.Unmarshal([]byte(m[1]), &s); err != nil || s.Live || s.Logs[0].Runs[0].Name != "x<script>alert(1)<!--" {
		t.Errorf("%v, %+v", err, s)
	}
	if strings.Contains(strings.ReplaceAll(text, "http://www.w3.org/2000/svg", ""), "://") || strings.Contains(text, "connect-src") {
		t.Error("the page may fetch something")
	}
	path := filepath.Join(dir, "page.html")
	put(t, path, text)
	if err := outfile.NewGuard(false).Check(path, outfile.Page); err != nil {
		t.Error(err)
	}
	if runs, logs := w.Runs(); runs != 1 || logs != 1 {
		t.Errorf("%d runs of %d logs", runs, logs)
	}
}
