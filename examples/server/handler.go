package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"ialgn"
	"io"
	"mime"
	"net/http"
)

// These are the limits of a request.
const (
	maxBody    = 4 << 20 // bytes
	maxSamples = 50_000
)

// handler answers POST /classify. It can serve many requests at once.
type handler struct {
	classifier *ialgn.Classifier
	classes    []string
	features   int
}

func newHandler(model *ialgn.Model) (http.Handler, error) {
	classifier, err := model.Classifier(context.Background(), "")
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("POST /classify", &handler{classifier, model.Classes(), model.Features()})
	return mux, nil
}

// result is the class of a sample and the number of votes for each class.
type result struct {
	Class  string `json:"class"`
	Counts []int  `json:"counts"`
}

// failure is the answer to an invalid request.
type failure struct {
	Error string `json:"error"`
	Hint  string `json:"hint,omitempty"`
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	answer, err := h.classify(r)
	if err != nil {
		reply(w, statusOf(err), failure{err.Error(), ialgn.Hint(err)})
		return
	}
	reply(w, http.StatusOK, answer)
}

// classify returns the result for one sample in JSON, or the results for the rows of a CSV file.
func (h *handler) classify(r *http.Request) (any, error) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case err == nil && kind == "application/json":
		return h.sample(r.Body)
	case err == nil && kind == "text/csv":
		return h.rows(r)
	}
	return nil, errKind
}

var errKind = errors.New("Content-Type: want application/json, one sample, or text/csv, a row a sample")

// sample classifies the features in {"values": [...]}, which are in the model's order.
func (h *handler) sample(body io.Reader) (any, error) {
	var in struct {
		Values []*float64 `json:"values"` // pointers, to detect null
	}
	d := json.NewDecoder(body)
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return nil, fmt.Errorf("body: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("body: something follows the object, want one object a request")
	}
	if len(in.Values) != h.features {
		return nil, fmt.Errorf("values: %d numbers, want %d, the model's features", len(in.Values), h.features)
	}
	features := make([]float64, h.features)
	for i, value := range in.Values {
		if value == nil {
			return nil, fmt.Errorf("values[%d]: null, want a number", i)
		}
		features[i] = *value
	}
	p, err := h.classifier.Classify(features)
	return result{h.classes[p.Class], p.Counts}, err
}

// rows classifies the rows of a CSV file like `ialgn predict`. The file may have a header, labels, and the words
// and missing values that the model knows.
func (h *handler) rows(r *http.Request) (any, error) {
	file, err := h.classifier.OpenReader(r.Context(), "body", r.Body)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	results := []result{}
	err = file.Classify(r.Context(), func(first int, classes []uint16, counts []int32) error {
		if first+len(classes) > maxSamples {
			return fmt.Errorf("body: more than %d samples, send them in parts", maxSamples)
		}
		for i, class := range classes {
			one := result{h.classes[class], make([]int, len(h.classes))}
			for k := range one.Counts {
				one.Counts[k] = int(counts[i*len(h.classes)+k])
			}
			results = append(results, one)
		}
		return nil
	})
	return results, err
}

// statusOf returns the HTTP status for an error. All errors are errors of the client.
func statusOf(err error) int {
	if large := new(http.MaxBytesError); errors.As(err, &large) {
		return http.StatusRequestEntityTooLarge
	}
	if errors.Is(err, errKind) {
		return http.StatusUnsupportedMediaType
	}
	return http.StatusBadRequest
}

// reply writes an answer. It ignores write errors, which mean that the client has closed the connection.
func reply(w http.ResponseWriter, status int, answer any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer)
}
