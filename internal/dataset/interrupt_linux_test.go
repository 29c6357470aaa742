package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"ialgn/internal/config"
)

// TestInterrupt interrupts reads that wait for a pipe. If the context ends, OpenSamples must return. Interrupt must
// end the wait for the next sample. If the context ends after the samples were opened, reading must go on.
func TestInterrupt(t *testing.T) {
	path := fmt.Sprint(t.TempDir(), "/fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := os.OpenFile(path, os.O_RDWR, 0) // O_RDWR does not wait for a reader
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := OpenSamples(ctx, path, encoderOf(2, nil, nil, 255), config.Data{}); !errors.Is(err, ctx.Err()) {
		t.Fatalf("error %v, want the error of the context", err)
	}
	first := strings.Repeat("1,2\n", 1<<14) // the amount of text that OpenSamples inspects
	go func() { _, _ = w.WriteString(first) }()
	ctx, cancel = context.WithCancel(t.Context())
	s, err := OpenSamples(ctx, path, encoderOf(2, nil, nil, 255), config.Data{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	cancel()
	for i := range 1 << 14 {
		if err := s.Next(make([]uint16, 2)); err != nil {
			t.Fatalf("sample %d: %v", i, err)
		}
	}
	time.AfterFunc(20*time.Millisecond, s.Interrupt)
	if err := s.Next(make([]uint16, 2)); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("error %v, want it to be an interruption", err)
	}
}
