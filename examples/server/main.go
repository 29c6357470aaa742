// Command server classifies samples sent over HTTP:
//
//	server [-listen ADDRESS] MODEL
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"ialgn"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "server:", err)
		if hint := ialgn.Hint(err); hint != "" {
			fmt.Fprintln(os.Stderr, "server: hint:", hint)
		}
		os.Exit(1)
	}
}

// run serves until the context ends, and then finishes the requests in progress.
func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("server", flag.ContinueOnError)
	address := flags.String("listen", "localhost:8080", "serve at `ADDRESS`")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errors.New("give one model: server digits.safetensors")
	}
	model, err := ialgn.Open(flags.Arg(0))
	if err != nil {
		return err
	}
	defer model.Close()
	handler, err := newHandler(model)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", *address)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%s at http://%s/classify\n", model.Name(), listener.Addr())
	return serve(ctx, listener, handler)
}

func serve(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: time.Minute, WriteTimeout: time.Minute,
	}
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		stopped <- server.Shutdown(last)
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-stopped
}
