package watch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"ialgn/internal/message"
)

// Listen opens a port that only this machine can reach. Port 0 means any free port.
func Listen(port int) (net.Listener, error) {
	if port < 0 || port > 65535 {
		return nil, message.WithHint(fmt.Errorf("port %d: want 1 to 65535, or 0 for any free port", port),
			"leave {Port} out")
	}
	l, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return nil, message.WithHint(fmt.Errorf("port %d: %w", port, err), "omit {Port} to use a free port")
	}
	return l, nil
}

// Serve serves the page until the context ends. It then returns nil.
func (w *Watch) Serve(ctx context.Context, l net.Listener, version string) error {
	server := &http.Server{
		Handler: w.Handler(version), ReadHeaderTimeout: 10 * time.Second, WriteTimeout: time.Minute, IdleTimeout: time.Minute,
		MaxHeaderBytes: 1 << 16,
	}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Handler returns the HTTP handler. The page is at /, and the changes since a version are at /data. The page polls
// for changes, so logs are read only while a browser shows the page. A page that did not poll for some time gets all
// lines that it missed with the next answer.
//
// It only answers requests whose Host header is a local name of this machine, such as localhost. Otherwise a page of
// another site could read the data if the name of that site resolves to this machine.
func (w *Watch) Handler(version string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(rw http.ResponseWriter, _ *http.Request) { w.servePage(rw, version) })
	mux.HandleFunc("GET /data", w.serveData)
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		h := rw.Header()
		h.Set("Content-Security-Policy", policy(true)+"; frame-ancestors 'self'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if !ownHost(r.Host) {
			http.Error(rw, "this page is only for its own machine: open 127.0.0.1 or localhost", http.StatusForbidden)
			return
		}
		mux.ServeHTTP(rw, r)
	})
}

// ownHost reports whether a Host header is a local name of this machine. Any port is allowed, because a tunnel may
// use another port.
func ownHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return host == "127.0.0.1" || strings.EqualFold(host, "localhost")
}

// take reads new lines and returns the changes since a version of a session.
func (w *Watch) take(session string, version int) Snapshot {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.refresh(time.Now())
	s := w.snapshot(session, version)
	s.Live = true
	return s
}

func (w *Watch) servePage(rw http.ResponseWriter, version string) {
	var b bytes.Buffer
	if err := write(&b, version, w.take("", 0)); err != nil {
		http.Error(rw, err.Error(), http.StatusInternalServerError)
		return
	}
	rw.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = b.WriteTo(rw) // the client may be gone
}

func (w *Watch) serveData(rw http.ResponseWriter, r *http.Request) {
	version, err := strconv.Atoi(r.FormValue("version"))
	if err != nil {
		http.Error(rw, "version: want a number", http.StatusBadRequest)
		return
	}
	text, err := json.Marshal(w.take(r.FormValue("session"), version))
	if err != nil {
		http.Error(rw, err.Error(), http.StatusInternalServerError)
		return
	}
	rw.Header().Set("Content-Type", "application/json")
	_, _ = rw.Write(text) // the client may be gone
}
