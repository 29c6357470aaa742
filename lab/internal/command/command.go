// Package command is the common main function of the commands with which the developers of this repository measure
// and test.
package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"ialgn/internal/message"
)

// Main runs a command with its arguments and ends the process. The exit status is 1 if the command returns an error.
// An interrupt cancels the context. A second interrupt ends the process.
func Main(name string, run func(ctx context.Context, w io.Writer, args []string) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	err := run(ctx, os.Stdout, os.Args[1:])
	stop()
	os.Exit(status(os.Stderr, name, err))
}

// status prints an error and its hint, and returns the exit status. A request for help is not an error.
func status(w io.Writer, name string, err error) int {
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return 0
	}
	fmt.Fprintf(w, "%s: %v\n", name, err)
	if h := message.Hint(err); h != "" {
		fmt.Fprintf(w, "%s: hint: %s\n", name, h)
	}
	return 1
}
