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

// maxCapture is the largest number of bytes of each output that is kept in memory. The log gets all output.
const maxCapture = 16 << 20

// graceTime is the longest time for which the pipes of a killed program may stay open.
const graceTime = 5 * time.Second

// Command is one run of a program.
type Command struct {
	Args  []string
	Dir   string        // working folder; empty means the caller's folder
	Stdin io.Reader     // standard input; nil means empty
	Limit time.Duration // limit of the wall time of the program and all programs that it starts; must be positive
	Log   string        // file for the command line and the complete output; empty for no log

	// Line is called with each line of both outputs as soon as the line is written, one call at a time. It may be
	// nil.
	Line func(string)
}

// Result is the result of a run.
type Result struct {
	Stdout, Stderr string // the first 16 MiB of each output
	Truncated      bool   // whether there was more output
	Seconds        float64
	CPU            float64 // processor time in seconds of the program and of the programs for which it waited

	name, log string
}

// Run runs the program to its end. The result is valid even if there is an error. The error is
//
//   - the context's error, wrapped, if the context was cancelled first;
//   - a [*FailedError] if the program could not be started, was still running at the limit, or ended with an exit
//     status other than 0;
//   - an error of the log file, if the log could not be written.
//
// When the context is cancelled or the limit is reached, the program and all programs that it started are killed. On
// Linux a program may use three quarters of the memory that this process may use, and it is killed when this process
// ends.
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
	if s := cmd.ProcessState; s != nil { // nil if the program was not started
		r.CPU = (s.UserTime() + s.SystemTime()).Seconds()
	}
	return r, err
}

// Failed returns an error which says that the program did not do its work. It contains the reason and the path of the
// log. err is the underlying error and may be nil.
func (r Result) Failed(reason string, err error) *FailedError {
	return &FailedError{Name: r.name, Reason: reason, Log: r.log, Err: err}
}

// failure returns the error for a program that could not be started, or that ended by itself with an error. If a disk
// is full, or the folder for temporary files is missing, the error gives this as the reason.
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

// maxLine is the largest length of a line of output in an error.
const maxLine = 200

// telling returns the line of output that best describes a failure. This is the first line with the word error or, if
// there is none, the last line that is not empty.
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

// capture keeps the first bytes that are written to it, and records whether more bytes were written.
type capture struct {
	text strings.Builder
	cut  bool
}

// Write never fails, so that the program can go on writing.
func (c *capture) Write(p []byte) (int, error) {
	room := maxCapture - c.text.Len()
	if len(p) > room {
		c.cut = true
	}
	c.text.Write(p[:min(len(p), room)])
	return len(p), nil
}

// logFile is the log of a run. It is nil if no log is wanted. The log is written while the program runs, so that
// users can read it during the run.
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

// quote formats an argument so that its beginning and end are visible.
func quote(arg string) string {
	if arg == "" || strings.ContainsAny(arg, " \t\n\"'\\$;|&<>()*?") {
		return strconv.Quote(arg)
	}
	return arg
}

// beside returns a writer that writes to both c and the log file.
func (l *logFile) beside(c *capture) io.Writer {
	if l == nil {
		return c
	}
	return io.MultiWriter(c, l.File)
}

// end writes how the run ended, and closes the log.
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
