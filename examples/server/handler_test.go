package main

import (
	"context"
	"encoding/json"
	"fmt"
	"ialgn"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// plane trains a model that separates the two halves of a plane. The classes are called west and east.
func plane(t *testing.T) *ialgn.Model {
	t.Helper()
	data := ialgn.Data{Classes: []string{"west", "east"}, FeatureNames: []string{"x", "y"}}
	for i := range 400 {
		x, y := float64(i%20)-9.5, float64(i/20)
		label := 0
		if x > 0 {
			label = 1
		}
		data.Features, data.Labels = append(data.Features, []float64{x, y}), append(data.Labels, label)
	}
	cfg := ialgn.Config{Name: "plane"}
	cfg.Encoder.Bits, cfg.Train.Epochs = 8, 20
	cfg.Model.Width, cfg.Model.Depth, cfg.Model.Anchors, cfg.Model.Tau = 20, 2, 8, 2
	model, err := ialgn.Train(t.Context(), cfg, data, ialgn.TrainOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return model
}

// post sends a body to the handler and returns the status and the answer.
func post(h http.Handler, kind, body string) (status int, answer string) {
	r := httptest.NewRequest(http.MethodPost, "/classify", strings.NewReader(body))
	r.Header.Set("Content-Type", kind)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

func newTestHandler(t *testing.T) (http.Handler, *ialgn.Model) {
	t.Helper()
	model := plane(t)
	h, err := newHandler(model)
	if err != nil {
		t.Fatal(err)
	}
	return h, model
}

// TestClassify compares the answers with the library's results for the same samples.
func TestClassify(t *testing.T) {
	h, model := newTestHandler(t)
	classifier, err := model.Classifier(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	want := func(x, y float64) string {
		p, err := classifier.Classify([]float64{x, y})
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(result{model.Classes()[p.Class], p.Counts})
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	west, east := want(-8, 3), want(7.5, 12)
	if !strings.Contains(west, `"west"`) || !strings.Contains(east, `"east"`) {
		t.Fatalf("the model says %s and %s", west, east)
	}
	for _, test := range []struct{ name, kind, body, want string }{
		{"JSON", "application/json", `{"values":[-8,3]}`, west},
		{"JSON with a character set", "application/json; charset=utf-8", `{"values":[7.5,12]}`, east},
		{"CSV", "text/csv", "-8,3\n7.5,12\n", "[" + west + "," + east + "]"},
		{"CSV with a header and labels", "text/csv", "x,y,side\n7.5,12,east\n", "[" + east + "]"},
		{"CSV with a header alone", "text/csv", "x,y\n", "[]"},
	} {
		if status, got := post(h, test.kind, test.body); status != http.StatusOK || got != test.want+"\n" {
			t.Errorf("%s: status %d, %s, want %s", test.name, status, got, test.want)
		}
	}
}

// TestServerRefusesBadRequests checks the status and the message for bad requests.
func TestServerRefusesBadRequests(t *testing.T) {
	h, _ := newTestHandler(t)
	for _, test := range []struct {
		name, kind, body string
		status           int
		want             string
	}{
		{"no kind", "", "1,2\n", 415, "Content-Type: want application/json"},
		{"no JSON", "application/json", "1,2", 400, "body: json: cannot unmarshal"},
		{"another key", "application/json", `{"value":[1,2]}`, 400, `body: json: unknown field`},
		{"no values", "application/json", `{}`, 400, "values: 0 numbers, want 2"},
		{"few values", "application/json", `{"values":[1]}`, 400, "values: 1 numbers, want 2"},
		{"null", "application/json", `{"values":[1,null]}`, 400, "values[1]: null, want a number"},
		{"no number", "application/json", `{"values":[1,1e999]}`, 400, "body: json: cannot unmarshal number 1e999"},
		{"two objects", "application/json", `{"values":[1,2]}{}`, 400, "body: something follows the object"},
		{"empty CSV", "text/csv", "", 400, "body: the file is empty"},
		{"a word", "text/csv", "1,2\n3,four\n", 400, "body: "},
		{"columns", "text/csv", "1,2,3,4\n", 400, "body: "},
		{"large", "application/json", `{"values":[1,2` + strings.Repeat(" ", maxBody) + `]}`, 413, "request body too large"},
		{
			"large CSV", "text/csv", strings.Repeat("1."+strings.Repeat("0", 998)+",2\n", maxBody/1000), 413,
			"request body too large",
		},
		{"many rows", "text/csv", strings.Repeat("1,2\n", maxSamples+1), 400, "body: more than 50000 samples"},
	} {
		status, got := post(h, test.kind, test.body)
		var f failure
		if err := json.Unmarshal([]byte(got), &f); err != nil || status != test.status || !strings.Contains(f.Error, test.want) {
			t.Errorf("%s: status %d, %.200s, want %d and %q", test.name, status, got, test.status, test.want)
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/classify", nil))
	if w.Code != http.StatusMethodNotAllowed {
		t.Errorf("GET: status %d", w.Code)
	}
}

// TestServe sends a running server many requests at once, and ends it.
func TestServe(t *testing.T) {
	h, _ := newTestHandler(t)
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, listener, h) }()
	different := make(chan string)
	const requests = 20
	for i := range requests {
		go func() {
			body := fmt.Sprintf(`{"values":[%d,10]}`, i-10)
			r, err := http.Post("http://"+listener.Addr().String()+"/classify", "application/json", strings.NewReader(body))
			if err != nil {
				different <- err.Error()
				return
			}
			defer r.Body.Close()
			got, err := io.ReadAll(r.Body)
			if _, want := post(h, "application/json", body); err != nil || string(got) != want {
				different <- fmt.Sprintf("%s: %v, %s, want %s", body, err, got, want)
				return
			}
			different <- ""
		}()
	}
	for range requests {
		if message := <-different; message != "" {
			t.Error(message)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestUsage checks the program's messages for wrong arguments.
func TestUsage(t *testing.T) {
	for _, args := range [][]string{{}, {"no such model"}, {"-listen", "x", "a", "b"}} {
		if err := run(t.Context(), args); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
}
