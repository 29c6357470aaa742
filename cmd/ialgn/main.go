// Command ialgn trains logic gate networks, compiles them into hardware, and proves that the hardware computes the
// same function as the trained network.
//
// Each subcommand has its own file with its flags, one library call, and its output. The exit status is
//
//   - 0 for success;
//   - 1 for bad input or usage;
//   - 2 if a check found a difference;
//   - 3 if an external tool is missing or failed;
//   - 70 for a bug in the program;
//   - 130 for an interruption, after which the work so far is saved.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"ialgn"

	"github.com/urfave/cli/v2"

	"ialgn/internal/build"
	"ialgn/internal/manual"
	"ialgn/internal/message"
	"ialgn/internal/mpi"
	"ialgn/internal/screen"
	"ialgn/internal/tool"
	"ialgn/trainer"
)

// These are the exit statuses of the program.
const (
	exitDone        = 0
	exitUsage       = 1
	exitDifference  = 2
	exitTool        = 3
	exitFault       = 70
	exitInterrupted = 130
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	context.AfterFunc(ctx, stop) // a second signal ends the process
	// If Go itself ends the process, for example because memory is exhausted, it must do so with a signal. Go's
	// usual exit status 2 would mean that a check found a difference.
	debug.SetTraceback("crash")
	code := run(ctx, os.Args, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// endings returns the signals that make the program save its work and exit. A closed terminal sends SIGHUP. Under
// nohup, the program ignores SIGHUP.
func endings() []os.Signal {
	all := append(mpi.Signals(), os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}

// run runs the whole program, except that it returns the exit status instead of ending the process.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0)) // --threads changes it
	out, inJSON := newOutput(stdout), false
	inObject := func(f failure) {
		if inJSON {
			_ = f.write(out) // the failure is also on standard error
		}
	}
	return guarded(stderr, inObject, func() int {
		app := newApp(out, stderr)
		inJSON = manual.HasFlag(args, app.Commands, jsonFlag.Name)
		errs := app.ErrWriter
		t := &team{args: args[1:], tell: func(err error) {
			f := newFailure(err)
			f.tell(errs)
			inObject(f)
		}}
		var made []string
		app.Metadata = map[string]any{teamKey: t, foldersKey: &made}
		err := app.RunContext(ctx, manual.PermuteArgs(askedForHelp(args, app.Commands), app.Commands))
		if err != nil {
			removeEmpty(made)
		} else {
			err = out.failed // the parser prints help without returning errors
		}
		return t.end(err)
	})
}

// say returns an error's text for the user. If a context was cancelled, the text is "interrupted" instead of Go's
// own.
func say(err error) string {
	text, ended := message.In(err, message.Flags), context.Canceled.Error()
	if before, ok := strings.CutSuffix(text, ": "+ended); ok && strings.Contains(before, "interrupted") {
		return before
	}
	return strings.ReplaceAll(text, ended, "interrupted")
}

// advice returns how to fix an error, or "" if there is no hint.
func advice(err error) string {
	var at *fs.PathError
	if h := message.HintIn(err, message.Flags); h != "" || !errors.Is(err, syscall.ENOSPC) || !errors.As(err, &at) ||
		!strings.HasPrefix(at.Path, os.TempDir()) {
		return h
	}
	return (&tool.FullError{}).Hint()
}

// status returns the exit status for an error.
func status(err error) int {
	var missing *tool.MissingError
	var failed *tool.FailedError
	var full *tool.FullError
	var ended *endedError
	var silent *mpi.SilentError
	var lost *mpi.LostError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &ended):
		return ended.status
	case errors.As(err, &silent), errors.As(err, &lost):
		return exitTool
	case errors.Is(err, ialgn.ErrDifference), errors.Is(err, ialgn.ErrSlow):
		return exitDifference
	case errors.As(err, &missing), errors.As(err, &failed), errors.As(err, &full), errors.Is(err, ialgn.ErrUnproved),
		errors.Is(err, ialgn.ErrUnchecked), errors.Is(err, ialgn.ErrUnplaced), errors.Is(err, ialgn.ErrUnclocked):
		return exitTool
	case errors.Is(err, trainer.ErrInterrupted), errors.Is(err, context.Canceled):
		return exitInterrupted
	default:
		return exitUsage
	}
}

func newApp(stdout, stderr io.Writer) *cli.App {
	cli.CommandHelpTemplate = commandHelp
	cli.AppHelpTemplate = appHelp
	commands := slices.Concat(
		inGroup("make a network", demoCommand(), initCommand(), trainCommand()),
		inGroup("use a model", evalCommand(), predictCommand(), explainCommand()),
		inGroup("make hardware", compileCommand(), verifyCommand(), synthCommand(), simCommand(), reportCommand()),
		inGroup("search", fitCommand(), sweepCommand(), watchCommand()),
		inGroup("other frameworks", importCommand(), exportCommand()),
		inGroup("paper", analyzeCommand(), diagnoseCommand(diagnoses, diagnoseOptions...), experimentCommand()),
		inGroup("more", dataCommand(), doctorCommand(), helpCommand(), completionCommand(), manCommand()),
	)
	for _, c := range commands {
		c.OnUsageError = usageError // subcommands do not inherit this, and the default prints help on standard output
		c.Before = begin
	}
	return &cli.App{
		Name:            "ialgn",
		Usage:           "train logic gate networks, compile them to hardware, and prove that both are equal",
		Version:         fullVersion(),
		Writer:          stdout,
		ErrWriter:       screen.New(stderr),
		HideHelpCommand: true,
		Flags:           []cli.Flag{cli.HelpFlag}, // the parser omits this flag if there is a help command

		DisableSliceFlagSeparator: true, // values of --set may contain commas

		ExitErrHandler: func(*cli.Context, error) {},
		OnUsageError:   usageError,
		Before:         func(c *cli.Context) error { return checkNumbers(c.Args().Slice(), commands) },
		Action: func(c *cli.Context) error {
			if name := c.Args().First(); name != "" {
				return message.Near(message.WithHint(fmt.Errorf("no such command: %q", name),
					"`ialgn -h` lists the commands"), name,
					commandNames(commands))
			}
			return cli.ShowAppHelp(c)
		},
		Commands: commands,
	}
}

// inGroup sets the group title under which the program's help lists the commands.
func inGroup(title string, commands ...*cli.Command) []*cli.Command {
	for _, c := range commands {
		c.Category = title
	}
	return commands
}

// fullVersion returns the version and, if known, the commit that the program was built from.
func fullVersion() string {
	if commit := build.Commit(); commit != "" {
		return ialgn.Version + ", commit " + commit
	}
	return ialgn.Version
}

func commandNames(commands []*cli.Command) (all []string) {
	for _, c := range commands {
		all = append(all, c.Name)
	}
	return all
}
