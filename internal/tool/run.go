package tool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"ialgn/internal/outfile"
)

// maxCapture bounds what is kept of each of the two outputs in memory. The log gets
// all of it.
const maxCapture = 16 << 20

// graceTime is how long a killed program's pipes may stay open.
const graceTime = 5 * time.Second

// Command is one run of a program.
type Command struct {
	Args  []string
	Dir   string        // working folder; empty: the caller's
	Stdin io.Reader     // nil: empty
	Limit time.Duration // limit of wall time for the program and all that it starts; must be positive
	Log   string        // file for the command line and all output; empty: none

	// Line, unless nil, is told each line of either output as it comes, by one goroutine at a time.
	Line func(string)
}

// Result is what a run gave.
type Result struct {
	Stdout, Stderr string // the first 16 MiB of each
	Truncated      bool   // there was more output
	Seconds        float64
	CPU            float64 // seconds of processor time, of the program and what it waited for

	name, log string
}

// Run runs the program to its end. The result is valid also after an error, which is
//
//   - the context's, wrapped, if that ended first: the caller was interrupted;
//   - a [*FailedError] if the program could not be started, was still running at the
//     limit, or ended with another exit status than 0;
//   - that of the log file, if it could not be written.
//
// When the context or the limit ends, the program and all that it started are killed. Under Linux it
// may have three quarters of the memory that this process may, and it ends when this process does.
func (t *Tool) Run(ctx context.Context, c Command) (Result, error) {
	if c.Limit <= 0 {
		panic("tool: a run of " + t.Name + " without a time limit")
	}
	log, err := openLog(t, c)
	if err != nil {
		return Result{}, err
	}
	limited, cancel := context.WithTimeout(ctx, c.Limit)
	defer cancel()
	r, err := t.run(limited, c, log)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		err = fmt.Errorf("%s: stopped: %w", t.Name, ctx.Err())
	case limited.Err() != nil:
		err = r.Failed("still running after "+c.Limit.String(), limited.Err())
	default:
		err = r.failure(err, c)
	}
	if logErr := log.end(err); err == nil && logErr != nil {
		err = logErr
	}
	return r, err
}

func (t *Tool) run(ctx context.Context, c Command, log *logFile) (Result, error) {
	cmd := exec.CommandContext(ctx, t.Path, c.Args...)
	cmd.Dir, cmd.Stdin, cmd.WaitDelay = c.Dir, c.Stdin, graceTime
	killFamily(cmd)
	var out, errs capture
	cmd.Stdout, cmd.Stderr = c.teller(log.beside(&out), log.beside(&errs))
	begin := time.Now()
	err := cmd.Start()
	if err == nil {
		boundMemory(cmd.Process.Pid)
		err = cmd.Wait()
	}
	r := Result{
		Stdout: out.text.String(), Stderr: errs.text.String(), Truncated: out.cut || errs.cut,
		Seconds: time.Since(begin).Seconds(), name: t.Name, log: c.Log,
	}
	if s := cmd.ProcessState; s != nil { // nil: it was not started
		r.CPU = (s.UserTime() + s.SystemTime()).Seconds()
	}
	return r, err
}

// Failed returns the error that the program did not do its work, for the reason given,
// with its log. The error below it may be nil.
func (r Result) Failed(reason string, err error) *FailedError {
	return &FailedError{Name: r.name, Reason: reason, Log: r.log, Err: err}
}

// failure returns the error of a program that could not be started, or ended by itself
// and not well. Where a disk is full, or the folder for temporary files is missing, that is the reason.
func (r Result) failure(err error, c Command) *FailedError {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return r.Failed("could not be run: "+err.Error(), err)
	}
	if full := c.checkRoom(); full != nil {
		return r.Failed(exit.String()+": "+full.Error(), full)
	}
	if missing := outfile.CheckTemp(); missing != nil {
		return r.Failed(exit.String()+": "+missing.Error(), missing)
	}
	f := r.Failed(exit.String(), err)
	f.Line = telling(r.Stderr)
	if f.Line == "" {
		f.Line = telling(r.Stdout)
	}
	return f
}

// maxLine bounds the line of output in an error.
const maxLine = 200

// telling returns the line of output that tells most of a failure: the first with the
// word error, else the last that is not empty.
func telling(text string) string {
	last := ""
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		last = line
		if strings.Contains(strings.ToLower(line), "error") {
			break
		}
	}
	if len(last) > maxLine {
		last = strings.ToValidUTF8(last[:maxLine], "") + " ..."
	}
	return last
}

// capture keeps the first bytes that are written to it.
type capture struct {
	text strings.Builder
	cut  bool
}

// Write never fails, so that the program can write on.
func (c *capture) Write(p []byte) (int, error) {
	room := maxCapture - c.text.Len()
	if len(p) > room {
		c.cut = true
	}
	c.text.Write(p[:min(len(p), room)])
	return len(p), nil
}

// logFile is the log of a run; nil if none was asked for. It is written as the program
// goes, to be read while that still runs.
type logFile struct{ *os.File }

func openLog(t *Tool, c Command) (*logFile, error) {
	if c.Log == "" {
		return nil, nil
	}
	f, err := os.Create(c.Log)
	if err != nil {
		return nil, fmt.Errorf("%s: log: %w", t.Name, err)
	}
	words := []string{t.Path}
	for _, arg := range c.Args {
		words = append(words, quote(arg))
	}
	fmt.Fprintf(f, "$ %s\n", strings.Join(words, " "))
	return &logFile{f}, nil
}

// quote writes an argument so that it can be told from its neighbours.
func quote(arg string) string {
	if arg == "" || strings.ContainsAny(arg, " \t\n\"'\\$;|&<>()*?") {
		return strconv.Quote(arg)
	}
	return arg
}

// beside returns a writer to both the capture and the log file.
func (l *logFile) beside(c *capture) io.Writer {
	if l == nil {
		return c
	}
	return io.MultiWriter(c, l.File)
}

// end notes how the run ended and closes the log.
func (l *logFile) end(err error) error {
	if l == nil {
		return nil
	}
	status := "done"
	if err != nil {
		status = err.Error()
	}
	_, writeErr := fmt.Fprintf(l, "# %s\n", status)
	return errors.Join(writeErr, l.Close())
}
